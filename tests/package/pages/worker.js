// A module worker that runs an agent and posts what it saw.
import init, { Agent } from "/sluice-agent/index.js";
import { record } from "./record.js";

addEventListener("message", async ({ data: { model, text, coalesce } }) => {
  await init();
  const tools = [{ name: "where", parameters: { type: "object" }, execute: () => self.constructor.name }];
  const agent = new Agent({ initialState: { model, tools } });
  const recording = record(agent, { coalesce });
  await agent.prompt(text);
  postMessage({ lines: recording.lines, faults: recording.faults });
});
