// Everything that can go wrong between the page and a provider ends the run through events and the last message.
import assert from "node:assert/strict";
import { browserTests, keepEvents } from "./browser.mjs";
import { answer, call, done, finish, text } from "./streams.mjs";

const pageTest = browserTests();

/** Prompts once, then once more, with a tool that must not run; returns both recordings. */
const promptTwice = (page, model, options = {}) =>
  page.evaluate(async ([model, options]) => {
    let calls = 0;
    const tools = [newTool("write", () => (calls++, "written"))];
    const agent = newAgent(model, { tools, apiKey: "sk-secret-0123456789", ...options });
    const recording = record(agent);
    await agent.prompt("First");
    const { lines, events } = recording.all;
    const { error, messages, isStreaming, streamMessage } = agent.state;
    const failed = messages.findLast(({ role }) => role === "assistant");
    const state = { error, isStreaming, streamMessage };
    await agent.prompt("Second");
    return { lines, events, failed, state, calls, next: recording.lines.slice(lines.length), faults: recording.faults, after: agent.state.error ?? null };
  }, [model, options]);

const started = ["agent_start", "turn_start", "message_start user", "message_end user", "message_start assistant"];
const failedTurn = (code) => [`message_end assistant error (${code})`, "turn_end error, 0 results", "agent_end error: user, assistant"];
const saidHalf = ["text_start 0", "text_delta 0 Half", "text_end 0 Half"];
const goodRun = [
  ...started, "text_start 0", "text_delta 0 Fine.", "text_end 0 Fine.", "message_end assistant stop", "turn_end stop, 0 results",
  "agent_end done: user, assistant",
];

/** A body that the server does not end: who has seen enough has to leave. */
const open = (body, type) => ({ body, type, stallAt: Buffer.byteLength(body) });

const faults = [
  {
    when: "the server answers 401",
    answer: { status: 401, type: "application/json", body: '{"error":{"message":"Incorrect API key provided: sk-secret-0123456789.","type":"invalid_request_error","code":"invalid_api_key"}}' },
    events: failedTurn("auth"), error: { code: "auth", status: 401, retryable: false },
  },
  {
    when: "the server answers 429 and says when to come back",
    answer: { status: 429, type: "application/json", headers: { "retry-after": "7" }, body: '{"error":{"message":"Slow down.","type":"requests"}}' },
    events: failedTurn("rate_limit"), error: { code: "rate_limit", status: 429, retryAfterMs: 7000, retryable: true },
  },
  {
    when: "the server answers 500",
    answer: { status: 500, type: "text/plain", body: "upstream is gone" },
    events: failedTurn("http"), error: { code: "http", status: 500, retryable: true },
  },
  {
    when: "the server answers 400",
    answer: { status: 400, type: "application/json", body: '{"error":{"message":"Unknown model.","type":"invalid_request_error"}}' },
    events: failedTurn("invalid_request"), error: { code: "invalid_request", status: 400, retryable: false },
  },
  {
    when: "a page of HTML comes with status 200",
    answer: open("<!doctype html><title>Log in</title>", "text/html; charset=utf-8"),
    events: failedTurn("bad_response"), error: { code: "bad_response", status: 200, retryable: false }, outcome: "cancelled",
  },
  {
    when: "the body ends without a terminal marker",
    answer: text("Half"),
    events: [...saidHalf, ...failedTurn("truncated")], error: { code: "truncated", retryable: true },
  },
  {
    when: "the body ends before its first event",
    answer: "",
    events: failedTurn("truncated"), error: { code: "truncated", retryable: true },
  },
  {
    when: "the connection breaks in the middle of an event",
    answer: { body: text("Half") + text(" a sentence"), breakAt: text("Half").length + 20 },
    events: [...saidHalf, ...failedTurn("truncated")], error: { code: "truncated", retryable: true },
  },
  {
    when: "an error comes within the stream",
    answer: open(`${text("Half")}data: {"error":{"message":"The server had an error.","type":"server_error"}}\n\n`),
    events: [...saidHalf, ...failedTurn("overloaded")], error: { code: "overloaded", retryable: true }, outcome: "cancelled",
  },
  {
    when: "an event is no JSON",
    answer: open(`${text("Half")}data: {"choices":[{"de\n\n`),
    events: [...saidHalf, ...failedTurn("bad_response")], error: { code: "bad_response", retryable: true }, outcome: "cancelled",
  },
  {
    when: "the server never sends headers",
    answer: { noHeaders: true }, options: { timeoutMs: 200 },
    events: failedTurn("timeout"), error: { code: "timeout", retryable: true }, outcome: "cancelled",
  },
  {
    when: "the body falls silent",
    answer: { body: answer("Half", " never"), stallAt: text("Half").length }, options: { idleTimeoutMs: 200 },
    events: [...saidHalf, ...failedTurn("timeout")], error: { code: "timeout", retryable: true }, outcome: "cancelled",
  },
  {
    when: "the browser refuses the answer for its origin",
    answer: { body: answer("Fine."), headers: { "access-control-allow-origin": "http://elsewhere.example" } },
    events: failedTurn("network"), error: { code: "network", retryable: true }, outcome: "any",
  },
];

