import init, { Agent, createScript, defineTool } from "sluice-agent";

await init();
const agent = new Agent({
  initialState: {
    model: { id: "scripted", api: "script" },
    tools: [defineTool({ name: "add", parameters: { type: "object" }, execute: (_id, { a, b }) => String(a + b) })],
  },
  streamFn: createScript([{ toolCalls: [{ name: "add", arguments: { a: 2, b: 3 } }] }, { text: "Five." }]),
});
await agent.prompt("2 + 3?");
globalThis.answers = agent.state.messages.map(({ role, content }) => `${role}: ${content.map(({ text, name }) => text ?? name).join("")}`);
