// What the scenarios share: checks, stubs for the network, a recorder that enforces the event laws.
//
// A scenario is an exported async function. It gets the exports of the package and fails by throwing.

export const model = { api: "openai-completions", id: "test-model", baseUrl: "https://model.test/v1" };

// ---------------------------------------------------------------- checks

export function check(condition, what) {
  if (!condition) throw new Error(what);
}

export function same(actual, expected, what) {
  if (!Object.is(actual, expected)) throw new Error(`${what}: ${show(actual)} is not the same as ${show(expected)}`);
}

export function equal(actual, expected, what) {
  if (!isEqual(actual, expected)) throw new Error(`${what}:\n     got ${show(actual)}\nexpected ${show(expected)}`);
}

export function matches(text, pattern, what) {
  if (typeof text !== "string" || !pattern.test(text)) throw new Error(`${what}: ${show(text)} does not match ${pattern}`);
}

/** Own properties all the way down, so that `__proto__` counts as what it is. */
export function isEqual(a, b) {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isEqual(own(a, key), own(b, key)));
}

function own(object, key) {
  return Object.getOwnPropertyDescriptor(object, key).value;
}

function show(value) {
  try {
    return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
  } catch {
    return String(value);
  }
}

export async function rejection(promise, what) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`${what} did not reject`);
}

export function thrown(f, what) {
  try {
    f();
  } catch (error) {
    return error;
  }
  throw new Error(`${what} did not throw`);
}

/** Fails when `promise` takes longer than `ms`: whatever hangs must not hang the whole suite. */
export async function soon(promise, what, ms = 3000) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not settle within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const never = () => new Promise(() => {});

/** A promise and what settles it. */
export function deferred() {
  let resolve, reject;
  const promise = new Promise((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

// ---------------------------------------------------------------- errors of the page

let pageErrors = [];
const onError = (event) => {
  event.preventDefault();
  pageErrors.push(event.error ?? event.message);
};
const onRejection = (event) => {
  event.preventDefault();
  pageErrors.push(event.reason);
};

export function watchPage() {
  pageErrors = [];
  addEventListener("error", onError);
  addEventListener("unhandledrejection", onRejection);
}

/** Fails if the page saw an error that the scenario has not taken. */
export async function leavePage() {
  // Rejections are reported a task after the promise is known to be unhandled.
  await sleep(20);
  removeEventListener("error", onError);
  removeEventListener("unhandledrejection", onRejection);
  equal(pageErrors.map(String), [], "errors of the page");
}

/** The errors that the page saw so far; they count as expected. */
export function takePageErrors() {
  return pageErrors.splice(0);
}

// ---------------------------------------------------------------- chat completions

export const frame = (value) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
export const delta = (fields, finish_reason = null) => frame({ id: "r1", choices: [{ index: 0, delta: fields, finish_reason }] });
export const text = (content) => delta({ content });
export const thinking = (reasoning_content) => delta({ reasoning_content });
export const call = (index, id, name, args = "") => delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: args } }] });
export const more = (index, args) => delta({ tool_calls: [{ index, function: { arguments: args } }] });
export const finish = (reason = "stop") => delta({}, reason);
export const done = frame("[DONE]");
export const answer = (content) => [text(content), finish(), done];
export const calls = (...list) => [...list.map(([id, name, args], index) => call(index, id, name, JSON.stringify(args ?? {}))), finish("tool_calls"), done];

/** A response whose body is these chunks, one read each. */
export function streamed(chunks, init = {}) {
  const encoder = new TextEncoder();
  let next = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (next === chunks.length) return controller.close();
      const chunk = chunks[next++];
      controller.enqueue(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" }, ...init });
}

/** A response that sends these chunks and then is silent. `onCancel` is told when nobody wants it any more. */
export function open(chunks, onCancel = () => {}) {
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk));
    },
    cancel: onCancel,
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/**
 * A `fetch` that gives these answers in turn, the last one for ever: an array of chunks, or a
 * function that makes a response. `requests` are those that it got.
 */
export function fetchOf(...answers) {
  const fetch = async (url, init) => {
    fetch.requests.push({ url, init, body: JSON.parse(init.body) });
    const answer = answers[Math.min(fetch.requests.length, answers.length) - 1];
    return typeof answer === "function" ? answer(url, init) : streamed(answer);
  };
  fetch.requests = [];
  return fetch;
}

// ---------------------------------------------------------------- agents and their events

export const tool = (name, execute, fields = {}) => ({ name, description: `The tool ${name}.`, execute, ...fields });
export const said = (value) => ({ content: [{ type: "text", text: value }], details: {} });

