// A server that others wrote, on all four protocols: what the package sends and reads is what a provider's clients do.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { LLMock } from "@copilotkit/aimock";
import { browserTests, keepEvents } from "./browser.mjs";

const pageTest = browserTests();
const mock = new LLMock({ port: 0, chunkSize: 7, logLevel: "silent" });

before(async () => {
  mock.on({ userMessage: "hello" }, { content: "Hello from a server of others.", usage: { prompt_tokens: 11, completion_tokens: 7 } });
  mock.on({ userMessage: "think" }, { content: "Four.", reasoning: "Two and two." });
  mock.on({ userMessage: "weather", hasToolResult: false }, {
    content: "I ask.", reasoning: "Two cities.",
    toolCalls: [{ name: "weather", arguments: '{"city":"Paris"}', id: "call_paris" }, { name: "weather", arguments: '{"city":"Oslo"}', id: "call_oslo" }],
  });
  mock.on({ userMessage: "weather", hasToolResult: true }, { content: "18 °C and 9 °C." });
  mock.on({ userMessage: "key" }, { error: { message: "Invalid API key.", type: "authentication_error" }, status: 401 });
  mock.on({ userMessage: "limit" }, { error: { message: "Rate limit reached.", type: "rate_limit_error" }, status: 429, retryAfter: 3 });
  mock.on({ userMessage: "refuse" }, { error: { message: "No such model.", type: "invalid_request_error", code: "model_not_found" }, status: 404 });
  mock.on({ userMessage: "break" }, { error: { message: "Something broke.", type: "server_error" }, status: 500 });
  mock.on({ userMessage: "cut" }, { content: "This is cut in the middle of it all." }, { truncateAfterChunks: 4, latency: 20 });
  mock.on({ userMessage: "drop" }, { content: "This connection breaks in the middle of it all." }, { disconnectAfterMs: 300, latency: 100 });
  await mock.start();
});
after(() => mock.stop());

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const ephemeral = { type: "ephemeral" };

/** What one protocol sends: the path, the header with the key, and the parts of the bodies that differ. */
const wires = [
  {
    // Hosts that the package does not know are asked for nothing beyond the plain protocol, unless the app says so.
    model: { api: "openai-completions", id: "o4-mini", compat: { supportsUsageInStreaming: true } },
    root: "/v1", path: "/v1/chat/completions", provider: "openai", key: ["authorization", "Bearer mock-key-0123456789"],
    first: {
      model: "o4-mini", stream: true, stream_options: { include_usage: true },
      messages: [{ role: "system", content: "Be brief." }, { role: "user", content: "weather" }],
      tools: [{ type: "function", function: { name: "weather", description: "weather", parameters: schema } }],
    },
    second: ({ messages }) => messages.slice(2),
    history: [
      {
        role: "assistant", content: "I ask.",
        tool_calls: [
          { id: "call_paris", type: "function", function: { name: "weather", arguments: '{"city":"Paris"}' } },
          { id: "call_oslo", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
        ],
      },
      { role: "tool", content: "18 °C", tool_call_id: "call_paris" },
      { role: "tool", content: "9 °C", tool_call_id: "call_oslo" },
    ],
  },
  {
    model: { api: "openai-responses", id: "o4-mini" },
    root: "/v1", path: "/v1/responses", provider: "openai", key: ["authorization", "Bearer mock-key-0123456789"],
    first: {
      model: "o4-mini", stream: true,
      input: [{ role: "system", content: "Be brief." }, { role: "user", content: "weather" }],
      tools: [{ type: "function", name: "weather", description: "weather", parameters: schema, strict: false }],
    },
    second: ({ input }) => input.slice(2),
    history: [
      // Thinking that nobody encrypted cannot go back.
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "I ask.", annotations: [] }] },
      { type: "function_call", call_id: "call_paris", name: "weather", arguments: '{"city":"Paris"}' },
      { type: "function_call", call_id: "call_oslo", name: "weather", arguments: '{"city":"Oslo"}' },
      { type: "function_call_output", call_id: "call_paris", output: "18 °C" },
      { type: "function_call_output", call_id: "call_oslo", output: "9 °C" },
    ],
  },
  {
    model: { api: "anthropic-messages", id: "claude-sonnet-4-5" },
    root: "", path: "/v1/messages", provider: "anthropic", key: ["x-api-key", "mock-key-0123456789"],
    first: {
      model: "claude-sonnet-4-5", max_tokens: 32000, stream: true,
      system: [{ type: "text", text: "Be brief.", cache_control: ephemeral }],
      messages: [{ role: "user", content: [{ type: "text", text: "weather", cache_control: ephemeral }] }],
      tools: [{ name: "weather", description: "weather", input_schema: schema, cache_control: ephemeral }],
    },
    second: ({ messages }) => messages.slice(1),
    history: [
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Two cities.", signature: "aimock-placeholder-signature" },
          { type: "text", text: "I ask." },
          { type: "tool_use", id: "call_paris", name: "weather", input: { city: "Paris" } },
          { type: "tool_use", id: "call_oslo", name: "weather", input: { city: "Oslo" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_paris", content: [{ type: "text", text: "18 °C" }] },
          { type: "tool_result", tool_use_id: "call_oslo", content: [{ type: "text", text: "9 °C" }], cache_control: ephemeral },
        ],
      },
    ],
  },
  {
    model: { api: "google-generative-ai", id: "gemini-2.5-flash" },
    root: "/v1beta", path: "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse", provider: "google",
    key: ["x-goog-api-key", "mock-key-0123456789"],
    first: {
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [{ role: "user", parts: [{ text: "weather" }] }],
      tools: [{ functionDeclarations: [{ name: "weather", description: "weather", parametersJsonSchema: schema }] }],
    },
    second: ({ contents }) => contents.slice(1),
    history: [
      {
        role: "model",
        parts: [
          { text: "Two cities.", thought: true },
          { text: "I ask." },
          { functionCall: { id: "call_paris", name: "weather", args: { city: "Paris" } } },
          { functionCall: { id: "call_oslo", name: "weather", args: { city: "Oslo" } } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "call_paris", name: "weather", response: { output: "18 °C" } } },
          { functionResponse: { id: "call_oslo", name: "weather", response: { output: "9 °C" } } },
        ],
      },
    ],
  },
];

