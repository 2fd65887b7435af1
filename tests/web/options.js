// Wrong options and arguments: an error that names the key and what was expected.

import { agentWith, answer, check, equal, fetchOf, last, matches, model, rejection, same, thrown, tool } from "./helpers.js";

const context = { messages: [{ role: "user", content: "hi", timestamp: 1 }] };

function refused(f, key, expected, what = key) {
  const error = thrown(f, what);
  check(error instanceof Error, `${what}: an Error, not ${String(error)}`);
  same(error.name, "SluiceError", `${what}: the name`);
  same(error.code, "invalid_argument", `${what}: the code`);
  check(error.message.includes(key), `${what}: "${error.message}" does not name ${key}`);
  matches(error.message, expected, what);
}

const CALL_OPTIONS = [
  ["apiKey", 5, /a string/],
  ["getApiKey", "key", /a function/],
  ["fetch", {}, /a function/],
  ["headers", { a: 1 }, /headers\.a must be a string/],
  ["headers", new Headers({ a: "b" }), /a plain object of strings/],
  ["headers", "x: y", /an object/],
  ["sessionId", 7, /a string/],
  ["temperature", "hot", /a number/],
  ["temperature", NaN, /a number/],
  ["temperature", -1, /at least 0/],
  ["maxTokens", 0, /at least 1/],
  ["maxTokens", Infinity, /a number/],
  ["maxTokens", () => 5, /plain data/],
  ["thinkingBudgets", { low: "much" }, /thinkingBudgets\.low must be a number/],
  ["thinkingBudgets", { lo: 1 }, /no "lo"/],
  ["cacheRetention", "forever", /"none", "short" or "long"/],
  ["toolChoice", "maybe", /"auto", "none", "required" or \{ name \}/],
  ["onPayload", null, /a function/],
  ["onResponse", 1, /a function/],
  ["timeoutMs", -1, /at least 0/],
  ["idleTimeoutMs", "5s", /a number/],
];
const RUN_OPTIONS = [
  ...CALL_OPTIONS,
  ["convertToLlm", 1, /a function/],
  ["transformContext", [], /a function/],
  ["streamFn", {}, /a function/],
  ["beforeToolCall", true, /a function/],
  ["afterToolCall", "x", /a function/],
  ["interruptMode", "sometimes", /"immediate" or "wait"/],
  ["toolExecution", "both", /"parallel" or "sequential"/],
  ["toolTimeoutMs", 0, /at least 1/],
  ["maxTurns", 0, /at least 1/],
  ["maxTurns", 1.5, /a whole number/],
  ["maxTokens", 1.5, /a whole number/],
  ["retry", true, /false or/],
  ["retry", { maxAttempt: 2 }, /The name is maxAttempts/],
];
const AGENT_OPTIONS = [
  ...RUN_OPTIONS,
  ["steeringMode", "some", /"one-at-a-time" or "all"/],
  ["followUpMode", 5, /"one-at-a-time" or "all"/],
  ["initialState", "x", /an object/],
  ["initialState", [], /an object/],
];

export async function each_option_says_what_it_must_be(sluice) {
  for (const [key, value, expected] of AGENT_OPTIONS) refused(() => new sluice.Agent({ [key]: value }), key, expected);
  for (const [key, value, expected] of RUN_OPTIONS) refused(() => sluice.agentLoop(context.messages, context, { model, [key]: value }), key, expected);
  for (const [key, value, expected] of CALL_OPTIONS) {
    refused(() => sluice.streamSimple(model, context, { [key]: value }), key, expected);
    const error = await rejection(sluice.complete(model, context, { [key]: value }), `complete with ${key}`);
    check(error.code === "invalid_argument" && error.message.includes(key), `complete: ${error.message}`);
  }
}

export async function an_unknown_option_is_refused_by_name(sluice) {
  refused(() => new sluice.Agent({ maxTurn: 5 }), "maxTurn", /no "maxTurn"/);
  refused(() => sluice.agentLoop(context.messages, context, { model, modle: 1 }), "modle", /no "modle"/);
  refused(() => sluice.streamSimple(model, context, { streamFn: () => {} }), "streamFn", /no "streamFn"/);
  refused(() => new sluice.Agent({ initialState: { systemprompt: "x" } }), "systemprompt", /systemPrompt/);
  for (const options of [5, "x", [], null]) refused(() => new sluice.Agent(options), "Agent options", /an object/);
  for (const config of [undefined, null, 5, "x", []]) check(thrown(() => sluice.agentLoop(context.messages, context, config), "agentLoop") instanceof Error, "an Error");
}

