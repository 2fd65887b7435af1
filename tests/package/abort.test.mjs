// Aborting settles a run promptly at every stage, the server sees it, and the next prompt works.
import assert from "node:assert/strict";
import { browserTests, keepEvents } from "./browser.mjs";
import { answer, call, done, finish, text } from "./streams.mjs";

const pageTest = browserTests();

const started = ["agent_start", "turn_start", "message_start user", "message_end user", "message_start assistant"];
const aborted = ["message_end assistant aborted (aborted)", "turn_end aborted, 0 results", "agent_end aborted: user, assistant"];
const goodRun = [
  ...started, "text_start 0", "text_delta 0 Fine.", "text_end 0 Fine.", "message_end assistant stop", "turn_end stop, 0 results",
  "agent_end done: user, assistant",
];
const toolCalls = (...ids) => [...ids.map((id, index) => call(index, { id, name: "wait", args: "{}" })), finish("tool_calls"), done].join("");
const asked = (...ids) => ids.flatMap((_, index) => [`toolcall_start ${index}`, `toolcall_delta ${index} {}`, `toolcall_end ${index} wait {}`]);

/** Starts a run in the page and leaves it running; `finishRun` is how it went, and how the next one goes. */
const startRun = (page, model) =>
  page.evaluate((model) => {
    globalThis.agent = newAgent(model);
    globalThis.recording = record(agent);
    globalThis.running = agent.prompt("First");
  }, model);
const finishRun = (page) =>
  page.evaluate(async () => {
    await running;
    const result = recording.all;
    const { messages, error, isStreaming, pendingToolCalls } = agent.state;
    const state = { error, isStreaming, pending: pendingToolCalls.size, last: messages.at(-1) };
    const before = result.lines.length;
    await agent.prompt("Second");
    return { ...result, state, next: recording.lines.slice(before) };
  });

/** No request may hold a call without its result, or two results for one. */
function assertAnswered({ body: { messages } }) {
  const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
  assert.deepEqual(messages.flatMap(({ tool_call_id }) => tool_call_id ?? []), calls);
}

pageTest("a run aborted before the headers ends, and the server sees the request go", async ({ page, provider }) => {
  provider.answer({ noHeaders: true }, answer("Fine."));
  await startRun(page, provider.model);
  const request = await provider.request(0);
  await page.evaluate(() => agent.abort());
  const result = await finishRun(page);
  assert.deepEqual(result.lines, [...started, ...aborted]);
  assert.equal(result.state.last.stopReason, "aborted");
  assert.deepEqual(result.next, goodRun);
  assert.equal(await request.outcome, "cancelled");
  keepEvents("abort-before-headers", result.events);
});

pageTest("a response that a fetch of the app's own brings behind the abort is cancelled", async ({ page }) => {
  const result = await page.evaluate(async () => {
    let [answerLate, cancelled] = [undefined, 0];
    const late = () => new Response(new ReadableStream({ cancel: () => { cancelled++; } }), { headers: { "content-type": "text/event-stream" } });
    const agent = newAgent({ id: "test", api: "openai-completions" }, { fetch: () => new Promise((resolve) => { answerLate = resolve; }) });
    const run = agent.prompt("Go");
    await new Promise((resolve) => setTimeout(resolve, 10));
    agent.abort();
    await run;
    const before = cancelled;
    answerLate(late());
    await new Promise((resolve) => setTimeout(resolve, 10));
    return [before, cancelled];
  });
  assert.deepEqual(result, [0, 1]);
});

pageTest("a run aborted in the middle of a stream keeps what had arrived, and the server sees the response go", async ({ page, provider }) => {
  provider.answer({ body: answer("Half", " never"), stallAt: text("Half").length }, answer("Fine."));
  await startRun(page, provider.model);
  await page.evaluate(() => seen(agent, ({ assistantMessageEvent }) => assistantMessageEvent?.type === "text_delta"));
  await page.evaluate(() => agent.abort());
  const result = await finishRun(page);
  assert.deepEqual(result.lines, [...started, "text_start 0", "text_delta 0 Half", "text_end 0 Half", ...aborted]);
  assert.deepEqual(result.state.last.content, [{ type: "text", text: "Half" }]);
  assert.deepEqual(result.faults, []);
  assert.deepEqual(result.next, goodRun);
  assert.equal(await provider.requests[0].outcome, "cancelled");
  keepEvents("abort-in-stream", result.events);
});

