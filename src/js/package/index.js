// The package's entry: loads the wasm module once, and says so when it is not loaded yet.

import * as glue from "./sluice_agent.js";
import { channelOf } from "../live.js";
import { subscribeTo } from "./coalesce.js";
import { describe, misuse } from "../values.js";
import { script } from "./script.js";
import { fromSession, SessionMemory, toSession } from "./session.js";
import { createStore, retryBehind } from "./store.js";

export { listModels } from "./models.js";
export { normalizeRecording, recordEvents } from "./recording.js";
export { replay } from "./replay.js";

let loading;
let isReady = false;

/**
 * Loads the module. Concurrent and later calls share one instance; a call behind a failed one tries
 * again. `input` may be the module's URL, a Response, bytes or a `WebAssembly.Module`.
 */
export default function init(input) {
  loading ??= glue.default(input === undefined ? undefined : { module_or_path: input }).then(
    () => {
      isReady = true;
    },
    (cause) => {
      loading = undefined;
      const what = "init() could not load the module";
      const help = "Its .wasm file has to be served beside the package's script, or init() be given its URL, a Response, its bytes or a WebAssembly.Module.";
      throw Object.assign(misuse("not_initialised", `${what}: ${describe(cause)}. ${help}`), { cause });
    },
  );
  return loading;
}

/** Loads the module from bytes or a `WebAssembly.Module`, at once. */
export function initSync(input) {
  if (loading !== undefined && !isReady) throw new Error("init() is under way, and the module is loaded once: await it in place of initSync().");
  if (!isReady) glue.initSync(input);
  isReady = true;
  loading ??= Promise.resolve();
}

function requireInit(name) {
  if (isReady) return;
  throw misuse("not_initialised", `${name} was used before the module was loaded. Await init() first: import init from "sluice-agent"; await init();`);
}

/**
 * An agent: the class of the wasm module, which exists only behind init(), and the views over its events that need
 * nothing of it but them.
 */
export class Agent extends glue.Agent {
  /** What the first listener knows. */
  #views;
  /** What is the app's, held so that it lives as long as the agent. */
  #own;
  #streams = new Set();

  // The shipped script has short names inside; a console shows this one.
  static name = "Agent";

  constructor(options) {
    requireInit("Agent");
    super(options);
    this.#own = channelOf(this.state).leave();
    const views = { memory: new SessionMemory(this.state, options), store: undefined, retry: undefined };
    this.#views = views;
    super.subscribe((event) => {
      views.memory.onEvent(event);
      views.retry = retryBehind(event, views.retry);
      views.store?.onEvent(event);
    });
  }

  /** Makes the agent of a session. */
  static fromJSON(session, options) {
    requireInit("Agent.fromJSON()");
    const { options: all, steering, followUp } = fromSession(session, options);
    const agent = new this(all);
    for (const message of steering) agent.steer(message);
    for (const message of followUp) agent.followUp(message);
    return agent;
  }

  toJSON() {
    const { state, pendingApprovals } = this;
    return toSession({ state, memory: this.#views.memory, queued: this.peekQueuedMessages(), pendingApprovals });
  }

  /** The state as a store. */
  get store() {
    this.#views.store ??= createStore(this.state, { waiting: this.pendingApprovals, retry: this.#views.retry });
    return this.#views.store.store;
  }

  subscribe(listener, options) {
    return subscribeTo((listener) => super.subscribe(listener), listener, options);
  }

  events() {
    const stream = super.events();
    const streams = this.#streams.add(stream);
    const leave = stream.return;
    stream.return = (value) => {
      streams.delete(stream);
      return leave.call(stream, value);
    };
    return stream;
  }

  approveToolCall(id) {
    super.approveToolCall(id);
    this.#views.store?.onEvent({ type: "tool_decision", toolCallId: id, isStarted: this.state.isStreaming });
  }

  denyToolCall(id, reason) {
    super.denyToolCall(id, reason);
    this.#views.store?.onEvent({ type: "tool_decision", toolCallId: id, isStarted: false });
  }

  setSteeringMode(mode) {
    super.setSteeringMode(mode);
    this.#views.memory.settings.steeringMode = mode;
  }

  setFollowUpMode(mode) {
    super.setFollowUpMode(mode);
    this.#views.memory.settings.followUpMode = mode;
  }

  setInterruptMode(mode) {
    super.setInterruptMode(mode);
    this.#views.memory.settings.interruptMode = mode;
  }

  /** A run keeps going when its agent is garbage: only this ends it, and then nothing else works. */
  free() {
    if (this.__wbg_ptr === 0) return;
    this.abort();
    const streams = this.#streams;
    this.waitForIdle().then(() => {
      for (const stream of streams) stream.end();
    });
    super.free();
    Object.setPrototypeOf(this, freed(Object.getPrototypeOf(this)));
  }

  static {
    if (Symbol.dispose) this.prototype[Symbol.dispose] = this.prototype.free;
  }
}

const freedPrototypes = new WeakMap();

/** What a freed agent of this class is like: whatever is used of it says so. */
function freed(prototype) {
  if (!freedPrototypes.has(prototype)) {
    const names = [glue.Agent, Agent].flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype));
    const refused = names.filter((name) => name !== "free" && name !== "constructor").map((name) => [name, PROMISING.includes(name) ? { value: rejectFreed } : { get: refuseFreed }]);
    freedPrototypes.set(prototype, Object.create(prototype, Object.fromEntries(refused)));
  }
  return freedPrototypes.get(prototype);
}

/** Methods that tell of wrong use by rejecting. */
const PROMISING = ["prompt", "continue", "retry", "waitForIdle"];

async function rejectFreed() {
  refuseFreed();
}

function refuseFreed() {
  throw misuse("freed", "This agent was freed. Make a new one.");
}

export function agentLoop(...args) {
  requireInit("agentLoop");
  return glue.agentLoop(...args);
}

export function agentLoopContinue(...args) {
  requireInit("agentLoopContinue");
  return glue.agentLoopContinue(...args);
}

export function streamSimple(...args) {
  requireInit("streamSimple");
  return glue.streamSimple(...args);
}

export function streamProxy(...args) {
  requireInit("streamProxy");
  return glue.streamProxy(...args);
}

export function complete(...args) {
  requireInit("complete");
  return glue.complete(...args);
}

export function createScript(turns, options) {
  requireInit("createScript");
  return script(turns, options, glue.streamSimple);
}

/** Returns the tool as it is; its work is done by the types. It needs no init(). */
export function defineTool(tool) {
  return tool;
}
