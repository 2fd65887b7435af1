// The entry that holds the module's bytes needs no file at all.
import init, { Agent, createScript } from "sluice-agent/inline";

await init();
const agent = new Agent({ initialState: { model: { id: "scripted", api: "script" } }, streamFn: createScript([{ text: "Hello from one file." }]) });
await agent.prompt("Hello");
console.log(agent.state.messages.at(-1).content[0].text);