pageTest("a run aborted in the middle of a tool call does not run the tool, and the call has an answer", async ({ page, provider }) => {
  const half = call(0, { id: "call_1", name: "wait", args: '{"ms":1' });
  provider.answer({ body: half + call(0, { args: "0}" }), stallAt: half.length }, answer("Fine."));
  await startRun(page, provider.model);
  await page.evaluate(() => seen(agent, ({ assistantMessageEvent }) => assistantMessageEvent?.type === "toolcall_delta"));
  await page.evaluate(() => agent.abort());
  const result = await finishRun(page);
  const reason = "failed: The tool did not run: the response was aborted.";
  assert.deepEqual(result.lines, [
    ...started, "toolcall_start 0", 'toolcall_delta 0 {"ms":1', 'toolcall_end 0 wait {}', "message_end assistant aborted (aborted)",
    'tool_execution_start call_1 wait {}', `tool_execution_end call_1 ${reason}`,
    "message_start toolResult", `message_end toolResult call_1 ${reason}`, "turn_end aborted, 1 results",
    "agent_end aborted: user, assistant, toolResult",
  ]);
  assert.deepEqual(result.next, goodRun);
  assertAnswered(provider.requests[1]);
  keepEvents("abort-in-tool-call", result.events);
});

pageTest("no delta of a burst is delivered behind the listener that aborts", async ({ page, provider }) => {
  const result = await page.evaluate(async ([model, bytes]) => {
    // One network chunk holds all of the answer.
    const agent = newAgent(model, { fetch: async () => new Response(bytes, { headers: { "content-type": "text/event-stream" } }) });
    const recording = record(agent);
    agent.subscribe(({ assistantMessageEvent }) => {
      if (assistantMessageEvent?.delta === "2 ") agent.abort();
    });
    await agent.prompt("Count");
    return recording.all;
  }, [provider.model, answer("1 ", "2 ", "3 ", "4 ", "5 ")]);
  assert.deepEqual(result.lines, [...started, "text_start 0", "text_delta 0 1 ", "text_delta 0 2 ", "text_end 0 1 2 ", ...aborted]);
  assert.deepEqual(result.faults, []);
  keepEvents("abort-in-burst", result.events);
});

for (const [what, ignores] of [["that obeys its signal", false], ["that ignores its signal for ever", true]]) {
  pageTest(`a run aborted while a tool runs ${what} ends at once`, async ({ page, provider }) => {
    provider.answer(text("Wait. ") + toolCalls("call_1", "call_2"), answer("Fine."));
    const result = await page.evaluate(async ([model, ignores]) => {
      const reasons = [];
      const wait = newTool("wait", (_params, signal, onUpdate) => {
        onUpdate({ content: [{ type: "text", text: "waiting" }] });
        return new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            reasons.push(signal.reason);
            // Too late: nobody is told.
            onUpdate({ content: [{ type: "text", text: "stopping" }] });
            if (!ignores) reject(signal.reason);
          });
        });
      });
      const agent = newAgent(model, { tools: [wait] });
      const recording = record(agent);
      const running = agent.prompt("First");
      await seen(agent, ({ type, toolCallId }) => type === "tool_execution_update" && toolCallId === "call_2");
      const pending = [...agent.state.pendingToolCalls];
      agent.abort("enough");
      await running;
      const all = recording.all;
      await agent.prompt("Second");
      return { ...all, pending, reasons, next: recording.lines.slice(all.lines.length) };
    }, [provider.model, ignores]);
    const reason = "failed: Aborted. The tool was told to stop and may still be running.";
    assert.deepEqual(result.lines, [
      ...started, "text_start 0", "text_delta 0 Wait. ", "text_end 0 Wait. ",
      "toolcall_start 1", "toolcall_delta 1 {}", "toolcall_end 1 wait {}", "toolcall_start 2", "toolcall_delta 2 {}", "toolcall_end 2 wait {}",
      "message_end assistant toolUse",
      "tool_execution_start call_1 wait {}", "tool_execution_start call_2 wait {}",
      "tool_execution_update call_1 waiting", "tool_execution_update call_2 waiting",
      `tool_execution_end call_1 ${reason}`, `tool_execution_end call_2 ${reason}`,
      "message_start toolResult", `message_end toolResult call_1 ${reason}`, "message_start toolResult", `message_end toolResult call_2 ${reason}`,
      "turn_end toolUse, 2 results", "agent_end aborted: user, assistant, toolResult, toolResult",
    ]);
    assert.deepEqual(result.pending, ["call_1", "call_2"]);
    assert.deepEqual(result.reasons, ["enough", "enough"]);
    assert.deepEqual(result.next, goodRun);
    assertAnswered(provider.requests[1]);
    keepEvents(`abort-in-tool-${ignores ? "ignoring" : "obeying"}`, result.events);
  });
}

