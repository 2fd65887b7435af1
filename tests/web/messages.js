// The page's own messages: identity, odd values, text that is not valid Unicode.

import { agentWith, answer, calls, check, equal, fetchOf, last, matches, model, record, rejection, said, same, stillWorks, textOf, thrown, tool } from "./helpers.js";

/** The body as bytes is valid UTF-8 JSON without half an emoji, also in escapes. */
function checkBody({ init }) {
  check(init.body.isWellFormed(), "the body is well-formed");
  check(!/\\ud[89a-f]/i.test(init.body.replaceAll("\\\\", "")), "no escaped surrogates");
  new TextDecoder("utf-8", { fatal: true }).decode(new TextEncoder().encode(init.body));
}

export async function custom_messages_keep_their_identity(sluice) {
  const note = { role: "note", text: "mine", file: new Blob(["x"]), act() {}, when: new Date(), map: new Map() };
  note.self = note;
  const fetch = fetchOf(answer("hi"));
  const agent = agentWith(sluice, fetch, { messages: [note] });
  const log = record(agent);
  const custom = { role: "artifact", id: 10n };
  await agent.prompt([custom, { role: "user", content: "look", timestamp: 1 }]);
  same(agent.state.messages[0], note, "the note in the state");
  same(agent.state.messages[1], custom, "the prompt in the state");
  same(log.of("message_start")[0].message, custom, "message_start");
  same(log.of("message_end")[0].message, custom, "message_end");
  same(log.of("agent_end")[0].messages[0], custom, "agent_end");
  equal(fetch.requests[0].body.messages.map((message) => message.role), ["user"], "what the model gets");
}

export async function convert_to_llm_decides_what_the_model_gets(sluice) {
  const fetch = fetchOf(answer("hi"));
  let given;
  const agent = agentWith(sluice, fetch, {
    convertToLlm: async (messages) => {
      given = messages;
      return messages.map((message) => (message.role === "note" ? { role: "user", content: `note: ${message.text}`, timestamp: 1 } : message));
    },
  });
  const note = { role: "note", text: "mine" };
  await agent.prompt(note);
  same(given[0], note, "the hook gets the app's object");
  matches(JSON.stringify(fetch.requests[0].body.messages[0].content), /note: mine/, "what the model gets");
}

export async function transform_context_changes_the_call_and_not_the_transcript(sluice) {
  const fetch = fetchOf(answer("hi"));
  const agent = agentWith(sluice, fetch, { transformContext: (messages) => (messages.length = 0, [{ role: "user", content: "other", timestamp: 1 }]) });
  await agent.prompt("x");
  equal(agent.state.messages.length, 2, "the transcript");
  matches(JSON.stringify(fetch.requests[0].body.messages), /other/, "what the model gets");
}

export async function hooks_that_fail_fail_the_call_by_name(sluice) {
  for (const hook of ["transformContext", "convertToLlm", "getApiKey", "onPayload", "onResponse"]) {
    for (const fail of [() => { throw new Error("no luck"); }, async () => { throw "no luck"; }]) {
      let isBroken = true;
      const agent = agentWith(sluice, fetchOf(answer("hi")), { [hook]: (argument) => (isBroken ? fail() : argument) });
      const log = record(agent);
      await agent.prompt("x");
      same(last(agent).stopReason, "error", "the stop reason");
      matches(last(agent).errorMessage, new RegExp(`${hook}.*no luck`), "the message");
      log.verify(sluice);
      log.stop();
      isBroken = false;
      await stillWorks(sluice, agent);
    }
  }
  for (const hook of ["transformContext", "convertToLlm"]) {
    const agent = agentWith(sluice, fetchOf(answer("hi")), { [hook]: () => "nonsense" });
    await agent.prompt("x");
    matches(last(agent).errorMessage, new RegExp(`${hook}.*array`), "the message");
  }
}

