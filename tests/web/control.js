// The control surface: retries, approvals, hooks on requests and turns, schemas of libraries.

import { agentWith, answer, call, calls, check, collect, done, equal, fetchOf, finish, last, matches, model, never, open, record, rejection, said, same, sleep, soon, stillWorks, text, textOf, thrown, tool } from "./helpers.js";

const failure = (status, headers = {}) => () => new Response(JSON.stringify({ error: { message: "Busy." } }), { status, headers });
const quick = { maxAttempts: 3, baseDelayMs: 4 };

// ---------------------------------------------------------------- retries

export async function a_failed_call_is_made_again(sluice) {
  const cut = [text("Hel"), call(0, "c1", "f", '{"a":')];
  const fetch = fetchOf(cut, answer("Hello"));
  const agent = agentWith(sluice, fetch, { retry: quick, tools: [tool("f", () => "ran")] });
  const log = record(agent);
  const transcripts = [];
  agent.subscribe((event) => {
    if (event.type === "auto_retry_start") transcripts.push(agent.state.messages.length, agent.state.error);
  });
  await soon(agent.prompt("hi"), "the prompt");
  equal(transcripts, [1, undefined], "the failed answer has left the transcript");
  equal(agent.state.messages.map((message) => message.role), ["user", "assistant"], "the transcript");
  same(textOf(last(agent)), "Hello", "the answer");
  equal(log.of("agent_end")[0].messages, agent.state.messages, "the messages of the run");
  const [start] = log.of("auto_retry_start");
  equal([start.attempt, start.maxAttempts], [1, 3], "the attempt");
  check(start.delayMs >= 2 && start.delayMs <= 4, `the delay is ${start.delayMs}`);
  equal(log.of("auto_retry_end"), [{ type: "auto_retry_end", success: true, attempt: 1 }], "the end of the retry");
  equal(fetch.requests[0].body, fetch.requests[1].body, "the same request");
  log.verify(sluice);
}

export async function an_agent_retries_unless_it_is_told_not_to(sluice) {
  for (const [retry, requests] of [[undefined, 2], [{ baseDelayMs: 1 }, 2], [{ maxAttempts: 0 }, 1], [false, 1]]) {
    const fetch = fetchOf(failure(503, { "retry-after-ms": "5" }), answer("ok"));
    const agent = agentWith(sluice, fetch, { retry });
    const log = record(agent);
    // The usual wait is seconds long: that it has begun is enough.
    const run = agent.prompt("hi");
    if (retry === undefined) {
      while (log.of("auto_retry_start").length === 0) await sleep(1);
      const { delayMs, maxAttempts } = log.of("auto_retry_start")[0];
      check(delayMs >= 1000 && delayMs <= 2000 && maxAttempts === 3, `the usual wait is ${delayMs}`);
      agent.abort();
      await soon(run, "the abort");
      same(log.reason(), "aborted", "the reason");
      equal(log.of("auto_retry_end").length, 1, "the retry has its end");
    } else {
      await soon(run, "the run");
      same(fetch.requests.length, requests, `requests with ${JSON.stringify(retry)}`);
    }
    log.verify(sluice);
  }
}

export async function the_bare_loop_retries_where_it_is_told_how(sluice) {
  for (const [retry, requests] of [[undefined, 1], [quick, 2]]) {
    const fetch = fetchOf(failure(503), answer("ok"));
    const loop = sluice.agentLoop([{ role: "user", content: "hi", timestamp: 1 }], { messages: [] }, { model, fetch, retry });
    await collect(loop);
    same(fetch.requests.length, requests, "requests");
    const messages = await loop.result();
    equal(messages.map((message) => message.role), ["user", "assistant"], "the result");
  }
}

const spoken = (content) => ({ role: "user", content, timestamp: 1 });
const userTexts = (messages) => messages.filter((message) => message.role === "user").map((message) => message.content);

