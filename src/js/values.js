// Values of the page: read without throwing, told in words, and written as JSON text.

export const FIELDS = {
  user: ["role", "content", "timestamp"],
  assistant: [
    "role", "content", "api", "provider", "model", "responseId", "usage", "stopReason", "errorMessage", "error", "timestamp",
  ],
  toolResult: ["role", "toolCallId", "toolName", "content", "isError", "timestamp"],
};

const BLOCK_FIELDS = {
  text: ["type", "text", "textSignature"],
  thinking: ["type", "thinking", "thinkingSignature", "redacted"],
  toolCall: ["type", "id", "name", "arguments", "thoughtSignature"],
  image: ["type", "data", "mimeType"],
};

/**
 * One line of JSON per message. Only what a provider can be told is read: what an app keeps on its
 * messages (`details`, fields of its own) may be anything, cycles and functions included.
 */
export function toLines(messages, held) {
  return messages.map((message, index) => toLine(message, index, held)).join("\n");
}

function toLine(message, index, held) {
  const fields = FIELDS[message?.role];
  if (fields === undefined) {
    throw new Error(`messages[${index}] has the role ${JSON.stringify(message?.role)}, which no model knows. Let convertToLlm turn it into a user, assistant or toolResult message, or leave it out.`);
  }
  try {
    const told = pick(message, fields);
    if (Array.isArray(told.content)) told.content = told.content.map((block) => toBlock(block, held));
    return withoutLoneSurrogates(JSON.stringify(told));
  } catch (error) {
    throw new Error(`messages[${index}] (${message.role}) cannot be written as JSON: ${error?.message}`);
  }
}

function toBlock(block, held) {
  const fields = BLOCK_FIELDS[block?.type];
  if (fields === undefined) return block;
  const told = pick(block, fields);
  if (block.type === "image") told.data = held.hold(told.data);
  return told;
}

/** Shorter texts are not worth the way around. */
const HELD_LENGTH = 4096;

/** By how images begin, the module tells one type from another. */
const BEGINNING = 32;

/**
 * Long texts that the module only passes on: the data of images. Through it they would be copied several times, into
 * memory that never shrinks, for every request. In their place goes a beginning with a mark, which the finished body
 * has what it stands for put back into.
 */
export class Held {
  #mark = `held:${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}:`;
  #rest = [];

  hold(text) {
    if (typeof text !== "string" || text.length < HELD_LENGTH || text.charCodeAt(BEGINNING - 1) > 127) return text;
    this.#rest.push(toJson(text.slice(BEGINNING)).slice(1, -1));
    return `${text.slice(0, BEGINNING)}${this.#mark}${this.#rest.length - 1};`;
  }