export async function odd_fields_of_messages_are_kept_and_not_sent(sluice) {
  const cyclic = { role: "user", content: "hi", timestamp: 1, extra: undefined, f() {}, big: 1n };
  cyclic.self = cyclic;
  const fetch = fetchOf(answer("hi"));
  const agent = agentWith(sluice, fetch);
  await agent.prompt(cyclic);
  same(last(agent).stopReason, "stop", "the run ends well");
  same(agent.state.messages[0], cyclic, "the message in the state");
  equal(fetch.requests[0].body.messages, [{ role: "user", content: "hi" }], "what the model gets");
}

export async function messages_that_cannot_be_sent_fail_by_their_index(sluice) {
  const cyclic = [];
  cyclic.push(cyclic);
  for (const content of [cyclic, [{ type: "video" }]]) {
    const convertToLlm = (messages) => messages.map((message) => (message.content === "odd" ? { ...message, content } : message));
    const agent = agentWith(sluice, fetchOf(answer("hi")), { convertToLlm });
    const log = record(agent);
    await agent.prompt([{ role: "user", content: "fine", timestamp: 1 }, { role: "user", content: "odd", timestamp: 1 }]);
    same(last(agent).stopReason, "error", "the stop reason");
    matches(last(agent).errorMessage, /messages\[1\]/, "the message");
    same(last(agent).error.code, "invalid_request", "the code");
    log.verify(sluice, { types: false });
    agent.clearMessages();
    log.stop();
    await stillWorks(sluice, agent);
  }
  const agent = agentWith(sluice, fetchOf(answer("hi")), { convertToLlm: (messages) => messages });
  await agent.prompt({ role: "note" });
  matches(last(agent).errorMessage, /messages\[0\].*note/, "a role that no model knows");
}

export async function a_message_without_content_is_refused_before_it_enters(sluice) {
  const agent = agentWith(sluice, fetchOf(answer("hi")));
  const hostile = { role: "user", get content() { throw new Error("hostile"); } };
  const wrong = [
    [{ role: "user" }, /content must be a string or an array of blocks, but is undefined/],
    [{ role: "user", content: [{ type: "image_url" }] }, /content\[0\] must be a block/],
    [{ role: "user", content: "x", timestamp: "now" }, /timestamp must be a number/],
    [{ role: "toolResult", content: [] }, /toolCallId must be the id of the call/],
    [{ role: "user", content: 5 }, /content must be a string or an array of blocks, but is the number 5/],
    [hostile, /content must be/],
    [{ role: "user", content: [{ type: "text" }] }, /content\[0\] must be a block/],
    [{ role: "user", content: [{ type: "text", text: "x" }, { type: "text", text: 1n }] }, /content\[1\] must be a block/],
    [{ role: "user", content: [{ type: "image", data: 5 }] }, /content\[0\] must be a block/],
    [{ role: "assistant", content: "Hi" }, /content must be an array of blocks, but is the string "Hi"/],
    [{ role: "toolResult", toolCallId: "a", content: null }, /content must be an array of blocks, but is null/],
  ];
  for (const [message, pattern] of wrong) {
    for (const refusal of [
      await rejection(agent.prompt(message), "prompt"),
      await rejection(agent.prompt([{ role: "user", content: "fine", timestamp: 1 }, message]), "prompt of several"),
      ...["steer", "followUp", "appendMessage"].map((name) => thrown(() => agent[name](message), name)),
      thrown(() => agent.replaceMessages([message]), "replaceMessages"),
      thrown(() => new sluice.Agent({ initialState: { messages: [message] } }), "initialState"),
    ]) {
      same(refusal.code, "invalid_argument", "the code");
      matches(refusal.message, pattern, "the message");
    }
  }
  equal(agent.state.messages, [], "nothing has entered");
  check(!agent.hasQueuedMessages(), "nothing waits");
  // Messages of an app's own have whatever they have.
  agent.appendMessage({ role: "note" });
  await agent.prompt("hi");
  same(last(agent).stopReason, "stop", "the run ends well");
}

