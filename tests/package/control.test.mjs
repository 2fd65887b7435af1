// What a page sees of the control surface: calls made again by themselves, and calls of tools that wait for a yes.
import assert from "node:assert/strict";
import { browserTests, keepEvents } from "./browser.mjs";
import { answer, delta, done, finish, text } from "./streams.mjs";

const pageTest = browserTests();

const busy = (status = 503, headers = {}) => ({ status, headers, type: "application/json", body: '{"error":{"message":"Busy."}}' });
const asked = ["agent_start", "turn_start", "message_start user", "message_end user", "message_start assistant"];
const said = ["text_start 0", "text_delta 0 Fine.", "text_end 0 Fine.", "message_end assistant stop"];

// ---------------------------------------------------------------- retries

pageTest("a busy server is asked again, and the run is as if it had answered at once", async ({ page, provider }) => {
  provider.answer(busy(), answer("Fine."));
  const result = await page.evaluate(async (model) => {
    const agent = newAgent(model, { retry: { baseDelayMs: 20 } });
    const recording = record(agent);
    const retries = [];
    agent.store.subscribe(() => {
      const { retry, error, messages } = agent.store.getSnapshot();
      const line = JSON.stringify([retry && [retry.attempt, retry.maxAttempts, retry.errorMessage], error, messages.length]);
      if (retries.at(-1) !== line) retries.push(line);
    });
    await agent.prompt("Go");
    return { ...recording.all, retries: retries.map((line) => JSON.parse(line)), state: agent.state };
  }, provider.model);
  assert.deepEqual(result.lines, [
    ...asked, "message_end assistant error (overloaded)", "turn_end error, 0 results", "auto_retry_start 1 of 3",
    "turn_start", "message_start assistant", ...said, "auto_retry_end 1 succeeded", "turn_end stop, 0 results", "agent_end done: user, assistant",
  ]);
  assert.deepEqual(result.faults, []);
  keepEvents("retried", result.events);
  const message = "test: 503 Busy.";
  assert.deepEqual(result.retries, [
    [null, null, 0], [null, null, 1], [null, null, 2], [null, message, 2],
    // While it is tried again, the failed answer is in no list and no error is shown beside the retry.
    [[1, 3, message], null, 1], [[1, 3, message], null, 2], [null, null, 2],
  ]);
  assert.deepEqual(result.state.messages.map(({ role, stopReason, content }) => [role, stopReason ?? "", content[0].text]), [["user", "", "Go"], ["assistant", "stop", "Fine."]]);
  assert.equal(provider.requests.length, 2);
  assert.equal(provider.requests[0].text, provider.requests[1].text);
});

pageTest("a server that says when to come back is not asked before", async ({ page, provider }) => {
  provider.answer(busy(429, { "retry-after": "1" }), busy(429, { "retry-after-ms": "300" }), answer("Fine."));
  const result = await page.evaluate(async (model) => {
    const agent = newAgent(model, { retry: { baseDelayMs: 20 } });
    const recording = record(agent);
    const times = [];
    agent.subscribe(({ type }) => {
      if (type === "auto_retry_start" || type === "turn_start") times.push(performance.now());
    });
    await agent.prompt("Go");
    const [first, second] = recording.events.filter(({ type }) => type === "auto_retry_start").map(({ delayMs }) => delayMs);
    return { first, second, waited: [times[2] - times[1], times[4] - times[3]], lines: recording.lines };
  }, provider.model);
  assert.deepEqual([result.first, result.second], [1000, 300]);
  assert.ok(result.waited[0] >= 999 && result.waited[1] >= 299, `waited ${result.waited}`);
  assert.deepEqual(result.lines.filter((line) => line.startsWith("auto_retry") || line.startsWith("agent_end")), [
    "auto_retry_start 1 of 3", "auto_retry_end 1 failed", "auto_retry_start 2 of 3", "auto_retry_end 2 succeeded", "agent_end done: user, assistant",
  ]);
});