  /** The body of a request as it is to be sent. */
  fill(body) {
    if (this.#rest.length === 0) return body;
    return body.replace(new RegExp(`${this.#mark}(\\d+);`, "g"), (_, index) => this.#rest[index]);
  }

  payload(body) {
    return JSON.parse(this.fill(body));
  }

  /** A payload of the app's as a body. Undefined where it cannot be written as JSON. */
  bodyOf(payload) {
    return JSON.stringify(payload, (_, value) => this.hold(value));
  }
}

/** A loop, since it runs for every block of a transcript. */
function pick(object, fields) {
  const picked = {};
  for (const field of fields) picked[field] = object[field];
  return picked;
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

/** An argument or option that is not what it must be. */
export function invalid(what, expected, found) {
  return misuse("invalid_argument", `${what} must be ${expected}, but is ${kind(found)}.`);
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

// ---- results of tools

/** A result that is one text. */
export function textResult(text) {
  return { content: [{ type: "text", text }], details: {} };
}

/**
 * A tool's return value as a result. Nothing becomes an empty result and a string a text; an object must have content
 * that a message can hold, and is kept as it is.
 */
export function toolResult(returned) {
  if (returned === undefined || returned === null) return { content: [], details: {} };
  if (typeof returned === "string") return textResult(returned);
  const returns = "It must return { content: [{ type: \"text\", text }, …], details }, a text or nothing.";
  if (!isPlainObject(returned)) throw new Error(`The tool returned ${kind(returned)}. ${returns}`);
  const content = get(returned, "content");
  if (typeof content === "string") {
    const rest = ["details", "isError", "terminate"].map((key) => [key, get(returned, key)]);
    return defined({ ...textResult(content), ...Object.fromEntries(rest) });
  }
  const problem = contentProblem(content);
  // A copy: what events have shown never changes, and a tool may go on with what it returned.
  if (problem === undefined) return { ...returned, content: content.map((block) => ({ ...block })) };
  throw new Error(`The tool returned ${problem}. ${returns}`);
}

const DECISION = ["block", "reason", "args", "terminate"];

/** `beforeToolCall` returns a decision or nothing. A key that is none of its own may be one that was meant otherwise. */
export function checkDecision(returned) {
  if (returned === undefined || returned === null) return;
  if (!isPlainObject(returned)) {
    throw new Error(`beforeToolCall must return { ${DECISION.join(", ")} } or nothing, but returned ${kind(returned)}.`);
  }
  const unknown = Object.getOwnPropertyNames(returned).find((key) => !DECISION.includes(key));
  if (unknown === undefined) return;
  throw new Error(`beforeToolCall returned "${unknown}", which is none of block, reason, args and terminate.`);
}

/** A result in which `afterToolCall` replaced what it gave. */
export function changedResult(change, result) {
  if (!isPlainObject(change)) throw new Error(`afterToolCall must return fields of the result to replace, or nothing, but returned ${kind(change)}`);
  const field = (key) => {
    const found = get(change, key);
    return found === undefined ? get(result, key) : found;
  };
  const content = field("content");
  const problem = contentProblem(content);
  if (problem !== undefined) throw new Error(`afterToolCall returned ${problem}`);
  return defined({ content, details: field("details") });
}

/** What is wrong with the content of a message; undefined for what is content. */
export function contentProblem(content) {
  if (!Array.isArray(content)) return `content that is ${kind(content)} in place of an array`;
  const index = Array.from(content).findIndex((block) => {
    const has = (...keys) => keys.every((key) => typeof get(block, key) === "string");
    const type = get(block, "type");
    return !(type === "text" ? has("text") : type === "image" && has("data", "mimeType") && !block.data.startsWith("data:"));
  });
  if (index < 0) return undefined;
  return `content[${index}] that is neither { type: "text", text } nor { type: "image", data (base64, no data: URL), mimeType }`;
}

// ---- what an app is given

/** The message that answers a call. */
export function toolResultMessage(toolCallId, toolName, result, isError, durationMs) {
  const [content, details] = [get(result, "content"), get(result, "details")];
  return defined({ role: "toolResult", toolCallId, toolName, content, details, isError, timestamp: Date.now(), durationMs });
}

/** The argument of hooks on tool calls; `index` is that of the call's block. */
export function toolCallContext({ systemPrompt, messages, tools }, index, args) {
  const assistantMessage = messages.findLast((message) => get(message, "role") === "assistant");
  const toolCall = blockOf(assistantMessage, index);
  // A hook may do with its arrays what it likes: they are not the agent's.
  return defined({ assistantMessage, toolCall, args, context: { systemPrompt, messages: [...messages], tools: [...tools] } });
}

/** A block of a message. */
export function blockOf(message, index) {
  return get(get(message, "content"), index);
}

/** Whether a regular expression matches: with Unicode semantics, or without where it is only valid so. */
export function matches(pattern, text) {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(pattern, flags).test(text);
    } catch {
      // Not valid so.
    }
  }
  return undefined;
}

/** The headers of a response, as far as the page may see them. */
export function headersOf(response) {
  try {
    return Object.fromEntries(get(response, "headers"));
  } catch {
    return {};
  }
}

/** The page's own `fetch`. */
export function pageFetch() {
  return get(globalThis, "fetch");
}

/** The same object without what is undefined. */
function defined(object) {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