export async function half_an_emoji_never_reaches_the_wire(sluice) {
  const high = "a\ud83d", low = "\ude00b", whole = "😀", tricky = "\\ud83d \\\\\ud83d";
  const parameters = { type: "object", properties: { s: { type: "string", description: high } } };
  const odd = tool("f", () => ({ content: [{ type: "text", text: `${high}|${low}|${whole}|${tricky}` }], details: { high } }), { parameters, description: low });
  const fetch = fetchOf(calls(["c", "f", { s: "x" }]), answer("ok"));
  const agent = agentWith(sluice, fetch, { tools: [odd], systemPrompt: `${high} ${whole}`, sessionId: high, messages: [{ role: "user", content: low, timestamp: 1 }] });
  const log = record(agent);
  await agent.prompt({ role: "user", content: [{ type: "text", text: `${high}${whole}${tricky}` }], timestamp: 1 });
  same(last(agent).stopReason, "stop", "the run ends well");
  for (const request of fetch.requests) checkBody(request);
  const { messages } = fetch.requests[1].body;
  equal(messages[0].content, "a\ufffd 😀", "the system prompt");
  equal(messages.at(-1).content, "a\ufffd|\ufffdb|😀|\\ud83d \\\\\ufffd", "the tool result");
  equal(agent.state.messages[1].content[0].text, `${high}${whole}${tricky}`, "the transcript keeps what it was given");
  log.verify(sluice, { types: false });
  await agent.prompt(high);
  checkBody(fetch.requests.at(-1));
}

export async function half_an_emoji_from_a_model_is_replaced(sluice) {
  const frame = '{"choices":[{"index":0,"delta":{"content":"a\\ud83d"},"finish_reason":null}]}';
  const agent = agentWith(sluice, fetchOf([`data: ${frame}\n\n`, ...answer("b")]));
  const log = record(agent);
  await agent.prompt("x");
  check(last(agent).stopReason === "error" || textOf(last(agent)).isWellFormed(), "the text is well-formed");
  log.verify(sluice);
}

export async function the_state_has_its_rules_of_identity(sluice) {
  const tools = [tool("f", () => "x")];
  const messages = [{ role: "user", content: "a", timestamp: 1 }];
  const own = { ...model };
  const agent = new sluice.Agent({ initialState: { model: own, tools, messages }, fetch: fetchOf(answer("hi")) });
  const { state } = agent;
  same(state.model, own, "the model");
  same(state.tools, tools, "the tools");
  same(state.messages, messages, "the messages");
  same(agent.state, state, "the state itself");
  await agent.prompt("b");
  check(state.messages !== messages && messages.length === 1, "the app's array is not changed");
  same(state.messages[0], messages[0], "the app's message is kept");

  const fresh = new sluice.Agent().state;
  equal([fresh.systemPrompt, fresh.model, fresh.thinkingLevel, fresh.tools, fresh.messages, fresh.isStreaming, fresh.streamMessage, fresh.pendingToolCalls.size, fresh.error], ["", null, "off", [], [], false, null, 0, undefined], "a fresh state");

  const list = [{ role: "user", content: "c", timestamp: 1 }];
  agent.replaceMessages(list);
  check(state.messages !== list && state.messages[0] === list[0], "replaceMessages copies the array, not the messages");
  list.push({ role: "user", content: "d", timestamp: 1 });
  equal(state.messages.length, 1, "a later change of the array is not seen");
  const before = state.messages;
  agent.appendMessage(list[1]);
  check(state.messages !== before && before.length === 1, "appendMessage makes a new array");
  same(agent.popMessage(), list[1], "popMessage gives the message");
  agent.clearMessages();
  same(agent.popMessage(), undefined, "popMessage of nothing");
}

