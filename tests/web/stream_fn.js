// Sources of responses that apps and other libraries bring.

import { agentWith, answer, check, collect, deferred, equal, fetchOf, last, matches, model, never, record, said, same, sleep, soon, stillWorks, textOf, tool } from "./helpers.js";

const usage = { input: 3, output: 2, cacheRead: 1, cacheWrite: 0, totalTokens: 6, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
const message = (content, stopReason = "stop", fields = {}) => ({ role: "assistant", content, api: "other", provider: "other", model: "m", usage, stopReason, timestamp: 1, ...fields });
const block = (text) => ({ type: "text", text });
const done = (content, reason = "stop") => ({ type: "done", reason, message: message(content, reason) });

/** A source of these events. */
async function* source(events) {
  for (const event of events) yield event;
}

/** One prompt against a source; later prompts get a plain answer. */
async function run(sluice, streamFn, fields = {}) {
  let count = 0;
  const plain = () => source([{ type: "text_start", contentIndex: 0 }, { type: "text_delta", contentIndex: 0, delta: "plain" }, { type: "text_end", contentIndex: 0, content: "plain" }, done([block("plain")])]);
  const agent = agentWith(sluice, undefined, { ...fields, streamFn: (...args) => (count++ === 0 ? streamFn(...args) : plain()) });
  const log = record(agent);
  await soon(agent.prompt("go"), "the prompt");
  log.verify(sluice);
  return { agent, log, first: agent.state.messages[1], updates: log.updates() };
}

export async function a_library_that_mutates_one_partial_is_shown_in_snapshots(sluice) {
  const { log, first } = await run(sluice, async function* () {
    const partial = message([]);
    yield { type: "start", partial };
    partial.content.push({ type: "thinking", thinking: "" });
    yield { type: "thinking_start", contentIndex: 0, partial };
    partial.content[0].thinking += "hm";
    yield { type: "thinking_delta", contentIndex: 0, delta: "hm", partial };
    partial.content[0].thinkingSignature = "signed";
    yield { type: "thinking_end", contentIndex: 0, content: "hm", partial };
    partial.content.push(block(""));
    yield { type: "text_start", contentIndex: 1, partial };
    for (const delta of ["a", "b", "c"]) {
      partial.content[1].text += delta;
      yield { type: "text_delta", contentIndex: 1, delta, partial };
    }
    yield { type: "text_end", contentIndex: 1, content: "abc", partial };
    yield { type: "done", reason: "stop", message: partial };
  });
  const texts = log.updates().filter((event) => event.type === "text_delta").map((event) => event.partial.content[1].text);
  equal(texts, ["a", "ab", "abc"], "the text of each event");
  equal(first.content, [{ type: "thinking", thinking: "hm", thinkingSignature: "signed" }, block("abc")], "the message");
  equal([first.usage.input, first.usage.output, first.usage.cacheRead], [3, 2, 1], "the usage");
  equal(log.kinds().filter((kind) => /_(start|delta|end)$/.test(kind) && /^(text|thinking)/.test(kind)), ["thinking_start", "thinking_delta", "thinking_end", "text_start", "text_delta", "text_end"], "the events");
}

export async function blocks_may_come_at_their_end_only(sluice) {
  const cases = [
    [[{ type: "text_end", contentIndex: 0, content: "whole" }, done([])], [block("whole")]],
    [[{ type: "text_start", contentIndex: 0 }, { type: "text_end", contentIndex: 0, content: "whole" }, done([])], [block("whole")]],
    [[{ type: "thinking_end", contentIndex: 0, content: "hm" }, { type: "text_end", contentIndex: 1, content: "x" }, done([])], [{ type: "thinking", thinking: "hm" }, block("x")]],
    [[done([block("only at the end")])], [block("only at the end")]],
    [[{ type: "start" }, done([block("a"), { type: "thinking", thinking: "b" }])], [block("a"), { type: "thinking", thinking: "b" }]],
  ];
  for (const [events, content] of cases) {
    const { first } = await run(sluice, () => source(events));
    equal(first.content, content, JSON.stringify(events));
    same(first.stopReason, "stop", "the stop reason");
  }
}

export async function calls_may_come_at_their_end_only(sluice) {
  const call = { type: "toolCall", id: "c1", name: "f", arguments: { a: { b: [1, "x"] } } };
  const cases = [
    [{ type: "toolcall_end", contentIndex: 0, toolCall: call }, done([call], "toolUse")],
    [{ type: "toolcall_start", contentIndex: 0, partial: message([{ ...call, arguments: {} }]) }, { type: "toolcall_end", contentIndex: 0, toolCall: call }, done([call], "toolUse")],
    [{ type: "toolcall_start", contentIndex: 0, partial: message([{ ...call, arguments: {} }]) }, { type: "toolcall_delta", contentIndex: 0, delta: '{"a":{"b":' }, { type: "toolcall_delta", contentIndex: 0, delta: '[1,"x"]}}' }, { type: "toolcall_end", contentIndex: 0, toolCall: call }, done([call], "toolUse")],
    [done([call], "toolUse")],
    [done([call], "stop")],
  ];
  for (const events of cases) {
    let params;
    const { agent, first } = await run(sluice, () => source(events), { tools: [tool("f", (id, given) => { params = given; return said("x"); })] });
    equal(params, call.arguments, JSON.stringify(events));
    equal(first.content, [call], "the message");
    equal(agent.state.messages.map((message) => message.role), ["user", "assistant", "toolResult", "assistant"], "the run goes on");
  }
}

export async function a_result_may_stand_for_done(sluice) {
  const events = [{ type: "text_start", contentIndex: 0 }, { type: "text_delta", contentIndex: 0, delta: "x" }, { type: "text_end", contentIndex: 0, content: "x" }];
  for (const result of [() => message([block("x")]), async () => message([block("x")])]) {
    const { first } = await run(sluice, () => Object.assign(source(events), { result }));
    equal([first.stopReason, first.content], ["stop", [block("x")]], "the message");
  }
  const { first } = await run(sluice, () => Object.assign(source([]), { result: async () => message([block("all there is")]) }));
  equal(first.content, [block("all there is")], "a result alone");
}

export async function failures_of_a_source_end_the_call(sluice) {
  const boom = () => {
    throw new Error("boom");
  };
  const cases = {
    "throws at once": [boom, /boom/],
    "rejects": [async () => boom(), /boom/],
    "rejects with a string": [() => Promise.reject("boom"), /boom/],
    "rejects with undefined": [() => Promise.reject(undefined), /undefined/],
    "returns undefined": [() => undefined, /async iterable/],
    "returns a number": [() => 5, /async iterable/],
    "returns an object": [() => ({}), /async iterable/],
    "returns an array": [() => [], /async iterable/],
    "iterator cannot be made": [() => ({ [Symbol.asyncIterator]: boom }), /boom/],
    "iterator is nothing": [() => ({ [Symbol.asyncIterator]: () => undefined }), /next/],
    "next throws": [() => ({ [Symbol.asyncIterator]: () => ({ next: boom }) }), /boom/],
    "next rejects": [() => ({ [Symbol.asyncIterator]: () => ({ next: async () => boom() }) }), /boom/],
    "throws in the middle": [async function* () { yield { type: "text_delta", contentIndex: 0, delta: "half" }; boom(); }, /boom/],
    "ends without done": [() => source([{ type: "text_delta", contentIndex: 0, delta: "half" }]), /without a done/],
    "result rejects": [() => Object.assign(source([]), { result: async () => boom() }), /boom/],
    "result is nonsense": [() => Object.assign(source([]), { result: async () => 5 }), /AssistantMessage/],
    "done without a message": [() => source([{ type: "done", reason: "stop" }]), /AssistantMessage/],
    "no contentIndex": [() => source([{ type: "text_delta", delta: "x" }]), /contentIndex/],
    "error event": [() => source([{ type: "error", reason: "error", error: message([], "error", { errorMessage: "it said no" }) }]), /it said no/],
    "error event without text": [() => source([{ type: "error", reason: "error", error: message([], "error") }]), /failed/],
  };
  for (const [kind, [streamFn, pattern]] of Object.entries(cases)) {
    const { agent, log, first } = await run(sluice, streamFn);
    same(first.stopReason, "error", `${kind}: the stop reason`);
    matches(first.errorMessage, pattern, kind);
    same(log.reason(), "error", `${kind}: the reason`);
    if (kind === "throws in the middle" || kind === "ends without done") same(textOf(first), "half", `${kind}: what had arrived`);
    log.stop();
    await stillWorks(sluice, agent);
  }
}

export async function a_source_may_say_what_failed(sluice) {
  const error = { code: "rate_limit", message: "slow down", status: 429, retryAfterMs: 500, retryable: true };
  const { first } = await run(sluice, () => source([{ type: "error", reason: "error", error: message([], "error", { errorMessage: "slow down", error }) }]));
  equal(first.error, error, "the error");
}

export async function nonsense_events_are_skipped_or_refused(sluice) {
  const events = [undefined, null, 5, "x", {}, { type: 5 }, { type: "of_the_future", contentIndex: 0 }, { type: "text_delta", contentIndex: 0, delta: "x" }, done([])];
  const { first } = await run(sluice, () => source(events));
  equal([first.stopReason, textOf(first)], ["stop", "x"], "the message");
}

export async function a_source_gets_model_context_and_options(sluice) {
  let given;
  const own = { api: "my-own", id: "m", extra: 1 };
  const agent = new sluice.Agent({
    initialState: { model: own, systemPrompt: "S", tools: [tool("f", () => "x")], thinkingLevel: "low" },
    getApiKey: async () => "key",
    temperature: 0.2,
    streamFn: (...args) => {
      given = args;
      return source([done([block("x")])]);
    },
  });
  await agent.prompt("hi");
  const [gotModel, context, options] = given;
  same(gotModel, own, "the model");
  same(context.systemPrompt, "S", "the system prompt");
  same(context.tools, agent.state.tools, "the tools");
  same(context.messages[0], agent.state.messages[0], "the messages");
  equal([options.apiKey, options.temperature, options.reasoning], ["key", 0.2, "low"], "the options");
  check(options.signal instanceof AbortSignal, "the signal");
  equal([last(agent).api, last(agent).provider, last(agent).model], ["my-own", "my-own", "m"], "the head of the message");
}

export async function the_events_of_one_call_can_be_passed_on(sluice) {
  const fetch = fetchOf(answer("through"));
  const { first } = await run(sluice, (given, context, options) => sluice.streamSimple({ ...given, ...model }, context, { fetch, signal: options.signal }));
  equal([first.stopReason, textOf(first)], ["stop", "through"], "the message");
}

export async function an_abort_stops_the_source(sluice) {
  const { promise, resolve } = deferred();
  let returned = 0;
  let signal;
  const streamFn = (given, context, options) => {
    signal = options.signal;
    return {
      [Symbol.asyncIterator]: () => ({
        count: 0,
        next() {
          if (this.count++ === 0) return Promise.resolve({ value: { type: "text_delta", contentIndex: 0, delta: "half" }, done: false });
          resolve();
          return never();
        },
        return() {
          returned++;
          return Promise.resolve({ done: true });
        },
      }),
    };
  };
  const agent = agentWith(sluice, undefined, { streamFn });
  const log = record(agent);
  const running = agent.prompt("go");
  await promise;
  agent.abort("stop");
  await soon(running, "the prompt");
  equal([returned, signal.aborted, signal.reason], [1, true, "stop"], "the source is told");
  equal([last(agent).stopReason, textOf(last(agent))], ["aborted", "half"], "the message");
  log.verify(sluice);
}

export async function an_abort_inside_a_source_is_an_abort(sluice) {
  const { promise, resolve } = deferred();
  const streamFn = async function* (given, context, { signal }) {
    yield { type: "text_delta", contentIndex: 0, delta: "half" };
    resolve();
    await new Promise((wake) => signal.addEventListener("abort", wake));
    yield { type: "error", reason: "aborted", error: message([block("half")], "aborted") };
  };
  const agent = agentWith(sluice, undefined, { streamFn });
  const log = record(agent);
  const running = agent.prompt("go");
  await promise;
  await sleep(1);
  agent.abort();
  await soon(running, "the prompt");
  same(log.reason(), "aborted", "the reason");
  log.verify(sluice);
}

export async function a_source_that_aborts_by_itself_did_not_abort_the_run(sluice) {
  const { first, log } = await run(sluice, () => source([{ type: "error", reason: "aborted", error: message([], "aborted") }]));
  check(["error", "aborted"].includes(first.stopReason), "the call failed");
  same(log.reason(), first.stopReason, "message and run agree");
}

export async function a_script_plays_its_turns(sluice) {
  const script = sluice.createScript([{ text: "one" }, { error: { message: "broken", status: 503, retryAfterMs: 20 } }, { text: "half", cut: true }, { text: "half", error: { message: "inside" } }, { text: "long", stopReason: "length" }]);
  const agent = agentWith(sluice, undefined, { streamFn: script });
  const seen = [];
  for (let turn = 0; turn < 5; turn++) {
    await agent.prompt("next");
    const { stopReason, error } = last(agent);
    seen.push([stopReason, error?.code, textOf(last(agent))]);
  }
  equal(seen, [["stop", undefined, "one"], ["error", "overloaded", ""], ["error", "truncated", "half"], ["error", seen[3][1], "half"], ["length", undefined, "long"]], "the answers");
  const asked = [];
  const byFunction = sluice.createScript(async (context, call) => (asked.push([context.messages.length, call]), { text: `turn ${call}` }));
  const other = agentWith(sluice, undefined, { streamFn: byFunction });
  await other.prompt("a");
  await other.prompt("b");
  equal(asked, [[1, 0], [3, 1]], "what the function is asked");
  same(textOf(last(other)), "turn 1", "the text");
  const events = await collect(sluice.createScript([{ text: "alone" }])(model, { messages: [] }, {}));
  sluice.checkCall(JSON.stringify(events));
}

/** What a source says of each block, and what becomes of it. */
export async function what_only_whole_blocks_have_is_kept(sluice) {
  const call = { type: "toolCall", id: "c1", name: "f", arguments: { a: 1 }, thoughtSignature: "for the call" };
  const redacted = { type: "thinking", thinking: "", thinkingSignature: "sealed", redacted: true };
  const image = { type: "image", data: "AAAA", mimeType: "image/png" };
  const partial = message([redacted, { ...block("x"), textSignature: "for the text" }, call, image], "toolUse");
  const events = [
    { type: "start", partial: message([]) },
    { type: "thinking_start", contentIndex: 0, partial }, { type: "thinking_end", contentIndex: 0, content: "", partial },
    { type: "text_start", contentIndex: 1, partial }, { type: "text_delta", contentIndex: 1, delta: "x", partial }, { type: "text_end", contentIndex: 1, content: "x", partial },
    { type: "toolcall_start", contentIndex: 2, partial }, { type: "toolcall_delta", contentIndex: 2, delta: '{"a":1}', partial }, { type: "toolcall_end", contentIndex: 2, toolCall: call, partial },
    { type: "image_end", contentIndex: 3, content: image, partial },
    { type: "done", reason: "toolUse", message: partial },
  ];
  const { first } = await run(sluice, () => source(events), { initialState: { model, tools: [tool("f", () => "x")] } });
  equal(first.content, partial.content, "streamed");
  const atOnce = await run(sluice, () => source([{ type: "done", reason: "toolUse", message: partial }]), { initialState: { model, tools: [tool("f", () => "x")] } });
  equal(atOnce.first.content, partial.content, "at once");
}

export async function the_final_message_has_what_was_not_streamed(sluice) {
  const delta = (text) => ({ type: "text_delta", contentIndex: 0, delta: text });
  const call = { type: "toolCall", id: "c1", name: "f", arguments: {} };
  const image = { type: "image", data: "AAAA", mimeType: "image/png" };
  const failed = (content) => ({ type: "error", reason: "error", error: message(content, "error", { errorMessage: "broken" }) });
  const cases = [
    ["a call", [delta("x"), done([block("x"), call], "toolUse")], [block("x"), call], "toolUse"],
    ["more text", [delta("x"), done([block("x and more")])], [block("x and more")], "stop"],
    ["other text", [delta("x"), done([block("y")])], [block("x")], "stop"],
    ["text of a block that has ended", [delta("x"), { type: "text_end", contentIndex: 0, content: "x" }, done([block("x and more")])], [block("x")], "stop"],
    ["an image that was streamed", [{ type: "image_end", contentIndex: 0, content: image }, done([image])], [image], "stop"],
    ["an image that was not", [delta("x"), done([block("x"), image])], [block("x"), image], "stop"],
    ["text under another number", [{ type: "text_delta", contentIndex: 1, delta: "x" }, done([block("x")])], [block("x")], "stop"],
    ["a block that was left out of it", [{ type: "thinking_end", contentIndex: 0, content: "hm" }, { type: "text_delta", contentIndex: 1, delta: "x" }, done([block("x"), image])], [{ type: "thinking", thinking: "hm" }, block("x")], "stop"],
    ["what a failure has", [failed([block("half")])], [block("half")], "error"],
    ["what a failure has beside what was streamed", [delta("x"), failed([block("x"), { type: "thinking", thinking: "hm" }])], [block("x"), { type: "thinking", thinking: "hm" }], "error"],
  ];
  let ran = 0;
  for (const [what, events, content, stopReason] of cases) {
    const { first } = await run(sluice, () => source(events), { initialState: { model, tools: [tool("f", () => `ran ${++ran}`)] } });
    equal([first.content, first.stopReason], [content, stopReason], what);
  }
  same(ran, 1, "the call ran");
}

export async function a_source_names_the_model_that_answers_and_what_it_cost(sluice) {
  const cost = { input: 0.1, output: 0.2, cacheRead: 0, cacheWrite: 0, total: 0.3 };
  const priced = { ...model, cost: { input: 1e6, output: 1e6 } };
  const of = (usage) => [{ type: "start", partial: message([]) }, { type: "text_delta", contentIndex: 0, delta: "x" }, { type: "done", reason: "stop", message: { ...message([block("x")]), usage } }];
  const told = await run(sluice, () => source(of({ ...usage, cost })), { initialState: { model: priced } });
  equal([told.first.api, told.first.provider, told.first.model, told.first.usage.cost], ["other", "other", "m", cost], "as the source says");
  const silent = await run(sluice, () => source(of(usage)), { initialState: { model: priced } });
  same(silent.first.usage.cost.total, 3 + 2, "by the prices of the model");
}

export async function a_source_is_closed_as_by_a_loop_that_ends(sluice) {
  const closed = [];
  for (const [what, last] of [["done", done([block("x")])], ["error", { type: "error", reason: "error", error: message([], "error") }]]) {
    await run(sluice, async function* () {
      try {
        yield { type: "text_delta", contentIndex: 0, delta: "x" };
        yield last;
      } finally {
        closed.push(what);
      }
    });
  }
  let returned = 0;
  const ended = { [Symbol.asyncIterator]() { return this; }, next: async () => ({ done: true }), return: async () => returned++, result: async () => message([block("x")]) };
  await run(sluice, () => ended);
  await sleep(1);
  equal([closed, returned], [["done", "error"], 0], "closed, but not where it had ended by itself");
}

export async function hooks_of_the_network_are_told_to_a_source(sluice) {
  const fetch = fetchOf(answer("through"));
  const calls = [];
  let options;
  await run(sluice, (given, context, told) => ((options = told), sluice.streamSimple({ ...given, ...model }, context, told)), {
    fetch,
    onPayload: (payload) => void calls.push(typeof payload),
    onResponse: ({ status, headers }) => void calls.push(status, headers["content-type"]),
  });
  equal(calls, ["object", 200, "text/event-stream"], "the calls");
  check(!("reasoning" in options) && !("cacheRetention" in options), "nothing that was not set");
}
