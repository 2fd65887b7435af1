// Coalesced listeners: fewer events, the same text, and nothing later than it has to be.
import assert from "node:assert/strict";
import { browserTests, keepEvents } from "./browser.mjs";
import { answer, call, done, finish, text, thinking } from "./streams.mjs";

const pageTest = browserTests();

const long = Array.from({ length: 40 }, (_, index) => `word ${index} `).join("");

for (const coalesce of ["frame", 5, 60_000]) {
  pageTest(`deltas of a block come together, between the same events as without (coalesce: ${coalesce})`, async ({ page }) => {
    const result = await page.evaluate(async ([coalesce, long]) => {
      const turns = [{ thinking: long, text: long, toolCalls: [{ id: "call_1", name: "write", arguments: { text: long } }] }, { text: long }];
      const agent = scriptedAgent(turns, { tools: [newTool("write", () => "ok")], tokensPerSecond: 1000 });
      const all = record(agent);
      const events = [];
      const faults = [];
      const unsubscribe = agent.subscribe((event, signal) => {
        if (!(signal instanceof AbortSignal)) faults.push("no signal");
        if (event.type === "message_update" && event.message !== event.assistantMessageEvent.partial) faults.push("message is not partial");
        events.push(event);
      }, { coalesce });
      await agent.prompt("Go");
      unsubscribe();
      // The last event that the others got is the one whose snapshot a merged delta shows.
      const isKnown = (event) => all.events.some((other) => other.message === event.message);
      if (!events.filter(({ type }) => type === "message_update").every(isKnown)) faults.push("a snapshot that nobody else saw");
      return { all: all.events, events, faults: [...faults, ...all.faults] };
    }, [coalesce, long]);
    assert.deepEqual(result.faults, []);
    keepEvents(`coalesced-${coalesce}`, result.events);

    const isDelta = ({ assistantMessageEvent }) => assistantMessageEvent?.type.endsWith("_delta");
    const outline = (events) => events.filter((event) => !isDelta(event)).map((event) => JSON.stringify(event));
    assert.deepEqual(outline(result.events), outline(result.all));
    const texts = (events) => {
      const texts = {};
      events.forEach((event) => {
        if (event.type === "turn_start") texts.turn = (texts.turn ?? 0) + 1;
        if (!isDelta(event)) return;
        const { contentIndex, delta } = event.assistantMessageEvent;
        const key = `${texts.turn} ${contentIndex}`;
        texts[key] = (texts[key] ?? "") + delta;
      });
      return texts;
    };
    assert.deepEqual(texts(result.events), texts(result.all));
    const [before, after] = [result.all, result.events].map((events) => events.filter(isDelta).length);
    assert.ok(after < before / 2, `${before} deltas became ${after}`);
    // Nothing but the end of a block brings what waits a minute.
    if (coalesce === 60_000) assert.equal(after, 4);
  });
}

pageTest("deltas of another block bring those of the one before", async ({ page, provider }) => {
  // Tool calls whose pieces alternate, as some providers send them.
  provider.answer([
    thinking("a"), thinking("b"), text("c"), text("d"),
    call(0, { id: "call_1", name: "x", args: '{"a":' }), call(1, { id: "call_2", name: "x", args: '{"b":' }), call(0, { args: "1}" }), call(1, { args: "2}" }),
    finish("tool_calls"), done,
  ].join(""), answer("Fine."));
  const lines = await page.evaluate(async (model) => {
    const agent = newAgent(model, { tools: [newTool("x", () => "ok")] });
    const lines = [];
    agent.subscribe((event) => event.type === "message_update" && lines.push(outline(event)), { coalesce: 60_000 });
    await agent.prompt("Go");
    return lines;
  }, provider.model);
  const ofFirst = lines.slice(0, lines.indexOf("text_start 0", 3));
  assert.deepEqual(ofFirst.filter((line) => /thinking|text/.test(line)), [
    "thinking_start 0", "thinking_delta 0 ab", "thinking_end 0 ab", "text_start 1", "text_delta 1 cd", "text_end 1 cd",
  ]);
  for (const [index, args] of [[2, '{"a":1}'], [3, '{"b":2}']]) {
    const deltas = ofFirst.filter((line) => line.startsWith(`toolcall_delta ${index} `)).map((line) => line.slice(17));
    assert.equal(deltas.join(""), args);
  }
});

