// Everything that can wait for the module, the places where it can trap, and what there is to see behind that.
import { arm, disarm, memory } from "./trap.js";
import "./lab.js";

const never = () => new Promise(() => {});
const user = { role: "user", content: [{ type: "text", text: "Go" }], timestamp: 0 };

/** What becomes of a promise, within a second. */
function outcome(promise) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, 1_000, "pending");
  });
  return Promise.race([promise.then(() => "resolved", (error) => error?.code ?? String(error)), late]).finally(() => clearTimeout(timer));
}

/**
 * Everything that can wait, waiting. `model` stalls: in the middle of an answer, and twice before the headers; `busy`
 * asks to be called again later.
 */
async function waitingForAll({ model, busy }) {
  const signals = {};
  const promises = {};
  const waiting = [];
  const loud = (agent, matches) => waiting.push(seen(agent, matches));
  const noteSignal = (name) => (_params, signal) => ((signals[name] = signal), never());

  const idle = newAgent(model);
  promises["events() of an idle agent"] = idle.events().next();

  const tool = scriptedAgent([{ text: "Hm.", toolCalls: [{ id: "call_1", name: "hang" }] }], { tools: [newTool("hang", noteSignal("tool"))] });
  loud(tool, ({ type }) => type === "tool_execution_start");
  promises["prompt() in a tool"] = tool.prompt("Go");
  signals.run = tool.signal;
  promises["waitForIdle()"] = tool.waitForIdle();
  const events = tool.events();
  promises["events() of a run"] = (async () => { for await (const _ of events); })();

  const approval = scriptedAgent([{ toolCalls: [{ name: "ask" }] }], { tools: [newTool("ask", never, { needsApproval: true })] });
  loud(approval, ({ type }) => type === "tool_approval_request");
  promises["prompt() in an approval"] = approval.prompt("Go");

  const retried = newAgent(busy, { retry: { baseDelayMs: 60_000 } });
  loud(retried, ({ type }) => type === "auto_retry_start");
  promises["prompt() before another try"] = retried.prompt("Go");

  const listening = scriptedAgent([{ text: "Fine." }]);
  listening.subscribe(({ type }) => (type === "turn_end" ? never() : undefined));
  loud(listening, ({ type }) => type === "message_update");
  promises["prompt() in a listener"] = listening.prompt("Go");

  const hooked = scriptedAgent([{ text: "Fine." }], { transformContext: never });
  promises["continue() in a hook"] = (hooked.appendMessage(user), hooked.continue());
  const again = scriptedAgent([{ text: "Fine." }], { transformContext: never });
  promises["retry() in a hook"] = (again.appendMessage(user), again.retry());

  // One that is in the middle of its answer.
  const simple = sluice.streamSimple(model, { messages: [user] });
  for (let type; type !== "text_delta"; ) ({ type } = (await simple.next()).value);
  promises["streamSimple, the next event"] = simple.next();
  promises["streamSimple, the result"] = simple.result();

  const loop = sluice.agentLoop([user], { messages: [] }, { model });
  promises["agentLoop, iterated"] = (async () => { for await (const _ of loop); })();
  promises["agentLoop, the result"] = loop.result();
  // Nobody asks for the result of this one: that is no rejection that goes unhandled.
  const unasked = sluice.agentLoopContinue({ messages: [user] }, { model, transformContext: never });
  promises["agentLoopContinue, iterated"] = (async () => { for await (const _ of unasked); })();
  promises["complete()"] = sluice.complete(model, { messages: [user] });

  const outcomes = () => Promise.all(Object.entries(promises).map(async ([name, promise]) => [name, await outcome(promise)])).then(Object.fromEntries);
  await Promise.all(waiting);
  return { signals, outcomes, agents: { idle, tool, approval, retried, listening, hooked, again } };
}