export async function an_option_that_is_undefined_is_absent(sluice) {
  const options = Object.fromEntries([...AGENT_OPTIONS.map(([key]) => key), "unknown"].map((key) => [key, undefined]));
  new sluice.Agent(options);
  new sluice.Agent();
  new sluice.Agent({});
  new sluice.Agent({ initialState: { model: undefined, tools: undefined } });
}

export async function the_initial_state_is_checked(sluice) {
  const table = [
    [{ systemPrompt: 5 }, "systemPrompt", /a string/],
    [{ model: "gpt" }, "model", /id and api/],
    [{ model: { id: "x" } }, "model", /api/],
    [{ model: { api: "x" } }, "model", /id/],
    [{ model: { ...model, baseURL: "https://x" , baseUrl: undefined } }, "baseURL", /the name is baseUrl/],
    [{ model: { ...model, base_url: "https://x", baseUrl: undefined } }, "base_url", /the name is baseUrl/],
    [{ model: { ...model, url: "https://x", baseUrl: undefined } }, "url", /the name is baseUrl/],
    [{ model: { ...model, baseUrl: "" } }, "model.baseUrl", /for the page.s own server/],
    [{ model: { ...model, compat: { maxTokenField: "max_tokens" } } }, "model.compat", /the name is maxTokensField/],
    [{ model: { ...model, reasoning: "yes" } }, "model.reasoning", /a boolean/],
    [{ model: { ...model, cost: { inputs: 1 } } }, "model.cost", /no "inputs"/],
    [{ model: { ...model, headers: new Map([["x-a", "b"]]) } }, "model.headers", /a plain object of strings/],
    [{ model: null }, "model", /id and api/],
    [{ thinkingLevel: "deep" }, "thinkingLevel", /"off"/],
    [{ tools: {} }, "tools", /an array/],
    [{ messages: "x" }, "messages", /an array/],
    [{ messages: ["x"] }, "messages[0]", /a role/],
    [{ messages: [context.messages[0], {}] }, "messages[1]", /a role/],
    [{ messages: [null] }, "messages[0]", /a role/],
  ];
  for (const [initialState, key, expected] of table) refused(() => new sluice.Agent({ initialState }), key, expected, JSON.stringify(initialState));
}

export async function tools_are_checked(sluice) {
  const f = () => {};
  const table = [
    [[5], "tools[0].name", /a string/],
    [[tool("", f)], "tools[0].name", /not empty/],
    [[tool("a", f), { name: "b" }], "tools[1].execute", /a function/],
    [[tool("a", f, { parameters: "x" })], "tools[0].parameters", /JSON Schema/],
    [[tool("a", f, { parameters: { "~standard": {} } })], "tools[0].parameters", /JSON Schema/],
    [[tool("a", f, { executionMode: "fast" })], "tools[0].executionMode", /"parallel" or "sequential"/],
    [[tool("a", f, { timeoutMs: 0 })], "tools[0].timeoutMs", /at least/],
    [[tool("a", f, { prepareArguments: 1 })], "tools[0].prepareArguments", /a function/],
    [[tool("a", f), tool("a", f)], "tools[1]", /already.*"a"/],
    [[{ ...tool("a", f), parameters: undefined, inputSchema: {} }], "tools[0]", /the name is parameters/],
    [[tool("a", f, { description: 5 })], "tools[0].description", /a string/],
    [[tool("a", f, { parameters: { type: "string" } })], "tools[0].parameters.type", /"object"/],
    [[tool("a", f, { needsAproval: true })], "tools[0]", /no "needsAproval": the name is needsApproval/],
    [[tool("a", f, { needs_approval: true })], "tools[0]", /the name is needsApproval/],
    [[tool("a", f, { timeuotMs: 5 })], "tools[0]", /the name is timeoutMs/],
    [[tool("a", f, { needsApproval: "yes" })], "tools[0].needsApproval", /true, false or a function/],
  ];
  const agent = new sluice.Agent();
  for (const [tools, key, expected] of table) {
    refused(() => agent.setTools(tools), key, expected, key);
    refused(() => new sluice.Agent({ initialState: { tools } }), key, expected, key);
    refused(() => sluice.agentLoop(context.messages, { ...context, tools }, { model }), key, expected, key);
  }
  equal(agent.state.tools, [], "the tools stay what they were");
}