for (const hidden of ["no frames come", "there are no frames"]) {
  pageTest(`a timer brings what a frame would: ${hidden}`, async ({ page }) => {
    const result = await page.evaluate(async (hidden) => {
      const frame = globalThis.requestAnimationFrame;
      globalThis.requestAnimationFrame = hidden === "no frames come" ? () => 1 : undefined;
      const agent = scriptedAgent([{ text: "one two three four five six seven eight nine ten eleven twelve" }], { tokensPerSecond: 30 });
      const deltas = [];
      agent.subscribe((event) => event.assistantMessageEvent?.type === "text_delta" && deltas.push(event.assistantMessageEvent.delta), { coalesce: "frame" });
      await agent.prompt("Go");
      globalThis.requestAnimationFrame = frame;
      return { count: deltas.length, text: deltas.join(""), whole: agent.state.messages.at(-1).content[0].text };
    }, hidden);
    assert.equal(result.text, result.whole);
    assert.ok(result.count > 1, `${result.count} deltas`);
  });
}

pageTest("in a worker, which has no frames, deltas come together as well", async ({ page, provider }) => {
  provider.answer({ body: answer(..."a long answer in many pieces".split("")), pieces: 400 });
  const { lines } = await page.evaluate((model) => new Promise((resolve, reject) => {
    const worker = new Worker("worker.js", { type: "module" });
    worker.onerror = reject;
    worker.onmessage = ({ data }) => resolve(data);
    worker.postMessage({ model, text: "Go", coalesce: "frame" });
  }), provider.model);
  const deltas = lines.filter((line) => line.startsWith("text_delta"));
  assert.equal(deltas.map((line) => line.slice(13)).join(""), "a long answer in many pieces");
  assert.ok(deltas.length < 20, `${deltas.length} deltas`);
});

pageTest("behind an abort the text is whole, and nothing comes behind the message's end", async ({ page }) => {
  const { events } = await page.evaluate(async (long) => {
    const agent = scriptedAgent([{ text: long }], { tokensPerSecond: 200 });
    const events = [];
    agent.subscribe((event) => void events.push(event), { coalesce: 60_000 });
    const growing = seen(agent, ({ type, message }) => type === "message_update" && message.content[0].text.length > 60);
    const run = agent.prompt("Go");
    await growing;
    agent.abort();
    await run;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return { events };
  }, long);
  keepEvents("coalesced-abort", events);
  const lines = events.map(({ type, assistantMessageEvent }) => assistantMessageEvent?.type ?? type);
  assert.deepEqual(lines.slice(4), ["message_start", "text_start", "text_delta", "text_end", "message_end", "turn_end", "agent_end"]);
  assert.equal(events[6].assistantMessageEvent.delta, events[8].message.content[0].text);
  assert.ok(events[6].assistantMessageEvent.delta.length > 60);
});

pageTest("whoever has left gets nothing more, and the others get everything", async ({ page }) => {
  const result = await page.evaluate(async (long) => {
    const agent = scriptedAgent([{ text: long }], { tokensPerSecond: 400 });
    const counts = { left: 0, deltas: 0 };
    let text = "";
    const leave = agent.subscribe(({ assistantMessageEvent }) => assistantMessageEvent?.type === "text_delta" && counts.left++, { coalesce: 60_000 });
    agent.subscribe(({ assistantMessageEvent }) => {
      if (assistantMessageEvent?.type !== "text_delta") return;
      text += assistantMessageEvent.delta;
      if (++counts.deltas === 20) leave();
    }, { coalesce: 1 });
    await agent.prompt("Go");
    return { left: counts.left, isWhole: text === long };
  }, long);
  assert.deepEqual(result, { left: 0, isWhole: true });
});

