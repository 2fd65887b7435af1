// The agent of the module as the package has it: its calls go to the instance that it was made in, as long as that works.

import { channelOf } from "../live.js";
import { misuse } from "../values.js";

/** Methods that tell of wrong use by rejecting. */
const PROMISING = ["prompt", "continue", "retry", "waitForIdle"];

/** What there is of an agent that was freed or whose instance crashed: nothing is under way, and messages wait for another. */
const ENDED = {
  abort() {},
  free() {},
  signal() {},
  pendingApprovals: () => [],
  hasQueuedMessages: ({ steering, followUp }) => steering.length + followUp.length > 0,
  peekQueuedMessages: ({ steering, followUp }) => ({ steering, followUp }),
};

/**
 * What it knows is in functions, not in private fields: UI libraries wrap objects in proxies, which have no private fields.
 * They are in one object, because V8 takes longer to collect an agent that has them as properties. Nor is anything of the
 * agent itself written later on: such a proxy may be readonly.
 */
export class LoopAgent {
  constructor(instance, options) {
    let isFreed = false;
    const { agent, state } = instance.enter(() => {
      const agent = new instance.glue.Agent(options);
      return { agent, state: agent.state };
    });
    // What is the app's, held so that it lives as long as the agent.
    const own = channelOf(state).leave();
    const call = (name, use) => {
      if ((isFreed || instance.isCrashed) && Object.hasOwn(ENDED, name)) return ENDED[name](own.record);
      if (isFreed) throw misuse("freed", "This agent was freed. Make a new one.");
      return instance.enter(() => use(agent));
    };
    const free = () => {
      if (isFreed) return;
      this.abort();
      const endStreams = () => {
        for (const stream of own.streams) stream.end();
      };
      this.waitForIdle().then(endStreams, endStreams);
      call("free", (agent) => agent.free());
      isFreed = true;
    };
    this._inside = { call, free, state: () => state, isCrashed: () => instance.isCrashed };
  }

  /** It is the page's: what was said can be read of an agent that was freed or has crashed, too. */
  get state() {
    return this._inside.state();
  }

  /** A run keeps going when its agent is garbage: only this ends it, and then the agent can be read and nothing else. */
  free() {
    inside(this, "free").free();
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
                return inside(this, name).call(name, (agent) => agent[name](...args));
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

/** A method that was given away without its agent (`onclick = agent.abort`) has another `this`, or none. */
function inside(agent, name) {
  if (agent?._inside !== undefined) return agent._inside;
  throw misuse("invalid_argument", `${name}() was called without its agent: give () => agent.${name}() in place of agent.${name}.`);
}
