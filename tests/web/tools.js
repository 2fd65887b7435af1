// Tools: what they return and throw, their time limits, their arguments.

import { agentWith, answer, call, calls, check, done, equal, fetchOf, finish, last, matches, never, record, said, same, sleep, soon, tool } from "./helpers.js";

/** Runs one call of a tool; gives its result message and the next request. */
async function runTool(sluice, definition, args = {}, options = {}) {
  const fetch = fetchOf(calls(["c1", definition.name, args]), answer("ok"));
  const agent = agentWith(sluice, fetch, { tools: [definition], ...options });
  const log = record(agent);
  await soon(agent.prompt("go"), "the prompt");
  same(log.reason(), "done", "the reason");
  same(fetch.requests.length, 2, "the result goes to the model");
  const result = agent.state.messages[2];
  same(result.role, "toolResult", "the role of the result");
  same(result.toolCallId, "c1", "the id of the result");
  const sent = fetch.requests[1].body.messages[2];
  same(sent.role, "tool", "what is sent");
  return { agent, fetch, log, result, sent, text: result.content[0]?.text };
}

class Odd {
  get [Symbol.toStringTag]() {
    return "Odd";
  }
}

export async function whatever_a_tool_returns_becomes_a_result(sluice) {
  const text = (value) => [{ type: "text", text: value }];
  const good = [
    ["undefined", undefined, []],
    ["null", null, []],
    ["a string", "plain", text("plain")],
    ["an empty string", "", text("")],
    ["content that is a string", { content: "plain", details: 1 }, text("plain")],
    ["a result", { content: text("x"), details: {} }, text("x")],
    ["a result without details", { content: text("x") }, text("x")],
    ["an image", { content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] }, [{ type: "image", data: "AAAA", mimeType: "image/png" }]],
  ];
  for (const [name, value, content] of good) {
    for (const execute of [() => value, async () => value]) {
      const { result, log } = await runTool(sluice, tool("f", execute));
      equal(result.content, content, name);
      same(result.isError, false, name);
      log.verify(sluice);
    }
  }
  const bad = [5, true, {}, [], ["x"], new Odd(), new Date(), 10n, Symbol("s"), () => {}, { content: 5 }, { content: [5] }, { content: [{ type: "text" }] }, { content: [{ type: "text", text: 5 }] }, { content: [{ type: "image", data: "x" }] }, { content: null }];
  for (const value of bad) {
    for (const execute of [() => value, async () => value]) {
      const { result, text } = await runTool(sluice, tool("f", execute));
      same(result.isError, true, `${typeof value} is an error`);
      matches(text, /must return/, "the text says what to return");
    }
  }
}

export async function whatever_a_tool_throws_becomes_a_result(sluice) {
  const thrown = [
    ["a string", /^a string$/],
    [new Error("an error"), /^an error$/],
    [new TypeError(""), /TypeError/],
    [new DOMException("dom", "DataError"), /^dom$/],
    [undefined, /undefined/],
    [null, /null/],
    [42, /42/],
    [{ message: "like an error" }, /^like an error$/],
    [{}, /object/],
    [10n, /./],
    [Symbol("s"), /./],
  ];
  for (const [value, pattern] of thrown) {
    const fail = () => {
      throw value;
    };
    for (const execute of [fail, async () => fail(), () => sleep(1).then(fail)]) {
      const { result, text, sent, log } = await runTool(sluice, tool("f", execute));
      same(result.isError, true, "isError");
      matches(text, pattern, `what ${String(value)} becomes`);
      check(sent.content.length > 0, "the model is told");
      log.verify(sluice);
    }
  }
}

export async function an_error_result_is_marked(sluice) {
  const { result } = await runTool(sluice, tool("f", () => ({ content: [{ type: "text", text: "no" }], isError: true })));
  same(result.isError, true, "isError");
}

