// The page's messages as JSON text for a provider.

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