pageTest("a listener that never resolves does not hold an aborted run", async ({ page, provider }) => {
  provider.answer(answer("Fine."));
  const lines = await page.evaluate(async (model) => {
    const agent = newAgent(model);
    const recording = record(agent);
    agent.subscribe((event) => (event.type === "message_start" && event.message.role === "assistant" ? new Promise(() => {}) : undefined));
    const running = agent.prompt("First");
    await seen(agent, ({ type }) => type === "turn_start");
    setTimeout(() => agent.abort(), 100);
    await running;
    return recording.lines;
  }, provider.model);
  assert.deepEqual(lines, [...started, ...aborted]);
});

pageTest("aborting an idle agent, or twice, does nothing more", async ({ page, provider }) => {
  provider.answer({ body: answer("Half", " never"), stallAt: text("Half").length }, answer("Fine."));
  const result = await page.evaluate(async (model) => {
    const agent = newAgent(model);
    agent.abort();
    agent.abort("again");
    const recording = record(agent);
    const unsubscribe = agent.subscribe(({ type }) => {
      if (type !== "message_update") return;
      agent.abort("first");
      agent.abort("second");
    });
    const running = agent.prompt("First");
    const { signal } = agent;
    await Promise.all([running, agent.waitForIdle()]);
    unsubscribe();
    const first = recording.lines;
    await agent.prompt("Second");
    return { first, next: recording.lines.slice(first.length), reason: signal.reason, idle: agent.signal ?? null };
  }, provider.model);
  assert.deepEqual(result.first, [...started, "text_start 0", "text_end 0 ", ...aborted]);
  assert.deepEqual([result.next, result.reason, result.idle], [goodRun, "first", null]);
});

/** Where a run waits, as the page would write it: `wait` never settles. */
const waits = {
  "the headers": "newAgent(model, { fetch: wait })",
  "a first byte": "newAgent(model, { fetch: streams([]) })",
  "more of the body": "newAgent(model, { fetch: streams([half]) })",
  "a half call": "newAgent(model, { fetch: streams([halfCall]) })",
  "a source": "newAgent(model, { streamFn: wait })",
  "an event of a source": "newAgent(model, { streamFn: () => ({ [Symbol.asyncIterator]: () => ({ next: wait }) }) })",
  "a token of a script": "scriptedAgent([{ text: 'one two three' }], { tokensPerSecond: 0.01 })",
  "prepareRequest": "newAgent(model, { prepareRequest: wait })",
  "transformContext": "newAgent(model, { transformContext: wait })",
  "convertToLlm": "newAgent(model, { convertToLlm: wait })",
  "getApiKey": "newAgent(model, { getApiKey: wait })",
  "onPayload": "newAgent(model, { onPayload: wait })",
  "onResponse": "newAgent(model, { onResponse: wait, fetch: streams([whole]) })",
  "finishTurn": "newAgent(model, { finishTurn: wait, fetch: streams([whole]) })",
  "beforeToolCall": "newAgent(model, { beforeToolCall: wait, fetch: streams([toolCall]), tools: [newTool('f', () => 'x')] })",
  "validate": "newAgent(model, { fetch: streams([toolCall]), tools: [newTool('f', () => 'x', { validate: wait })] })",
  "needsApproval": "newAgent(model, { fetch: streams([toolCall]), tools: [newTool('f', () => 'x', { needsApproval: wait })] })",
  "an approval": "newAgent(model, { fetch: streams([toolCall]), tools: [newTool('f', () => 'x', { needsApproval: true })] })",
  "a tool": "newAgent(model, { fetch: streams([toolCall]), tools: [newTool('f', wait)] })",
  "afterToolCall": "newAgent(model, { afterToolCall: wait, fetch: streams([toolCall]), tools: [newTool('f', () => 'x')] })",
  "the next try": "newAgent(model, { retry: { baseDelayMs: 60_000 }, fetch: async () => new Response('', { status: 503 }) })",
};