export async function thenables_are_awaited(sluice) {
  const asObject = { then: (resolve) => setTimeout(() => resolve("from an object"), 1) };
  const asFunction = Object.assign(() => {}, { then: (resolve) => setTimeout(() => resolve("from a function"), 1) });
  const failing = { then: (_, reject) => reject(new Error("thenable failed")) };
  const throwing = { then() { throw new Error("then threw"); } };
  same((await runTool(sluice, tool("f", () => asObject))).text, "from an object", "an object");
  same((await runTool(sluice, tool("f", () => asFunction))).text, "from a function", "a function");
  same((await runTool(sluice, tool("f", () => failing))).text, "thenable failed", "one that rejects");
  same((await runTool(sluice, tool("f", () => throwing))).text, "then threw", "one that throws");
}

export async function details_of_any_kind_keep_their_identity(sluice) {
  const cyclic = {};
  cyclic.self = cyclic;
  const kinds = [{ n: 10n }, cyclic, new Map([["a", 1]]), new Set(), () => {}, Symbol("s"), new Uint8Array(3), document.body, Object.create(null), [1, undefined, null], null, 0, false, ""];
  for (const details of kinds) {
    const { result, log } = await runTool(sluice, tool("f", () => ({ content: [], details })));
    same(result.details, details, "details of the message");
    same(log.of("tool_execution_end")[0].result.details, details, "details of the event");
  }
}

export async function what_a_tool_does_with_its_results_later_shows_nowhere(sluice) {
  const details = new Map();
  const given = { content: [{ type: "text", text: "x" }], details: {}, mine: 1 };
  const partial = { content: [{ type: "text", text: "1" }], details };
  const { log, result } = await runTool(sluice, tool("f", async (id, params, signal, onUpdate) => {
    onUpdate(partial);
    partial.content[0].text = "2";
    onUpdate(partial);
    partial.content.push({ type: "text", text: "3" });
    await sleep(1);
    return given;
  }));
  given.content[0].text = "changed";
  const shown = log.of("tool_execution_update").map(({ partialResult }) => partialResult);
  equal(shown.map(({ content }) => content), [[{ type: "text", text: "1" }], [{ type: "text", text: "2" }]], "the partial results");
  for (const { details: shownDetails } of shown) same(shownDetails, details, "the details of a partial result");
  const end = log.of("tool_execution_end")[0].result;
  equal(end, { content: [{ type: "text", text: "x" }], details: {}, mine: 1 }, "the result");
  same(end.details, given.details, "the details");
  same(result.content, end.content, "the content of the message");
}

export async function this_of_a_tool_is_the_tool(sluice) {
  class Counter {
    name = "count";
    description = "Counts.";
    #count = 0;
    prepareArguments(args) {
      this.#count += 10;
      return args;
    }
    execute() {
      this.#count++;
      return `count ${this.#count}`;
    }
  }
  same((await runTool(sluice, new Counter())).text, "count 11", "the text");
}

export async function a_tool_gets_its_id_arguments_signal_and_progress(sluice) {
  let given;
  await runTool(sluice, tool("f", (...args) => { given = args; }), { a: { b: [1, { c: "x" }] } });
  const [id, params, signal, onUpdate] = given;
  same(id, "c1", "the id");
  equal(params, { a: { b: [1, { c: "x" }] } }, "the arguments");
  check(Object.getPrototypeOf(params.a) === Object.prototype && Array.isArray(params.a.b), "plain objects all the way");
  check(signal instanceof AbortSignal && !signal.aborted, "the signal");
  same(typeof onUpdate, "function", "onUpdate");
}

