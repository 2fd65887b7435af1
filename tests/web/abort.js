// Abort at every stage: the run settles at once, as aborted, without an error on the page, and the next prompt is good.

import {
  Log, agentWith, answer, call, calls, check, collect, deferred, done, equal, fetchOf, finish, last, model, never, open, record, said, same, sleep, soon, stillWorks, streamed, text, textOf, tool,
} from "./helpers.js";

const REASONS = [undefined, "the user left", new Error("own reason")];

/**
 * `stage` makes an agent and says when to abort it. Checks what must hold wherever that is; gives
 * the log and the agent for what holds there only.
 */
async function abortAt(sluice, stage, verify = () => {}) {
  for (const reason of REASONS) {
    const { agent, ready = sleep(5) } = stage();
    const log = record(agent);
    const running = agent.prompt("go");
    await soon(ready, "the stage");
    const { signal } = agent;
    agent.abort(reason);
    agent.abort("a second time");
    const began = performance.now();
    await soon(running, "the prompt");
    check(performance.now() - began < 900, "the run settles at once");
    same(log.reason(), "aborted", "the reason of the end");
    check(signal.aborted, "the signal is aborted");
    if (reason !== undefined) same(signal.reason, reason, "the reason of the signal");
    check(!agent.state.isStreaming && agent.state.streamMessage === null && agent.state.pendingToolCalls.size === 0, "the agent is idle");
    log.verify(sluice);
    await verify({ agent, log, reason });
    const { length } = log.events;
    await sleep(10);
    equal(log.events.length, length, "silence after the end");
    log.stop();
    agent.setTools([]);
    await stillWorks(sluice, agent);
  }
}

/** The first answer is what the stage needs, later ones are plain. */
const firstThen = (first) => fetchOf(first, answer("still here"));

function assertAborted(message) {
  same(message.role, "assistant", "the last message");
  same(message.stopReason, "aborted", "the stop reason");
  same(message.error.code, "aborted", "the code");
  same(message.error.retryable, false, "whether to retry");
}

export async function before_the_headers(sluice) {
  await abortAt(sluice, () => ({ agent: agentWith(sluice, firstThen(never)) }), ({ agent }) => assertAborted(last(agent)));
}

export async function before_the_headers_of_a_fetch_that_obeys(sluice) {
  const obeys = (url, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  await abortAt(sluice, () => ({ agent: agentWith(sluice, firstThen(obeys)) }), ({ agent }) => assertAborted(last(agent)));
}

export async function in_the_page_s_own_fetch(sluice) {
  const fetch = globalThis.fetch;
  try {
    globalThis.fetch = (request) => new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(request.signal.reason)));
    for (const reason of REASONS) {
      const agent = agentWith(sluice, undefined);
      const running = agent.prompt("go");
      await sleep(5);
      agent.abort(reason);
      await soon(running, "the prompt");
      assertAborted(last(agent));
    }
  } finally {
    globalThis.fetch = fetch;
  }
}

export async function while_the_body_is_silent(sluice) {
  let cancelled;
  const stage = () => {
    cancelled = 0;
    return { agent: agentWith(sluice, firstThen(() => open([text("partial")], () => { cancelled++; }))), ready: sleep(15) };
  };
  await abortAt(sluice, stage, async ({ agent }) => {
    assertAborted(last(agent));
    same(textOf(last(agent)), "partial", "what had arrived is kept");
    same(cancelled, 1, "the body was cancelled");
  });
}

export async function at_the_first_delta(sluice) {
  const stage = () => {
    const { promise, resolve } = deferred();
    const agent = agentWith(sluice, firstThen(() => open([text("one"), text("two")])));
    agent.subscribe((event) => {
      if (event.assistantMessageEvent?.type === "text_delta") resolve();
    });
    return { agent, ready: promise };
  };
  await abortAt(sluice, stage, ({ agent }) => assertAborted(last(agent)));
}

