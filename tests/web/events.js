// Order of events, their types, and who shares what with whom.

import {
  Log, agentWith, answer, call, calls, check, checkSnapshot, collect, done, equal, fetchOf, finish, last, model, more, record, said, same, sleep, text, thinking, tool,
} from "./helpers.js";

const WITH_ONE_TOOL = [
  "agent_start",
  "turn_start",
  "message_start user",
  "message_end user",
  "message_start assistant",
  "thinking_start",
  "thinking_delta",
  "thinking_end",
  "text_start",
  "text_delta",
  "text_end",
  "toolcall_start",
  "toolcall_delta",
  "toolcall_end",
  "message_end assistant",
  "tool_execution_start",
  "tool_execution_update",
  "tool_execution_end",
  "message_start toolResult",
  "message_end toolResult",
  "turn_end",
  "turn_start",
  "message_start assistant",
  "text_start",
  "text_delta",
  "text_end",
  "message_end assistant",
  "turn_end",
  "agent_end",
];

function weather() {
  const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const execute = async (id, { city }, signal, onUpdate) => {
    onUpdate(said(`Looking at ${city}`));
    await sleep(1);
    return said(`${city}: sunny`);
  };
  return tool("weather", execute, { parameters });
}

const SCRIPT = [
  { thinking: "The user wants to know the weather.", text: "Let me look that up.", toolCalls: [{ id: "c1", name: "weather", arguments: { city: "Paris" } }], usage: { input: 10, output: 4 } },
  { text: "It is sunny in Paris today.", usage: { input: 30, output: 6, cacheRead: 8 } },
];

export async function two_turns_with_a_tool_have_one_order(sluice) {
  const agent = agentWith(sluice, undefined, { tools: [weather()], streamFn: sluice.createScript(SCRIPT) });
  const log = record(agent);
  await agent.prompt("Weather in Paris?");
  equal(log.kinds(), WITH_ONE_TOOL, "the events");
  log.verify(sluice);
  same(log.reason(), "done", "the reason");
  equal(agent.state.messages.map((message) => message.role), ["user", "assistant", "toolResult", "assistant"], "the roles");
  const { usage } = last(agent);
  equal([usage.input, usage.output, usage.cacheRead, usage.totalTokens], [30, 6, 8, 44], "the usage");
  check(typeof usage.input === "number" && typeof last(agent).timestamp === "number", "counts are numbers");
}

export async function the_wire_and_a_stream_fn_give_the_same_events(sluice) {
  const fetch = fetchOf(
    [thinking("Hm"), thinking(", hm"), text("Let me "), text("see"), call(0, "c1", "weather"), more(0, '{"city":'), more(0, '"Paris"}'), finish("tool_calls"), done],
    answer("Sunny"),
  );
  const agent = agentWith(sluice, fetch, { tools: [weather()] });
  const log = record(agent);
  await agent.prompt("Weather in Paris?");
  equal(log.kinds(), WITH_ONE_TOOL, "the events");
  log.verify(sluice);
}

export async function the_bare_loop_gives_the_same_events(sluice) {
  const config = { model, streamFn: sluice.createScript(SCRIPT) };
  const context = { systemPrompt: "", messages: [], tools: [weather()] };
  const stream = sluice.agentLoop([{ role: "user", content: "Weather?", timestamp: 1 }], context, config);
  const log = new Log();
  for await (const event of stream) log.take(event);
  equal(log.kinds(), WITH_ONE_TOOL, "the events");
  log.verify(sluice);
  const added = await stream.result();
  equal(added.map((message) => message.role), ["user", "assistant", "toolResult", "assistant"], "the result");
  equal(context.messages, [], "the context is read, not changed");
}

export async function one_model_call_obeys_the_laws(sluice) {
  const body = [thinking("Hm"), text("Yes"), text(", no"), call(0, "c1", "f"), more(0, '{"a":[1,'), more(0, "2]}"), finish("tool_calls"), done];
  const stream = sluice.streamSimple(model, { messages: [{ role: "user", content: "Hi", timestamp: 1 }] }, { fetch: fetchOf(body) });
  const events = await collect(stream);
  sluice.checkCall(JSON.stringify(events));
  let previous = events[0].partial;
  for (const event of events.slice(1, -1)) {
    checkSnapshot(previous, event);
    previous = event.partial;
  }
  same(events.at(-1).message, await stream.result(), "the result is the message of the last event");
  equal((await stream.result()).content.at(-1).arguments, { a: [1, 2] }, "the arguments");
}