pageTest("an answer that was cut is made again: its text is there once, and so is the user's message", async ({ page, provider }) => {
  const half = [text("Half of the "), text("answer")].join("");
  provider.answer({ body: half + answer("."), breakAt: half.length }, answer("The whole ", "answer."));
  const result = await page.evaluate(async (model) => {
    const agent = newAgent(model, { retry: { baseDelayMs: 20 } });
    const recording = record(agent);
    const shown = [];
    agent.store.subscribe(() => {
      const { messages, streamMessage } = agent.store.getSnapshot();
      const texts = [...messages, streamMessage].filter((message) => message?.role === "assistant").map(({ content }) => content.map((block) => block.text).join(""));
      if (shown.at(-1) !== texts.join("|")) shown.push(texts.join("|"));
    });
    await agent.prompt("Go");
    return { lines: recording.lines, faults: recording.faults, shown, end: recording.events.at(-1).messages, messages: agent.state.messages };
  }, provider.model);
  const texts = (messages) => messages.map(({ role, content }) => `${role}: ${content[0].text}`);
  assert.deepEqual(texts(result.messages), ["user: Go", "assistant: The whole answer."]);
  assert.deepEqual(texts(result.end), texts(result.messages));
  assert.deepEqual(result.shown, ["", "Half of the ", "Half of the answer", "", "The whole ", "The whole answer."]);
  assert.deepEqual(result.lines.filter((line) => /^(message_|turn_|auto_|agent_)/.test(line)), [
    ...asked, "message_end assistant error (truncated)", "turn_end error, 0 results", "auto_retry_start 1 of 3",
    "turn_start", "message_start assistant", "message_end assistant stop", "auto_retry_end 1 succeeded", "turn_end stop, 0 results", "agent_end done: user, assistant",
  ]);
  assert.deepEqual(result.faults, []);
  assert.deepEqual(provider.requests.map(({ body }) => body.messages), [[{ role: "user", content: "Go" }], [{ role: "user", content: "Go" }]]);
});

pageTest("an abort ends the wait at once, and nothing is sent behind it", async ({ page, provider }) => {
  provider.answer(busy(), answer("Fine."));
  const result = await page.evaluate(async (model) => {
    const agent = newAgent(model, { retry: { baseDelayMs: 60_000 } });
    const recording = record(agent);
    const waiting = seen(agent, ({ type }) => type === "auto_retry_start");
    const run = agent.prompt("Go");
    await waiting;
    await new Promise((resolve) => setTimeout(resolve, 20));
    const during = agent.store.getSnapshot().retry?.attempt;
    const begin = performance.now();
    agent.abort();
    await run;
    const took = performance.now() - begin;
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { retry, isStreaming } = agent.store.getSnapshot();
    return { lines: recording.lines, during, took, after: [retry, isStreaming] };
  }, provider.model);
  assert.ok(result.took < 500, `it took ${result.took} ms`);
  assert.deepEqual([result.during, result.after], [1, [undefined, false]]);
  assert.deepEqual(result.lines.slice(7), ["auto_retry_start 1 of 3", "auto_retry_end 1 failed", "agent_end aborted: user"]);
  assert.equal(provider.requests.length, 1);
});

pageTest("when all tries failed the run ends with the last failure, and retry() goes on by hand", async ({ page, provider }) => {
  provider.answer(busy(), busy(500), busy(502), answer("Fine."));
  const result = await page.evaluate(async (model) => {
    const agent = newAgent(model, { retry: { maxAttempts: 2, baseDelayMs: 10 } });
    const recording = record(agent);
    await agent.prompt("Go");
    const ends = recording.events.filter(({ type }) => type === "auto_retry_end").map(({ success, attempt, finalError }) => [success, attempt, finalError]);
    const failed = [agent.state.messages.length, agent.state.error];
    await agent.retry();
    return { ends, failed, lines: recording.lines.filter((line) => line.startsWith("agent_end")), messages: agent.state.messages.length };
  }, provider.model);
  assert.deepEqual(result, {
    ends: [[false, 1, undefined], [false, 2, "test: 502 Busy."]], failed: [2, "test: 502 Busy."],
    lines: ["agent_end error: user, assistant", "agent_end done: assistant"], messages: 2,
  });
});