export async function the_bare_loop_asks_for_what_waits(sluice) {
  const queued = { steering: [], followUps: [] };
  const take = (name) => async () => queued[name].splice(0);
  const run = async (fetch, fields, onEvent) => {
    const loop = sluice.agentLoop([spoken("go")], { messages: [], tools: [tool("f", () => "ran")] }, {
      model, fetch, getSteeringMessages: take("steering"), getFollowUpMessages: take("followUps"), ...fields,
    });
    const events = [];
    await soon((async () => {
      for await (const event of loop) {
        events.push(event);
        onEvent(event);
      }
    })(), "the loop");
    sluice.checkRun(JSON.stringify(events));
    return loop.result();
  };
  // Steering goes first, also if it came later.
  const fetch = fetchOf(answer("one"), answer("two"), answer("three"));
  let isFirst = true;
  const messages = await run(fetch, {}, (event) => {
    if (event.type !== "message_update" || !isFirst) return;
    isFirst = false;
    queued.followUps.push(spoken("F"));
    queued.steering.push(spoken("S"));
  });
  equal(userTexts(messages), ["go", "S", "F"], "what the user said");
  equal(fetch.requests.map(({ body }) => userTexts(body.messages)), [["go"], ["go", "S"], ["go", "S", "F"]], "the requests");

  // Before a tool runs, it is skipped for what waits.
  const skipped = await run(fetchOf(calls(["a", "f"]), answer("ok")), {}, (event) => {
    if (event.type === "message_update" && event.assistantMessageEvent.type === "toolcall_start") queued.steering.push(spoken("S"));
  });
  same(skipped.find((message) => message.role === "toolResult").content[0].text, "Skipped due to queued user message.", "the result");
  equal(userTexts(skipped), ["go", "S"], "what the user said");

  // What is given at once goes out at once.
  queued.steering.push(spoken("S1"), spoken("S2"));
  const together = fetchOf(answer("ok"), answer("more"));
  equal(userTexts(await run(together, {}, () => {})), ["go", "S1", "S2"], "what the user said");
  equal(together.requests.map(({ body }) => userTexts(body.messages)).at(-1), ["go", "S1", "S2"], "the last request");

  // What comes while a failed call waits goes with the next try.
  const retried = fetchOf(failure(503), answer("ok"));
  await run(retried, { retry: { baseDelayMs: 20 } }, (event) => {
    if (event.type === "auto_retry_start") queued.steering.push(spoken("S"));
  });
  equal(retried.requests.map(({ body }) => userTexts(body.messages)), [["go"], ["go", "S"]], "the requests");
}

export async function the_bare_loop_survives_whatever_its_questions_come_to(sluice) {
  const odd = [() => { throw new Error("no"); }, async () => { throw "no"; }, () => 5, () => undefined, () => [undefined, 5, {}, { role: "user" }], () => ({ length: 1 })];
  for (const name of ["getSteeringMessages", "getFollowUpMessages"]) {
    for (const ask of odd) {
      const loop = sluice.agentLoop([spoken("go")], { messages: [], tools: [tool("f", () => "ran")] }, { model, fetch: fetchOf(calls(["a", "f"]), answer("ok")), [name]: ask });
      const events = await soon(collect(loop), `${name}: ${ask}`);
      sluice.checkRun(JSON.stringify(events));
      equal((await loop.result()).map((message) => message.role), ["user", "assistant", "toolResult", "assistant"], `${name}: ${ask}`);
    }
    const controller = new AbortController();
    const fetch = fetchOf(answer("ok"));
    const loop = sluice.agentLoop([spoken("go")], { messages: [] }, { model, fetch, [name]: never }, controller.signal);
    setTimeout(() => controller.abort(), 20);
    same((await soon(collect(loop), `an abort while ${name} hangs`, 500)).at(-1).reason, "aborted", "the reason");
    same(fetch.requests.length, 1, "requests");
  }
}

export async function tools_never_run_twice(sluice) {
  let runs = 0;
  const fetch = fetchOf(failure(503), calls(["c1", "f"]), failure(500), answer("ok"));
  const agent = agentWith(sluice, fetch, { retry: quick, tools: [tool("f", () => { runs += 1; return "ran"; })] });
  const log = record(agent);
  await soon(agent.prompt("go"), "the prompt resolves after the last retry");
  same(runs, 1, "runs of the tool");
  same(log.reason(), "done", "the reason");
  equal(fetch.requests.at(-1).body.messages.map((message) => message.role), ["user", "assistant", "tool"], "the last request");
  log.verify(sluice);
}

