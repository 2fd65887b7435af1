// `streamProxy` in a page, through the reference server, to a provider: the key never comes near the page.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before } from "node:test";
import { browserTests, keepEvents } from "./browser.mjs";
import { proxy } from "./proxy-server.mjs";
import { answer, call, delta, done, finish, text, thinking, toolAnswer, usage } from "./streams.mjs";

const pageTest = browserTests();
/** What the server offers, by the page's name for it. */
const offered = new Map();
let server;
let proxyUrl;

before(async () => {
  server = createServer(proxy({
    origin: "*",
    isAllowed: (token) => token === "token-of-the-user",
    findModel: ({ id }) => offered.has(id) ? { model: offered.get(id), apiKey: "sk-key-of-the-server" } : undefined,
  }));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  proxyUrl = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

/** The page's description of a model that the server reaches at this provider. */
function offer(provider) {
  const id = `model-${offered.size}`;
  offered.set(id, { ...provider.model, id, compat: { reasoningField: "reasoning_content" } });
  return { id, api: "openai-completions", provider: "test", headers: { "x-of-the-provider": "secret" } };
}

/** Makes `agent` and `recording` in the page; the agent has a tool `f`. */
const makeAgent = (page, model, options = {}) =>
  page.evaluate(([model, proxyUrl, options]) => {
    globalThis.ran = [];
    const tools = [newTool("f", (args) => (ran.push(args), `${args.q} is fine`))];
    globalThis.agent = newAgent(model, {
      tools,
      apiKey: "sk-of-the-page",
      streamFn: (model, context, given) => sluice.streamProxy(model, context, { ...given, proxyUrl, authToken: "token-of-the-user", ...options }),
    });
    globalThis.recording = record(agent);
  }, [model, proxyUrl, options]);

const prompt = (page) =>
  page.evaluate(async () => {
    await agent.prompt("Go");
    return { ...recording.all, ran, messages: agent.state.messages };
  });

const started = ["agent_start", "turn_start", "message_start user", "message_end user", "message_start assistant"];

pageTest("a run through the backend is the run that it would be without one", async ({ page, provider }) => {
  provider.answer(
    [
      thinking("Hm"), thinking("."), text("I ask. 🌦"), call(0, { id: "call_1", name: "f", args: '{"q":' }),
      call(1, { id: "call_2", name: "f", args: '{"q":2}' }), call(0, { args: "1}" }), finish("tool_calls"), usage(20, 10), done,
    ].join(""),
    [text("Both "), text("fine."), finish("stop"), usage(40, 5), done].join(""),
  );
  await makeAgent(page, offer(provider));
  const result = await prompt(page);
  assert.deepEqual(result.lines, [
    ...started, "thinking_start 0", "thinking_delta 0 Hm", "thinking_delta 0 .", "thinking_end 0 Hm.",
    "text_start 1", "text_delta 1 I ask. 🌦", "text_end 1 I ask. 🌦",
    "toolcall_start 2", 'toolcall_delta 2 {"q":', "toolcall_start 3", 'toolcall_delta 3 {"q":2}', 'toolcall_delta 2 1}',
    'toolcall_end 2 f {"q":1}', 'toolcall_end 3 f {"q":2}', "message_end assistant toolUse",
    'tool_execution_start call_1 f {"q":1}', 'tool_execution_start call_2 f {"q":2}',
    "tool_execution_end call_1 1 is fine", "tool_execution_end call_2 2 is fine",
    "message_start toolResult", "message_end toolResult call_1 1 is fine", "message_start toolResult", "message_end toolResult call_2 2 is fine",
    "turn_end toolUse, 2 results", "turn_start", "message_start assistant",
    "text_start 0", "text_delta 0 Both ", "text_delta 0 fine.", "text_end 0 Both fine.", "message_end assistant stop", "turn_end stop, 0 results",
    "agent_end done: user, assistant, toolResult, toolResult, assistant",
  ]);
  assert.deepEqual(result.faults, []);
  assert.deepEqual(result.ran, [{ q: 1 }, { q: 2 }]);
  const last = result.messages.at(-1);
  assert.deepEqual([last.usage.input, last.usage.output, last.responseId, last.model], [40, 5, "chatcmpl-1", "model-0"]);
  assert.ok(!JSON.stringify(result).includes("token-of-the-user"));

  const [first, second] = provider.requests;
  assert.equal(first.headers.authorization, "Bearer sk-key-of-the-server");
  assert.equal(first.headers["x-of-the-provider"], undefined);
  assert.deepEqual(first.body.tools.map(({ function: { name } }) => name), ["f"]);
  assert.ok(provider.requests.every(({ text }) => !text.includes("sk-of-the-page")));
  // The thinking of the first turn is known to the backend again.
  const [, asked, ...results] = second.body.messages;
  assert.deepEqual([asked.reasoning_content, asked.content, asked.tool_calls.length], ["Hm.", "I ask. 🌦", 2]);
  assert.deepEqual(results.map(({ tool_call_id, content }) => [tool_call_id, content]), [["call_1", "1 is fine"], ["call_2", "2 is fine"]]);
  keepEvents("proxy-two-turns", result.events);
});

pageTest("what the page sends to the backend is the model, the conversation and the options, and no key", async ({ page, provider }) => {
  provider.answer({ type: "application/json", status: 503, body: "{}" });
  await page.evaluate(async ([model, proxyUrl]) => {
    const context = {
      systemPrompt: "Be brief.",
      messages: [{ role: "user", content: "Hi", timestamp: 1, note: () => {} }],
      tools: [{ name: "f", description: "F", parameters: { type: "object" } }],
    };
    const options = { proxyUrl, authToken: "t", apiKey: "sk-of-the-page", getApiKey: () => { throw new Error("asked for a key"); }, headers: { "x-csrf": "1" }, temperature: 0, reasoning: "low" };
    await sluice.streamProxy(model, context, options).result();
  }, [{ id: "m", api: "openai-completions", headers: { "x-of-the-provider": "secret" } }, `${provider.url}/proxy`]);
  const [{ path, headers, body }] = provider.requests;
  assert.equal(path, "/proxy/api/stream");
  assert.deepEqual([headers.authorization, headers["x-csrf"], headers["x-of-the-provider"]], ["Bearer t", "1", undefined]);
  assert.deepEqual(body, {
    model: { id: "m", api: "openai-completions", provider: "openai" },
    context: {
      systemPrompt: "Be brief.",
      messages: [{ role: "user", content: "Hi", timestamp: 1 }],
      tools: [{ name: "f", description: "F", parameters: { type: "object" } }],
    },
    options: { reasoning: "low", temperature: 0 },
  });
});

for (const [what, answers, error, kept] of [
  ["a provider that refuses the key", [{ status: 401, type: "application/json", body: '{"error":{"message":"Incorrect API key"}}' }], { code: "auth", status: 401, retryable: false }, []],
  ["a provider's limit", [{ status: 429, headers: { "retry-after": "3" }, type: "application/json", body: '{"error":{"message":"Slow down"}}' }], { code: "rate_limit", status: 429, retryAfterMs: 3000, retryable: true }, []],
  ["a failure in the middle", [text("Half") + 'data: {"error":{"message":"Overloaded","code":503}}\n\n'], { code: "overloaded", retryable: true }, ["Half"]],
  ["a provider's connection that breaks", [{ body: answer("Half", "never"), breakAt: text("Half").length }], { code: "truncated", retryable: true }, ["Half"]],
  ["a provider's answer that ends early", [text("Half") + delta({})], { code: "truncated", retryable: true }, ["Half"]],
]) {
  pageTest(`${what} is the same failure in the page`, async ({ page, provider }) => {
    provider.answer(...answers);
    await makeAgent(page, offer(provider));
    const { messages, ran } = await prompt(page);
    const { message, ...told } = messages.at(-1).error;
    assert.deepEqual(told, error);
    assert.match(message, /\S/);
    assert.ok(!message.includes("sk-key-of-the-server"));
    assert.deepEqual(messages.at(-1).content.map(({ text }) => text), kept);
    assert.deepEqual(ran, []);
  });
}

pageTest("a wrong token, and a model that the backend does not offer, are refused in words", async ({ page, provider }) => {
  await makeAgent(page, offer(provider), { authToken: "another" });
  const refused = (await prompt(page)).messages.at(-1).error;
  assert.deepEqual(refused, { code: "auth", message: "proxy: 401 The token is not valid. Check authToken.", status: 401, retryable: false });
  await makeAgent(page, { id: "of-nobody", api: "openai-completions" });
  const unknown = (await prompt(page)).messages.at(-1).error;
  assert.deepEqual(unknown, { code: "invalid_request", message: "proxy: 400 This server does not offer the model.", status: 400, retryable: false });
  assert.equal(provider.requests.length, 0);
});

pageTest("a connection to the backend that breaks cuts the answer, and no tool runs", async ({ page, provider }) => {
  const frames = [
    { type: "start" }, { type: "toolcall_start", contentIndex: 0, id: "a", toolName: "f" },
    { type: "toolcall_delta", contentIndex: 0, delta: '{"q":1}' }, { type: "toolcall_end", contentIndex: 0 },
  ].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  for (const [end, message] of [[{}, /ended before the answer was complete/], [{ breakAt: frames.length }, /connection broke/]]) {
    provider.answer({ body: frames, ...end });
    await makeAgent(page, { id: "m", api: "openai-completions" }, { proxyUrl: provider.url });
    const { messages, ran } = await prompt(page);
    const failed = messages.find(({ role }) => role === "assistant");
    assert.equal(failed.error.code, "truncated");
    assert.match(failed.error.message, message);
    assert.deepEqual(ran, []);
  }
});

pageTest("an abort in the page ends the call to the provider", async ({ page, provider }) => {
  provider.answer({ body: answer("Half", " never"), stallAt: text("Half").length }, answer("Fine."));
  await makeAgent(page, offer(provider));
  await page.evaluate(() => {
    globalThis.running = agent.prompt("First");
    return seen(agent, ({ assistantMessageEvent }) => assistantMessageEvent?.type === "text_delta");
  });
  const request = await provider.request(0);
  await page.evaluate(() => agent.abort());
  await page.evaluate(() => running);
  assert.equal(await request.outcome, "cancelled");
  const { messages } = await prompt(page);
  assert.deepEqual(messages.filter(({ role }) => role === "assistant").map(({ stopReason }) => stopReason), ["aborted", "stop"]);
});

pageTest("a tool that is called once runs once, whatever the order of the pieces", async ({ page, provider }) => {
  provider.answer(toolAnswer("call_1", "f", { q: "x" }), answer("Done."));
  await makeAgent(page, offer(provider));
  const { ran, messages } = await prompt(page);
  assert.deepEqual(ran, [{ q: "x" }]);
  assert.equal(messages.at(-1).stopReason, "stop");
});

pageTest("options that cannot be right are refused by name", async ({ page }) => {
  const failures = await page.evaluate(async () => {
    const model = { id: "m", api: "a" };
    const uses = [{}, { proxyUrl: 7 }, { proxyUrl: "", authToken: 7 }, { proxyUrl: "", proxyURL: "" }];
    return Promise.all(uses.map((options) => failureOf(() => sluice.streamProxy(model, { messages: [] }, options))));
  });
  assert.deepEqual(failures.map(({ code }) => code), Array(4).fill("invalid_argument"));
  const names = ["proxyUrl", "proxyUrl", "authToken", "proxyURL"];
  for (const [place, name] of names.entries()) assert.match(failures[place].message, new RegExp(name));
});