export async function a_prototype_from_a_model_is_an_own_key(sluice) {
  const raw = '{"__proto__":{"polluted":true},"constructor":{"x":1},"a":{"__proto__":5}}';
  for (const parameters of [undefined, { type: "object", properties: { a: { type: "object" } } }]) {
    let params;
    const fetch = fetchOf([call(0, "c1", "f", raw), finish("tool_calls"), done], answer("ok"));
    const agent = agentWith(sluice, fetch, { tools: [tool("f", (id, given) => { params = given; }, { parameters })] });
    const log = record(agent);
    await agent.prompt("go");
    for (const object of [params, log.of("tool_execution_start")[0].args]) {
      equal(object, JSON.parse(raw), "the arguments");
      check(Object.getPrototypeOf(object) === Object.prototype && object.polluted === undefined, "the prototype is untouched");
      check(Object.getPrototypeOf(object.a) === Object.prototype, "the prototype within is untouched");
    }
    same({}.polluted, undefined, "no object is polluted");
    log.verify(sluice);
    equal(JSON.parse(fetch.requests[1].body.messages[1].tool_calls[0].function.arguments), JSON.parse(raw), "what goes back to the model");
  }
}

export async function arguments_are_coerced_for_the_tool_and_kept_as_written_elsewhere(sluice) {
  const parameters = { type: "object", properties: { n: { type: "integer" }, b: { type: "boolean" }, list: { type: "array", items: { type: "string" } }, o: { type: "string" } }, required: ["n"] };
  let params;
  const { log, agent } = await runTool(sluice, tool("f", (id, given) => { params = given; }, { parameters }), { n: "3", b: "true", list: "one", o: null });
  equal(params, { n: 3, b: true, list: ["one"] }, "what the tool got");
  equal(log.of("tool_execution_start")[0].args, { n: "3", b: "true", list: "one", o: null }, "args of the event");
  equal(agent.state.messages[1].content[0].arguments, { n: "3", b: "true", list: "one", o: null }, "arguments of the message");
}

export async function numbers_are_those_of_json_parse_wherever_they_go(sluice) {
  const numbers = "[123456789012345680000,9007199254740993,0.1,1.7976931348623157e308,5e-324,-0,3.0,0.30000000000000004,2.2250738585072014e-308,123456789.12345678,8.41e21,9214843084008499,65536.00000000001]";
  const expected = JSON.parse(numbers);
  for (const prepareArguments of [undefined, (args) => args]) {
    for (const parameters of [undefined, { type: "object", properties: { n: { type: "array", items: { type: "number" } } } }]) {
      let params;
      const fetch = fetchOf([call(0, "c1", "f", `{"n":${numbers}}`), finish("tool_calls"), done], answer("ok"));
      const agent = agentWith(sluice, fetch, { tools: [tool("f", (id, given) => { params = given; }, { parameters, prepareArguments })] });
      const log = record(agent);
      await agent.prompt("go");
      // JSON has no negative zero once JavaScript writes it, as prepareArguments makes it do.
      const plain = (n) => (prepareArguments === undefined ? n : n + 0);
      equal(params.n, expected.map(plain), "what the tool got");
      equal(agent.state.messages[1].content[0].arguments.n, expected, "the message");
      const sent = JSON.parse(fetch.requests[1].body.messages[1].tool_calls[0].function.arguments);
      equal(sent.n.map((n) => n + 0), expected.map((n) => n + 0), "what goes back to the model");
      log.verify(sluice);
    }
  }
}

export async function arguments_that_do_not_fit_name_the_path(sluice) {
  let ran = 0;
  const parameters = { type: "object", properties: { n: { type: "integer" }, deep: { type: "object", properties: { s: { type: "string", pattern: "^a+$" } } } }, required: ["n"] };
  const strict = tool("f", () => { ran++; }, { parameters });
  matches((await runTool(sluice, strict, { n: "abc" })).text, /n/, "the text");
  matches((await runTool(sluice, strict, { n: 1, deep: { s: "b" } })).text, /deep.*s/s, "the text");
  matches((await runTool(sluice, strict, {})).text, /n/, "the text");
  same(ran, 0, "the tool did not run");
}

export async function incomplete_arguments_do_not_run(sluice) {
  let ran = 0;
  for (const raw of ['{"a":', "[1]", "nonsense", '"text"', "{}{}"]) {
    const agent = agentWith(sluice, fetchOf([call(0, "c1", "f", raw), finish("tool_calls"), done], answer("ok")), { tools: [tool("f", () => { ran++; })] });
    const log = record(agent);
    await agent.prompt("go");
    same(agent.state.messages[2].isError, true, `the result of ${raw}`);
    log.verify(sluice);
  }
  same(ran, 0, "the tool did not run");
}

