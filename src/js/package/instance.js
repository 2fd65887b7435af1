// An instance of the module, and what becomes of everything that waits for it when it fails.

import { Channel } from "../live.js";
import { EventStream, Timer } from "../streams.js";
import { misuse } from "../values.js";

const CRASHED =
  "The module of sluice-agent failed and was stopped, with all that was under way. Make new agents, from agent.state or agent.toJSON() of the old ones. Unless the page ran out of memory or stack, please report this with its cause.";

/**
 * One instance, with a glue and a memory of its own. Whatever leaves an export by being thrown (the trap of a panic, a
 * full stack) leaves the module half way through something, with values in use that nobody gives back. So from then on
 * nothing in it is run any more, and nothing of it can reach the instance that takes its place.
 */
export class Instance {
  isCrashed = false;
  /** What is thrown from then on. It is made beforehand: a full stack has no room to make it. */
  crash = misuse("crashed", CRASHED);
  /** The module, compiled. */
  module;
  #exports = {};
  #isBuried = false;

  constructor(glue) {
    this.glue = glue(this);
  }

  /** The exports, for the glue. Those of an instance that crashed do nothing: a timer or a promise may still call them. */
  guardExports(exports, module) {
    this.module = module;
    this.#exports = exports;
    return mapped(exports, (call) => (...args) => {
      if (!this.isCrashed) {
        try {
          return call(...args);
        } catch (error) {
          // As a plain Error wasm-bindgen refuses a call of which nothing has begun.
          if (!this.isCrashed && error?.constructor === Error) throw error;
          this.isCrashed = true;
          this.crash.cause ??= error;
        }
      }
      this.#bury();
      // Some have several results, which the glue looks for.
      return [];
    });
  }

  /** The imports, for the module. What called one while it crashed does not go on. */
  guardImports(imports) {
    return mapped(imports, (call) => (...args) => {
      const result = call(...args);
      if (this.isCrashed) throw this.crash;
      return result;
    });
  }

  /** Calls the module for an app, which is told of a crash. */
  enter(call) {
    try {
      if (!this.isCrashed) return call();
    } finally {
      if (this.isCrashed) {
        this.#bury();
        throw this.crash;
      }
    }
  }

  /** Ends what waits, once, and where the stack is empty. */
  #bury() {
    if (this.#isBuried) return;
    queueMicrotask(() => {
      for (const table of Object.values(this.#exports)) {
        // All that the module holds of the page's is in its table.
        if (table instanceof WebAssembly.Table) for (let index = 0; index < table.length; index++) end(table.get(index), this.crash);
      }
      console.error(this.crash.message, this.crash.cause);
    });
    this.#isBuried = true;
  }
}

function end(held, crash) {
  if (held instanceof AbortController) held.abort(crash);
  if (held instanceof Channel || held instanceof EventStream) held.fail(crash);
  // It would keep the instance until it goes off.
  if (held instanceof Timer) held.stop();
}

/** The same members; functions become others. */
function mapped(object, change) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, typeof value === "function" ? change(value) : value]));
}
