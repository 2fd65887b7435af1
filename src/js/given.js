// What an app hands in, read and checked before anything is done with it: options, models, tools and messages.
//
// Keys and functions are checked here; data goes on as JSON, and what each member must be is told where that is read.

import { contentProblem, describe, FIELDS, get, invalid, isPlainObject, misuse, toJson } from "./values.js";

// ---- options

/** Options of one model call. */
const CALL = [
  "apiKey", "getApiKey", "fetch", "headers", "sessionId", "temperature", "maxTokens", "thinkingBudgets", "cacheRetention", "toolChoice",
  "onPayload", "onResponse", "timeoutMs", "idleTimeoutMs", "hookTimeoutMs", "maxEventBytes",
];
/** Options of a run. */
const RUN = [
  ...CALL, "convertToLlm", "transformContext", "streamFn", "beforeToolCall", "afterToolCall", "prepareRequest", "finishTurn",
  "interruptMode", "toolExecution", "toolTimeoutMs", "maxTurns", "retry",
];
const SIMPLE = [...CALL, "reasoning", "signal"];

/** Whose options they are: what they are called, and what they may be. */
const OWNERS = {
  agent: ["Agent options", [...RUN, "initialState", "steeringMode", "followUpMode"]],
  loop: ["the config of agentLoop", [...RUN, "model", "reasoning", "getSteeringMessages", "getFollowUpMessages"]],
  simple: ["the options of streamSimple", SIMPLE],
  proxy: ["the options of streamProxy", [...SIMPLE, "proxyUrl", "authToken"]],
};

/** Options that are functions of the app. */
const HOOKS = [
  "getApiKey", "fetch", "onPayload", "onResponse", "convertToLlm", "transformContext", "streamFn", "beforeToolCall", "afterToolCall",
  "prepareRequest", "finishTurn", "getSteeringMessages", "getFollowUpMessages",
];

/** Options that are told to a `streamFn` as they are. */
const TOLD = ["onPayload", "onResponse", "headers", "temperature", "maxTokens", "toolChoice", "cacheRetention", "sessionId", "thinkingBudgets"];

/** Options that are read by themselves, and those that go nowhere: a backend has a key of its own. */
const APART = { proxy: ["signal", "apiKey", "getApiKey"], simple: ["signal"], loop: ["model"], agent: ["initialState"] };

/** Options that have options of their own. */
const WITHIN = { retry: ["maxAttempts", "baseDelayMs", "maxDelayMs"], thinkingBudgets: ["minimal", "low", "medium", "high", "xhigh"] };

/**
 * Options by what becomes of them: functions of the app, those that a `streamFn` is told, and all data as JSON.
 * `streamFn` stands for the option of this name where it is given by itself.
 */
export function readOptions(options = {}, owner, streamFn) {
  const [name, known] = OWNERS[owner];
  checkOptions(options, name, known);
  const given = { hooks: {}, told: {}, json: "" };
  const data = {};
  for (const key of known) {
    const value = key === "streamFn" && streamFn !== undefined ? streamFn : get(options, key);
    if (value === undefined || APART[owner].includes(key)) continue;
    if (HOOKS.includes(key)) {
      if (typeof value !== "function") throw invalid(key, "a function", value);
      given.hooks[key] = value;
    } else {
      data[key] = plainData(key, value);
      if (key in WITHIN && isPlainObject(value)) checkOptions(value, key, WITHIN[key]);
    }
    if (TOLD.includes(key)) given.told[key] = value;
  }
  // An agent makes failed calls again unless it is told not to; whoever drives the loop, only where it is told how.
  if (owner === "agent") data.retry ??= {};
  if (owner === "proxy" && data.proxyUrl === undefined) throw invalid("proxyUrl", "a string", undefined);
  given.json = toJson(data);
  return given;
}

/** A value that JSON can hold as it is, and its members too. */
function plainData(name, value) {
  // Of a `Headers` or a `Map`, whose entries are no members, nothing would be left.
  if (isPlainObject(value) && typeof get(value, "entries") === "function") throw invalid(name, "a plain object of strings", value);
  requireData(name, value);
  if (isPlainObject(value)) for (const key of Object.keys(value)) requireData(`${name}.${key}`, get(value, key));
  return value;
}