// ---------------------------------------------------------------- approvals

const twoCalls = [delta({ tool_calls: ["a", "b"].map((id, index) => ({ index, id, type: "function", function: { name: "pay", arguments: `{"to":"${id}"}` } })) }), finish("tool_calls"), done].join("");

pageTest("a call waits for a yes, and the store says so from its first to its last state", async ({ page, provider }) => {
  provider.answer(twoCalls, answer("Fine."));
  const result = await page.evaluate(async (model) => {
    const paid = [];
    const tools = [newTool("pay", ({ to }, _signal, onUpdate) => (onUpdate({ content: [{ type: "text", text: "…" }] }), paid.push(to), `paid ${to}`), { needsApproval: true })];
    const agent = newAgent(model, { tools });
    const recording = record(agent);
    const statuses = [];
    agent.store.subscribe(() => {
      const line = Object.values(agent.store.getSnapshot().toolExecutions).map(({ status }) => status).join(" ");
      if (line !== "" && statuses.at(-1) !== line) statuses.push(line);
    });
    let waiting = 0;
    const both = seen(agent, ({ type }) => type === "tool_approval_request" && ++waiting === 2);
    const run = agent.prompt("Go");
    await both;
    const before = [paid.length, [...agent.pendingApprovals]];
    agent.approveToolCall("a");
    await seen(agent, ({ type }) => type === "tool_execution_end");
    agent.denyToolCall("b", "Not to b.");
    await run;
    const { b } = agent.store.getSnapshot().toolExecutions;
    return { ...recording.all, statuses, before, paid, denied: b.result.content[0].text, pending: agent.pendingApprovals };
  }, provider.model);
  assert.deepEqual(result.before, [0, ["a", "b"]]);
  assert.deepEqual([result.paid, result.pending, result.denied], [["a"], [], "The user denied this tool call: Not to b."]);
  assert.deepEqual(result.statuses, [
    "pending pending", "running pending", "running running", "awaiting_approval running", "awaiting_approval awaiting_approval",
    "running awaiting_approval", "done awaiting_approval", "done pending", "done error",
  ]);
  assert.deepEqual(result.lines.slice(result.lines.indexOf("message_end assistant toolUse")), [
    "message_end assistant toolUse",
    'tool_execution_start a pay {"to":"a"}', 'tool_execution_start b pay {"to":"b"}',
    'tool_approval_request a pay {"to":"a"}', 'tool_approval_request b pay {"to":"b"}',
    "tool_execution_update a …", "tool_execution_end a paid a", "tool_execution_end b failed: The user denied this tool call: Not to b.",
    "message_start toolResult", "message_end toolResult a paid a", "message_start toolResult", "message_end toolResult b failed: The user denied this tool call: Not to b.",
    "turn_end toolUse, 2 results", "turn_start", "message_start assistant", ...said, "turn_end stop, 0 results", "agent_end done: user, assistant, toolResult, toolResult, assistant",
  ]);
  assert.deepEqual(result.faults, []);
  keepEvents("approved", result.events);
});

/** Runs until two calls wait, and gives the session as text. */
const whileTwoWait = (model) => async ({ page }) => page.evaluate(async (model) => {
  const agent = newAgent(model, { tools: [newTool("pay", () => "paid too early", { needsApproval: true })] });
  let waiting = 0;
  const both = seen(agent, ({ type }) => type === "tool_approval_request" && ++waiting === 2);
  void agent.prompt("Go");
  await both;
  return JSON.stringify(agent);
}, model);