/** Makes the module trap in one place, and returns what whoever called it there was told. */
const places = {
  /** Nobody called it: what was told is what the run that did it came to. */
  "a poll": () => {
    const agent = scriptedAgent([{ text: "Fine." }]);
    agent.subscribe(({ type }) => type === "message_update" && arm());
    return outcome(agent.prompt("Go"));
  },
  "a poll, behind a listener that hides what its own call was told": async () => {
    const agent = scriptedAgent([{ toolCalls: [{ name: "look" }] }, { text: "Fine." }], { tools: [newTool("look", () => "Nothing.")] });
    const types = [];
    agent.subscribe(({ type, message }) => {
      types.push(type);
      if (type !== "message_end" || message.role !== "assistant") return;
      try {
        arm();
        agent.steer("More");
      } catch {
        // As apps do.
      }
    });
    const told = await outcome(agent.prompt("Go"));
    // The run does not go on in what is left of the module: the tool would start at once.
    return types.at(-1) === "message_end" ? told : types.join();
  },
  "a method": () => {
    const agent = agentOf();
    arm();
    return failureOf(() => agent.steer("More")).then(({ code }) => code);
  },
  "a method that returns a promise": () => {
    const agent = agentOf();
    arm();
    return outcome(agent.prompt("Go"));
  },
  "the constructor": () => failureOf(() => (arm(), new sluice.Agent({ initialState: { systemPrompt: "x" } }))).then(({ code }) => code),
  "agentLoop()": () => failureOf(() => (arm(), sluice.agentLoop([user], { messages: [] }, { model: { id: "m", api: "openai-completions" } }))).then(({ code }) => code),
  "a callback of the network": () => {
    const fetch = async () => {
      setTimeout(() => arm());
      return new Promise((resolve) => setTimeout(resolve, 5, new Response("")));
    };
    return outcome(newAgent({ id: "test", api: "openai-completions" }, { fetch }).prompt("Go"));
  },
  "a timer": () => {
    const tool = newTool("hang", () => {
      const wake = globalThis.setTimeout;
      // The tool's time limit is the next to be set.
      globalThis.setTimeout = (call, ...rest) => {
        globalThis.setTimeout = wake;
        return wake(() => (arm(), call()), ...rest);
      };
      return never();
    }, { timeoutMs: 20 });
    return outcome(scriptedAgent([{ toolCalls: [{ name: "hang" }] }], { tools: [tool] }).prompt("Go"));
  },
  "a function that a tool was given": () => {
    const agent = scriptedAgent([{ toolCalls: [{ name: "hang" }] }], { tools: [newTool("hang", (_params, _signal, onUpdate) => (setTimeout(() => (arm(), onUpdate({ content: [] }))), never()))] });
    return outcome(agent.prompt("Go"));
  },
  "an abort event": async () => {
    const agent = agentOf();
    let told;
    const tool = newTool("hang", (_params, signal) => (signal.addEventListener("abort", () => { told = failureOf(() => (arm(), agent.steer("More"))); }), never()));
    agent.setTools([tool]);
    const started = seen(agent, ({ type }) => type === "tool_execution_start");
    const run = outcome(agent.prompt("Go"));
    await started;
    const aborting = await failureOf(() => agent.abort());
    const all = [await run, (await told).code, aborting.code];
    return all.every((code) => code === "crashed") ? "crashed" : all.join();
  },
  /** No import has part in it. */
  "its own memory, which something has overwritten": () => {
    const agent = agentOf();
    new Uint8Array(memory.buffer).fill(255);
    return failureOf(() => agent.steer("More")).then(({ code }) => code);
  },
  "a stack that is full": () => {
    const agent = agentOf();
    let isFull = false;
    const model = {
      api: "openai-completions",
      get id() {
        if (isFull) return "m";
        try {
          agent.setModel(model);
        } catch (error) {
          isFull = true;
          throw error;
        }
      },
    };
    return failureOf(() => agent.setModel(model)).then(({ code }) => code);
  },
};

const agentOf = () => scriptedAgent([{ toolCalls: [{ name: "hang" }] }]);

/** A run of two turns, with a tool between. */
async function twoTurns(agent = scriptedAgent([{ toolCalls: [{ id: "call_1", name: "look" }] }, { text: "Fine." }], { tools: [newTool("look", () => "Nothing.")] })) {
  const recording = record(agent);
  await agent.prompt("Go");
  return { lines: recording.lines, faults: recording.faults };
}

/** What becomes of `use` with a trap at each call out of it, or at each `step`th, until it makes no more of them. */
async function crashesOf(use, step = 1) {
  const found = {};
  for (let later = 0; ; later += step) {
    const told = await outcome((async () => use(() => arm(later)))());
    if (!disarm()) return { ...found, isOver: told };
    found[told] = (found[told] ?? 0) + 1;
    // What was held weakly is let go between tasks only.
    await new Promise((resolve) => setTimeout(resolve));
  }
}

Object.assign(globalThis, { crashesOf, waitingForAll, places, twoTurns, outcome, user, refuseInstances: (isRefused) => { WebAssembly.Instance.isRefused = isRefused; } });
