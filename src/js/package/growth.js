// How much of a value has streamed in, as one number.
//
// Streamed arguments only grow, so every value that was shown is a beginning of the last one: that one, and how much of
// it had come, says all of them. A scalar counts 1, a string its characters as well, a container what is in it.

const sizes = new WeakMap();

export function sizeOf(value) {
  if (typeof value === "string") return 1 + value.length;
  if (typeof value !== "object" || value === null) return 1;
  // Values that stream in are never changed, and share what is complete: each container is measured once.
  let size = sizes.get(value);
  if (size === undefined) {
    size = Object.values(value).reduce((sum, item) => sum + sizeOf(item), 1);
    sizes.set(value, size);
  }
  return size;
}

/** The beginning of a value that has this size. What is complete in it is shared with the value. */
export function beginningOf(value, size) {
  if (sizeOf(value) <= size) return value;
  if (typeof value === "string") return value.slice(0, size - 1);
  let left = size - 1;
  const entries = [];
  for (const [key, item] of Object.entries(value)) {
    if (left <= 0) break;
    entries.push([key, beginningOf(item, left)]);
    left -= sizeOf(item);
  }
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}