const modelOf = ({ model, root }) => ({ ...model, baseUrl: mock.url + root });

/** Prompts an agent that has a tool for the weather; returns its events, and the requests as the browser sent them. */
async function prompt(page, wire, ...texts) {
  const requests = [];
  const note = (request) => {
    if (request.method() === "POST") requests.push({ path: request.url().slice(mock.url.length), headers: request.headers(), body: request.postDataJSON() });
  };
  page.on("request", note);
  const result = await page.evaluate(async ([model, schema, texts]) => {
    const degrees = { Paris: 18, Oslo: 9 };
    const tools = [newTool("weather", ({ city }) => `${degrees[city]} °C`, { parameters: schema })];
    const agent = newAgent(model, { tools, apiKey: "mock-key-0123456789" });
    agent.setSystemPrompt("Be brief.");
    const recording = record(agent);
    for (const text of texts) await agent.prompt(text);
    const { messages } = agent.state;
    return { ...recording.all, messages, last: messages.at(-1) };
  }, [modelOf(wire), schema, texts]);
  page.off("request", note);
  assert.deepEqual(result.faults, []);
  return { ...result, requests };
}

const started = ["agent_start", "turn_start", "message_start user", "message_end user", "message_start assistant"];
/** The lines with runs of deltas put together: how a server cuts its text is its own affair. */
const withoutDeltas = (lines) => lines.filter((line) => !/^\w+_delta /.test(line));