export async function in_the_middle_of_a_burst(sluice) {
  const burst = Array.from({ length: 1000 }, (_, index) => text(`${index} `)).join("");
  for (const reason of REASONS) {
    const agent = agentWith(sluice, firstThen(() => open([burst])));
    const log = record(agent);
    let count = 0;
    agent.subscribe((event) => {
      if (event.assistantMessageEvent?.type === "text_delta" && ++count === 3) agent.abort(reason);
    });
    await soon(agent.prompt("go"), "the prompt");
    same(count, 3, "deltas");
    same(textOf(last(agent)), "0 1 2 ", "the text is what was shown");
    assertAborted(last(agent));
    equal(log.kinds().slice(-5), ["text_delta", "text_end", "message_end assistant", "turn_end", "agent_end"], "everything is closed");
    log.verify(sluice);
    log.stop();
    await stillWorks(sluice, agent);
  }
}

export async function in_the_middle_of_a_burst_with_a_call(sluice) {
  // The call stands behind the abort in the same chunk: nobody saw it, so it must not be in the message.
  const burst = [text("a"), ...calls(["c", "f", { x: 1 }])].join("");
  let ran = 0;
  const agent = agentWith(sluice, firstThen([burst]), { tools: [tool("f", () => { ran++; })] });
  const log = record(agent);
  agent.subscribe((event) => {
    if (event.assistantMessageEvent?.type === "text_delta") agent.abort();
  });
  await soon(agent.prompt("go"), "the prompt");
  equal(last(agent).content, [{ type: "text", text: "a" }], "the content");
  equal(ran, 0, "the tool did not run");
  log.verify(sluice);
}

export async function while_a_call_streams(sluice) {
  const half = () => open(['data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{\\"x\\": [1, 2"}}]}}]}\n\n']);
  let ran = 0;
  const stage = () => ({ agent: agentWith(sluice, firstThen(half), { tools: [tool("f", () => { ran++; })] }), ready: sleep(15) });
  await abortAt(sluice, stage, ({ agent }) => {
    const [assistant, result] = agent.state.messages.slice(-2);
    assertAborted(assistant);
    equal([result.role, result.toolCallId, result.isError], ["toolResult", "c", true], "the call is answered");
    same(ran, 0, "the tool did not run");
  });
}

export async function while_a_tool_ignores_its_signal(sluice) {
  let signal, resolveTool;
  const stage = () => {
    const { promise, resolve } = deferred();
    const stubborn = tool("stubborn", (id, params, given) => {
      signal = given;
      resolve();
      return new Promise((done) => (resolveTool = done));
    });
    return { agent: agentWith(sluice, fetchOf(calls(["c", "stubborn"]), answer("still here")), { tools: [stubborn] }), ready: promise };
  };
  await abortAt(sluice, stage, async ({ agent, log, reason }) => {
    check(signal.aborted, "the signal of the tool is aborted");
    if (reason !== undefined) same(signal.reason, reason, "the reason of the signal of the tool");
    const result = last(agent);
    equal([result.role, result.toolCallId, result.isError], ["toolResult", "c", true], "the result");
    same(log.of("tool_execution_end").length, 1, "the end of the tool");
    resolveTool(said("too late"));
    await sleep(5);
    same(last(agent), result, "the late result is ignored");
  });
}

