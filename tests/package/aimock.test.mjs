// A server that others wrote: what the package sends and reads is what a provider's clients send and read.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { LLMock } from "@copilotkit/aimock";
import { browserTests, keepEvents } from "./browser.mjs";

const pageTest = browserTests();
const mock = new LLMock({ port: 0, chunkSize: 7 });

before(async () => {
  mock.on({ userMessage: "hello" }, { content: "Hello from a server of others." });
  mock.on({ userMessage: "think" }, { content: "Four.", reasoning: "Two and two." });
  mock.on({ userMessage: "weather", hasToolResult: false }, {
    content: "I ask.",
    toolCalls: [{ name: "weather", arguments: '{"city":"Paris"}', id: "call_paris" }, { name: "weather", arguments: '{"city":"Oslo"}', id: "call_oslo" }],
  });
  mock.on({ userMessage: "weather", hasToolResult: true }, { content: "18 °C and 9 °C." });
  mock.on({ userMessage: "limit" }, { error: { message: "Rate limit reached.", type: "rate_limit_error" }, status: 429, retryAfter: 3 });
  mock.on({ userMessage: "refuse" }, { error: { message: "No such model.", type: "invalid_request_error", code: "model_not_found" }, status: 404 });
  mock.on({ userMessage: "cut" }, { content: "This is cut in the middle of it all." }, { truncateAfterChunks: 3, latency: 20 });
  await mock.start();
});
after(() => mock.stop());

// Hosts that the package does not know are asked for nothing beyond the plain protocol, unless the app says so.
const model = () => ({ id: "gpt-4o-mini", api: "openai-completions", baseUrl: `${mock.url}/v1`, compat: { supportsUsageInStreaming: true } });

/** Prompts an agent that has a tool for the weather. */
const prompt = (page, text) =>
  page.evaluate(async ([model, text]) => {
    const degrees = { Paris: 18, Oslo: 9 };
    const tools = [newTool("weather", ({ city }) => `${degrees[city]} °C`, { parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } })];
    const agent = newAgent(model, { tools, apiKey: "mock" });
    const recording = record(agent);
    await agent.prompt(text);
    const { messages } = agent.state;
    return { ...recording.all, last: messages.at(-1) };
  }, [model(), text]);

const started = ["agent_start", "turn_start", "message_start user", "message_end user", "message_start assistant"];
/** The lines with runs of deltas put together: how a server cuts its text is its own affair. */
const withoutDeltas = (lines) => lines.filter((line) => !/^\w+_delta /.test(line));

pageTest("aimock's text arrives", async ({ page }) => {
  const result = await prompt(page, "hello");
  assert.deepEqual(withoutDeltas(result.lines), [
    ...started, "text_start 0", "text_end 0 Hello from a server of others.", "message_end assistant stop", "turn_end stop, 0 results",
    "agent_end done: user, assistant",
  ]);
  assert.ok(result.lines.filter((line) => line.startsWith("text_delta")).length > 2);
  assert.ok(result.last.usage.output > 0);
  keepEvents("aimock-text", result.events);
});

pageTest("aimock's reasoning arrives as thinking", async ({ page }) => {
  const result = await prompt(page, "think");
  assert.deepEqual(withoutDeltas(result.lines), [
    ...started, "thinking_start 0", "thinking_end 0 Two and two.", "text_start 1", "text_end 1 Four.", "message_end assistant stop",
    "turn_end stop, 0 results", "agent_end done: user, assistant",
  ]);
  keepEvents("aimock-thinking", result.events);
});

pageTest("aimock's tool calls run, and it understands their results", async ({ page }) => {
  const result = await prompt(page, "weather");
  assert.deepEqual(withoutDeltas(result.lines), [
    ...started, "text_start 0", "text_end 0 I ask.",
    "toolcall_start 1", 'toolcall_end 1 weather {"city":"Paris"}', "toolcall_start 2", 'toolcall_end 2 weather {"city":"Oslo"}',
    "message_end assistant toolUse",
    'tool_execution_start call_paris weather {"city":"Paris"}', 'tool_execution_start call_oslo weather {"city":"Oslo"}',
    "tool_execution_end call_paris 18 °C", "tool_execution_end call_oslo 9 °C",
    "message_start toolResult", "message_end toolResult call_paris 18 °C", "message_start toolResult", "message_end toolResult call_oslo 9 °C",
    "turn_end toolUse, 2 results",
    "turn_start", "message_start assistant", "text_start 0", "text_end 0 18 °C and 9 °C.", "message_end assistant stop", "turn_end stop, 0 results",
    "agent_end done: user, assistant, toolResult, toolResult, assistant",
  ]);
  keepEvents("aimock-tools", result.events);
});

for (const [text, error] of [
  ["limit", { code: "rate_limit", status: 429, retryable: true }],
  ["refuse", { code: "invalid_request", status: 404, retryable: false }],
]) {
  pageTest(`aimock's error for "${text}" ends the run`, async ({ page }) => {
    const result = await prompt(page, text);
    assert.deepEqual(result.lines, [
      ...started, `message_end assistant error (${error.code})`, "turn_end error, 0 results", "agent_end error: user, assistant",
    ]);
    const { code, status, retryable } = result.last.error;
    assert.deepEqual({ code, status, retryable }, error);
    keepEvents(`aimock-${text}`, result.events);
  });
}

pageTest("aimock's broken stream is no answer", async ({ page }) => {
  const result = await prompt(page, "cut");
  const [{ text }] = result.last.content;
  assert.ok("This is cut in the middle of it all.".startsWith(text) && text.length > 0);
  assert.deepEqual(withoutDeltas(result.lines), [
    ...started, "text_start 0", `text_end 0 ${text}`, "message_end assistant error (truncated)", "turn_end error, 0 results",
    "agent_end error: user, assistant",
  ]);
  keepEvents("aimock-cut", result.events);
});
