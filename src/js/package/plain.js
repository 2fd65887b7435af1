// Any value as JSON would have it, whatever is in it.

/**
 * A copy that holds nothing but JSON, as `JSON.stringify` would write it. Where that would throw, what cannot be
 * written is replaced by a text that says so: what an app keeps in `details` is its own business, and must not keep
 * the rest from being written.
 */
export function plain(value, ancestors = []) {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "object" || value === null) return ["string", "boolean", "object"].includes(typeof value) ? value : undefined;
  if (ancestors.includes(value)) return "[circular]";
  const within = [...ancestors, value];
  try {
    if (typeof value.toJSON === "function") return plain(value.toJSON(), within);
    if (Array.isArray(value)) return Array.from(value, (item) => plain(item, within) ?? null);
    const entries = Object.keys(value).map((key) => [key, member(value, key, within)]);
    return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
  } catch {
    return UNREADABLE;
  }
}

const UNREADABLE = "[unreadable]";

/** A getter that throws is one member that is missing, not the object. */
function member(object, key, within) {
  let item;
  try {
    item = object[key];
  } catch {
    return UNREADABLE;
  }
  return plain(item, within);
}

/** Whether two values are the same as JSON. */
export function isSame(a, b) {
  return a === b || JSON.stringify(plain(a)) === JSON.stringify(plain(b));
}