export async function while_a_tool_rejects_on_its_signal(sluice) {
  const stage = () => {
    const { promise, resolve } = deferred();
    const obeys = tool("obeys", (id, params, signal) => {
      resolve();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
    return { agent: agentWith(sluice, fetchOf(calls(["a", "obeys"], ["b", "obeys"]), answer("still here")), { tools: [obeys] }), ready: promise };
  };
  await abortAt(sluice, stage, ({ agent }) => {
    equal(agent.state.messages.slice(-2).map((message) => [message.toolCallId, message.isError]), [["a", true], ["b", true]], "both calls are answered");
  });
}

export async function while_sequential_tools_wait(sluice) {
  const started = [];
  const stage = () => {
    started.length = 0;
    const { promise, resolve } = deferred();
    const slow = tool("slow", (id) => {
      started.push(id);
      resolve();
      return never();
    });
    return { agent: agentWith(sluice, fetchOf(calls(["a", "slow"], ["b", "slow"], ["c", "slow"]), answer("still here")), { tools: [slow], toolExecution: "sequential" }), ready: promise };
  };
  await abortAt(sluice, stage, ({ agent }) => {
    equal(started, ["a"], "later tools do not start");
    equal(agent.state.messages.slice(-3).map((message) => message.toolCallId), ["a", "b", "c"], "all are answered");
  });
}

export async function in_each_listener(sluice) {
  const places = ["agent_start", "turn_start", "message_start", "message_update", "message_end", "tool_execution_start", "tool_execution_update", "tool_execution_end", "turn_end"];
  for (const place of places) {
    for (const reason of REASONS) {
      const f = tool("f", async (id, params, signal, onUpdate) => {
        onUpdate(said("half"));
        await sleep(1);
        return said("x");
      });
      const fetch = fetchOf(calls(["c", "f"]), answer("still here"));
      const agent = agentWith(sluice, fetch, { tools: [f] });
      const log = record(agent);
      let isArmed = true;
      agent.subscribe((event) => {
        if (event.type !== place || !isArmed) return;
        isArmed = false;
        agent.abort(reason);
      });
      await soon(agent.prompt("go"), `the prompt, aborted in ${place}`);
      same(log.reason(), "aborted", `the reason, aborted in ${place}`);
      check(fetch.requests.length <= 1, "no request after the abort");
      log.verify(sluice);
      log.stop();
      await stillWorks(sluice, agent);
    }
  }
}

export async function while_a_stream_fn_hangs(sluice) {
  for (const kind of ["promise", "next", "return rejects"]) {
    let returned;
    const stage = () => {
      returned = 0;
      let count = 0;
      const script = sluice.createScript([{ text: "still here" }]);
      const streamFn = (...args) => {
        if (count++ > 0) return script(...args);
        if (kind === "promise") return never();
        return {
          [Symbol.asyncIterator]: () => ({
            next: never,
            return() {
              returned++;
              return kind === "next" ? Promise.resolve({ done: true }) : Promise.reject(new Error("cannot return"));
            },
          }),
        };
      };
      return { agent: agentWith(sluice, undefined, { streamFn }) };
    };
    await abortAt(sluice, stage, ({ agent }) => {
      assertAborted(last(agent));
      same(returned, kind === "promise" ? 0 : 1, "return() was called");
    });
  }
}

export async function with_nothing_to_abort(sluice) {
  const agent = agentWith(sluice, fetchOf(answer("hi")));
  agent.abort();
  agent.abort("x");
  await stillWorks(sluice, agent);
  agent.abort();
  await stillWorks(sluice, agent);
}

export async function abort_and_prompt_again_at_once(sluice) {
  // Nothing was sent yet, so the second prompt gets the first answer.
  const agent = agentWith(sluice, fetchOf(answer("hi")));
  const first = agent.prompt("a");
  agent.abort();
  await soon(agent.waitForIdle(), "waitForIdle");
  await agent.prompt("b");
  await first;
  same(last(agent).stopReason, "stop", "the second answer");
}

export async function what_is_queued_after_an_abort_is_kept(sluice) {
  const agent = agentWith(sluice, firstThen(never));
  const running = agent.prompt("a");
  await sleep(5);
  agent.abort();
  agent.steer("S");
  agent.followUp("F");
  await running;
  const { steering, followUp } = agent.peekQueuedMessages();
  equal([steering.length, followUp.length], [1, 1], "both wait");
  await agent.prompt("b");
  const texts = agent.state.messages.filter((message) => message.role === "user").map((message) => message.content[0].text);
  equal(texts, ["a", "S", "b", "F"], "each is delivered once");
}

// ---------------------------------------------------------------- the user's own signal

const user = (content) => ({ role: "user", content, timestamp: 1 });

export async function the_user_s_signal_ends_the_bare_loop(sluice) {
  for (const reason of REASONS) {
    for (const isEarly of [true, false]) {
      const controller = new AbortController();
      if (isEarly) controller.abort(reason);
      const fetch = fetchOf(() => open([text("partial")]));
      const stream = sluice.agentLoop([user("hi")], { messages: [] }, { model, fetch }, controller.signal);
      if (!isEarly) setTimeout(() => controller.abort(reason), 15);
      const log = new Log();
      await soon((async () => { for await (const event of stream) log.take(event); })(), "the loop");
      same(log.reason(), "aborted", "the reason");
      log.verify(sluice);
      assertAborted((await stream.result()).at(-1));
      equal(fetch.requests.length, isEarly ? 0 : 1, "requests");
    }
  }
}

export async function the_user_s_signal_ends_one_call(sluice) {
  for (const reason of REASONS) {
    for (const isEarly of [true, false]) {
      const controller = new AbortController();
      if (isEarly) controller.abort(reason);
      const options = { fetch: fetchOf(() => open([text("partial")])), signal: controller.signal };
      const stream = sluice.streamSimple(model, { messages: [user("hi")] }, options);
      const completed = sluice.complete(model, { messages: [user("hi")] }, options);
      if (!isEarly) setTimeout(() => controller.abort(reason), 15);
      const events = await soon(collect(stream), "the stream");
      sluice.checkCall(JSON.stringify(events));
      same(events.at(-1).reason, "aborted", "the reason");
      assertAborted(await stream.result());
      assertAborted(await soon(completed, "complete"));
    }
  }
}

export async function leaving_the_loop_aborts_the_run(sluice) {
  let cancelled = 0;
  const fetch = fetchOf(() => open([text("a"), text("b")], () => { cancelled++; }));
  const stream = sluice.agentLoop([user("hi")], { messages: [] }, { model, fetch });
  for await (const event of stream) if (event.type === "message_update") break;
  const messages = await soon(stream.result(), "the result");
  assertAborted(messages.at(-1));
  same(cancelled, 1, "the body was cancelled");
  equal(await stream.next(), { value: undefined, done: true }, "nothing comes any more");
}

export async function leaving_a_stream_aborts_the_call(sluice) {
  let cancelled = 0;
  const stream = sluice.streamSimple(model, { messages: [user("hi")] }, { fetch: fetchOf(() => open([text("a")], () => { cancelled++; })) });
  for await (const event of stream) if (event.type === "text_delta") break;
  assertAborted(await soon(stream.result(), "the result"));
  same(cancelled, 1, "the body was cancelled");
}

export async function a_signal_that_fires_after_the_end_does_nothing(sluice) {
  const controller = new AbortController();
  const stream = sluice.streamSimple(model, { messages: [user("hi")] }, { fetch: fetchOf([text("a"), finish(), done]), signal: controller.signal });
  const message = await stream.result();
  controller.abort("late");
  same(message.stopReason, "stop", "the stop reason");
}

// ---------------------------------------------------------------- every wait

/** Waits the first time it is called, and gives what it was given from the second on. */
const firstWaits = (wait, result = (argument) => argument) => {
  let isFirst = true;
  return (...args) => {
    if (!isFirst) return result(...args);
    isFirst = false;
    return wait();
  };
};

const nothing = () => undefined;
const busy = () => new Response("", { status: 503 });
const later = { retry: { baseDelayMs: 60_000 } };
const soonAgain = { retry: { baseDelayMs: 1 } };

/** An agent that asks for these answers, one by one, and then for a plain one. */
const asking = (answers, fields = {}) => (sluice) => {
  const fetch = fetchOf(...answers, answer("still here"));
  return { agent: agentWith(sluice, fetch, fields), fetch };
};

/** An agent whose model calls `f` at first. */
const calling = (fields, options = {}) => asking([calls(["c", "f"])], { tools: [tool("f", () => "x", fields)], ...options });

/** An agent with a source of its own, which is plain from the second call on. */
const sourced = (wait) => (sluice) => {
  const streamFn = firstWaits(wait, sluice.createScript([{ text: "still here" }]));
  return { agent: agentWith(sluice, undefined, { streamFn }), fetch: { requests: [] } };
};

/** Everything that a run waits for; `wait` is what the app does there, where it is the app that is waited for. */
const WAITS = {
  "the headers": (wait) => asking([wait]),
  "a first byte": () => asking([() => open([])]),
  "more of the body": () => asking([() => open([text("partial")])]),
  "a read": (wait) => asking([() => new Response(new ReadableStream({ pull: () => wait() }), { headers: { "content-type": "text/event-stream" } })]),
  "a half call": () => asking([() => open([call(0, "c", "f", '{"a":')])]),
  "the body of a failure": () => asking([() => new Response(open([]).body, { status: 500 })]),
  "the rest of a document": () => asking([() => new Response(open(["{"]).body, { headers: { "content-type": "application/json" } })]),
  "a source": (wait) => sourced(wait),
  "an event of a source": (wait) => sourced(() => ({ [Symbol.asyncIterator]: () => ({ next: wait }) })),
  "prepareRequest": (wait) => asking([], { prepareRequest: firstWaits(wait, nothing) }),
  "transformContext": (wait) => asking([], { transformContext: firstWaits(wait) }),
  "convertToLlm": (wait) => asking([], { convertToLlm: firstWaits(wait) }),
  "getApiKey": (wait) => asking([], { getApiKey: firstWaits(wait) }),
  "onPayload": (wait) => asking([], { onPayload: firstWaits(wait) }),
  "onResponse": (wait) => asking([], { onResponse: firstWaits(wait, nothing) }),
  "finishTurn": (wait) => asking([], { finishTurn: firstWaits(wait, nothing) }),
  "beforeToolCall": (wait) => calling({}, { beforeToolCall: wait }),
  "validate": (wait) => calling({ validate: wait }),
  "needsApproval": (wait) => calling({ needsApproval: wait }),
  "an approval": () => calling({ needsApproval: true }),
  "a tool": (wait) => calling({ execute: wait }),
  "a tool beside a finished one": (wait) => asking([calls(["a", "f"], ["b", "g"])], { tools: [tool("f", wait), tool("g", () => "x")] }),
  "the first of several tools": (wait) => asking([calls(["a", "f"], ["b", "f"])], { tools: [tool("f", wait)], toolExecution: "sequential" }),
  "afterToolCall": (wait) => calling({}, { afterToolCall: wait }),
  "the next try": () => asking([busy], later),
  "the headers of the next try": (wait) => asking([busy, wait], soonAgain),
  "the body of the next try": () => asking([busy, () => open([text("partial")])], soonAgain),
};

/** A run that waits for this, and what is known of it. */
async function waitingFor(sluice, what, wait = never) {
  const { agent, fetch } = WAITS[what](wait)(sluice);
  const log = record(agent);
  const running = agent.prompt("go");
  const isTry = what.endsWith("next try");
  for (let ms = 0; isTry && log.of("auto_retry_start").length === 0 && ms < 500; ms++) await sleep(1);
  await sleep(15);
  check(agent.state.isStreaming && log.reason() === undefined, `the run waits for ${what}`);
  return { agent, fetch, log, running };
}

/** The run is over as an aborted one, and nothing of it comes any more. */
async function assertSilence({ fetch, log }, sluice, what) {
  same(log.reason(), "aborted", `the reason, of a run that waited for ${what}`);
  log.verify(sluice);
  const { length } = log.events;
  const requests = fetch.requests.length;
  await sleep(10);
  same(log.events.length, length, `events behind the end of a run that waited for ${what}`);
  same(fetch.requests.length, requests, `requests behind the end of a run that waited for ${what}`);
}

export async function abort_ends_every_wait(sluice) {
  for (const what of Object.keys(WAITS)) {
    for (const reason of REASONS) {
      const run = await waitingFor(sluice, what);
      const { agent, log, running } = run;
      const before = run.fetch.requests.length;
      const began = performance.now();
      agent.abort(reason);
      await soon(running, `the prompt that waited for ${what}`);
      check(performance.now() - began < 900, `a run that waited for ${what} settles at once`);
      same(run.fetch.requests.length, before, `requests behind the abort of a run that waited for ${what}`);
      check(!agent.state.isStreaming && agent.state.streamMessage === null && agent.state.pendingToolCalls.size === 0, `the agent is idle that waited for ${what}`);
      equal(agent.pendingApprovals, [], `what waits for approval behind ${what}`);
      await assertSilence(run, sluice, what);
      log.stop();
      agent.setTools([]);
      await stillWorks(sluice, agent);
    }
  }
}

export async function abort_then_free_ends_every_wait(sluice) {
  for (const what of Object.keys(WAITS)) {
    const run = await waitingFor(sluice, what);
    run.agent.abort();
    run.agent.free();
    await soon(run.running, `the prompt that waited for ${what}`);
    await assertSilence(run, sluice, what);
  }
}

export async function promises_that_nobody_keeps_are_quiet(sluice) {
  for (const what of Object.keys(WAITS)) {
    const { agent, fetch } = WAITS[what](never)(sluice);
    void agent.prompt("a");
    void agent.waitForIdle();
    await sleep(10);
    agent.abort("string");
    await sleep(10);
    check(!agent.state.isStreaming, `idle, having waited for ${what}`);
    check(fetch.requests.length <= 2, "no requests behind the abort");
  }
}

export async function what_settles_behind_an_abort_is_ignored(sluice) {
  const reached = [];
  for (const what of Object.keys(WAITS)) {
    for (const way of ["resolve", "reject"]) {
      const late = deferred();
      let isAsked = false;
      const run = await waitingFor(sluice, what, () => {
        isAsked = true;
        return late.promise;
      });
      run.agent.abort();
      await soon(run.running, `the prompt that waited for ${what}`);
      if (!isAsked) break;
      reached.push(what);
      const { messages } = run.agent.state;
      // A response, as `fetch` would give it, is also what no hook may return.
      late[way](way === "resolve" ? streamed(answer("too late")) : new Error("too late"));
      await assertSilence(run, sluice, what);
      same(run.agent.state.messages, messages, `the transcript of a run that waited for ${what}`);
      run.log.stop();
      run.agent.setTools([]);
      await stillWorks(sluice, run.agent);
    }
  }
  check(new Set(reached).size > 15, `the app was waited for: ${reached}`);
}

export async function abort_then_free_lets_go_of_a_listener(sluice) {
  const agent = agentWith(sluice, fetchOf(answer("x")));
  const log = record(agent);
  agent.subscribe((event) => (event.type === "message_end" ? never() : undefined));
  const running = agent.prompt("go");
  await sleep(15);
  agent.abort();
  agent.free();
  await soon(running, "the prompt");
  check(log.reason() !== undefined, "the run has its end");
  log.verify(sluice);
}

export async function a_tool_that_aborts_sees_it_at_once(sluice) {
  let seen;
  const agent = agentWith(sluice, fetchOf(calls(["c1", "f", {}]), answer("ok")), {
    initialState: { model, tools: [tool("f", (id, params, signal) => (agent.abort("enough"), (seen = [signal.aborted, signal.reason, agent.signal.aborted]), "x"))] },
  });
  await soon(agent.prompt("go"), "the prompt");
  equal(seen, [true, "enough", true], "the tool's signal");
}