for (const { when, answer: first, options, events, error, outcome = "complete" } of faults) {
  pageTest(`when ${when}, the run ends as an error and the next prompt works`, async ({ page, provider }) => {
    provider.answer(first, answer("Fine."));
    const result = await promptTwice(page, provider.model, options);
    assert.deepEqual(result.lines, [...started, ...events]);
    const { message, ...rest } = result.failed.error;
    assert.deepEqual(rest, error);
    assert.equal(result.failed.errorMessage, message);
    assert.deepEqual(result.state, { error: message, isStreaming: false, streamMessage: null });
    assert.match(message, /^.{10,400}$/s, "people read it");
    assert.doesNotMatch(message, /<|\{|sk-secret/, "no markup, no raw body, no key");
    assert.deepEqual(result.next, goodRun);
    assert.deepEqual([result.after, result.faults, result.calls], [null, [], 0]);
    const seen = await provider.requests[0].outcome;
    if (outcome !== "any") assert.equal(seen, first.breakAt === undefined ? outcome : "broken");
    assert.deepEqual(provider.requests[1].body.messages.map(({ role }) => role).filter((role) => role === "user"), ["user", "user"]);
    assert.equal(provider.requests.length, 2);
    keepEvents(`fault-${when.replaceAll(/\W+/g, "-")}`, result.events);
  });
}

pageTest("when nobody listens at the address, the run ends as a network error", async ({ page }) => {
  const result = await promptTwice(page, { id: "x", api: "openai-completions", baseUrl: "http://127.0.0.1:9/v1" });
  assert.deepEqual(result.lines, [...started, ...failedTurn("network")]);
  assert.equal(result.failed.error.retryable, true);
});

pageTest("when the connection breaks in a tool call, the tool does not run and the call has an answer", async ({ page, provider }) => {
  const body = text("Half") + call(0, { id: "call_1", name: "write", args: '{"path":"/e' });
  provider.answer({ body: body + call(0, { args: 'tc"}' }) + finish("tool_calls"), breakAt: body.length }, answer("Fine."));
  const result = await promptTwice(page, provider.model);
  const reason = "failed: The tool did not run: the response failed before it was complete.";
  assert.deepEqual(result.lines, [
    ...started, "text_start 0", "text_delta 0 Half", "text_end 0 Half",
    "toolcall_start 1", 'toolcall_delta 1 {"path":"/e', 'toolcall_end 1 write {"path":"/e"}', "message_end assistant error (truncated)",
    'tool_execution_start call_1 write {"path":"/e"}', `tool_execution_end call_1 ${reason}`,
    "message_start toolResult", `message_end toolResult call_1 ${reason}`,
    "turn_end error, 1 results", "agent_end error: user, assistant, toolResult",
  ]);
  assert.equal(result.calls, 0);
  assert.deepEqual(result.next, goodRun);
  keepEvents("fault-in-tool-call", result.events);
});

pageTest("when the output limit cuts a tool call, the model is told and the tool does not run", async ({ page, provider }) => {
  provider.answer(
    call(0, { id: "call_1", name: "write", args: '{"path":"/e' }) + finish("length") + done,
    answer("Fine."),
    answer("Fine."),
  );
  const result = await promptTwice(page, provider.model);
  const reason = "failed: The tool did not run: the output limit cut the message off. Answer with shorter arguments.";
  assert.deepEqual(result.lines, [
    ...started, "toolcall_start 0", 'toolcall_delta 0 {"path":"/e', 'toolcall_end 0 write {"path":"/e"}', "message_end assistant length",
    'tool_execution_start call_1 write {"path":"/e"}', `tool_execution_end call_1 ${reason}`,
    "message_start toolResult", `message_end toolResult call_1 ${reason}`, "turn_end length, 1 results",
    "turn_start", "message_start assistant", "text_start 0", "text_delta 0 Fine.", "text_end 0 Fine.", "message_end assistant stop",
    "turn_end stop, 0 results", "agent_end done: user, assistant, toolResult, assistant",
  ]);
  assert.equal(result.calls, 0);
  const [, second] = provider.requests;
  assert.doesNotThrow(() => JSON.parse(second.body.messages[1].tool_calls[0].function.arguments));
  assert.equal(second.body.messages[2].tool_call_id, "call_1");
  keepEvents("length-in-tool-call", result.events);
});

// ---- what no failure may tell

const KEY = "own-key-0123456789";

for (const [where, prepare] of [
  ["a hook", (key) => ({ onPayload: () => { throw new Error(`no ${key}`); } })],
  ["another hook", (key) => ({ onResponse: () => Promise.reject(`no ${key}`) })],
  ["a fetch", (key) => ({ fetch: () => Promise.reject(new TypeError(`no ${key}`)) })],
  ["a body that breaks", (key) => ({ fetch: async () => new Response(new ReadableStream({ pull: (it) => it.error(new Error(`no ${key}`)) }), { headers: { "content-type": "text/event-stream" } }) })],
  ["a content type", (key) => ({ fetch: async () => new Response("<p>", { headers: { "content-type": `text/html; ${key}` } }) })],
  ["an error page", (key) => ({ fetch: async () => new Response(`no ${key}`, { status: 400 }) })],
]) {
  pageTest(`the key does not stand in the failure of ${where}`, async ({ page, provider }) => {
    for (const api of ["openai-completions", "openai-responses", "anthropic-messages", "google-generative-ai"]) {
      provider.answer(answer("Fine."));
      const run = async (model, key, prepare) => {
        const agent = newAgent(model, { apiKey: key, ...prepare(key) });
        const recording = record(agent);
        await agent.prompt("Go");
        return { message: agent.state.error, all: JSON.stringify([recording.all, agent.state.messages]) };
      };
      const { message, all } = await page.evaluate(`(${run})(${JSON.stringify({ ...provider.model, api })}, "${KEY}", ${prepare})`);
      assert.match(message, /\[hidden\]/, api);
      assert.ok(!message.includes(KEY) && !all.includes(KEY), message);
    }
  });
}

pageTest("a password in the address does not stand in the failure that the browser words", async ({ page }) => {
  const message = await page.evaluate(async () => {
    const agent = newAgent({ id: "x", api: "openai-completions", baseUrl: "http://me:hunter2@127.0.0.1:9/v1" }, {});
    await agent.prompt("Go");
    return agent.state.error;
  });
  assert.ok(!message.includes("hunter2"), message);
  assert.match(message, /127\.0\.0\.1:9/);
});

// ---- what looks like a fault and is none

const harmless = [
  ["a plain JSON completion comes in place of a stream", { type: "application/json", body: '{"id":"1","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"Fine."}}]}' }],
  ["the sentinel comes and the connection stays open", { body: answer("Fine.") + ": still here\n\n", stallAt: answer("Fine.").length }, "cancelled"],
  ["a finish reason comes and no sentinel", text("Fine.") + finish("stop")],
  ["the last event has no blank line behind it", (text("Fine.") + finish("stop")).trimEnd()],
  ["lines end with CR LF", answer("Fine.").replaceAll("\n", "\r\n")],
  ["comments come for longer than the stream may be silent", { body: `${": waiting\n\n".repeat(120)}${answer("Fine.")}`, pieces: 1 }, "any", { idleTimeoutMs: 1000 }],
];

for (const [what, first, outcome = "any", options] of harmless) {
  pageTest(`when ${what}, the answer is complete`, async ({ page, provider }) => {
    provider.answer(first, answer("Fine."));
    const result = await promptTwice(page, provider.model, options);
    assert.deepEqual([result.lines, result.next], [goodRun, goodRun]);
    if (outcome !== "any") assert.equal(await provider.requests[0].outcome, outcome);
  });
}
