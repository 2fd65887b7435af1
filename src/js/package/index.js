// The package's entry: loads the wasm module once, says so when it is not loaded yet, and replaces an instance that crashed.

import createGlue from "./sluice_agent.js";
import { subscribeTo } from "./coalesce.js";
import { describe, misuse } from "../values.js";
import { Instance } from "./instance.js";
import { LoopAgent } from "./loop_agent.js";
import { script } from "./script.js";
import { fromSession, SessionMemory, toSession } from "./session.js";
import { createStore, retryBehind } from "./store.js";

export { listModels } from "./models.js";
export { normalizeRecording, recordEvents } from "./recording.js";
export { replay } from "./replay.js";

let instance = new Instance(createGlue);
let loading;
let isReady = false;
/** What instances are made of once one has crashed. */
let module;

/** Behind a crash, another instance is the one to load. */
function renew() {
  if (!instance.isCrashed) return;
  ({ module } = instance);
  loading = undefined;
  isReady = false;
  instance = new Instance(createGlue);
}

/**
 * Loads the module. Concurrent and later calls share one instance; a call behind a failed one tries
 * again. `input` may be the module's URL, a Response, bytes or a `WebAssembly.Module`.
 */
export default function init(input) {
  renew();
  const source = module ?? input;
  const [what, help] = module === undefined
    ? ["load the module", "Its .wasm file has to be served beside the package's script, or init() be given its URL, a Response, its bytes or a WebAssembly.Module."]
    : ["replace the module that failed", "Reload the page."];
  loading ??= instance.glue.init(source === undefined ? undefined : { module_or_path: source }).then(
    () => {
      isReady = true;
    },
    (cause) => {
      loading = undefined;
      throw notLoaded(`init() could not ${what}`, cause, help);
    },
  );
  return loading;
}

/** Loads the module from bytes or a `WebAssembly.Module`, at once. */
export function initSync(input) {
  renew();
  if (loading !== undefined && !isReady) throw misuse("not_initialised", "init() is under way, and the module is loaded once: await it in place of initSync().");
  try {
    if (!isReady) instance.glue.initSync(module === undefined ? input : { module });
  } catch (cause) {
    throw notLoaded("initSync() could not load the module", cause, "It takes { module }: the bytes of the .wasm file or a WebAssembly.Module.");
  }
  isReady = true;
  loading ??= Promise.resolve();
}

function notLoaded(what, cause, help) {
  return Object.assign(misuse("not_initialised", `${what}: ${describe(cause)}. ${help}`), { cause });
}

/** The instance to use. */
function use(name) {
  renew();
  if (module !== undefined && loading === undefined) {
    try {
      initSync();
    } catch ({ cause }) {
      // Chromium once made small instances only at once; init() makes any.
      throw notLoaded(`${name} found that the module had failed, and no other instance could be made at once`, cause, "Await init() and try again.");
    }
  }
  if (isReady) return instance;
  throw misuse("not_initialised", `${name} was used before the module was loaded. Await init() first: import init from "sluice-agent"; await init();`);
}

/** An agent: that of the module, and the views over its events that need nothing of it but them. */
export class Agent extends LoopAgent {
  // The shipped script has short names inside; a console shows this one.
  static name = "Agent";

  constructor(options) {
    super(use("Agent"), options);
    const views = { memory: new SessionMemory(this._inside.state(), options), store: undefined, retry: undefined };
    const onEvent = (event) => {
      views.memory.onEvent(event);
      views.retry = retryBehind(event, views.retry);
      views.store?.onEvent(event);
    };
    // What the first listener knows.
    Object.assign(this._inside, { views: () => views, onEvent });
    super.subscribe(onEvent);
  }

  /** Makes the agent of a session. */
  static fromJSON(session, options) {
    use("Agent.fromJSON()");
    const { options: all, steering, followUp } = fromSession(session, options);
    const agent = new this(all);
    for (const message of steering) agent.steer(message);
    for (const message of followUp) agent.followUp(message);
    return agent;
  }

  toJSON() {
    // Not by this.state: what stands around an agent may stand around its state.
    const state = this._inside.state();
    const { memory } = this._inside.views();
    return toSession({ state, memory, queued: this.peekQueuedMessages(), pendingApprovals: this.pendingApprovals });
  }

  get pendingApprovals() {
    // The module took the questions with it, and not what is asked: a session made now asks again.
    return this._inside.isCrashed() ? this._inside.views().memory.pendingApprovals : super.pendingApprovals;
  }

  /** The state as a store. */
  get store() {
    const state = this._inside.state();
    const views = this._inside.views();
    views.store ??= createStore(state, { waiting: this.pendingApprovals, retry: views.retry });
    return views.store.store;
  }

  subscribe(listener, options) {
    return subscribeTo((listener) => super.subscribe(listener), listener, options);
  }

  approveToolCall(id) {
    super.approveToolCall(id);
    this._inside.onEvent({ type: "tool_decision", toolCallId: id, isStarted: this.state.isStreaming });
  }

  denyToolCall(id, reason) {
    super.denyToolCall(id, reason);
    this._inside.onEvent({ type: "tool_decision", toolCallId: id, isStarted: false });
  }

  setSteeringMode(mode) {
    super.setSteeringMode(mode);
    this._inside.views().memory.settings.steeringMode = mode;
  }

  setFollowUpMode(mode) {
    super.setFollowUpMode(mode);
    this._inside.views().memory.settings.followUpMode = mode;
  }

  setInterruptMode(mode) {
    super.setInterruptMode(mode);
    this._inside.views().memory.settings.interruptMode = mode;
  }
}

LoopAgent.follow(instance.glue.Agent);

/** Calls a function of the module. */
function call(name, args) {
  const { glue } = use(name);
  return instance.enter(() => glue[name](...args));
}

export function agentLoop(...args) {
  return call("agentLoop", args);
}

export function agentLoopContinue(...args) {
  return call("agentLoopContinue", args);
}

export function streamSimple(...args) {
  return call("streamSimple", args);
}

export function streamProxy(...args) {
  return call("streamProxy", args);
}

export function complete(...args) {
  return call("complete", args);
}

export function createScript(turns, options) {
  use("createScript");
  return script(turns, options, streamSimple);
}

/** Returns the tool as it is; its work is done by the types. It needs no init(). */
export function defineTool(tool) {
  return tool;
}