export async function a_tool_has_a_time_limit(sluice) {
  for (const [fields, options] of [[{ timeoutMs: 20 }, {}], [{}, { toolTimeoutMs: 20 }], [{ timeoutMs: 20 }, { toolTimeoutMs: 60000 }]]) {
    let signal;
    const slow = tool("slow", (id, params, given) => {
      signal = given;
      return never();
    }, fields);
    const { result, text, log } = await runTool(sluice, slow, {}, options);
    same(result.isError, true, "isError");
    matches(text, /0\.02 s/, "the text");
    check(signal.aborted, "the tool is told to stop");
    log.verify(sluice);
  }
}

export async function a_tool_that_blocks_a_little_is_no_timeout(sluice) {
  const { result } = await runTool(sluice, tool("f", async () => (await sleep(5), "x"), { timeoutMs: 2000 }));
  same(result.isError, false, "isError");
}

export async function unknown_tools_are_answered(sluice) {
  const fetch = fetchOf(calls(["c", "nope"]), answer("ok"));
  const agent = agentWith(sluice, fetch, { tools: [tool("f", () => "x")] });
  const log = record(agent);
  await agent.prompt("go");
  matches(agent.state.messages[2].content[0].text, /nope.*f/s, "the text names both");
  log.verify(sluice);
}

export async function equal_and_empty_ids_run_each(sluice) {
  for (const id of ["", "x"]) {
    let ran = 0;
    const fetch = fetchOf(calls([id, "f", { n: 1 }], [id, "f", { n: 2 }]), answer("ok"));
    const agent = agentWith(sluice, fetch, { tools: [tool("f", (id, { n }) => (ran++, `ran ${n}`))] });
    const log = record(agent);
    await agent.prompt("go");
    same(ran, 2, "both ran");
    log.verify(sluice);
    const { messages } = fetch.requests[1].body;
    const ids = messages[1].tool_calls.map((call) => call.id);
    check(new Set(ids).size === 2 && ids.every(Boolean), "ids are unique on the wire");
    equal(messages.slice(2).map((message) => [message.tool_call_id, message.content]), [[ids[0], "ran 1"], [ids[1], "ran 2"]], "the results");
  }
}

export async function sequential_tools_run_one_after_the_other(sluice) {
  for (const [options, fields] of [[{ toolExecution: "sequential" }, {}], [{}, { executionMode: "sequential" }]]) {
    const order = [];
    const slow = tool("slow", async (id) => {
      order.push(`+${id}`);
      await sleep(2);
      order.push(`-${id}`);
    }, fields);
    const agent = agentWith(sluice, fetchOf(calls(["a", "slow"], ["b", "slow"], ["c", "slow"]), answer("ok")), { tools: [slow], ...options });
    const log = record(agent);
    await agent.prompt("go");
    equal(order, ["+a", "-a", "+b", "-b", "+c", "-c"], "the order");
    log.verify(sluice);
  }
}

