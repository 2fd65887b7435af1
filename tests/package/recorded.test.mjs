// Whole responses, the repository's own and recorded ones of real providers, through the network and the package.
import assert from "node:assert/strict";
import { test } from "node:test";
import { browserTests, keepEvents } from "./browser.mjs";
import { ownRecordings, sharedRecordings } from "./streams.mjs";

const pageTest = browserTests();

/** Asks for the response on a page; the tools that it calls are there, and note their arguments. */
const read = (page, model, names) =>
  page.evaluate(async ([model, names]) => {
    const ran = [];
    const tools = names.map((name) => newTool(name, (args) => (ran.push({ name, args }), { content: [], terminate: true })));
    const agent = newAgent(model, { tools, toolExecution: "sequential", maxTurns: 1 });
    const recording = record(agent);
    await agent.prompt("Go");
    return { answer: agent.state.messages.find(({ role }) => role === "assistant"), ran, ...recording.all };
  }, [model, names]);

function check({ answer, ran, faults }, expected) {
  const all = (type, field) => answer.content.filter((block) => block.type === type).map((block) => block[field]).join("");
  const got = { text: all("text", "text"), thinking: all("thinking", "thinking"), toolCalls: ran, stopReason: answer.stopReason };
  for (const [field, value] of Object.entries(got)) if (field in expected) assert.deepEqual(value, expected[field], field);
  for (const [field, value] of Object.entries(expected.usage ?? {})) assert.equal(answer.usage[field], value, `usage.${field}`);
  assert.deepEqual(faults, []);
}

for (const [where, recordings] of [["own", ownRecordings], ["recorded", sharedRecordings]]) {
  if (recordings === undefined) {
    test("recorded streams", { skip: "there is no folder of recorded streams: set RECORDED_STREAMS" });
    continue;
  }
  // One page for all of them: a page takes longer to load than a response to be read.
  pageTest(`${where} responses are read as what they are`, async ({ page, server, t }) => {
    for (const { name, api, body, expected } of recordings) {
      await t.test(`${name} (${api})`, async () => {
        const provider = server.provider().answer({ body, pieces: Math.max(24, Math.ceil(body.length / 150)) });
        const names = [...new Set((expected.toolCalls ?? []).map(({ name }) => name))];
        const result = await read(page, { ...provider.model, api }, names);
        check(result, expected);
        keepEvents(`${where}-${name}`, result.events);
      });
    }
  });
}