export async function an_abort_ends_the_wait_and_the_retried_request(sluice) {
  const cases = [
    ["in the wait", { baseDelayMs: 30_000 }, [failure(503)], 1],
    ["in the request", quick, [failure(503), () => never()], 2],
    ["in the body", quick, [failure(503), () => open([text("x")])], 2],
  ];
  for (const [what, retry, answers, requests] of cases) {
    const fetch = fetchOf(...answers, answer("ok"));
    const agent = agentWith(sluice, fetch, { retry });
    const log = record(agent);
    const run = agent.prompt("hi");
    while (fetch.requests.length < requests || log.of("auto_retry_start").length < 1) await sleep(1);
    await sleep(5);
    agent.abort();
    await soon(run, what, 500);
    same(log.reason(), "aborted", what);
    const count = log.events.length;
    await sleep(20);
    same(log.events.length, count, `${what}: nothing comes behind the end`);
    same(fetch.requests.length, requests, `${what}: no further request`);
    log.verify(sluice);
    await stillWorks(sluice, agent);
  }
}

export async function a_wait_that_no_timer_holds_does_not_end_at_once(sluice) {
  for (const seconds of [2_147_484, 4_294_968, 1e12]) {
    const fetch = fetchOf(failure(503, { "retry-after": String(seconds) }), answer("ok"));
    const agent = agentWith(sluice, fetch, { retry: { maxDelayMs: 1e15 } });
    const log = record(agent);
    const run = agent.prompt("hi");
    await sleep(40);
    equal(log.of("auto_retry_start").map((event) => event.delayMs), [seconds * 1000], "the wait that was asked for");
    same(fetch.requests.length, 1, "requests");
    agent.abort();
    await soon(run, "the abort", 500);
    log.verify(sluice);
  }
}

export async function a_retry_waits_until_the_page_is_online(sluice) {
  const onLine = Object.getOwnPropertyDescriptor(Navigator.prototype, "onLine");
  let isOnline = false;
  Object.defineProperty(navigator, "onLine", { configurable: true, get: () => isOnline });
  try {
    const fetch = fetchOf(() => Promise.reject(new TypeError("Failed to fetch")), answer("ok"));
    const agent = agentWith(sluice, fetch, { retry: quick });
    const run = agent.prompt("hi");
    await sleep(60);
    same(fetch.requests.length, 1, "offline, nothing is sent");
    isOnline = true;
    dispatchEvent(new Event("online"));
    await soon(run, "the prompt");
    same(textOf(last(agent)), "ok", "the answer");

    isOnline = false;
    const left = fetchOf(() => Promise.reject(new TypeError("Failed to fetch")), answer("ok"));
    const waiting = agentWith(sluice, left, { retry: quick });
    const log = record(waiting);
    const aborted = waiting.prompt("hi");
    await sleep(60);
    waiting.abort();
    await soon(aborted, "an abort while the page is offline", 500);
    same(log.reason(), "aborted", "the reason");
    dispatchEvent(new Event("online"));
    await sleep(10);
    same(left.requests.length, 1, "nothing is sent when the network returns");
    log.verify(sluice);
  } finally {
    delete navigator.onLine;
    if (onLine === undefined) throw new Error("there is no onLine");
  }
}

