import assert from "node:assert/strict";
import { browserTests, keepEvents } from "./browser.mjs";
import { call, done, finish, text, thinking, usage } from "./streams.mjs";

const pageTest = browserTests();

pageTest("a run of two turns with a tool reports every event in order", async ({ page, provider }) => {
  provider.answer(
    [
      thinking("I need "), thinking("the weather."), text("Let me look — "), text("один момент 🌦."),
      call(0, { id: "call_1", name: "get_weather", args: "" }), call(0, { args: '{"city":"Pa' }), call(0, { args: 'ris"}' }),
      finish("tool_calls"), usage(20, 10), done,
    ].join(""),
    [text("It is "), text("18 °C."), finish("stop"), usage(40, 5), done].join(""),
  );
  const { result, state } = await page.evaluate(async (model) => {
    const weather = sluice.defineTool({
      name: "get_weather",
      description: "Tells the weather.",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      execute: async (id, { city }, signal, onUpdate) => {
        onUpdate({ content: [{ type: "text", text: "asking" }], details: { city } });
        await Promise.resolve();
        return { content: [{ type: "text", text: `18 °C in ${city}` }], details: { celsius: 18 } };
      },
    });
    const agent = new sluice.Agent({ initialState: { systemPrompt: "Be brief.", model, tools: [weather] }, apiKey: "sk-secret" });
    const recording = record(agent);
    await agent.prompt("Weather in Paris?");
    const { messages, isStreaming, streamMessage, pendingToolCalls, error } = agent.state;
    return { result: recording.all, state: { messages, isStreaming, streamMessage, pending: [...pendingToolCalls], error } };
  }, provider.model);

  assert.deepEqual(result.lines, [
    "agent_start",
    "turn_start",
    "message_start user",
    "message_end user",
    "message_start assistant",
    "thinking_start 0",
    "thinking_delta 0 I need ",
    "thinking_delta 0 the weather.",
    "thinking_end 0 I need the weather.",
    "text_start 1",
    "text_delta 1 Let me look — ",
    "text_delta 1 один момент 🌦.",
    "text_end 1 Let me look — один момент 🌦.",
    "toolcall_start 2",
    'toolcall_delta 2 {"city":"Pa',
    'toolcall_delta 2 ris"}',
    'toolcall_end 2 get_weather {"city":"Paris"}',
    "message_end assistant toolUse",
    'tool_execution_start call_1 get_weather {"city":"Paris"}',
    "tool_execution_update call_1 asking",
    "tool_execution_end call_1 18 °C in Paris",
    "message_start toolResult",
    "message_end toolResult call_1 18 °C in Paris",
    "turn_end toolUse, 1 results",
    "turn_start",
    "message_start assistant",
    "text_start 0",
    "text_delta 0 It is ",
    "text_delta 0 18 °C.",
    "text_end 0 It is 18 °C.",
    "message_end assistant stop",
    "turn_end stop, 0 results",
    "agent_end done: user, assistant, toolResult, assistant",
  ]);
  assert.deepEqual(result.faults, []);
  keepEvents("two-turns", result.events);

  // Every partial shows exactly what had arrived by then.
  const partials = result.events.filter(({ type }) => type === "message_update").map(({ message }) => message.content);
  assert.deepEqual(partials.slice(8, 11).map((content) => content[2].arguments), [{}, { city: "Pa" }, { city: "Paris" }]);
  assert.deepEqual(partials[5], [
    { type: "thinking", thinking: "I need the weather." },
    { type: "text", text: "Let me look — " },
  ]);

  assert.deepEqual({ ...state, messages: state.messages.length }, { messages: 4, isStreaming: false, streamMessage: null, pending: [], error: undefined });
  const [question, asked, toolResult, answered] = state.messages;
  assert.deepEqual(question.content, [{ type: "text", text: "Weather in Paris?" }]);
  assert.deepEqual(toolResult.details, { celsius: 18 });
  assert.deepEqual([asked.usage.input, asked.usage.output, asked.usage.totalTokens], [20, 10, 30]);
  assert.deepEqual([answered.stopReason, answered.usage.input, answered.usage.output], ["stop", 40, 5]);

  const [first, second] = provider.requests;
  assert.equal(first.path, "/v1/chat/completions");
  assert.equal(first.headers.authorization, "Bearer sk-secret");
  assert.equal(first.body.stream, true);
  assert.deepEqual(first.body.messages, [{ role: "system", content: "Be brief." }, { role: "user", content: "Weather in Paris?" }]);
  assert.deepEqual(first.body.tools.map(({ function: { name } }) => name), ["get_weather"]);
  assert.deepEqual(second.body.messages.slice(2).map(({ role, tool_calls, tool_call_id, content }) => [role, tool_calls?.[0].function.arguments ?? tool_call_id, content]), [
    ["assistant", '{"city":"Paris"}', "Let me look — один момент 🌦."],
    ["tool", "call_1", "18 °C in Paris"],
  ]);
});
