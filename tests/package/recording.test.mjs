// Recordings: a run as JSON, played back as the same events, snapshots and state.
import assert from "node:assert/strict";
import { browserTests, keepEvents } from "./browser.mjs";
import { answer, call, done, finish, ownRecordings, sharedRecordings, toolAnswer } from "./streams.mjs";

const pageTest = browserTests();

/** Records what `run` does with an agent, plays it back, and gives both as a test compares them. */
async function roundTrip(page, model, story) {
  const result = await page.evaluate(async ([model, story]) => {
    const stories = {
      "a text": { turns: [{ text: "Hello, world. — 🙂" }], run: (agent) => agent.prompt("Go") },
      "thinking, text, parallel tools": {
        turns: [
          { thinking: "Hm, hm.", text: "Let me see.", toolCalls: [{ name: "look", arguments: { list: [1, 2.5, "three", { deep: [true, null, ""] }], text: "a\"b\\c\n🙂" } }, { name: "look", arguments: {} }, { name: "fail" }] },
          { text: "Fine.", usage: { input: 3, output: 4 } },
        ],
        run: (agent) => agent.prompt("Go"),
      },
      "arguments that are no JSON": { turns: [{ toolCalls: [{ name: "look", arguments: '{"a": [1, {"b": "half' }] }, { toolCalls: [{ name: "look", arguments: '{"p":"App\\Http"}' }] }, { text: "Fine." }], run: (agent) => agent.prompt("Go") },
      "long arguments": { turns: [{ toolCalls: [{ name: "look", arguments: { items: Array.from({ length: 400 }, (_, index) => ({ index, text: `item ${index}` })) } }] }, { text: "Fine." }], run: (agent) => agent.prompt("Go") },
      "an error, and a second try": { turns: [{ text: "half", error: { message: "No." } }, { text: "Fine." }], run: async (agent) => (await agent.prompt("Go"), await agent.retry()) },
      "the output limit": { turns: [{ text: "x", toolCalls: [{ name: "look", arguments: '{"a":"b' }], stopReason: "length" }, { text: "Fine." }], run: (agent) => agent.prompt("Go") },
      "an abort in a tool": { turns: [{ toolCalls: [{ name: "hang" }] }], run: (agent) => (seen(agent, ({ type }) => type === "tool_execution_start").then(() => agent.abort()), agent.prompt("Go")) },
      "steering and follow-ups": { turns: [{ toolCalls: [{ name: "look" }] }, { text: "Steered." }, { text: "Fine." }], run: (agent) => (agent.followUp("And then?"), seen(agent, ({ type }) => type === "tool_execution_start").then(() => agent.steer("Stop that")), agent.prompt("Go")) },
      "changes of the transcript between runs": {
        turns: [{ text: "1" }, { text: "2" }, { text: "3" }],
        messages: [{ role: "user", content: "Before", timestamp: 0 }],
        async run(agent) {
          await agent.prompt([{ role: "note", text: "n", at: 1 }, { role: "user", content: "Go", timestamp: 0 }]);
          agent.popMessage();
          agent.appendMessage({ role: "user", content: "Between", timestamp: 0 });
          await agent.continue();
          agent.reset();
          await agent.prompt("Anew");
        },
      },
      "what a provider sends": { run: (agent) => agent.prompt("Go") },
    };
    const { turns, run, messages } = stories[story];
    const tools = [
      newTool("look", (_params, _signal, onUpdate) => (onUpdate({ content: [{ type: "text", text: "half" }], details: { at: 1 } }), { content: [{ type: "text", text: "all" }], details: { rows: [1, 2] } })),
      newTool("fail", () => { throw new Error("broken"); }),
      newTool("hang", () => new Promise(() => {})),
    ];
    const options = { tools, messages };
    const agent = turns ? scriptedAgent(turns, options) : newAgent(model, options);
    const states = (source, list) => source.subscribe(({ type }) => {
      const { messages, streamMessage, isStreaming, pendingToolCalls, error } = source.state;
      list.push(JSON.stringify([type, messages, streamMessage, isStreaming, [...pendingToolCalls], error, source.store.getSnapshot().toolExecutions]));
    });
    const live = record(agent);
    const liveStates = [];
    states(agent, liveStates);
    const recorder = sluice.recordEvents(agent);
    await run(agent);
    recorder.stop();
    const json = JSON.parse(JSON.stringify(recorder));

    const player = sluice.replay(json, { speed: Infinity });
    const replayed = record(player);
    const replayedStates = [];
    states(player, replayedStates);
    const again = sluice.recordEvents(player);
    await player.start();
    return { live: live.events, replayed: replayed.events, faults: [...live.faults, ...replayed.faults], liveStates, replayedStates, json, again: JSON.parse(JSON.stringify(again)) };
  }, [model, story]);
  assert.deepEqual(result.faults, []);
  assert.deepEqual(result.replayed, result.live);
  assert.deepEqual(result.replayedStates.map(JSON.parse), result.liveStates.map(JSON.parse));
  assert.deepEqual(withoutAt(result.again), withoutAt(result.json), "the recording of a replay");
  splitRuns(result.replayed).forEach((run, index) => keepEvents(`replayed ${story.replaceAll(/\W+/g, "-")}-${index}`, run));
  return result;
}

