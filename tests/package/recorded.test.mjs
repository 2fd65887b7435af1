// Whole responses, the repository's own and recorded ones of real providers, through the network and the package.
import assert from "node:assert/strict";
import { test } from "node:test";
import { browserTests, keepEvents } from "./browser.mjs";
import { ownRecordings, sharedRecordings } from "./streams.mjs";

const pageTest = browserTests();

/** Asks for so many responses on a page; the tools that they call are there, and note their arguments. */
const read = (page, model, names, count) =>
  page.evaluate(async ([model, names, count]) => {
    const ran = [];
    const tools = names.map((name) => newTool(name, (args) => (ran.push({ name, args }), { content: [], terminate: true })));
    const agent = newAgent(model, { tools, toolExecution: "sequential", maxTurns: 1 });
    const recording = record(agent);
    for (let asked = 0; asked < count; asked++) await agent.prompt("Go");
    return { answers: agent.state.messages.filter(({ role }) => role === "assistant"), ran, ...recording.all };
  }, [model, names, count]);

function check({ answers, ran, faults }, expected) {
  const blocks = answers.flatMap(({ content }) => content);
  const all = (type, field) => blocks.filter((block) => block.type === type).map((block) => block[field]).join("");
  // Where an expected call has no arguments, the peers disagree on them.
  const toolCalls = ran.map(({ name, args }, index) => (expected.toolCalls?.[index]?.args === undefined ? { name } : { name, args }));
  // A response that calls tools ends so although another one follows in the file.
  const stopReason = blocks.some(({ type }) => type === "toolCall") ? "toolUse" : answers.at(-1).stopReason;
  const got = { text: all("text", "text"), thinking: all("thinking", "thinking"), toolCalls, stopReason };
  for (const [field, value] of Object.entries(got)) if (field in expected) assert.deepEqual(value, expected[field], field);
  for (const [field, value] of Object.entries(expected.usage ?? {})) assert.equal(answers.at(-1).usage[field], value, `usage.${field}`);
  assert.deepEqual(faults, []);
}

for (const [where, recordings] of [["own", ownRecordings], ["recorded", sharedRecordings]]) {
  if (recordings === undefined) {
    test("recorded streams", { skip: "there is no folder of recorded streams: set RECORDED_STREAMS" });
    continue;
  }
  // One page for all of them: a page takes longer to load than a response to be read.
  pageTest(`${where} responses are read as what they are`, async ({ page, server, t }) => {
    for (const { name, api, bodies, expected } of recordings) {
      await t.test(`${name} (${api})`, async () => {
        const provider = server.provider().answer(...bodies.map((body) => ({ body, pieces: Math.max(24, Math.ceil(body.length / 40)) })));
        const names = [...new Set((expected.toolCalls ?? []).map(({ name }) => name))];
        const result = await read(page, { ...provider.model, api }, names, bodies.length);
        check(result, expected);
        // A run for each response of the file.
        const starts = result.events.flatMap(({ type }, index) => (type === "agent_start" ? [index] : []));
        starts.forEach((start, run) => keepEvents(`${where}-${name}-${run}`, result.events.slice(start, starts[run + 1])));
      });
    }
  });
}