for (const wire of wires) {
  const { api } = wire.model;

  pageTest(`aimock's text arrives on ${api}, and the next turn has the first`, async ({ page }) => {
    const result = await prompt(page, wire, "hello", "hello again");
    const turn = [
      ...started, "text_start 0", "text_end 0 Hello from a server of others.", "message_end assistant stop", "turn_end stop, 0 results",
      "agent_end done: user, assistant",
    ];
    assert.deepEqual(withoutDeltas(result.lines), [...turn, ...turn]);
    assert.ok(result.lines.filter((line) => line.startsWith("text_delta")).length > 4);
    assert.deepEqual([result.last.usage.input, result.last.usage.output], [11, 7]);
    const [first, second] = result.requests;
    assert.equal(second.path, wire.path);
    const [name, value] = wire.key;
    assert.equal(second.headers[name], value);
    for (const said of ["hello", "Hello from a server of others.", "hello again"]) assert.ok(JSON.stringify(second.body).includes(JSON.stringify(said)), said);
    assert.ok(!JSON.stringify([first.body, second.body]).includes("mock-key"));
    keepEvents(`aimock-text-${api}`, result.events);
  });

  pageTest(`aimock's reasoning arrives as thinking on ${api}`, async ({ page }) => {
    const result = await prompt(page, wire, "think");
    assert.deepEqual(withoutDeltas(result.lines), [
      ...started, "thinking_start 0", "thinking_end 0 Two and two.", "text_start 1", "text_end 1 Four.", "message_end assistant stop",
      "turn_end stop, 0 results", "agent_end done: user, assistant",
    ]);
    keepEvents(`aimock-thinking-${api}`, result.events);
  });

  pageTest(`aimock's tool calls run on ${api}, and it understands their results`, async ({ page }) => {
    const result = await prompt(page, wire, "weather");
    const [paris, oslo] = result.messages[1].content.filter(({ type }) => type === "toolCall").map(({ id }) => id);
    assert.deepEqual(withoutDeltas(result.lines), [
      ...started, "thinking_start 0", "thinking_end 0 Two cities.", "text_start 1", "text_end 1 I ask.",
      "toolcall_start 2", 'toolcall_end 2 weather {"city":"Paris"}', "toolcall_start 3", 'toolcall_end 3 weather {"city":"Oslo"}',
      "message_end assistant toolUse",
      `tool_execution_start ${paris} weather {"city":"Paris"}`, `tool_execution_start ${oslo} weather {"city":"Oslo"}`,
      `tool_execution_end ${paris} 18 °C`, `tool_execution_end ${oslo} 9 °C`,
      "message_start toolResult", `message_end toolResult ${paris} 18 °C`, "message_start toolResult", `message_end toolResult ${oslo} 9 °C`,
      "turn_end toolUse, 2 results",
      "turn_start", "message_start assistant", "text_start 0", "text_end 0 18 °C and 9 °C.", "message_end assistant stop", "turn_end stop, 0 results",
      "agent_end done: user, assistant, toolResult, toolResult, assistant",
    ]);
    const [first, second] = result.requests;
    assert.deepEqual(first.body, wire.first);
    assert.deepEqual(wire.second(second.body), wire.history);
    keepEvents(`aimock-tools-${api}`, result.events);
  });

  for (const [text, error, said] of [
    ["key", { code: "auth", status: 401, retryable: false }, `401 Invalid API key. Check the key for "${wire.provider}" (apiKey, getApiKey).`],
    ["limit", { code: "rate_limit", status: 429, retryable: true }, "429 Rate limit reached."],
    ["refuse", { code: "invalid_request", status: 404, retryable: false }, "404 No such model."],
    ["break", { code: "http", status: 500, retryable: true }, "500 Something broke."],
  ]) {
    pageTest(`aimock's error for "${text}" ends the run on ${api}`, async ({ page }) => {
      const result = await prompt(page, wire, text);
      assert.deepEqual(result.lines, [
        ...started, `message_end assistant error (${error.code})`, "turn_end error, 0 results", "agent_end error: user, assistant",
      ]);
      const { code, status, retryable, message } = result.last.error;
      assert.deepEqual({ code, status, retryable }, error);
      assert.equal(message, `${new URL(mock.url).host}: ${said}`);
      keepEvents(`aimock-${text}-${api}`, result.events);
    });
  }

  for (const text of ["cut", "drop"]) {
    pageTest(`aimock's broken stream for "${text}" is no answer on ${api}`, async ({ page }) => {
      const result = await prompt(page, wire, text);
      const received = result.last.content[0]?.text ?? "";
      assert.ok("This is cut in the middle of it all.".startsWith(received) || "This connection breaks in the middle of it all.".startsWith(received), received);
      assert.deepEqual(withoutDeltas(result.lines), [
        ...started, ...(received === "" ? [] : ["text_start 0", `text_end 0 ${received}`]), "message_end assistant error (truncated)",
        "turn_end error, 0 results", "agent_end error: user, assistant",
      ]);
      keepEvents(`aimock-${text}-${api}`, result.events);
    });
  }
}
