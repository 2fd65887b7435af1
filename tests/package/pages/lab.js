// What the tests use inside the page: the loaded package, agents, and recordings of their runs.
import init, * as sluice from "/sluice-agent/index.js";
import { memory } from "./memory.js";
import "./watch.js";
import { outline, record } from "./record.js";

await init();

/** An agent whose failed calls are not tried again by themselves. */
function newAgent(model, { tools = [], messages = [], ...options } = {}) {
  return new sluice.Agent({ initialState: { model, tools, messages }, retry: false, ...options });
}

/** An agent on the scripted model. */
function scriptedAgent(turns, { tokensPerSecond, ...options } = {}) {
  const streamFn = sluice.createScript(turns, tokensPerSecond && { tokensPerSecond });
  return newAgent({ id: "demo", api: "script", provider: "script" }, { streamFn, ...options });
}

/** A tool by its function of the arguments, signal and `onUpdate`. */
function newTool(name, execute, rest) {
  return { name, description: name, parameters: { type: "object" }, execute: (_id, params, signal, onUpdate) => execute(params, signal, onUpdate), ...rest };
}

/** Resolves when a listener has seen an event that `matches`. */
function seen(agent, matches) {
  return new Promise((resolve) => {
    const unsubscribe = agent.subscribe((event) => {
      if (!matches(event)) return;
      unsubscribe();
      resolve(event);
    });
  });
}

/** The error that a call throws or rejects with, as data. */
async function failureOf(run) {
  try {
    await run();
  } catch (error) {
    return { isError: error instanceof Error, name: error.name, code: error.code, message: error.message };
  }
  return "no error";
}

Object.assign(globalThis, { sluice: { ...sluice, init }, outline, record, memory, newAgent, newTool, scriptedAgent, seen, failureOf, isLoaded: true });