export async function wrong_retry_options_are_refused(sluice) {
  for (const [retry, pattern] of [
    [true, /retry must be false or \{ maxAttempts/],
    [3, /retry must be/],
    [{ attempts: 2 }, /retry has no "attempts"/],
    [{ maxAttempts: -1 }, /retry\.maxAttempts must be a whole number of at least 0/],
    [{ baseDelayMs: "1" }, /retry\.baseDelayMs must be/],
    [{ maxDelayMs: NaN }, /retry\.maxDelayMs must be/],
  ]) {
    matches(thrown(() => new sluice.Agent({ retry }), "retry").message, pattern, "the message");
  }
  matches(thrown(() => new sluice.Agent({ hookTimeoutMs: 0 }), "hookTimeoutMs").message, /hookTimeoutMs must be/, "the message");
}

// ---------------------------------------------------------------- approval

const asking = (log, fields = {}) => tool("f", (id, params) => { log.push([id, params]); return "ran"; }, { needsApproval: true, ...fields });

export async function calls_wait_for_the_app(sluice) {
  const ran = [];
  const fetch = fetchOf(calls(["a", "f", { n: 1 }], ["b", "f", { n: 2 }], ["c", "free", {}]), answer("ok"));
  const agent = agentWith(sluice, fetch, { tools: [asking(ran), tool("free", () => "free")] });
  const log = record(agent);
  const run = agent.prompt("go");
  while (log.of("tool_approval_request").length < 2 || log.of("tool_execution_end").length < 1) await sleep(1);
  await sleep(20);
  equal(ran, [], "nothing runs before it is approved");
  equal(agent.pendingApprovals, ["a", "b"], "what waits");
  equal(log.of("tool_approval_request").map((event) => [event.toolCallId, event.toolName, event.args]), [["a", "f", { n: 1 }], ["b", "f", { n: 2 }]], "the requests");
  agent.denyToolCall("b", "Not two.");
  agent.approveToolCall("a");
  matches(thrown(() => agent.approveToolCall("a"), "a second decision").message, /no tool call "a" waits/, "the message");
  await soon(run, "the prompt");
  equal(ran, [["a", { n: 1 }]], "what ran");
  equal(agent.state.messages.slice(2, 5).map((message) => [message.toolCallId, message.isError, message.content[0].text]), [
    ["a", false, "ran"],
    ["b", true, "The user denied this tool call: Not two."],
    ["c", false, "free"],
  ], "the results");
  equal(agent.pendingApprovals, [], "nothing waits");
  log.verify(sluice);
}

export async function approval_may_depend_on_the_arguments(sluice) {
  const seen = [];
  const needs = {
    "a function": [(args) => args.n > 1, ["b"]],
    "a promise": [async (args) => args.n > 1, ["b"]],
    "never": [false, []],
    "no word of it": [undefined, []],
  };
  for (const [what, [needsApproval, expected]] of Object.entries(needs)) {
    const fetch = fetchOf(calls(["a", "f", { n: "1" }], ["b", "f", { n: "2" }]), answer("ok"));
    const parameters = { type: "object", properties: { n: { type: "integer" } } };
    const agent = agentWith(sluice, fetch, { tools: [asking(seen, { needsApproval, parameters })] });
    const asked = [];
    agent.subscribe((event) => {
      if (event.type !== "tool_approval_request") return;
      asked.push(event.toolCallId);
      same(event.args.n, 2, "the arguments are those that the tool would get");
      // A decision from within the listener that hears of it.
      agent.approveToolCall(event.toolCallId);
    });
    await soon(agent.prompt("go"), what);
    equal(asked, expected, what);
  }
  const broken = tool("f", () => "ran", { needsApproval: () => { throw new Error("no idea"); } });
  const agent = agentWith(sluice, fetchOf(calls(["a", "f"]), answer("ok")), { tools: [broken] });
  await soon(agent.prompt("go"), "the prompt");
  same(agent.state.messages[2].content[0].text, "needsApproval failed: no idea", "a hook that throws keeps the tool from running");
  matches(thrown(() => agent.setTools([tool("f", () => 1, { needsApproval: "yes" })]), "a wrong needsApproval").message, /tools\[0\]\.needsApproval must be true, false or a function/, "the message");
}

export async function an_abort_ends_the_wait_for_approval(sluice) {
  const agent = agentWith(sluice, fetchOf(calls(["a", "f"]), answer("ok")), { tools: [asking([])] });
  const log = record(agent);
  const run = agent.prompt("go");
  while (agent.pendingApprovals.length === 0) await sleep(1);
  agent.abort();
  await soon(run, "the prompt", 500);
  same(log.reason(), "aborted", "the reason");
  equal(agent.pendingApprovals, [], "nothing waits");
  matches(thrown(() => agent.approveToolCall("a"), "a late decision").message, /Waiting: none/, "the message");
  log.verify(sluice);
  await stillWorks(sluice, agent);
}

export async function a_steering_message_in_place_of_a_decision_skips_the_call(sluice) {
  const ran = [];
  const agent = agentWith(sluice, fetchOf(calls(["a", "f"]), answer("ok")), { tools: [asking(ran)] });
  const log = record(agent);
  const run = agent.prompt("go");
  while (agent.pendingApprovals.length === 0) await sleep(1);
  agent.steer("Do something else.");
  await soon(run, "the prompt");
  equal(ran, [], "the tool does not run");
  same(agent.state.messages[2].content[0].text, "Skipped due to queued user message.", "the result");
  same(textOf(agent.state.messages[3]), "Do something else.", "the message is delivered");
  log.verify(sluice);
}

/** A transcript that was saved while two calls waited, one of them answered by then. */
const saved = () => [
  { role: "user", content: "go", timestamp: 1 },
  {
    role: "assistant", api: "openai-completions", provider: "openai", model: "m", stopReason: "toolUse", timestamp: 2,
    content: [
      { type: "toolCall", id: "a", name: "free", arguments: {} },
      { type: "toolCall", id: "b", name: "f", arguments: { n: 1 } },
    ],
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } },
  },
  { role: "toolResult", toolCallId: "a", toolName: "free", content: [{ type: "text", text: "free" }], isError: false, timestamp: 3 },
];

