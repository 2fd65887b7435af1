// Errors that calls throw or reject with, the same as the module's own.

export function fail(code, message, more) {
  const error = new Error(message);
  error.name = "SluiceError";
  return Object.assign(error, { code }, more);
}

/** The error of a call that cannot be right. */
export const misuse = fail;

export function invalid(what, expected, found) {
  return misuse("invalid_argument", `${what} must be ${expected}, but is ${kind(found)}.`);
}

/** Options are an object, or absent, and a key that is not `known` is a mistake. */
export function checkOptions(options, what, known) {
  if (options === undefined) return;
  if (!isObject(options)) throw invalid(what, "an object", options);
  const unknown = known && Object.keys(options).find((key) => !known.includes(key) && options[key] !== undefined);
  if (unknown !== undefined) throw misuse("invalid_argument", `${what} have no "${unknown}". Check the spelling.`);
}

export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kind(value) {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  switch (typeof value) {
    case "string":
      return `the string ${JSON.stringify(value.slice(0, 40))}`;
    case "number":
      return Number.isFinite(value) ? `the number ${value}` : "no finite number";
    case "boolean":
      return `the boolean ${value}`;
    case "function":
      return "a function";
    case "object":
      return "an object";
    default:
      return "a value of another type";
  }
}
