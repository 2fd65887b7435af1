// Values of the page: read without throwing, told in words, and written as JSON text.

const FIELDS = {
  user: ["content", "timestamp"],
  assistant: [
    "content", "api", "provider", "model", "responseId", "usage", "stopReason", "errorMessage", "error", "timestamp",
  ],
  toolResult: ["toolCallId", "toolName", "content", "isError", "timestamp"],
};

const BLOCK_FIELDS = {
  text: ["text", "textSignature"],
  thinking: ["thinking", "thinkingSignature", "redacted"],
  toolCall: ["id", "name", "arguments", "thoughtSignature"],
  image: ["data", "mimeType"],
};

/**
 * One line of JSON per message. Only what a provider can be told is read: what an app keeps on its
 * messages (`details`, fields of its own) may be anything, cycles and functions included.
 */
export function toLines(messages) {
  return messages.map(toLine).join("\n");
}

function toLine(message, index) {
  const fields = FIELDS[message?.role];
  if (fields === undefined) {
    throw new Error(`messages[${index}] has the role ${JSON.stringify(message?.role)}, which no model knows. Let convertToLlm turn it into a user, assistant or toolResult message, or leave it out.`);
  }
  try {
    const told = { role: message.role, ...pick(message, fields) };
    if (Array.isArray(told.content)) told.content = told.content.map(toBlock);
    return withoutLoneSurrogates(JSON.stringify(told));
  } catch (error) {
    throw new Error(`messages[${index}] (${message.role}) cannot be written as JSON: ${error?.message}`);
  }
}

function toBlock(block) {
  const fields = BLOCK_FIELDS[block?.type];
  return fields === undefined ? block : { type: block.type, ...pick(block, fields) };
}

function pick(object, fields) {
  return Object.fromEntries(fields.map((field) => [field, object[field]]));
}

/** Any value as JSON text that every parser takes. */
export function toJson(value) {
  return withoutLoneSurrogates(JSON.stringify(value) ?? "null");
}

/** `JSON.stringify` writes half an emoji as an escape, which strict parsers refuse. */
function withoutLoneSurrogates(json) {
  if (!json.includes("\\ud")) return json;
  // An escaped backslash is matched first, so that what stands behind it is not taken for an escape.
  return json.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (match) => (match === "\\\\" ? match : "\\ufffd"));
}

// ---- reading

/** A property; `undefined` when there is none or reading it throws. */
export function get(object, key) {
  try {
    return Reflect.get(object, key);
  } catch {
    return undefined;
  }
}

/** Whether it is an object that is not an array. */
export function isPlainObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// ---- telling

/** An error for a call that cannot be right. */
export function misuse(code, message) {
  return Object.assign(new Error(message), { name: "SluiceError", code });
}

/** What a value is, for a message: its type, and the value where it is short. */
export function kind(value) {
  switch (typeof value) {
    case "undefined":
      return "undefined";
    case "string":
      return `the string ${JSON.stringify([...value.slice(0, 80)].slice(0, 40).join(""))}`;
    case "number":
      return Number.isFinite(value) ? `the number ${value}` : "no finite number";
    case "boolean":
      return `the boolean ${value}`;
    case "function":
      return "a function";
    case "object":
      return value === null ? "null" : Array.isArray(value) ? "an array" : "an object";
    default:
      return "a value of another type";
  }
}

/** What the page threw, as text: an error's message, a string, or what is known of it. */
export function describe(thrown) {
  if (typeof thrown === "string") return thrown;
  const message = get(thrown, "message");
  if (typeof message === "string" && message !== "") return message;
  const name = get(thrown, "name");
  return typeof name === "string" && typeof thrown === "object" ? name : `${kind(thrown)} was thrown`;
}