const withoutAt = ({ events, ...rest }) => ({ ...rest, events: events.map(({ at: _at, ...event }) => event) });
const splitRuns = (events) => events.reduce((runs, event) => (event.type === "agent_start" ? [...runs, [event]] : [...runs.slice(0, -1), [...runs.at(-1), event]]), []);

for (const story of [
  "a text", "thinking, text, parallel tools", "arguments that are no JSON", "long arguments", "an error, and a second try", "the output limit",
  "an abort in a tool", "steering and follow-ups", "changes of the transcript between runs",
]) {
  pageTest(`a replay gives the same events and states: ${story}`, async ({ page }) => {
    await roundTrip(page, undefined, story);
  });
}

// One page for all of them: a page takes longer to load than a response to be read.
pageTest("a replay gives the same events and states: whatever a provider sends", async ({ page, server, t }) => {
  const recordings = [...(ownRecordings ?? []), ...(sharedRecordings ?? [])].filter(({ api }) => api === "openai-completions");
  for (const recording of recordings) {
    await t.test(recording.name, async () => {
      const provider = server.provider().answer({ body: recording.bodies[0], pieces: 4000 }, { body: answer("Fine."), pieces: 4000 });
      await roundTrip(page, provider.model, "what a provider sends");
    });
  }
});