export async function calls_that_wait_survive_a_reload(sluice) {
  for (const early of [true, false]) {
    const ran = [];
    const fetch = fetchOf(answer("ok"));
    const agent = new sluice.Agent({ fetch, initialState: { model, messages: saved(), tools: [asking(ran)], pendingApprovals: ["b"] } });
    equal(agent.pendingApprovals, ["b"], "what waits");
    const log = record(agent);
    if (early) agent.approveToolCall("b");
    else agent.subscribe((event) => { if (event.type === "tool_approval_request") agent.approveToolCall("b"); });
    await soon(agent.continue(), "continue()");
    equal(ran, [["b", { n: 1 }]], "the tool runs once");
    equal(fetch.requests[0].body.messages.map((message) => message.tool_call_id ?? message.role), ["user", "assistant", "a", "b"], "the request");
    same(textOf(last(agent)), "ok", "the answer");
    log.verify(sluice);
  }
}

export async function a_prompt_in_place_of_a_decision_skips_what_waited(sluice) {
  const ran = [];
  const fetch = fetchOf(answer("ok"));
  const agent = new sluice.Agent({ fetch, initialState: { model, messages: saved(), tools: [asking(ran)], pendingApprovals: ["b"] } });
  const log = record(agent);
  await soon(agent.prompt("Never mind."), "the prompt");
  equal(ran, [], "the tool does not run");
  equal(agent.pendingApprovals, [], "nothing waits");
  equal(agent.state.messages.map((message) => message.role), ["user", "assistant", "toolResult", "toolResult", "user", "assistant"], "the transcript");
  log.verify(sluice);
}

// ---------------------------------------------------------------- hooks

export async function prepare_request_replaces_what_one_call_is_made_with(sluice) {
  const fetch = fetchOf(calls(["a", "extra"]), answer("ok"));
  const seen = [];
  const other = { ...model, id: "other", reasoning: true, compat: { supportsReasoningEffort: true } };
  const agent = agentWith(sluice, fetch, {
    tools: [tool("mine", () => "mine")],
    systemPrompt: "Be brief.",
    prepareRequest: ({ context, model, thinkingLevel }, signal) => {
      seen.push([context.systemPrompt, context.messages.length, context.tools.length, model.id, thinkingLevel, signal instanceof AbortSignal]);
      if (seen.length > 1) return undefined;
      return {
        model: other,
        thinkingLevel: "high",
        context: { systemPrompt: "Be long.", messages: [{ role: "user", content: "another", timestamp: 1 }], tools: [tool("extra", () => "extra")] },
      };
    },
  });
  const log = record(agent);
  await soon(agent.prompt("hi"), "the prompt");
  const [first, second] = fetch.requests.map((request) => request.body);
  equal(first.messages.map((message) => message.content), ["Be long.", "another"], "the messages of the first call");
  equal([first.model, first.reasoning_effort, first.tools.map((tool) => tool.function.name)], ["other", "high", ["extra"]], "the first call");
  equal([second.model, second.reasoning_effort, second.tools.map((tool) => tool.function.name)], ["test-model", undefined, ["mine"]], "the second call");
  same(agent.state.messages[2].content[0].text, "extra", "the tools of a call are those it was made with");
  equal([agent.state.messages[1].model, last(agent).model], ["other", "test-model"], "the models");
  equal(seen, [["Be brief.", 1, 1, "test-model", "off", true], ["Be brief.", 3, 1, "test-model", "off", true]], "what the hook sees");
  log.verify(sluice);
}

