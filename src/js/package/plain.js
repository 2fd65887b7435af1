// Any value as JSON would have it, whatever is in it.

/**
 * A copy that holds nothing but JSON, as `JSON.stringify` would write it. Where that would throw, what cannot be
 * written is replaced by a text that says so: what an app keeps in `details` is its own business, and must not keep
 * the rest from being written.
 */
export function plain(value, ancestors = new Set()) {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : null;
    case "bigint":
      return String(value);
    case "object":
      return value === null ? null : plainObject(value, ancestors);
    default:
      return undefined;
  }
}

const UNREADABLE = "[unreadable]";

function plainObject(object, ancestors) {
  if (ancestors.has(object)) return "[circular]";
  ancestors.add(object);
  try {
    if (typeof object.toJSON === "function") return plain(object.toJSON(), ancestors);
    if (Array.isArray(object)) return Array.from(object, (item) => plain(item, ancestors) ?? null);
    const entries = Object.keys(object).map((key) => [key, member(object, key, ancestors)]);
    return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
  } catch {
    return UNREADABLE;
  } finally {
    ancestors.delete(object);
  }
}

/** A getter that throws is one member that is missing, not the object. */
function member(object, key, ancestors) {
  let item;
  try {
    item = object[key];
  } catch {
    return UNREADABLE;
  }
  return plain(item, ancestors);
}

/** Whether two values are the same as JSON. */
export function isSame(a, b) {
  return a === b || JSON.stringify(plain(a)) === JSON.stringify(plain(b));
}