for (const [when, isEarly] of [["before the run goes on", true], ["when it asks again", false]]) {
  pageTest(`two calls that waited when the page was left wait on the next page, and run once when they are approved ${when}`, async ({ browser, files, page, provider }) => {
    provider.answer(twoCalls, answer("Fine."));
    const session = await whileTwoWait(provider.model)({ page });
    const next = await browser.newPage();
    try {
      await next.goto(`${files.url}/lab.html`);
      await next.waitForFunction(() => globalThis.isLoaded);
      const result = await next.evaluate(async ([session, isEarly]) => {
        const paid = [];
        const tools = [newTool("pay", ({ to }) => (paid.push(to), `paid ${to}`), { needsApproval: true })];
        const agent = sluice.Agent.fromJSON(JSON.parse(session), { retry: false, initialState: { tools } });
        const statuses = () => Object.values(agent.store.getSnapshot().toolExecutions).map(({ status, args }) => `${status} ${args.to}`);
        const restored = [[...agent.pendingApprovals], statuses(), JSON.parse(JSON.stringify(agent)).pendingApprovals];
        const recording = record(agent);
        if (!isEarly) {
          agent.subscribe((event) => {
            if (event.type === "tool_approval_request") agent.approveToolCall(event.toolCallId);
          });
        } else {
          for (const id of agent.pendingApprovals) agent.approveToolCall(id);
        }
        const decided = statuses();
        await agent.continue();
        return { restored, decided, paid, lines: recording.lines, statuses: statuses(), roles: agent.state.messages.map(({ role }) => role), pending: agent.pendingApprovals };
      }, [session, isEarly]);
      assert.deepEqual(result.restored, [["a", "b"], ["awaiting_approval a", "awaiting_approval b"], ["a", "b"]]);
      assert.deepEqual(result.decided, isEarly ? ["pending a", "pending b"] : result.restored[1]);
      assert.deepEqual([result.paid, result.statuses, result.pending], [["a", "b"], ["done a", "done b"], []]);
      assert.deepEqual(result.roles, ["user", "assistant", "toolResult", "toolResult", "assistant"]);
      assert.deepEqual(result.lines.slice(0, 4), ["agent_start", "turn_start", 'tool_execution_start a pay {"to":"a"}', 'tool_execution_start b pay {"to":"b"}']);
      const questions = result.lines.filter((line) => line.startsWith("tool_approval_request"));
      assert.equal(questions.length, isEarly ? 0 : 2);
      assert.equal(result.lines.at(-1), "agent_end done: toolResult, toolResult, assistant");
      assert.equal(provider.requests.length, 2);
      assert.deepEqual(provider.requests[1].body.messages.filter(({ role }) => role === "tool").map(({ tool_call_id, content }) => [tool_call_id, content]), [["a", "paid a"], ["b", "paid b"]]);
    } finally {
      await next.close();
    }
  });
}

pageTest("a store that is asked for in the middle of a batch knows what runs and what waits", async ({ page, provider }) => {
  provider.answer([delta({ tool_calls: ["look", "pay"].map((name, index) => ({ index, id: name, type: "function", function: { name, arguments: "{}" } })) }), finish("tool_calls"), done].join(""));
  const statuses = await page.evaluate(async (model) => {
    const tools = [newTool("look", () => new Promise(() => {})), newTool("pay", () => "paid", { needsApproval: true })];
    const agent = newAgent(model, { tools });
    const waiting = seen(agent, ({ type }) => type === "tool_approval_request");
    const run = agent.prompt("Go");
    await waiting;
    const statuses = Object.values(agent.store.getSnapshot().toolExecutions).map(({ status }) => status);
    agent.abort();
    await run;
    return [statuses, Object.values(agent.store.getSnapshot().toolExecutions).map(({ status }) => status)];
  }, provider.model);
  assert.deepEqual(statuses, [["running", "awaiting_approval"], ["error", "error"]]);
});