export async function setters_are_checked_and_change_nothing_when_refused(sluice) {
  const agent = new sluice.Agent({ initialState: { model, systemPrompt: "s" } });
  const before = { ...agent.state };
  const table = [
    ["setSystemPrompt", undefined, "systemPrompt", /a string/],
    ["setModel", undefined, "model", /id and api/],
    ["setModel", { id: 5, api: "x" }, "model", /./],
    ["setThinkingLevel", "x", "thinkingLevel", /"off"/],
    ["setTools", undefined, "tools", /an array/],
    ["setSteeringMode", "x", "steeringMode", /"all"/],
    ["setFollowUpMode", "x", "followUpMode", /"all"/],
    ["setInterruptMode", "x", "interruptMode", /"wait"/],
    ["replaceMessages", "x", "messages", /an array/],
    ["replaceMessages", [5], "messages[0]", /a role/],
    ["appendMessage", "x", "message", /a role/],
    ["steer", 5, "message", /a role/],
    ["followUp", undefined, "message", /a role/],
    ["subscribe", undefined, "listener", /a function/],
    ["subscribe", {}, "listener", /a function/],
  ];
  for (const [method, value, key, expected] of table) refused(() => agent[method](value), key, expected, method);
  equal({ ...agent.state }, before, "the state");
}

export async function prompts_are_checked(sluice) {
  const agent = agentWith(sluice, fetchOf(answer("hi")));
  for (const input of [undefined, null, 5, {}, [], [5], [{}], { content: "x" }, new Map(), () => {}, { role: "user", content: " " }, [{ role: "user", content: [] }], { role: "user", content: [{ type: "text", text: "" }] }]) {
    const error = await rejection(agent.prompt(input), `prompt(${String(input)})`);
    same(error.code, "invalid_argument", "the code");
    matches(error.message, /prompt|The message is empty/, "the message");
  }
  for (const images of [5, [{}], [{ type: "image" }], "x", [{ type: "image", data: "data:image/png;base64,AAAA", mimeType: "image/png" }]]) same((await rejection(agent.prompt("x", images), "images")).code, "invalid_argument", "the code");
  same((await rejection(agent.prompt({ role: "user", content: "x", timestamp: 1 }, []), "images without a text")).code, "invalid_argument", "the code");
  equal(agent.state.messages, [], "nothing was added");
  check(!agent.state.isStreaming, "no run was started");
  await agent.prompt("good");
}

export async function without_a_model_a_prompt_is_refused(sluice) {
  const agent = new sluice.Agent();
  const error = await rejection(agent.prompt("x"), "the prompt");
  matches(error.message, /no model.*setModel/, "the message");
  equal(agent.state.messages, [], "nothing was added");
  refused(() => sluice.agentLoop(context.messages, context, {}), "model", /id and api/);
  refused(() => sluice.streamSimple(undefined, context), "model", /id and api/);
}

export async function an_unknown_api_fails_the_call_by_name(sluice) {
  const odd = { id: "x", api: "carrier-pigeon" };
  const agent = new sluice.Agent({ initialState: { model: odd } });
  await agent.prompt("x");
  same(last(agent).stopReason, "error", "the stop reason");
  matches(last(agent).errorMessage, /carrier-pigeon.*openai-completions.*streamFn/, "the message");
  same(agent.state.error, last(agent).errorMessage, "the state's error");
  const message = await sluice.complete(odd, context);
  matches(message.errorMessage, /carrier-pigeon/, "complete");
}

export async function contexts_are_checked(sluice) {
  for (const bad of [undefined, null, 5, [], {}, { messages: 5 }]) {
    check(thrown(() => sluice.streamSimple(model, bad), "streamSimple").code === "invalid_argument", "streamSimple");
    check(thrown(() => sluice.agentLoop(context.messages, bad, { model }), "agentLoop").code === "invalid_argument", "agentLoop");
    check(typeof thrown(() => sluice.agentLoopContinue(bad, { model }), "agentLoopContinue").code === "string", "agentLoopContinue");
  }
  refused(() => sluice.agentLoop([], context, { model }), "prompts", /empty/);
  refused(() => sluice.agentLoop("hi", context, { model }), "prompts", /an array/);
  refused(() => sluice.agentLoop(context.messages, context, { model }, undefined, 5), "streamFn", /a function/);
  refused(() => sluice.agentLoop(context.messages, context, { model }, 5), "signal", /an AbortSignal/);
  refused(() => sluice.streamSimple(model, context, { signal: {} }), "signal", /an AbortSignal/);
  same(thrown(() => sluice.agentLoopContinue({ messages: [] }, { model }), "without messages").code, "nothing_to_continue", "the code");
  same(thrown(() => sluice.agentLoopContinue({ messages: [{ role: "assistant", content: [] }] }, { model }), "with an answer").code, "nothing_to_continue", "the code");
}