pageTest("a recording holds each thing once", async ({ page, provider }) => {
  provider.answer(toolAnswer("call_1", "look", { text: "long-argument" }), answer("long", "-answer"));
  const json = await page.evaluate(async (model) => {
    const agent = newAgent(model, { tools: [newTool("look", () => "long-result")] });
    const recorder = sluice.recordEvents(agent);
    await agent.prompt("long-prompt");
    return sluice.normalizeRecording(recorder);
  }, provider.model);
  const times = (what) => JSON.stringify(json).split(what).length - 1;
  // The arguments are there as text and as a value.
  assert.deepEqual(["long-prompt", "long-argument", "long-result", '"long"', '"-answer"'].map(times), [1, 2, 1, 1, 1]);
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
  const head = { role: "assistant", content: [], api: "openai-completions", provider: "test", model: "test", usage, stopReason: "stop", timestamp: 0 };
  assert.deepEqual(json, {
    version: 1,
    events: [
      { at: 0, type: "agent_start" },
      { at: 0, type: "turn_start" },
      { at: 0, type: "message_start", message: { role: "user", content: [{ type: "text", text: "long-prompt" }], timestamp: 0 } },
      { at: 0, type: "message_end" },
      { at: 0, type: "message_start", message: head },
      { at: 0, type: "toolcall_start", contentIndex: 0, id: "id_1", name: "look", arguments: { text: "long-argument" } },
      { at: 0, type: "toolcall_delta", contentIndex: 0, delta: '{"text":"long-argument"}', size: 15 },
      { at: 0, type: "toolcall_end", contentIndex: 0 },
      { at: 0, type: "message_end", message: { stopReason: "toolUse", responseId: "id_2", durationMs: 0 } },
      { at: 0, type: "tool_execution_start", toolCallId: "id_1", toolName: "look" },
      { at: 0, type: "tool_execution_end", toolCallId: "id_1", toolName: "look", result: { content: [{ type: "text", text: "long-result" }], details: {} }, isError: false, durationMs: 0 },
      { at: 0, type: "message_start", message: { role: "toolResult", toolCallId: "id_1", toolName: "look", isError: false, timestamp: 0, durationMs: 0 } },
      { at: 0, type: "message_end" },
      { at: 0, type: "turn_end", message: 1, toolResults: [2] },
      { at: 0, type: "turn_start" },
      { at: 0, type: "message_start", message: head },
      { at: 0, type: "text_start", contentIndex: 0 },
      { at: 0, type: "text_delta", contentIndex: 0, delta: "long" },
      { at: 0, type: "text_delta", contentIndex: 0, delta: "-answer" },
      { at: 0, type: "text_end", contentIndex: 0 },
      { at: 0, type: "message_end", message: { responseId: "id_2", durationMs: 0 } },
      { at: 0, type: "turn_end", message: 3, toolResults: [] },
      { at: 0, type: "agent_end", messages: [0, 1, 2, 3], reason: "done" },
    ],
  });
});

pageTest("equal runs give equal recordings once they are normalized", async ({ page }) => {
  const [first, second, raw] = await page.evaluate(async () => {
    const run = async () => {
      const agent = scriptedAgent([{ text: "One moment.", toolCalls: [{ name: "look", arguments: { timestamp: 5, at: 7 } }] }, { text: "Fine." }], { tools: [newTool("look", () => "ok")], tokensPerSecond: 500 });
      const recorder = sluice.recordEvents(agent);
      await agent.prompt("Go");
      return recorder;
    };
    const [first, second] = [await run(), await run()];
    return [sluice.normalizeRecording(first), sluice.normalizeRecording(second.toJSON()), first.toJSON()];
  });
  assert.deepEqual(first, second);
  assert.ok(raw.events.at(-1).at > 0);
  // What is the app's own is left alone.
  assert.deepEqual(first.events.find(({ type }) => type === "toolcall_start").arguments, { timestamp: 5, at: 7 });
});

pageTest("what JSON has no words for is recorded as far as it goes, and the run goes on", async ({ page }) => {
  const details = await page.evaluate(async () => {
    const loop = { name: "loop", list: [1] };
    loop.list.push(loop);
    const zoo = {
      loop, big: 12n, nothing: undefined, act: () => 1, infinite: Infinity, date: new Date(0), map: new Map([[1, 2]]), holes: [1, , undefined, () => 1],
      get broken() { throw new Error("no"); }, bad: { toJSON() { throw new Error("no"); } }, __proto__: { inherited: 1 },
    };
    let deep = {};
    for (let depth = 0; depth < 20_000; depth++) deep = { deep };
    const agent = scriptedAgent([{ toolCalls: [{ id: "a", name: "zoo" }, { id: "b", name: "deep" }] }, { text: "Fine." }], {
      tools: [newTool("zoo", () => ({ content: [], details: zoo })), newTool("deep", () => ({ content: [], details: deep }))],
    });
    const recorder = sluice.recordEvents(agent);
    await agent.prompt("Go");
    zoo.big = "changed later";
    const json = JSON.parse(JSON.stringify(recorder.toJSON().events.find(({ type }) => type === "tool_execution_end")));
    const player = sluice.replay(recorder, { speed: Infinity });
    await player.start();
    return [agent.state.messages.at(-1).stopReason, json.result.details, player.state.messages.at(-1).content];
  });
  assert.deepEqual(details, [
    "stop",
    {
      loop: { name: "loop", list: [1, "[circular]"] }, big: "12", infinite: null, date: "1970-01-01T00:00:00.000Z", map: {}, holes: [1, null, null, null],
      broken: "[unreadable]", bad: "[unreadable]",
    },
    [{ type: "text", text: "Fine." }],
  ]);
});

