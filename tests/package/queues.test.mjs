// Steering and follow-up messages: each is delivered exactly once, in its place, or still listed.
import assert from "node:assert/strict";
import { browserTests, keepEvents } from "./browser.mjs";
import { answer, call, done, finish } from "./streams.mjs";

const pageTest = browserTests();

const started = ["agent_start", "turn_start", "message_start user", "message_end user", "message_start assistant"];
const said = (text) => ["text_start 0", `text_delta 0 ${text}`, `text_end 0 ${text}`, "message_end assistant stop", "turn_end stop, 0 results"];
const nextTurn = ["turn_start", "message_start user", "message_end user", "message_start assistant"];
const askedFor = (...ids) => [
  ...ids.flatMap((_, index) => [`toolcall_start ${index}`, `toolcall_delta ${index} {}`, `toolcall_end ${index} step {}`]),
  "message_end assistant toolUse",
];
const ran = (id, text) => [`tool_execution_start ${id} step {}`, `tool_execution_end ${id} ${text}`];
const answered = (id, text) => ["message_start toolResult", `message_end toolResult ${id} ${text}`];
const steps = (...ids) => [...ids.map((id, index) => call(index, { id, name: "step", args: "{}" })), finish("tool_calls"), done].join("");
/** What the user said, in the order in which the model got to read it. */
const userTexts = ({ body }) => body.messages.filter(({ role }) => role === "user").map(({ content }) => content);

pageTest("a steering message skips the calls that have not started", async ({ page, provider }) => {
  provider.answer(steps("call_1", "call_2", "call_3"), answer("Fine."));
  const result = await page.evaluate(async (model) => {
    let runs = 0;
    const step = newTool("step", () => {
      if (++runs === 1) agent.steer("Not that way");
      return `done ${runs}`;
    });
    const agent = newAgent(model, { tools: [step], toolExecution: "sequential" });
    const recording = record(agent);
    await agent.prompt("Go");
    return { ...recording.all, runs, waiting: agent.hasQueuedMessages() };
  }, provider.model);
  const skipped = "failed: Skipped due to queued user message.";
  assert.deepEqual(result.lines, [
    ...started, ...askedFor("call_1", "call_2", "call_3"),
    ...ran("call_1", "done 1"), ...ran("call_2", skipped), ...ran("call_3", skipped),
    ...answered("call_1", "done 1"), ...answered("call_2", skipped), ...answered("call_3", skipped), "turn_end toolUse, 3 results",
    ...nextTurn, ...said("Fine."), "agent_end done: user, assistant, toolResult, toolResult, toolResult, user, assistant",
  ]);
  assert.deepEqual([result.runs, result.waiting], [1, false]);
  assert.deepEqual(userTexts(provider.requests[1]), ["Go", "Not that way"]);
  keepEvents("steer-skips", result.events);
});

pageTest("in the mode \"wait\", a steering message lets the whole batch run", async ({ page, provider }) => {
  provider.answer(steps("call_1", "call_2"), answer("Fine."));
  const result = await page.evaluate(async (model) => {
    let runs = 0;
    const step = newTool("step", () => {
      if (++runs === 1) agent.steer("Not that way");
      return `done ${runs}`;
    });
    const agent = newAgent(model, { tools: [step], toolExecution: "sequential", interruptMode: "wait" });
    const recording = record(agent);
    await agent.prompt("Go");
    return recording.all;
  }, provider.model);
  assert.deepEqual(result.lines, [
    ...started, ...askedFor("call_1", "call_2"), ...ran("call_1", "done 1"), ...ran("call_2", "done 2"),
    ...answered("call_1", "done 1"), ...answered("call_2", "done 2"), "turn_end toolUse, 2 results",
    ...nextTurn, ...said("Fine."), "agent_end done: user, assistant, toolResult, toolResult, user, assistant",
  ]);
  keepEvents("steer-waits", result.events);
});