function requireData(name, value) {
  if (typeof value === "number" && !Number.isFinite(value)) throw invalid(name, "a number that is finite", value);
  if (["function", "symbol", "bigint"].includes(typeof value)) throw invalid(name, "plain data", value);
}

/** Options are an object, or absent, and a key that is not known is a mistake: it would change nothing. */
export function checkOptions(options, name, known) {
  if (options === undefined) return;
  if (!isPlainObject(options)) throw invalid(name, "an object", options);
  const unknown = known && Object.keys(options).find((key) => !known.includes(key) && get(options, key) !== undefined);
  if (unknown === undefined) return;
  const wanted = meant(unknown, known);
  throw misuse("invalid_argument", `${name} ${name.includes("options") ? "have" : "has"} no "${unknown}". ${wanted ? `The name is ${wanted}.` : "Check the spelling."}`);
}

/** Apps keep keys of their own on models and tools; one that nearly has a known name is meant to be that. */
function refuseMisspelled(object, known, name) {
  for (const key of Object.keys(object)) {
    if (known.includes(key) || get(object, key) === undefined) continue;
    const wanted = meant(key, known);
    if (wanted && get(object, wanted) === undefined) throw misuse("invalid_argument", `${name} has no "${key}": the name is ${wanted}.`);
  }
}

/** The known name that differs from this one in case and signs only, or in a letter, or by two that changed places. */
function meant(key, known) {
  const letters = (text) => text.replace(/[^a-z0-9]/gi, "").toLowerCase();
  const wanted = letters(key);
  // Tools of another library bring their schema under this name.
  return known.find((name) => isNear(wanted === "inputschema" ? "parameters" : wanted, letters(name)));
}

function isNear(a, b) {
  if (a === b || b.length < 6) return a === b;
  let [start, end] = [0, 0];
  const rest = Math.min(a.length, b.length);
  while (start < rest && a[start] === b[start]) start++;
  while (end < rest - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a, b].map((text) => text.slice(start, text.length - end));
  return Math.max(left.length, right.length) < 2 || (left.length === 2 && left === right[1] + right[0]);
}

const INITIAL_STATE = ["systemPrompt", "model", "thinkingLevel", "tools", "messages", "pendingApprovals"];

/** What the members are is checked where each is set. */
export function checkInitialState(state) {
  checkOptions(state, "initialState", INITIAL_STATE);
}

// ---- models

const MODEL = ["id", "api", "provider", "baseUrl", "name", "reasoning", "input", "cost", "contextWindow", "maxTokens", "headers", "compat"];
const COMPAT = [
  "maxTokensField", "supportsReasoningEffort", "supportsDeveloperRole", "supportsStore", "supportsUsageInStreaming", "reasoningField",
  "toolCallIdFormat", "requiresToolResultName", "requiresAssistantAfterToolResult",
];

const COST = ["input", "output", "cacheRead", "cacheWrite"];

/** A model as JSON, with what is known of it. */
export function readModel(model) {
  if (!isPlainObject(model)) throw invalid("model", "an object with id and api", model);
  // Ignoring a base URL would send the conversation, and the key, to the protocol's own provider.
  if (get(model, "url") !== undefined && get(model, "baseUrl") === undefined) throw misuse("invalid_argument", 'model has no "url": the name is baseUrl.');
  if (get(model, "baseUrl") === "") throw invalid("model.baseUrl", 'a URL, "/" for the page\'s own server, or left out for the protocol\'s', "");
  refuseMisspelled(model, MODEL, "model");
  if (isPlainObject(get(model, "compat"))) refuseMisspelled(get(model, "compat"), COMPAT, "model.compat");
  if (isPlainObject(get(model, "cost"))) checkOptions(get(model, "cost"), "model.cost", COST);
  plainData("model.headers", get(model, "headers"));
  return toJson(Object.fromEntries(MODEL.map((key) => [key, get(model, key)])));
}

// ---- tools

const TOOL = [
  "name", "label", "description", "parameters", "execute", "prepareArguments", "validate", "executionMode", "timeoutMs", "needsApproval",
];

