// A chat in React that knows nothing but the store: two components that read it, and what went wrong on the way.
import { createElement, memo, StrictMode, startTransition, useEffect, useLayoutEffect, useState, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import init, { Agent, createScript, recordEvents, replay } from "sluice-agent";

const report = { warnings: [], torn: 0, commits: 0, renders: {} };
console.error = (...args) => report.warnings.push(args.map(String).join(" "));
console.warn = console.error;

await init();
const words = Array.from({ length: 60 }, (_, index) => `word-${index}`).join(" ");
const agent = new Agent({
  initialState: {
    model: { id: "scripted", api: "script" },
    tools: [{ name: "add", parameters: { type: "object" }, execute: async (_id, { a, b }) => String(a + b) }],
  },
  streamFn: createScript([{ text: words, toolCalls: [{ id: "call_1", name: "add", arguments: { a: 2, b: 3 } }] }, { text: "Five." }], { tokensPerSecond: 400 }),
});

/** Numbers of the snapshots, which the components write into the page: in one commit all have the same. */
const numbers = new WeakMap();
let count = 0;
const numberOf = (snapshot) => numbers.get(snapshot) ?? numbers.set(snapshot, ++count).get(snapshot);
const useStore = (store) => {
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getSnapshot);
  useLayoutEffect(() => {
    report.commits++;
    const drawn = Array.from(document.querySelectorAll("[data-snapshot]"), (element) => element.dataset.snapshot);
    if (new Set(drawn).size > 1) report.torn++;
  }, [snapshot]);
  return snapshot;
};

const Message = memo(function Message({ message }) {
  report.renders[message.role] = (report.renders[message.role] ?? 0) + 1;
  const { content, role } = message;
  const text = typeof content === "string" ? content : content.map((block) => block.text ?? block.name).join(" ");
  return createElement("li", null, `${role}: ${text}`);
});

function Transcript({ store }) {
  const snapshot = useStore(store);
  const { messages, streamMessage } = snapshot;
  const all = streamMessage === null ? messages : [...messages, streamMessage];
  return createElement("ol", { "data-snapshot": numberOf(snapshot) }, ...all.map((message, index) => createElement(Message, { key: index, message })));
}

function Status({ store }) {
  const snapshot = useStore(store);
  const { isStreaming, toolExecutions } = snapshot;
  // A render that takes its time, so that the store changes meanwhile.
  const end = performance.now() + 2;
  while (performance.now() < end);
  return createElement("p", { "data-snapshot": numberOf(snapshot) }, `${isStreaming ? "streaming" : "idle"} ${Object.values(toolExecutions).map(({ status }) => status).join()}`);
}

function App({ store }) {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => startTransition(() => setCount((count) => count + 1)), 7);
    return () => clearInterval(timer);
  }, []);
  return createElement("main", null, createElement(Transcript, { store }), createElement(Status, { store }), createElement("span", { key: "s", hidden: true }, count));
}

const root = createRoot(document.getElementById("root"));
const show = (store) => root.render(createElement(StrictMode, null, createElement(App, { key: store === agent.store ? "live" : "replay", store })));
const html = () => document.querySelector("ol").textContent + document.querySelector("p").textContent;
const drawn = () => new Promise((resolve) => setTimeout(resolve, 50));

show(agent.store);
const recorder = recordEvents(agent);
await agent.prompt("2 + 3?");
await drawn();
report.live = html();
const player = replay(recorder, { speed: 4 });
show(player.store);
await player.start();
await drawn();
report.replayed = html();

// Whoever draws an agent and not its store asks the agent for it again, also while it is freed under it.
function Live({ agent }) {
  const { isStreaming } = useStore(agent.store);
  const { messages, pendingToolCalls } = agent.state;
  return createElement("p", null, `${messages.length} ${pendingToolCalls.size} ${agent.pendingApprovals.length} ${isStreaming}`);
}
const short = new Agent({ initialState: { model: { id: "scripted", api: "script" } }, streamFn: createScript([{ text: words }], { tokensPerSecond: 400 }) });
root.render(createElement(StrictMode, null, createElement(Live, { agent: short })));
const run = short.prompt("Go");
await drawn();
const during = document.querySelector("p")?.textContent;
short.free();
await run;
await drawn();
report.freed = [during, document.querySelector("p")?.textContent];
globalThis.report = report;