pageTest("tools side by side end as they finish, and their results keep the order of the calls", async ({ page, provider }) => {
  provider.answer(steps("call_1", "call_2", "call_3"), answer("Fine."));
  const result = await page.evaluate(async (model) => {
    const ends = [];
    const step = newTool("step", () => {
      const number = ends.length + 1;
      return new Promise((resolve) => {
        ends.push(() => resolve(`done ${number}`));
        if (number === 3) for (const [index, at] of [2, 0, 1].entries()) setTimeout(ends[at], index * 20);
      });
    });
    const agent = newAgent(model, { tools: [step] });
    const recording = record(agent);
    await agent.prompt("Go");
    return recording.all;
  }, provider.model);
  assert.deepEqual(result.lines, [
    ...started, ...askedFor("call_1", "call_2", "call_3"),
    "tool_execution_start call_1 step {}", "tool_execution_start call_2 step {}", "tool_execution_start call_3 step {}",
    "tool_execution_end call_3 done 3", "tool_execution_end call_1 done 1", "tool_execution_end call_2 done 2",
    ...answered("call_1", "done 1"), ...answered("call_2", "done 2"), ...answered("call_3", "done 3"), "turn_end toolUse, 3 results",
    "turn_start", "message_start assistant", ...said("Fine."), "agent_end done: user, assistant, toolResult, toolResult, toolResult, assistant",
  ]);
  keepEvents("tools-side-by-side", result.events);
});

pageTest("what waits when a prompt comes is older and goes first; follow-ups come last, one a turn", async ({ page, provider }) => {
  provider.answer(answer("1"), answer("2"), answer("3"), answer("4"));
  const result = await page.evaluate(async (model) => {
    const agent = newAgent(model);
    const recording = record(agent);
    for (const text of ["F1", "F2"]) agent.followUp(text);
    for (const text of ["S1", "S2"]) agent.steer(text);
    const { steering, followUp } = agent.peekQueuedMessages();
    await agent.prompt("Go");
    return { ...recording.all, waiting: [steering.length, followUp.length], left: agent.hasQueuedMessages() };
  }, provider.model);
  assert.deepEqual([result.waiting, result.left], [[2, 2], false]);
  assert.deepEqual(provider.requests.map(userTexts), [
    ["S1", "Go"], ["S1", "Go", "S2"], ["S1", "Go", "S2", "F1"], ["S1", "Go", "S2", "F1", "F2"],
  ]);
  keepEvents("queues", result.events);
});

pageTest("in the mode \"all\", one delivery takes every message that waits", async ({ page, provider }) => {
  provider.answer(answer("1"), answer("2"), answer("3"));
  const lines = await page.evaluate(async (model) => {
    const agent = newAgent(model, { steeringMode: "all", followUpMode: "all" });
    const recording = record(agent);
    agent.subscribe(({ assistantMessageEvent }) => {
      if (assistantMessageEvent?.delta !== "1") return;
      for (const text of ["S1", "S2"]) agent.steer(text);
      for (const text of ["F1", "F2"]) agent.followUp(text);
    });
    await agent.prompt("Go");
    return recording.lines;
  }, provider.model);
  const two = ["turn_start", "message_start user", "message_end user", "message_start user", "message_end user", "message_start assistant"];
  assert.deepEqual(lines, [
    ...started, ...said("1"), ...two, ...said("2"), ...two, ...said("3"),
    "agent_end done: user, assistant, user, user, assistant, user, user, assistant",
  ]);
  assert.deepEqual(provider.requests.map(userTexts), [["Go"], ["Go", "S1", "S2"], ["Go", "S1", "S2", "F1", "F2"]]);
});

pageTest("messages that wait when a run is aborted are still listed, and continue() takes them", async ({ page, provider }) => {
  const half = answer("Half", " never");
  provider.answer({ body: half, stallAt: 10 }, answer("Fine."), answer("Done."));
  await page.evaluate((model) => {
    globalThis.agent = newAgent(model);
    globalThis.running = agent.prompt("Go");
  }, provider.model);
  await provider.request(0);
  const result = await page.evaluate(async () => {
    agent.steer("S1");
    agent.followUp("F1");
    agent.abort();
    await running;
    const { steering, followUp } = agent.peekQueuedMessages();
    const waiting = [...steering, ...followUp].map(({ content }) => content[0].text ?? content);
    await agent.continue();
    return { waiting, left: agent.hasQueuedMessages(), failure: await failureOf(() => agent.continue()) };
  });
  assert.deepEqual([result.waiting, result.left], [["S1", "F1"], false]);
  assert.deepEqual(userTexts(provider.requests.at(-1)), ["Go", "S1", "F1"]);
  assert.equal(result.failure.isError, true);
});