export async function an_app_may_freeze_what_it_copies_of_the_state(sluice) {
  const agent = agentWith(sluice, fetchOf(answer("hi")));
  const frozen = Object.freeze({ ...agent.state, messages: Object.freeze(agent.state.messages) });
  await agent.prompt("x");
  equal(frozen.messages, [], "a copy of the state stays");
  equal(agent.state.messages.length, 2, "the state goes on");
}

export async function an_app_may_freeze_the_state_itself(sluice) {
  const agent = agentWith(sluice, fetchOf(answer("hi")));
  Object.freeze(agent.state);
  await agent.prompt("x");
  equal(agent.state.messages.length, 2, "the run settles and the state goes on");
}

export async function a_state_survives_json_and_goes_on(sluice) {
  const first = agentWith(sluice, fetchOf(calls(["c", "f", { a: [1] }]), answer("ok")), { tools: [tool("f", () => said("x"))] });
  await first.prompt("hi");
  const messages = JSON.parse(JSON.stringify(first.state.messages));
  const fetch = fetchOf(answer("again"));
  const second = agentWith(sluice, fetch, { messages });
  const log = record(second);
  await second.prompt("go on");
  same(last(second).stopReason, "stop", "the run ends well");
  equal(fetch.requests[0].body.messages.map((message) => message.role), ["user", "assistant", "tool", "assistant", "user"], "the request");
  check(typeof messages[1].usage.input === "number", "counts are numbers");
  log.verify(sluice);
}

export async function a_prompt_takes_texts_images_and_lists(sluice) {
  const fetch = fetchOf(answer("hi"));
  const agent = agentWith(sluice, fetch);
  const image = { type: "image", data: "AAAA", mimeType: "image/png" };
  await agent.prompt("look", [image]);
  const { content, role, timestamp } = agent.state.messages[0];
  equal([role, content], ["user", [{ type: "text", text: "look" }, image]], "the message");
  same(content[1], image, "the image keeps its identity");
  check(Math.abs(timestamp - Date.now()) < 5000, "the time");
  matches(JSON.stringify(fetch.requests[0].body), /data:image\/png;base64,AAAA/, "the image on the wire");
  await agent.prompt([{ role: "user", content: "a", timestamp: 1 }, { role: "user", content: "b", timestamp: 2 }]);
  equal(agent.state.messages.length, 5, "both were added");
}

export async function a_failed_answer_can_be_retried(sluice) {
  const fetch = fetchOf(() => new Response("no", { status: 400 }), answer("fine"));
  const agent = agentWith(sluice, fetch);
  await agent.prompt("x");
  same(last(agent).stopReason, "error", "the first answer");
  same(agent.state.error, last(agent).errorMessage, "the state's error");
  await agent.retry();
  equal(agent.state.messages.map((message) => message.role), ["user", "assistant"], "the transcript");
  same(last(agent).stopReason, "stop", "the second answer");
  same(agent.state.error, undefined, "the error is gone");
  equal(fetch.requests[0].body.messages, fetch.requests[1].body.messages, "the same request");
}

export async function the_next_request_after_a_failure_is_valid(sluice) {
  const f = tool("f", () => said("x"));
  const cut = [calls(["a", "f", { x: 1 }])[0]];
  const fetch = fetchOf(cut, answer("fine"));
  const agent = agentWith(sluice, fetch, { tools: [f] });
  const log = record(agent);
  await agent.prompt("x");
  same(last(agent).role, "toolResult", "the call is answered");
  await agent.prompt("go on");
  const { messages } = fetch.requests.at(-1).body;
  for (const [index, message] of messages.entries()) {
    for (const { id } of message.tool_calls ?? []) check(messages.slice(index + 1).filter((other) => other.tool_call_id === id).length === 1, "every call has one result");
    if (message.role === "tool") check(messages.slice(0, index).some((other) => other.tool_calls?.some(({ id }) => id === message.tool_call_id)), "every result has its call");
  }
  same(last(agent).stopReason, "stop", "the run ends well");
  log.verify(sluice);
}
