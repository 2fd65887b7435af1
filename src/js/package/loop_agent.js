// The agent of the module as the package has it: its calls go to the instance that it was made in, as long as that works.

import { channelOf } from "../live.js";
import { misuse } from "../values.js";

/** Methods that tell of wrong use by rejecting. */
const PROMISING = ["prompt", "continue", "retry", "waitForIdle"];

/** What there is of an agent whose instance crashed: nothing waits and nothing is under way. */
const ENDED = {
  abort() {},
  free() {},
  signal() {},
  pendingApprovals: () => [],
  hasQueuedMessages: () => false,
  peekQueuedMessages: () => ({ steering: [], followUp: [] }),
};

/**
 * What it knows is in functions, not in private fields: UI libraries wrap objects in proxies, which have no private fields.
 * They are in one object, because V8 takes longer to collect an agent that has them as properties.
 */
export class LoopAgent {
  constructor(instance, options) {
    const agent = instance.enter(() => new instance.glue.Agent(options));
    const { state } = agent;
    // What is the app's, held so that it lives as long as the agent.
    const own = channelOf(state).leave();
    this._inside = {
      call: (name, use) => (instance.isCrashed && Object.hasOwn(ENDED, name) ? ENDED[name]() : instance.enter(() => use(agent))),
      state: () => state,
      streams: () => own.streams,
    };
  }

  /** It is the page's: what was said can be read behind a crash, too. */
  get state() {
    return this._inside.state();
  }

  /** A run keeps going when its agent is garbage: only this ends it, and then nothing else works. */
  free() {
    const { call, state, streams } = this._inside;
    if (state === refuseFreed) return;
    this.abort();
    const endStreams = () => {
      for (const stream of streams()) stream.end();
    };
    this.waitForIdle().then(endStreams, endStreams);
    this._inside = FREED;
    call("free", (agent) => agent.free());
  }

  static {
    if (Symbol.dispose) this.prototype[Symbol.dispose] = this.prototype.free;
  }

  /** Gives it the other members of the module's class. */
  static follow({ prototype }) {
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (Object.hasOwn(this.prototype, name) || name.startsWith("_")) continue;
      const member = get
        ? {
            get() {
              return this._inside.call(name, (agent) => agent[name]);
            },
          }
        : {
            writable: true,
            value(...args) {
              try {
                return this._inside.call(name, (agent) => agent[name](...args));
              } catch (error) {
                if (PROMISING.includes(name)) return Promise.reject(error);
                throw error;
              }
            },
          };
      Object.defineProperty(this.prototype, name, { configurable: true, ...member });
    }
  }
}

function refuseFreed() {
  throw misuse("freed", "This agent was freed. Make a new one.");
}

const FREED = { call: refuseFreed, state: refuseFreed };
