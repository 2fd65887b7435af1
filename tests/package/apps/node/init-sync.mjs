// Node reads the module from the package's own files: there is no fetch of files.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Agent, createScript, initSync } from "sluice-agent";

initSync({ module: readFileSync(fileURLToPath(import.meta.resolve("sluice-agent/sluice_agent_bg.wasm"))) });
const agent = new Agent({ initialState: { model: { id: "scripted", api: "script" } }, streamFn: createScript([{ text: "Hello from Node." }]) });
await agent.prompt("Hello");
console.log(agent.state.messages.at(-1).content[0].text);