export async function finish_turn_ends_and_continues(sluice) {
  const cases = [
    ["end", () => "end", "terminated", 1],
    ["nothing", () => undefined, "done", 2],
    ["a promise", async () => "end", "terminated", 1],
    ["continue over terminate", () => "continue", "done", 2, true],
  ];
  for (const [what, finishTurn, reason, requests, terminate] of cases) {
    const fetch = fetchOf(calls(["a", "f"]), answer("ok"));
    const turns = [];
    const agent = agentWith(sluice, fetch, {
      tools: [tool("f", () => ({ ...said("ran"), terminate }))],
      finishTurn: (turn, signal) => {
        turns.push([turn.message.role, turn.toolResults.length, turn.messages.length, signal.aborted]);
        return finishTurn(turn);
      },
    });
    const log = record(agent);
    await soon(agent.prompt("go"), what);
    same(log.reason(), reason, what);
    equal(turns[0], ["assistant", 1, 3, false], "what the hook sees");
    // Behind an answer there is nothing to hand in.
    same(fetch.requests.length, requests, `${what}: requests`);
    log.verify(sluice);
  }
}

export async function hooks_that_fail_or_never_settle_end_in_errors(sluice) {
  const boom = () => { throw new Error("boom"); };
  const wrong = (pattern) => [() => 5, pattern];
  const requests = {
    prepareRequest: [[boom, /^prepareRequest failed: boom/], [never, /prepareRequest.* did not settle within 0\.03 s/], wrong(/prepareRequest failed: it must return/), [() => ({ context: { messages: 5 } }), /prepareRequest failed: it must return an array/], [() => ({ thinkingLevel: "loud" }), /thinkingLevel must be/], [() => ({ model: {} }), /model/], [() => ({ context: { tools: [{}] } }), /tools\[0\]\.name/]],
    finishTurn: [[boom, /^finishTurn failed: boom/], [never, /^finishTurn did not settle/], wrong(/finishTurn failed: it must return "continue", "end" or nothing, but returned the number 5/)],
    transformContext: [[boom, /boom/], [never, /did not settle/]],
    convertToLlm: [[boom, /boom/], [never, /did not settle/]],
    getApiKey: [[boom, /boom/], [never, /did not settle/]],
    onPayload: [[boom, /boom/], [never, /^onPayload did not settle/]],
    onResponse: [[boom, /boom/], [never, /^onResponse did not settle/]],
  };
  for (const [name, cases] of Object.entries(requests)) {
    for (const [hook, pattern] of cases) {
      const agent = agentWith(sluice, fetchOf(answer("ok")), { [name]: hook, hookTimeoutMs: 30 });
      const log = record(agent);
      await soon(agent.prompt("hi"), name);
      same(log.reason(), "error", `${name}: the reason`);
      matches(last(agent).errorMessage, pattern, name);
      log.verify(sluice);
    }
  }
  const tools = {
    beforeToolCall: [[boom, /boom/], [never, /^beforeToolCall did not settle/], wrong(/beforeToolCall must return/)],
    afterToolCall: [[boom, /boom/], [never, /^afterToolCall did not settle/]],
  };
  for (const [name, cases] of Object.entries(tools)) {
    for (const [hook, pattern] of cases) {
      const agent = agentWith(sluice, fetchOf(calls(["a", "f"]), answer("ok")), { [name]: hook, hookTimeoutMs: 30, tools: [tool("f", () => "ran")] });
      const log = record(agent);
      await soon(agent.prompt("hi"), name);
      same(log.reason(), "done", `${name}: the run goes on`);
      same(agent.state.messages[2].isError, true, name);
      matches(agent.state.messages[2].content[0].text, pattern, name);
      log.verify(sluice);
    }
  }
}