export function agentWith(sluice, fetch, fields = {}) {
  const { tools, messages, systemPrompt, ...options } = fields;
  const initialState = { model };
  if (tools !== undefined) initialState.tools = tools;
  if (messages !== undefined) initialState.messages = messages;
  if (systemPrompt !== undefined) initialState.systemPrompt = systemPrompt;
  // What fails fails at once, where a scenario is not about retries.
  return new sluice.Agent({ initialState, fetch, retry: false, ...options });
}

export const last = (agent) => agent.state.messages.at(-1);
export const textOf = (message) => message.content.filter((block) => block.type === "text").map((block) => block.text).join("");

/** The next prompt works: what every scenario of a failure or an abort ends with. */
export async function stillWorks(sluice, agent) {
  const log = record(agent);
  await soon(agent.prompt("still there?"), "the next prompt");
  check(last(agent).stopReason === "stop", `the next answer failed: ${last(agent).errorMessage}`);
  check(!agent.state.isStreaming, "the agent is idle");
  log.verify(sluice);
  log.stop();
}

/**
 * Records the events of an agent, freezing each as it comes. `verify` checks that none has changed
 * since, the laws of the stream, the Rust types, and who shares what with whom.
 */
export function record(agent) {
  const log = new Log();
  log.stop = agent.subscribe((event) => log.take(event));
  return log;
}

export class Log {
  events = [];
  copies = [];

  take(event) {
    freeze(event);
    this.events.push(event);
    this.copies.push(copy(event));
  }

  of(type) {
    return this.events.filter((event) => event.type === type);
  }

  /** What happened, in short: consecutive deltas of one block count once. */
  kinds() {
    const kinds = this.events.map((event) => {
      if (event.type === "message_update") return event.assistantMessageEvent.type;
      return event.message === undefined || event.type === "turn_end" ? event.type : `${event.type} ${event.message.role}`;
    });
    return kinds.filter((kind, index) => !kind.endsWith("_delta") || kind !== kinds[index - 1]);
  }

  updates() {
    return this.of("message_update").map((event) => event.assistantMessageEvent);
  }

  reason() {
    return this.of("agent_end").at(-1)?.reason;
  }

  verify(sluice, { types = true } = {}) {
    this.events.forEach((event, index) => same(copy(event), this.copies[index], `event ${index} has changed since`));
    if (types) for (const run of this.runs()) sluice.checkRun(`[${run.map((index) => this.copies[index]).join(",")}]`);
    this.verifySharing();
  }

  runs() {
    const runs = [];
    this.events.forEach((event, index) => {
      if (event.type === "agent_start") runs.push([]);
      check(runs.length > 0, "the first event is agent_start");
      runs.at(-1).push(index);
    });
    return runs;
  }

  verifySharing() {
    let previous;
    for (const event of this.events) {
      if (event.type === "message_start") previous = event.message;
      if (event.type !== "message_update") continue;
      const update = event.assistantMessageEvent;
      same(event.message, update.partial, "message and partial");
      checkSnapshot(previous, update);
      previous = event.message;
    }
  }
}

/** An event as JSON; what has no JSON is only named. */
function copy(event) {
  const parents = [];
  return JSON.stringify(event, function (key, value) {
    if (typeof value === "bigint") return `bigint ${value}`;
    if (typeof value !== "object" || value === null) return value;
    while (parents.length > 0 && parents.at(-1) !== this) parents.pop();
    if (parents.includes(value)) return "a cycle";
    parents.push(value);
    return value;
  });
}

/** The next snapshot is new where it was touched and shared everywhere else. */
export function checkSnapshot(previous, update) {
  const { contentIndex: touched, partial, type } = update;
  check(partial !== previous, `${type}: the message is new`);
  check(partial.content !== previous.content, `${type}: the content array is new`);
  previous.content.forEach((block, index) => {
    if (index !== touched) same(partial.content[index], block, `${type}: block ${index}, which was not touched`);
  });
  if (type.endsWith("_delta")) check(partial.content[touched] !== previous.content[touched], `${type}: the touched block is new`);
  if (type === "toolcall_end") same(update.toolCall, partial.content[touched], "toolCall and its block");
}

/** Freezes our own objects all the way down; what a tool keeps in `details` may be anything. */
export function freeze(value) {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== Array.prototype) return;
  Object.freeze(value);
  for (const key of Object.keys(value)) freeze(own(value, key));
}

/** All events of an async iterable. */
export async function collect(iterable) {
  const events = [];
  for await (const event of iterable) {
    freeze(event);
    events.push(event);
  }
  return events;
}

/** Numbers between 0 and 1, the same for the same seed. */
export function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