for (const [what, make] of Object.entries(waits)) {
  pageTest(`free() ends a run that waits for ${what}, and nothing comes behind its end`, async ({ page }) => {
    const parts = {
      half: text("Half"), halfCall: call(0, { id: "c", name: "f", args: '{"a":' }), whole: answer("Fine."),
      toolCall: [call(0, { id: "c", name: "f", args: "{}" }), finish("tool_calls"), done].join(""),
    };
    // The strict policy of the page makes no functions from text; a script of the test may.
    const result = await page.evaluate(`(async () => {
      const { half, halfCall, whole, toolCall } = ${JSON.stringify(parts)};
      const model = { id: "test", api: "openai-completions" };
      const encoder = new TextEncoder();
      let requests = 0;
      const wait = () => new Promise(() => {});
      const streams = (chunks) => async () => {
        requests += 1;
        const start = (controller) => chunks.forEach((chunk) => controller.enqueue(encoder.encode(chunk)));
        return new Response(new ReadableStream({ start }), { headers: { "content-type": "text/event-stream" } });
      };
      const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      const agent = ${make};
      const recording = record(agent);
      const iterated = [];
      const iterating = (async () => { for await (const { type } of agent.events()) iterated.push(type); })();
      const running = agent.prompt("Go");
      const idle = agent.waitForIdle();
      await pause(50);
      const isWaiting = agent.state.isStreaming;
      agent.free();
      const began = performance.now();
      const ends = await Promise.race([Promise.all([running, idle, iterating]).then(() => "settled"), pause(2_000).then(() => "hangs")]);
      const took = performance.now() - began;
      const { length } = recording.events;
      const asked = requests;
      await pause(60);
      const { reason } = recording.events.at(-1);
      return {
        isWaiting, ends, reason, events: recording.events, isPrompt: took < 900, late: recording.events.length - length, again: requests - asked,
        iterated: iterated.length - length, faults: recording.faults, use: (await failureOf(() => agent.prompt("again"))).code,
      };
    })()`);
    keepEvents(`free-${Object.keys(waits).indexOf(what)}`, result.events);
    delete result.events;
    assert.deepEqual(result, { isWaiting: true, ends: "settled", reason: "aborted", isPrompt: true, late: 0, again: 0, iterated: 0, faults: [], use: "freed" });
  });
}

pageTest("leaving `for await` over agentLoop aborts its run", async ({ page, provider }) => {
  provider.answer({ body: answer("Half", " never"), stallAt: text("Half").length });
  const result = await page.evaluate(async (model) => {
    const seen = [];
    const events = sluice.agentLoop([{ role: "user", content: "First", timestamp: 0 }], { messages: [] }, { model, retry: false });
    for await (const event of events) {
      seen.push(outline(event));
      if (event.assistantMessageEvent?.type === "text_delta") break;
    }
    const added = await events.result();
    return { seen, added: added.map(({ role, stopReason }) => stopReason ?? role) };
  }, provider.model);
  assert.deepEqual(result.seen, [...started, "text_start 0", "text_delta 0 Half"]);
  assert.deepEqual(result.added, ["user", "aborted"]);
  assert.equal(await provider.requests[0].outcome, "cancelled");
});

pageTest("the signal given to agentLoop and streamSimple aborts them, whatever its reason", async ({ page, provider }) => {
  const half = { body: answer("Half", " never"), stallAt: text("Half").length };
  provider.answer(half, half);
  const result = await page.evaluate(async (model) => {
    const message = { role: "user", content: "First", timestamp: 0 };
    const run = async (stream, controller) => {
      const lines = [];
      for await (const event of stream) {
        lines.push(outline(event));
        if ((event.assistantMessageEvent ?? event).type === "text_delta") controller.abort("a string is a reason too");
      }
      return lines;
    };
    const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
    third.abort();
    return [
      await run(sluice.agentLoop([message], { messages: [] }, { model, retry: false }, first.signal), first),
      await run(sluice.streamSimple(model, { messages: [message] }, { signal: second.signal }), second),
      await run(sluice.streamSimple(model, { messages: [message] }, { signal: third.signal }), third),
    ];
  }, provider.model);
  assert.deepEqual(result, [
    [...started, "text_start 0", "text_delta 0 Half", "text_end 0 Half", ...aborted],
    ["start", "text_start 0", "text_delta 0 Half", "text_end 0 Half", "error aborted"],
    ["start", "error aborted"],
  ]);
  assert.equal(await provider.requests[0].outcome, "cancelled");
  assert.equal(await provider.requests[1].outcome, "cancelled");
  assert.equal(provider.requests.length, 2, "an aborted signal asks nobody");
});