pageTest("an async listener is never called before it is done, and the run ends behind it", async ({ page }) => {
  const result = await page.evaluate(async (long) => {
    const agent = scriptedAgent([{ text: long }], { tokensPerSecond: 1000 });
    let atWork = 0;
    let most = 0;
    const types = [];
    agent.subscribe(async (event) => {
      most = Math.max(most, ++atWork);
      await new Promise((resolve) => setTimeout(resolve, 10));
      atWork--;
      types.push(event.assistantMessageEvent?.type ?? event.type);
    }, { coalesce: 3 });
    await agent.prompt("Go");
    return { most, atWork, types };
  }, long);
  assert.deepEqual([result.most, result.atWork], [1, 0]);
  assert.deepEqual(result.types.filter((type) => type !== "text_delta"), [
    "agent_start", "turn_start", "message_start", "message_end", "message_start", "text_start", "text_end", "message_end", "turn_end", "agent_end",
  ]);
  assert.ok(result.types.length > 12);
});

pageTest("an aborted run does not wait for a listener that never comes back, which still gets its events", async ({ page }) => {
  const result = await page.evaluate(async (long) => {
    const agent = scriptedAgent([{ text: long }, { text: "Fine." }], { tokensPerSecond: 300 });
    const types = [];
    let isHanging = false;
    agent.subscribe((event) => {
      types.push(event.assistantMessageEvent?.type ?? event.type);
      if (isHanging || event.assistantMessageEvent?.type !== "text_delta") return undefined;
      isHanging = true;
      return new Promise(() => {});
    }, { coalesce: 5 });
    const run = agent.prompt("Go");
    await new Promise((resolve) => setTimeout(resolve, 100));
    agent.abort();
    await run;
    const first = types.splice(0);
    await agent.prompt("Again");
    return { first: first.slice(-3), second: [types[0], ...types.slice(-3)] };
  }, long);
  assert.deepEqual(result, { first: ["message_end", "turn_end", "agent_end"], second: ["agent_start", "message_end", "turn_end", "agent_end"] });
});

pageTest("a coalesced listener that throws or rejects is reported and harms nobody", async ({ page }) => {
  const result = await page.evaluate(async (long) => {
    const errors = [];
    addEventListener("error", (event) => (event.preventDefault(), errors.push(event.error?.message)));
    const agent = scriptedAgent([{ text: long }], { tokensPerSecond: 500 });
    const isDelta = ({ assistantMessageEvent }) => assistantMessageEvent?.type === "text_delta";
    agent.subscribe((event) => { if (isDelta(event)) throw new Error("throws"); }, { coalesce: 5 });
    agent.subscribe(async (event) => { if (isDelta(event)) throw new Error("rejects"); }, { coalesce: 5 });
    const recording = record(agent);
    await agent.prompt("Go");
    return { kinds: [...new Set(errors)].sort(), end: recording.lines.at(-1) };
  }, long);
  assert.deepEqual(result, { kinds: ["rejects", "throws"], end: "agent_end done: user, assistant" });
});

for (const [options, message] of [
  [{ coalesce: "slow" }, 'coalesce must be "frame" or a positive number of milliseconds, but is the string "slow".'],
  [{ coalesce: 0 }, 'coalesce must be "frame" or a positive number of milliseconds, but is the number 0.'],
  [{ coalesce: null }, 'coalesce must be "frame" or a positive number of milliseconds, but is null.'],
  [{ coalesce: [5] }, 'coalesce must be "frame" or a positive number of milliseconds, but is an array.'],
  [{ colesce: 5 }, 'the options of subscribe() have no "colesce". The name is coalesce.'],
  [5, "the options of subscribe() must be an object, but is the number 5."],
]) {
  pageTest(`subscribe() refuses ${JSON.stringify(options)}`, async ({ page }) => {
    const failure = await page.evaluate((options) => failureOf(() => scriptedAgent([]).subscribe(() => {}, options)), options);
    assert.deepEqual(failure, { isError: true, name: "SluiceError", code: "invalid_argument", message });
  });
}