export async function objects_of_the_run_keep_their_identity(sluice) {
  const details = { any: new Map() };
  const agent = agentWith(sluice, fetchOf(calls(["c1", "f", { a: { b: 1 } }]), answer("ok")), { tools: [tool("f", () => ({ content: [], details }))] });
  const log = record(agent);
  const prompt = { role: "user", content: "go", timestamp: 5, mine: { x: 1 } };
  await agent.prompt(prompt);
  const { messages } = agent.state;
  const ends = log.of("message_end").map((event) => event.message);
  same(messages[0], prompt, "the prompt in the state");
  check(messages.length === ends.length && messages.every((message, index) => message === ends[index]), "state and message_end share the messages");
  const end = log.of("agent_end")[0];
  check(end.messages.every((message, index) => message === ends[index]), "agent_end and message_end share the messages");
  same(log.of("turn_end")[0].message, ends[1], "the message of turn_end");
  same(log.of("turn_end")[0].toolResults[0], ends[2], "the result of turn_end");
  same(log.of("tool_execution_start")[0].args, ends[1].content[0].arguments, "args of tool_execution_start");
  same(log.of("tool_execution_end")[0].result.details, details, "details of the result");
  same(ends[2].details, details, "details of the message");
  const lastPartial = log.of("message_update").findLast((event) => event.message.content[0].type === "toolCall").message;
  same(ends[1].content[0], lastPartial.content[0], "the block of the last update and of the end");
}

export async function an_old_event_still_shows_its_own_text(sluice) {
  const agent = agentWith(sluice, fetchOf([text("one "), text("two "), text("three"), finish(), done]));
  const log = record(agent);
  await agent.prompt("count");
  const deltas = log.updates().filter((event) => event.type === "text_delta");
  equal(deltas.map((event) => event.partial.content[0].text), ["one ", "one two ", "one two three"], "the text of each event");
  equal(deltas.map((event) => event.delta), ["one ", "two ", "three"], "the deltas");
}

export async function parallel_tools_end_as_they_finish_and_answer_in_order(sluice) {
  const wait = tool("wait", async (id, { ms }) => {
    await sleep(ms);
    return said(String(ms));
  });
  const fetch = fetchOf(calls(["slow", "wait", { ms: 40 }], ["fast", "wait", { ms: 5 }]), answer("ok"));
  const agent = agentWith(sluice, fetch, { tools: [wait] });
  const log = record(agent);
  await agent.prompt("go");
  log.verify(sluice);
  equal(log.of("tool_execution_start").map((event) => event.toolCallId), ["slow", "fast"], "starts");
  equal(log.of("tool_execution_end").map((event) => event.toolCallId), ["fast", "slow"], "ends");
  const results = fetch.requests[1].body.messages.filter((message) => message.role === "tool");
  equal(results.map((message) => message.tool_call_id), ["slow", "fast"], "results on the wire");
}

export async function the_stream_message_follows_the_updates(sluice) {
  const agent = agentWith(sluice, fetchOf([text("a"), text("b"), finish(), done]));
  const seen = [];
  agent.subscribe((event) => {
    if (event.type === "message_update") same(agent.state.streamMessage, event.message, "streamMessage");
    if (event.type === "message_end" && event.message.role === "assistant") {
      same(agent.state.streamMessage, null, "streamMessage at the end");
      same(last(agent), event.message, "the message is in the transcript at its end");
    }
    seen.push(agent.state.isStreaming);
  });
  same(agent.state.streamMessage, null, "streamMessage before");
  await agent.prompt("x");
  equal(seen.slice(0, -1).every(Boolean), true, "isStreaming during the run");
  equal(agent.state.isStreaming, false, "isStreaming after it");
}

export async function events_and_listeners_agree(sluice) {
  const agent = agentWith(sluice, fetchOf(answer("hello")));
  const log = record(agent);
  const iterator = agent.events();
  const collected = (async () => {
    const events = [];
    for await (const event of iterator) {
      events.push(event);
      if (event.type === "agent_end") break;
    }
    return events;
  })();
  await agent.prompt("x");
  const events = await collected;
  check(events.length === log.events.length && events.every((event, index) => event === log.events[index]), "the same event objects");
  await agent.prompt("y");
  equal((await iterator.next()).done, true, "an iterator that was left is over");
}