/** Tools as JSON, as far as the module reads them. What only is told to a model need not be run. */
export function readTools(tools, isTold) {
  if (!Array.isArray(tools)) throw invalid("tools", "an array of tools", tools);
  const names = new Set();
  return toJson(Array.from(tools, (tool, index) => {
    const place = `tools[${index}]`;
    const name = get(tool, "name");
    if (typeof name !== "string" || name === "") throw invalid(`${place}.name`, "a string that is not empty", name);
    if (!isTold && names.has(name)) throw misuse("invalid_argument", `${place}: there is already a tool named "${name}".`);
    names.add(name);
    refuseMisspelled(tool, TOOL, place);
    const description = get(tool, "description");
    if (description !== undefined && typeof description !== "string") throw invalid(`${place}.description`, "a string", description);
    const read = { name, description, parameters: parameters(tool, place) };
    return isTold ? read : { ...read, ...runnable(tool, place) };
  }));
}

/** What running a tool needs. */
function runnable(tool, place) {
  for (const key of ["execute", "prepareArguments", "validate"]) {
    const found = get(tool, key);
    const isMissing = found === undefined && key !== "execute";
    if (!isMissing && typeof found !== "function") throw invalid(`${place}.${key}`, "a function", found);
  }
  const needsApproval = get(tool, "needsApproval");
  if (!["undefined", "boolean", "function"].includes(typeof needsApproval)) throw invalid(`${place}.needsApproval`, "true, false or a function", needsApproval);
  const [executionMode, timeoutMs] = [get(tool, "executionMode"), get(tool, "timeoutMs")];
  if (timeoutMs !== undefined) plainData(`${place}.timeoutMs`, timeoutMs);
  return { executionMode, timeoutMs };
}

/** A tool's JSON Schema, as text. The schemas of some libraries are functions with properties. */
function parameters(tool, place) {
  const found = get(tool, "parameters");
  if (found === undefined) return undefined;
  const what = `${place}.parameters`;
  const schema = get(found, "~standard") ? jsonSchema(found, what) : found;
  if (!isPlainObject(schema)) throw invalid(what, "a JSON Schema object or a Standard Schema object", schema);
  const type = get(schema, "type");
  if (type !== undefined && ![type].flat().includes("object")) throw invalid(`${what}.type`, '"object", since arguments are one', type);
  try {
    return toJson(schema);
  } catch (error) {
    throw misuse("invalid_argument", `${what} cannot be written as JSON: ${describe(error)}.`);
  }
}

/**
 * The JSON Schema of a Standard Schema object: by the standard, else by the method that the library has for it. What
 * Valibot makes no JSON Schema of may be left out, since its own validation sees it.
 *
 * Source: standardschema.dev, "Standard JSON Schema" (`~standard.jsonSchema.input`, `libraryOptions`).
 */
function jsonSchema(schema, what) {
  const standard = get(schema, "~standard");
  const vendor = get(standard, "vendor");
  const libraryOptions = vendor === "valibot" ? { ignoreActions: ["check", "partial_check", "raw_check"] } : undefined;
  const ways = [[get(standard, "jsonSchema"), "input", { target: "draft-2020-12", libraryOptions }], [schema, "toJSONSchema"], [schema, "toJsonSchema"]];
  const [object, method, ...options] = ways.find(([object, method]) => typeof get(object, method) === "function") ?? [];
  if (object === undefined) {
    throw misuse("invalid_argument", `${what}: this schema (${vendor}) cannot give its JSON Schema. Update the library, or wrap it (Valibot: toStandardJsonSchema of @valibot/to-json-schema), or give the JSON Schema here (Zod Mini: z.toJSONSchema(schema, { io: "input" })) and the check as the tool's validate.`);
  }
  try {
    return object[method](...options);
  } catch (error) {
    throw misuse("invalid_argument", `${what}: its JSON Schema cannot be made: ${describe(error)}.`);
  }
}

const warned = new WeakSet();

/** Tells once what is not enforced of a tool's schema. */
export function warnOnce(tool, text) {
  if (warned.has(tool)) return;
  warned.add(tool);
  console.warn(text);
}

/**
 * What has the last word on arguments: the tool's own function, else that of its Standard Schema.
 *
 * Source: standardschema.dev, "Standard Schema" (`~standard.validate`).
 */
export function validator(tool) {
  return get(tool, "validate") ?? get(get(get(tool, "parameters"), "~standard"), "validate");
}