export async function hooks_change_and_block_calls(sluice) {
  let params;
  const f = tool("f", (id, given) => ((params = given), { content: [{ type: "text", text: "secret" }], details: { d: 1 } }));
  const contexts = [];
  const replaced = await runTool(sluice, f, { a: 1 }, {
    beforeToolCall: async (context, signal) => {
      contexts.push(context);
      check(signal instanceof AbortSignal, "the signal");
      return { args: { a: 2 } };
    },
    afterToolCall: async (context) => {
      contexts.push(context);
      return { content: [{ type: "text", text: "public" }], isError: true };
    },
  });
  equal(params, { a: 2 }, "the arguments are those of the hook");
  same(replaced.text, "public", "the content is that of the hook");
  equal(replaced.result.details, { d: 1 }, "details stay");
  same(replaced.result.isError, true, "isError is that of the hook");
  const [before, after] = contexts;
  same(before.toolCall, replaced.agent.state.messages[1].content[0], "the call");
  same(before.assistantMessage, replaced.agent.state.messages[1], "the message");
  equal(before.args, { a: 1 }, "args before");
  equal(after.args, { a: 2 }, "args after");
  equal(after.result.content[0].text, "secret", "the result");

  params = undefined;
  const blocked = await runTool(sluice, f, {}, { beforeToolCall: () => ({ block: true, reason: "not now" }) });
  equal([blocked.text, blocked.result.isError, params], ["not now", true, undefined], "a blocked call");
  for (const hook of ["beforeToolCall", "afterToolCall"]) {
    for (const value of [new Error("hook failed"), "hook failed"]) {
      const failed = await runTool(sluice, f, {}, { [hook]: () => { throw value; } });
      matches(failed.text, /hook failed/, `a ${hook} that throws`);
      check(!failed.text.includes("secret"), "no result gets past a hook that failed");
    }
  }
}

export async function a_tool_may_ask_that_the_run_ends(sluice) {
  const fetch = fetchOf(calls(["a", "f"], ["b", "f"]), answer("never asked"));
  const agent = agentWith(sluice, fetch, { tools: [tool("f", () => ({ ...said("x"), terminate: true }))] });
  const log = record(agent);
  await agent.prompt("go");
  same(log.reason(), "terminated", "the reason");
  same(fetch.requests.length, 1, "requests");
  log.verify(sluice);
}

export async function a_run_has_a_limit_of_turns(sluice) {
  const fetch = fetchOf(calls(["a", "nope"]));
  const agent = agentWith(sluice, fetch, { maxTurns: 4 });
  const log = record(agent);
  await agent.prompt("go");
  same(log.reason(), "max_turns", "the reason");
  same(fetch.requests.length, 4, "requests");
  same(last(agent).role, "toolResult", "the calls are answered");
  log.verify(sluice);
}

export async function tools_of_the_state_may_change_during_a_run(sluice) {
  const fetch = fetchOf(calls(["a", "first"]), calls(["b", "second"]), answer("ok"));
  const second = tool("second", () => "second ran");
  const agent = agentWith(sluice, fetch, { tools: [tool("first", () => (agent.setTools([second]), "first ran"))] });
  await agent.prompt("go");
  equal(agent.state.messages.filter((message) => message.role === "toolResult").map((message) => message.content[0].text), ["first ran", "second ran"], "the results");
  equal(fetch.requests[1].body.tools.map((tool) => tool.function.name), ["second"], "tools of the second request");
}

export async function a_tool_pushed_onto_the_array_is_seen(sluice) {
  const tools = [];
  const fetch = fetchOf(calls(["a", "late"]), answer("ok"));
  const agent = agentWith(sluice, fetch, { tools });
  same(agent.state.tools, tools, "the array is kept");
  tools.push(tool("late", () => "ran"));
  await agent.prompt("go");
  same(agent.state.messages[2].content[0].text, "ran", "the result");
}

export async function odd_members_of_a_result_do_not_spoil_the_next_request(sluice) {
  const extra = {};
  extra.self = extra;
  const fetch = fetchOf(calls(["a", "f", {}]), answer("ok"));
  const agent = agentWith(sluice, fetch, { tools: [tool("f", () => ({ content: [{ type: "text", text: "x", extra }] }))] });
  await agent.prompt("go");
  same(last(agent).stopReason, "stop", "the run ends well");
  same(fetch.requests[1].body.messages.at(-1).content, "x", "what the model gets");
}

export async function a_decision_that_cannot_be_read_does_not_let_the_tool_run(sluice) {
  for (const decision of [false, true, "no", 5]) {
    let ran = false;
    const definition = tool("f", () => {
      ran = true;
      return said("x");
    });
    const { result } = await runTool(sluice, definition, {}, { beforeToolCall: () => decision });
    check(!ran && result.isError, `the tool did not run (${decision})`);
    matches(result.content[0].text, /beforeToolCall/, "the result");
  }
}