pageTest("a recording begins with a run, and one that stops in the middle is played as far as it goes", async ({ page, provider }) => {
  const pieces = ['{"text":"so', "me long argu", "ments", ' that stream"}'].map((args) => call(0, { args }));
  provider.answer([call(0, { id: "call_1", name: "look", args: "" }), ...pieces, finish("tool_calls"), done].join(""), answer("Fine."));
  const result = await page.evaluate(async (model) => {
    const agent = newAgent(model, { tools: [newTool("look", () => "ok")] });
    const cut = sluice.recordEvents(agent);
    let late;
    let deltas = 0;
    agent.subscribe((event) => {
      if (event.assistantMessageEvent?.type !== "toolcall_delta" || ++deltas !== 3) return;
      cut.stop();
      late = sluice.recordEvents(agent);
    });
    await agent.prompt("Go");
    const player = sluice.replay(cut, { speed: Infinity });
    const lines = record(player);
    await player.start();
    return { late: late.toJSON().events.length, lines: lines.lines, partial: lines.events.at(-1).message.content, state: [player.state.isStreaming, player.state.streamMessage] };
  }, provider.model);
  assert.deepEqual(result, {
    late: 0,
    lines: [
      "agent_start", "turn_start", "message_start user", "message_end user", "message_start assistant",
      "toolcall_start 0", 'toolcall_delta 0 {"text":"so', "toolcall_delta 0 me long argu", "toolcall_delta 0 ments",
    ],
    partial: [{ type: "toolCall", id: "call_1", name: "look", arguments: { text: "some long arguments" } }],
    state: [false, null],
  });
});

pageTest("arguments whose keys are numbers grow as well, although they come in another order", async ({ page, provider }) => {
  const pieces = ['{"b":"one ', 'two",', '"2":"three', ' four","1":5}'].map((args) => call(0, { args }));
  provider.answer([call(0, { id: "call_1", name: "look", args: "" }), ...pieces, finish("tool_calls"), done].join(""), answer("Fine."));
  const events = await page.evaluate(async (model) => {
    const agent = newAgent(model, { tools: [newTool("look", () => "ok")] });
    const recorder = sluice.recordEvents(agent);
    await agent.prompt("Go");
    const player = sluice.replay(recorder, { speed: Infinity });
    const recording = record(player);
    await player.start();
    return recording.events;
  }, provider.model);
  keepEvents("replayed-number-keys", events);
  const ended = events.find(({ assistantMessageEvent }) => assistantMessageEvent?.type === "toolcall_end");
  assert.deepEqual(ended.assistantMessageEvent.toolCall.arguments, { 1: 5, 2: "three four", b: "one two" });
});

pageTest("a replay keeps the times, at the speed that is asked for, and stops when it is told to", async ({ page }) => {
  const result = await page.evaluate(async () => {
    const events = [{ at: 0, type: "agent_start" }, { at: 100, type: "turn_start" }, { at: 400, type: "turn_start" }, { at: 60_000, type: "turn_start" }];
    const recording = { version: 1, events };
    const player = sluice.replay(recording, { speed: 2 });
    const times = [];
    const began = performance.now();
    player.subscribe(({ type }) => times.push([type, performance.now() - began]));
    const run = player.start();
    const atOnce = times.length;
    const isOne = run === player.start();
    setTimeout(() => player.abort(), 300);
    await run;
    const took = performance.now() - began;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return { atOnce, isOne, times, took };
  });
  assert.deepEqual([result.atOnce, result.isOne, result.times.length], [0, true, 3]);
  const [first, second, third] = result.times.map(([, time]) => time);
  assert.ok(first < 45 && second >= 45 && third >= 195 && result.took < 1000, JSON.stringify(result));
});