export async function before_tool_call_may_end_the_run(sluice) {
  for (const [decision, content] of [[{ terminate: true }, "ran"], [{ block: true, reason: "No.", terminate: true }, "No."]]) {
    const fetch = fetchOf(calls(["a", "f"]), answer("ok"));
    const agent = agentWith(sluice, fetch, { tools: [tool("f", () => "ran")], beforeToolCall: () => decision });
    const log = record(agent);
    await soon(agent.prompt("go"), "the prompt");
    same(log.reason(), "terminated", "the reason");
    same(last(agent).content[0].text, content, "the result");
    log.verify(sluice);
  }
}

// ---------------------------------------------------------------- schemas of libraries

/** A Standard Schema as libraries make it: here, of an object with an integer `n`. */
function standard({ validate, json = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] }, asFunction = false, ...way } = {}) {
  const schema = asFunction ? () => {} : {};
  schema["~standard"] = { version: 1, vendor: "test", validate: validate ?? ((value) => ({ value })) };
  if (way.method) schema[way.method] = () => json;
  else if (!way.mute) schema["~standard"].jsonSchema = { input: ({ target }) => ({ $schema: target, ...json }), output: () => { throw new Error("not this one"); } };
  return schema;
}

async function runWith(sluice, parameters, args, fields = {}) {
  const ran = [];
  const fetch = fetchOf(calls(["a", "f", args]), answer("ok"));
  const agent = agentWith(sluice, fetch, { tools: [tool("f", (id, params) => { ran.push(params); return "ran"; }, { parameters, ...fields })] });
  const log = record(agent);
  await soon(agent.prompt("go"), "the prompt");
  log.verify(sluice);
  const result = agent.state.messages[2];
  return { ran, sent: fetch.requests[0].body.tools[0].function.parameters, text: result.content[0].text, isError: result.isError };
}

export async function a_standard_schema_is_told_checked_and_asked(sluice) {
  const when = new Date(0);
  for (const way of [{}, { method: "toJSONSchema" }, { method: "toJsonSchema", asFunction: true }, { asFunction: true }]) {
    const schema = standard({ ...way, validate: (value) => ({ value: { ...value, when } }) });
    const { ran, sent } = await runWith(sluice, schema, { n: "3" });
    same(sent.type, "object", "the model is told the JSON Schema");
    same(ran[0].n, 3, "the usual coercions hold");
    same(ran[0].when, when, "what the schema returns keeps its identity");
  }
  const refusing = standard({ validate: async () => ({ issues: [{ message: "is odd", path: ["list", 0, { key: "n" }] }, { message: "is sad" }, { message: "list[1] is told where it is", path: ["list", 1] }] }) });
  const refused = await runWith(sluice, refusing, { n: 3 });
  equal(refused.ran, [], "the tool does not run");
  same(refused.text, 'The arguments of "f" do not fit its schema:\n- list[0].n: is odd\n- is sad\n- list[1] is told where it is\nCall the tool again with arguments that fit.', "the model is told why");
  const throwing = await runWith(sluice, standard({ validate: () => { throw new Error("boom"); } }), { n: 3 });
  matches(throwing.text, /- boom/, "a schema that throws");
  const early = await runWith(sluice, standard({ validate: () => { throw new Error("never asked"); } }), { n: "many" });
  matches(early.text, /n: /, "what does not fit the JSON Schema is not asked about");
}

export async function a_schema_that_cannot_say_what_it_is_is_refused(sluice) {
  const set = (parameters) => thrown(() => agentWith(sluice, fetchOf(answer("ok")), { tools: [tool("f", () => 1, { parameters })] }), "the tools").message;
  matches(set(standard({ mute: true })), /tools\[0\]\.parameters: this schema \(test\) cannot give its JSON Schema\. Update the library/, "the message");
  const failing = standard();
  failing["~standard"].jsonSchema.input = () => { throw new Error("a date has no JSON Schema"); };
  matches(set(failing), /its JSON Schema cannot be made: a date has no JSON Schema/, "the message");
  matches(set(() => {}), /tools\[0\]\.parameters must be a JSON Schema object or a Standard Schema object/, "the message");
}

