// The package's entry: loads the wasm module once, and says so when it is not loaded yet.

import * as glue from "./sluice_agent.js";
import { channelOf } from "../live.js";
import { subscribeTo } from "./coalesce.js";
import { isObject, misuse } from "./errors.js";
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
    (error) => {
      loading = undefined;
      throw error;
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
  /** The app's listeners and hooks, held so that they live as long as their agent. */
  #own;
  #streams = new Set();

  // The shipped script has short names inside; a console shows this one.
  static name = "Agent";

  constructor(options) {
    requireInit("Agent");
    const hooks = {};
    super(behind(hooks, options));
    this.#own = Object.assign(channelOf(this.state).leave(), { hooks });
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
    for (const { prototype } of [glue.Agent, Agent]) {
      for (const name of Object.getOwnPropertyNames(prototype)) {
        if (name !== "free" && name !== "constructor") Object.defineProperty(this, name, { configurable: true, get: refuseFreed });
      }
    }
  }

  static {
    if (Symbol.dispose) this.prototype[Symbol.dispose] = this.prototype.free;
  }
}

/**
 * The options with functions that call those of the app without holding them: the module holds its options as long as it
 * has the agent, and a hook that knows the agent would keep it for ever.
 */
function behind(hooks, options) {
  if (!isObject(options)) return options;
  const weak = new WeakRef(hooks);
  const through = ([key, value]) => {
    if (typeof value !== "function") return [key, value];
    hooks[key] = value;
    return [key, caller(weak, key)];
  };
  return Object.fromEntries(Object.entries(options).map(through));
}

/** A function of its own makes these, so that nothing else is in their scope. */
function caller(weak, key) {
  return (...args) => weak.deref()[key](...args);
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

export function createScript(...args) {
  requireInit("createScript");
  return glue.createScript(...args);
}

/** Returns the tool as it is; its work is done by the types. It needs no init(). */
export function defineTool(tool) {
  return tool;
}