export async function continue_needs_something_to_continue_from(sluice) {
  const agent = agentWith(sluice, fetchOf(answer("hi")));
  same((await rejection(agent.continue(), "without messages")).code, "nothing_to_continue", "the code");
  await agent.prompt("x");
  const { messages } = agent.state;
  same((await rejection(agent.continue(), "with an answer")).code, "nothing_to_continue", "the code");
  same((await rejection(agent.retry(), "nothing failed")).code, "nothing_to_continue", "the code");
  equal(agent.state.messages, messages, "the answer is never deleted");
  agent.followUp("more");
  await agent.continue();
  equal(agent.state.messages.length, 4, "the follow-up was taken");
}

export async function scripts_are_checked(sluice) {
  refused(() => sluice.createScript(5), "turns", /an array/);
  refused(() => sluice.createScript([{ text: "x" }, 5]), "turns[1]", /a turn/);
  refused(() => sluice.createScript([{ text: 5 }]), "turns[0]", /./);
  refused(() => sluice.createScript([{ txt: "x" }]), "turns[0]", /no "txt"/);
  refused(() => sluice.createScript([], { tokensPerSecond: 0 }), "tokensPerSecond", /positive/);
  const agent = agentWith(sluice, undefined, { streamFn: sluice.createScript([{ text: "only one" }]) });
  await agent.prompt("a");
  await agent.prompt("b");
  matches(last(agent).errorMessage, /1 turns.*call 2/, "a script that is over");
}

export async function request_options_reach_the_wire(sluice) {
  const fetch = fetchOf(answer("hi"));
  const keys = [];
  const agent = new sluice.Agent({
    initialState: { model: { ...model, headers: { "x-model": "m", "x-both": "model" } }, systemPrompt: "Be kind." },
    fetch,
    getApiKey: async (provider) => (keys.push(provider), "secret-key"),
    headers: { "x-both": "options" },
    temperature: 0.5,
    maxTokens: 77,
    toolChoice: "auto",
    onPayload: (payload) => ({ ...payload, extra: [1, undefined, null] }),
  });
  const seen = JSON.stringify([]);
  const events = [];
  agent.subscribe((event) => {
    events.push(event);
  });
  await agent.prompt("x");
  const [{ url, init, body }] = fetch.requests;
  matches(url, /^https:\/\/model\.test\/v1\/chat\/completions$/, "the address");
  same(init.method, "POST", "the method");
  check(init.signal instanceof AbortSignal, "the signal");
  const headers = new Headers(init.headers);
  equal([headers.get("authorization"), headers.get("x-model"), headers.get("x-both")], ["Bearer secret-key", "m", "options"], "the headers");
  equal([body.model, body.temperature, body.stream, body.extra], ["test-model", 0.5, true, [1, null, null]], "the body");
  equal(body.messages[0], { role: "system", content: "Be kind." }, "the system prompt");
  equal(keys.length, 1, "the key is asked for once per call");
  check(!(seen + JSON.stringify(events) + JSON.stringify(agent.state)).includes("secret-key"), "no key in events or state");
}

export async function a_header_that_cannot_be_sent_fails_the_call(sluice) {
  const fetch = globalThis.fetch;
  globalThis.fetch = async () => new Response("data: [DONE]\n\n", { headers: { "content-type": "text/event-stream" } });
  try {
    for (const options of [{ headers: { "bad name": "x" } }, { headers: { good: "bad\nvalue" } }, { apiKey: "ключ" }, { headers: { "": "x" } }]) {
      const message = await sluice.complete(model, context, options);
      same(message.stopReason, "error", "the stop reason");
      same(message.error.code, "invalid_request", "the code");
      check(!message.errorMessage.includes("ключ"), "the key is not in the message");
    }
    for (const baseUrl of ["not a url", "http://", "ftp://x"]) {
      const message = await sluice.complete({ ...model, baseUrl }, context);
      same(message.stopReason, "error", `the stop reason with ${baseUrl}`);
    }
  } finally {
    globalThis.fetch = fetch;
  }
}