export async function a_tool_may_have_the_last_word_on_its_arguments(sluice) {
  const parameters = { type: "object", properties: { n: { type: "integer" } } };
  const changed = await runWith(sluice, parameters, { n: "3" }, { validate: (args) => ({ twice: args.n * 2 }) });
  equal(changed.ran, [{ twice: 6 }], "what it returns is used");
  const silent = await runWith(sluice, parameters, { n: 3 }, { validate: async () => {} });
  equal(silent.ran, [{ n: 3 }], "nothing leaves them as they are");
  const refused = await runWith(sluice, parameters, { n: 3 }, { validate: () => { throw new Error("n is odd"); } });
  equal(refused.ran, [], "the tool does not run");
  matches(refused.text, /do not fit its schema:\n- n is odd/, "the model is told why");
}

export async function hooks_may_do_with_their_arrays_what_they_like(sluice) {
  const empty = ({ messages, context }) => { (messages ?? context.messages).length = 0; };
  for (const name of ["beforeToolCall", "afterToolCall", "finishTurn"]) {
    const agent = agentWith(sluice, fetchOf(calls(["a", "f"]), answer("ok")), { tools: [tool("f", () => "ran")], [name]: empty });
    await soon(agent.prompt("go"), name);
    equal(agent.state.messages.map((message) => message.role), ["user", "assistant", "toolResult", "assistant"], `the transcript after ${name}`);
  }
}

export async function what_would_be_ignored_is_refused(sluice) {
  matches(thrown(() => agentWith(sluice, fetchOf(answer("x")), { headers: new Headers({ "x-a": "1" }) }), "Headers").message, /headers must be a plain object of strings/, "headers");
  const misnamed = { id: "m", api: "openai-completions", baseURL: "http://localhost:1" };
  matches(thrown(() => new sluice.Agent({ initialState: { model: misnamed } }), "baseURL").message, /model has no "baseURL": the name is baseUrl/, "the model");
  const agent = agentWith(sluice, fetchOf(calls(["a", "f"]), answer("ok")), { tools: [tool("f", () => "ran")], beforeToolCall: () => ({ blocked: true }) });
  await soon(agent.prompt("go"), "the prompt");
  matches(agent.state.messages[2].content[0].text, /returned "blocked", which is none of block, reason, args and terminate/, "a misspelled decision keeps the tool from running");
  const keyless = agentWith(sluice, fetchOf(answer("x")), { getApiKey: () => 5 });
  await soon(keyless.prompt("go"), "the prompt");
  matches(last(keyless).errorMessage, /getApiKey failed: it must return a string or nothing, but returned the number 5/, "the key");
  for (const name of ["approveToolCall", "denyToolCall"]) for (const id of [undefined, 5]) same(thrown(() => agent[name](id), name).code, "invalid_argument", name);
  for (const empty of ["", " \n"]) same((await rejection(agent.prompt(empty), "an empty prompt")).code, "invalid_argument", "the code");
  const mute = await runWith(sluice, standard({ validate: () => undefined }), { n: 3 });
  equal(mute.ran, [], "the tool does not run on nothing");
  const prepared = await runWith(sluice, { type: "object" }, { n: 3 }, { prepareArguments: (args) => { args.n = 4; } });
  equal(prepared.ran, [{ n: 4 }], "arguments that are changed in place");
}

export async function a_failure_behind_a_complete_answer_is_not_made_again(sluice) {
  let fails = true;
  const agent = agentWith(sluice, fetchOf(answer("whole"), answer("next")), { finishTurn: () => { if (fails) throw new Error("boom"); } });
  await agent.prompt("go");
  same(last(agent).stopReason, "error", "the hook failed");
  const { messages } = agent.state;
  same((await rejection(agent.retry(), "retry")).code, "nothing_to_continue", "the code");
  same(agent.state.messages, messages, "the transcript stays");
  fails = false;
  await agent.prompt("more");
  same(textOf(last(agent)), "next", "the conversation goes on");
}