pageTest("events() of a replay ends with it, and its listeners are those of an agent", async ({ page }) => {
  const result = await page.evaluate(async () => {
    const agent = scriptedAgent([{ text: "one two three four five" }]);
    const recorder = sluice.recordEvents(agent);
    await agent.prompt("Go");
    const errors = [];
    addEventListener("error", (event) => (event.preventDefault(), errors.push(event.error.message)));
    const player = sluice.replay(recorder, { speed: Infinity });
    player.subscribe(() => { throw new Error("broken"); });
    let slow = 0;
    player.subscribe(async () => { await undefined; slow++; });
    const merged = [];
    player.subscribe((event) => merged.push(event.assistantMessageEvent?.type ?? event.type), { coalesce: 60_000 });
    const read = [];
    const reading = (async () => { for await (const event of player.events()) read.push(event.type); })();
    const left = player.events();
    await left.return();
    await player.start();
    await reading;
    return { errors: errors.length, count: recorder.toJSON().events.length, slow, read: read.length, deltas: merged.filter((type) => type === "text_delta").length, refused: await failureOf(() => player.subscribe(5)) };
  });
  assert.deepEqual([result.errors, result.slow, result.read], [result.count, result.count, result.count]);
  assert.deepEqual([result.deltas, result.refused.message], [1, "listener must be a function, but is the number 5."]);
});

pageTest("a retry and a request for approval are shown by the store of a replay", async ({ page }) => {
  const shown = await page.evaluate(async () => {
    const user = { role: "user", content: "Go", timestamp: 0 };
    const head = { role: "assistant", content: [], api: "a", provider: "p", model: "m", stopReason: "stop", timestamp: 0 };
    const events = [
      { type: "agent_start" }, { type: "turn_start" }, { type: "message_start", message: user }, { type: "message_end" },
      { type: "message_start", message: head }, { type: "message_end", message: { stopReason: "error", errorMessage: "busy" } }, { type: "turn_end", message: 1, toolResults: [] },
      { type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 2000, errorMessage: "busy", messages: [0] },
      { type: "turn_start" }, { type: "message_start", message: head },
      { type: "toolcall_start", contentIndex: 0, id: "c", name: "rm", arguments: { path: "/" } }, { type: "toolcall_end", contentIndex: 0 },
      { type: "message_end", message: { stopReason: "toolUse" } }, { type: "auto_retry_end", success: true, attempt: 1 },
      { type: "tool_execution_start", toolCallId: "c", toolName: "rm" }, { type: "tool_approval_request", toolCallId: "c", toolName: "rm", args: { path: "/tmp" } },
      { type: "tool_execution_end", toolCallId: "c", toolName: "rm", result: { content: [] }, isError: true },
    ].map((event) => ({ at: 0, ...event }));
    const player = sluice.replay({ version: 1, events }, { speed: Infinity });
    const shown = [];
    player.store.subscribe(() => {
      const { messages, retry, toolExecutions, error } = player.store.getSnapshot();
      shown.push([messages.length, error ?? "-", retry ? `${retry.attempt}/${retry.maxAttempts} ${retry.delayMs} ${retry.errorMessage}` : "-", toolExecutions.c ? `${toolExecutions.c.status} ${toolExecutions.c.args.path}` : "-"].join(", "));
    });
    await player.start();
    return shown;
  });
  assert.deepEqual(shown.filter((line, index) => line !== shown[index - 1]), [
    "0, -, -, -", "1, -, -, -", "2, -, -, -", "2, busy, -, -", "1, -, 1/3 2000 busy, -", "2, -, 1/3 2000 busy, pending /", "2, -, -, pending /",
    "2, -, -, running /", "2, -, -, awaiting_approval /tmp", "2, -, -, error /tmp",
  ]);
});

