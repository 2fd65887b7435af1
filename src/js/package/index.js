// The package's entry: loads the wasm module once, and says so when it is not loaded yet.

import * as glue from "./sluice_agent.js";

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
  const error = new Error(`${name} was used before the module was loaded. Await init() first: import init from "sluice-agent"; await init();`);
  error.name = "SluiceError";
  error.code = "not_initialised";
  throw error;
}

// The shipped script has short names inside; a console shows this one.
Object.defineProperty(glue.Agent, "name", { value: "Agent" });

/** An agent. It is the class of the wasm module, which exists only behind init(). */
export const Agent = new Proxy(glue.Agent, {
  construct(target, args, newTarget) {
    requireInit("Agent");
    return Reflect.construct(target, args, newTarget);
  },
});

// A run keeps going when its agent is garbage: only `free` ends it, and then nothing else works.
const release = glue.Agent.prototype.free;
glue.Agent.prototype.free = function free() {
  if (this.__wbg_ptr === 0) return;
  this.abort();
  release.call(this);
  for (const name of Object.getOwnPropertyNames(glue.Agent.prototype)) {
    if (name !== "free" && name !== "constructor") Object.defineProperty(this, name, { get: refuseFreed });
  }
};
if (Symbol.dispose) glue.Agent.prototype[Symbol.dispose] = glue.Agent.prototype.free;

function refuseFreed() {
  const error = new Error("This agent was freed. Make a new one.");
  error.name = "SluiceError";
  error.code = "freed";
  throw error;
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