/** The arguments to use, by what the validator answered. Throws what does not fit, one line each. */
export function validated(tool, args, answer) {
  return get(tool, "validate") === undefined ? accepted(answer) : answer ?? args;
}

function accepted(answer) {
  const issues = get(answer, "issues");
  if (Array.isArray(issues) && issues.length > 0) throw new Error(issues.map(line).join("\n"));
  if (!isPlainObject(answer) || !("value" in answer)) throw new Error("- the schema's validate returned neither a value nor issues");
  return answer.value;
}

/** An issue: where, and what. */
function line(issue) {
  let path = "";
  for (const step of get(issue, "path") ?? []) {
    const key = get(step, "key") ?? step;
    if (typeof key === "number") path += `[${key}]`;
    else if (typeof key === "string") path += (path === "" ? "" : ".") + key;
  }
  const message = String(get(issue, "message") ?? "");
  // ArkType's messages begin with the path.
  return message.startsWith(path) ? `- ${message}` : `- ${path}: ${message}`;
}

// ---- messages

/** The messages of a prompt. */
export function readPrompt(input, images) {
  if (typeof input === "string") return [userMessage(input, images)];
  if (images !== undefined) throw invalid("images", "given only with a text", images);
  const messages = Array.isArray(input) ? readMessages(input, "prompt") : [checkMessage(input, "prompt")];
  if (messages.length === 0) throw misuse("invalid_argument", "prompt needs at least one message.");
  messages.forEach(refuseEmpty);
  return messages;
}

/** No provider takes a user's message that says nothing, and the conversation would be stuck with it. */
function refuseEmpty(message) {
  if (get(message, "role") !== "user") return message;
  const content = get(message, "content");
  const says = (block) => get(block, "type") !== "text" || String(get(block, "text")).trim() !== "";
  const isEmpty = typeof content === "string" ? content.trim() === "" : Array.isArray(content) && !content.some(says);
  if (isEmpty) throw misuse("invalid_argument", "The message is empty: give it a text or an image.");
  return message;
}

/** A message, or a text as the message of a user. */
export function readMessage(message, what) {
  return typeof message === "string" ? userMessage(message) : refuseEmpty(checkMessage(message, what));
}

/**
 * Every message has a role, and one that models know has content, since without any it would fail each request from then
 * on. The rest is checked when a model gets to read it: until then `convertToLlm` may make something else of it.
 */
export function checkMessage(message, what) {
  const role = get(message, "role");
  if (!isPlainObject(message) || typeof role !== "string") throw invalid(what, "a message: an object with a role", message);
  const content = get(message, "content");
  if (!Object.hasOwn(FIELDS, role)) return message;
  const isContent = Array.isArray(content) || (role === "user" && typeof content === "string");
  if (!isContent) throw invalid(`${what}.content`, role === "user" ? "a string or an array of blocks" : "an array of blocks", content);
  const timestamp = get(message, "timestamp");
  if (!["undefined", "number"].includes(typeof timestamp)) throw invalid(`${what}.timestamp`, "a number of milliseconds", timestamp);
  const toolCallId = get(message, "toolCallId");
  if (role === "toolResult" && typeof toolCallId !== "string") throw invalid(`${what}.toolCallId`, "the id of the call", toolCallId);
  // Content of another kind belongs into a message of a role of the app's own, which convertToLlm reads.
  const checked = role === "assistant" ? [] : content;
  for (const [index, block] of Array.isArray(checked) ? checked.entries() : []) {
    if (contentProblem([block]) !== undefined) throw invalid(`${what}.content[${index}]`, 'a block: { type: "text", text } or { type: "image", data (base64, no data: URL), mimeType }', block);
  }
  return message;
}

/** A copy of a list of messages. */
export function readMessages(messages, what) {
  if (!Array.isArray(messages)) throw invalid(what, "an array of messages", messages);
  return Array.from(messages, (message, index) => checkMessage(message, `${what}[${index}]`));
}

function userMessage(text, images = []) {
  const problem = contentProblem(images);
  if (problem !== undefined) throw misuse("invalid_argument", `images: got ${problem}.`);
  if (text.trim() === "" && images.length === 0) throw misuse("invalid_argument", "The message is empty: give it a text or an image.");
  return { role: "user", content: [{ type: "text", text }, ...images], timestamp: Date.now() };
}