for (const [what, message] of [
  ["nothing", "recording must be what recordEvents() has made, or its JSON, but is undefined."],
  ["a text", 'recording must be what recordEvents() has made, or its JSON, but is the string "{}".'],
  ["another object", "recording must be what recordEvents() has made, or its JSON, but is an object."],
  ["a later version", "recording.version must be 1 for this version of the library, but is the number 2."],
  ["an event without a time", "recording.events[1] must be an event with a time, but is an object."],
  ["a wrong speed", "speed must be a positive number, but is the number 0."],
  ["an unknown option", 'the options of replay() have no "sped". Check the spelling.'],
  ["no agent to record", "agent must be an Agent, but is an object."],
  ["a delta of no block", 'recording.events[1] (text_delta) does not follow from the events before it: '],
]) {
  pageTest(`refused with a clear error: ${what}`, async ({ page }) => {
    const failure = await page.evaluate((what) => failureOf({
      nothing: () => sluice.replay(),
      "a text": () => sluice.replay("{}"),
      "another object": () => sluice.replay({ name: "x" }),
      "a later version": () => sluice.replay({ version: 2, events: [] }),
      "an event without a time": () => sluice.replay({ version: 1, events: [{ at: 0, type: "agent_start" }, { type: "turn_start" }] }),
      "a wrong speed": () => sluice.replay({ version: 1, events: [] }, { speed: 0 }),
      "an unknown option": () => sluice.replay({ version: 1, events: [] }, { sped: 2 }),
      "no agent to record": () => sluice.recordEvents({}),
      "a delta of no block": () => sluice.replay({ version: 1, events: [{ at: 0, type: "agent_start" }, { at: 0, type: "text_delta", contentIndex: 0, delta: "x" }] }).start(),
    }[what]), what);
    assert.deepEqual([failure.name, failure.code], ["SluiceError", "invalid_argument"]);
    assert.ok(what === "a delta of no block" ? failure.message.startsWith(message) : failure.message === message, failure.message);
  });
}

pageTest("the text of 200,000 deltas is recorded and played back in linear time", async ({ page }) => {
  const times = await page.evaluate(async () => {
    const times = [];
    for (const count of [25_000, 200_000]) {
      const deltas = Array.from({ length: count }, (_, index) => ({ at: index, type: "text_delta", contentIndex: 0, delta: "word " }));
      const head = { role: "assistant", content: [], api: "a", provider: "p", model: "m", stopReason: "stop", timestamp: 0 };
      const events = [{ at: 0, type: "agent_start" }, { at: 0, type: "turn_start" }, { at: 0, type: "message_start", message: head }, { at: 0, type: "text_start", contentIndex: 0 }, ...deltas];
      const player = sluice.replay({ version: 1, events }, { speed: Infinity });
      const recorder = sluice.recordEvents(player);
      const began = performance.now();
      await player.start();
      times.push((performance.now() - began) / count * 1000);
      if (recorder.toJSON().events.length !== count + 4) times.push("lost");
    }
    return times;
  });
  assert.ok(times.length === 2 && times[1] < 4 * times[0] + 2, `microseconds per delta: ${times}`);
});

pageTest("a replay needs no module", async ({ page }) => {
  const result = await page.evaluate(async () => {
    const recording = { version: 1, events: [{ at: 0, type: "agent_start" }, { at: 0, type: "agent_end", messages: [], reason: "done" }] };
    const player = sluice.replay(recording);
    const lines = record(player);
    await player.start();
    return [lines.lines, player.store.getSnapshot().isStreaming];
  });
  assert.deepEqual(result, [["agent_start", "agent_end done: "], false]);
}, { start: "bare.html" });
