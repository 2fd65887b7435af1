// Sessions: an agent as JSON, taken at any moment, and taken up again on another page.
import assert from "node:assert/strict";
import { browserTests } from "./browser.mjs";
import { answer, delta, toolAnswer } from "./streams.mjs";

const pageTest = browserTests();

const roles = (messages) => messages.map((message) => message.role).join(", ");
const texts = (body) => body.messages.map(({ role, content, tool_calls }) => `${role}: ${content ?? tool_calls.map(({ id }) => id).join()}`);

pageTest("a session holds the conversation, its settings and what waits; no keys, headers or functions", async ({ page, provider }) => {
  provider.answer(answer("Fine."));
  const session = await page.evaluate(async (model) => {
    const agent = new sluice.Agent({
      initialState: { systemPrompt: "Be brief.", model: { ...model, headers: { "x-key": "sk-in-headers" }, cost: { input: 1, output: 2 } }, thinkingLevel: "low", tools: [newTool("look", () => "sk-in-tool")] },
      apiKey: "sk-in-option", headers: { authorization: "sk-in-option-headers" }, sessionId: "s1", steeringMode: "all", interruptMode: "wait",
    });
    await agent.prompt("Go");
    agent.setFollowUpMode("all");
    agent.setInterruptMode("immediate");
    agent.steer("s");
    agent.followUp({ role: "note", text: "f", act: () => 1 });
    return JSON.parse(JSON.stringify(agent));
  }, provider.model);
  const { messages, steering, ...rest } = session;
  assert.deepEqual(rest, {
    version: 1, systemPrompt: "Be brief.", model: { ...provider.model, cost: { input: 1, output: 2 } }, thinkingLevel: "low",
    pendingApprovals: [], startedToolCalls: [], followUp: [{ role: "note", text: "f" }], steeringMode: "all", followUpMode: "all", interruptMode: "immediate", sessionId: "s1",
  });
  assert.deepEqual([roles(messages), steering[0].content[0].text], ["user, assistant", "s"]);
  assert.doesNotMatch(JSON.stringify(session), /sk-in/);
});

pageTest("an agent of a session goes on where the other was, and its own session is the same", async ({ page, provider }) => {
  provider.answer(answer("First."), answer("Second."), answer("Third."));
  const result = await page.evaluate(async (model) => {
    const agent = newAgent(model, { steeringMode: "all", sessionId: "s1" });
    await agent.prompt("1");
    agent.steer("2");
    const session = agent.toJSON();
    const restored = sluice.Agent.fromJSON(JSON.parse(JSON.stringify(session)), { retry: false });
    const again = restored.toJSON();
    await restored.continue();
    await restored.prompt("3");
    return { isAgent: restored instanceof sluice.Agent, session, again, state: restored.store.getSnapshot().messages.length };
  }, provider.model);
  assert.deepEqual(result.again, result.session);
  assert.deepEqual([result.isAgent, result.state], [true, 6]);
  assert.deepEqual(texts(provider.requests[2].body), ["user: 1", "assistant: First.", "user: 2", "assistant: Second.", "user: 3"]);
});

pageTest("what the app gives wins over the session", async ({ page, provider }) => {
  const state = await page.evaluate((model) => {
    const agent = newAgent(model, { steeringMode: "all", sessionId: "s1" });
    agent.setSystemPrompt("old");
    const tools = [newTool("look", () => "ok")];
    const restored = sluice.Agent.fromJSON(agent.toJSON(), { sessionId: "s2", steeringMode: undefined, initialState: { tools, systemPrompt: "new", model: undefined, thinkingLevel: "high" } });
    const { sessionId, steeringMode } = restored.toJSON();
    return [restored.state.systemPrompt, restored.state.model, restored.state.thinkingLevel, restored.state.tools === tools, sessionId, steeringMode];
  }, provider.model);
  assert.deepEqual(state, ["new", provider.model, "high", true, "s2", "all"]);
});

pageTest("a session from the middle of an answer has what had come, as an aborted answer that can be tried again", async ({ page, provider }) => {
  const start = [delta({ content: "Half an " }), delta({ content: "ans" })].join("");
  provider.answer({ body: `${start}${answer("wer")}`, stallAt: start.length }, answer("Whole."));
  const result = await page.evaluate(async (model) => {
    const agent = newAgent(model);
    const growing = seen(agent, ({ assistantMessageEvent }) => assistantMessageEvent?.delta === "ans");
    const run = agent.prompt("Go");
    await growing;
    const text = JSON.stringify(agent);
    agent.abort();
    await run;
    const restored = sluice.Agent.fromJSON(JSON.parse(text), { retry: false });
    const before = restored.state.messages;
    const refused = await failureOf(() => restored.continue());
    await restored.retry();
    return { before, refused: refused.code, after: restored.state.messages.map(({ role, content }) => [role, content[0].text]) };
  }, provider.model);
  const { usage, timestamp, ...aborted } = result.before[1];
  assert.ok(usage && timestamp);
  assert.deepEqual(aborted, {
    role: "assistant", content: [{ type: "text", text: "Half an ans" }], api: "openai-completions", provider: "test", model: "test", stopReason: "aborted",
    errorMessage: "The run was cut off before the answer was complete.", error: { code: "aborted", message: "The run was cut off before the answer was complete.", retryable: false },
  });
  assert.deepEqual([result.before.length, result.refused, result.after], [2, "nothing_to_continue", [["user", "Go"], ["assistant", "Whole."]]]);
  assert.deepEqual(texts(provider.requests[1].body), ["user: Go"]);
});

pageTest("a call that streamed in by half is no call: it is answered, and the next prompt is a valid request", async ({ page, provider }) => {
  const start = toolAnswer("call_1", "look", { text: "half of the arguments" }).slice(0, -330);
  provider.answer({ body: toolAnswer("call_1", "look", { text: "half of the arguments" }), stallAt: start.length }, answer("Fine."));
  const result = await page.evaluate(async (model) => {
    const agent = newAgent(model);
    const growing = seen(agent, ({ assistantMessageEvent }) => assistantMessageEvent?.type === "toolcall_start");
    void agent.prompt("Go");
    await growing;
    const session = agent.toJSON();
    agent.abort();
    const restored = sluice.Agent.fromJSON(session, { retry: false });
    await restored.prompt("Never mind");
    return restored.state.messages.map(({ role, stopReason, isError, content }) => [role, stopReason ?? isError ?? "", content[0].text ?? content[0].name]);
  }, provider.model);
  assert.deepEqual(result, [
    ["user", "", "Go"], ["assistant", "aborted", "look"],
    ["toolResult", true, "The tool did not run: the run was cut off before the answer was complete."],
    ["user", "", "Never mind"], ["assistant", "stop", "Fine."],
  ]);
  const { messages } = provider.requests[1].body;
  assert.equal(messages.at(-1).content, "Never mind");
});

pageTest("a session from the middle of a batch keeps the results that are there, and no tool runs twice", async ({ page, provider }) => {
  const calls = ["a", "b", "c"].map((id, index) => ({ index, id, type: "function", function: { name: id === "b" ? "hang" : "look", arguments: "{}" } }));
  provider.answer([delta({ tool_calls: calls }), answer().replace('"stop"', '"tool_calls"')].join(""), answer("Fine."));
  const result = await page.evaluate(async (model) => {
    const runs = { look: 0, hang: 0 };
    const tools = [newTool("look", () => ({ content: [{ type: "text", text: `looked ${++runs.look}` }], details: { n: runs.look } })), newTool("hang", () => (runs.hang++, new Promise(() => {})))];
    const agent = newAgent(model, { tools });
    let ended = 0;
    const both = seen(agent, ({ type }) => type === "tool_execution_end" && ++ended === 2);
    const run = agent.prompt("Go");
    await both;
    const session = JSON.parse(JSON.stringify(agent));
    agent.abort();
    await run;
    const restored = sluice.Agent.fromJSON(session, { retry: false, initialState: { tools } });
    const { toolExecutions } = restored.store.getSnapshot();
    await restored.continue();
    return { runs, messages: restored.state.messages.map(({ role, toolCallId, isError, details, content }) => [role, toolCallId ?? "", isError ?? "", details?.n ?? "", content[0].text ?? ""]), statuses: Object.values(toolExecutions).map(({ status }) => status) };
  }, provider.model);
  assert.deepEqual(result.runs, { look: 2, hang: 1 });
  assert.deepEqual(result.messages, [
    ["user", "", "", "", "Go"], ["assistant", "", "", "", ""],
    ["toolResult", "a", false, 1, "looked 1"],
    ["toolResult", "b", true, "", "The run was cut off before this call was answered. The tool may have run, wholly or in part, and was not run again."],
    ["toolResult", "c", false, 2, "looked 2"],
    ["assistant", "", "", "", "Fine."],
  ]);
  assert.deepEqual(result.statuses, ["done", "error", "done"]);
  assert.deepEqual(provider.requests[1].body.messages.filter(({ role }) => role === "tool").map(({ tool_call_id }) => tool_call_id).sort(), ["a", "b", "c"]);
});

pageTest("a call whose turn had not come is told so in a restored session, and ids that no call has wait for nothing", async ({ page, provider }) => {
  const calls = ["a", "b"].map((id, index) => ({ index, id, type: "function", function: { name: "hang", arguments: "{}" } }));
  provider.answer([delta({ tool_calls: calls }), answer().replace('"stop"', '"tool_calls"')].join(""));
  const result = await page.evaluate(async (model) => {
    const tools = [newTool("hang", () => new Promise(() => {}))];
    const agent = newAgent(model, { tools, toolExecution: "sequential" });
    const started = seen(agent, ({ type }) => type === "tool_execution_start");
    void agent.prompt("Go");
    await started;
    const session = { ...JSON.parse(JSON.stringify(agent)), pendingApprovals: ["z"] };
    agent.abort();
    const restored = sluice.Agent.fromJSON(session, { initialState: { tools } });
    return [restored.pendingApprovals, restored.state.messages.slice(2).map(({ toolCallId, content }) => [toolCallId, content[0].text])];
  }, provider.model);
  assert.deepEqual(result, [[], [
    ["a", "The run was cut off before this call was answered. The tool may have run, wholly or in part, and was not run again."],
    ["b", "The tool did not run: the run was cut off before its turn came."],
  ]]);
});

pageTest("taken at every event of a run, a session can be gone on with, and holds every message once", async ({ page }) => {
  const faults = await page.evaluate(async () => {
    const turns = [{ text: "Let me see.", toolCalls: [{ id: "a", name: "look" }, { id: "b", name: "look" }] }, { text: "Fine." }, { text: "Then." }];
    const tools = [newTool("look", (_params, _signal, onUpdate) => (onUpdate({ content: [] }), "ok"))];
    const agent = scriptedAgent(turns, { tools });
    const sessions = [];
    agent.subscribe((event) => void sessions.push([event.assistantMessageEvent?.type ?? event.type, JSON.stringify(agent)]));
    agent.followUp("And then?");
    const run = agent.prompt("Go");
    sessions.push(["at once", JSON.stringify(agent)]);
    await run;
    const faults = [];
    for (const [type, text] of sessions) {
      const { messages: told, followUp, streamMessage } = JSON.parse(text);
      const restored = sluice.Agent.fromJSON(JSON.parse(text), { retry: false, streamFn: sluice.createScript([{ text: "1" }, { text: "2" }]), initialState: { tools: [newTool("look", () => faults.push(`${type}: a tool ran`))] } });
      const last = restored.state.messages.at(-1);
      const isOver = last?.role === "assistant" && last.stopReason !== "aborted";
      if (told.length === 0) faults.push(`${type}: nothing is there`);
      else if (isOver && followUp.length === 0) await restored.prompt("More");
      else if (last.role === "assistant" && !isOver) await restored.retry();
      else await restored.continue();
      const { messages } = restored.state;
      const texts = messages.filter(({ role }) => role === "user").map(({ content }) => content[0].text ?? content).filter((text) => text !== "More");
      if (texts.join() !== "Go,And then?") faults.push(`${type}: the user said ${texts.join()}`);
      const calls = messages.flatMap(({ role, content }) => (role === "assistant" ? content.filter((block) => block.type === "toolCall").map(({ id }) => id) : []));
      const results = messages.filter(({ role }) => role === "toolResult").map(({ toolCallId }) => toolCallId);
      if (calls.join() !== results.join()) faults.push(`${type}: calls ${calls}, results ${results}`);
      if (messages.at(-1).stopReason !== "stop") faults.push(`${type}: ends with ${messages.at(-1).stopReason}: ${messages.at(-1).errorMessage}`);
      if (streamMessage !== undefined && messages.includes(streamMessage)) faults.push(`${type}: the answer is there as it was`);
    }
    if (sessions.length < 30) faults.push(`${sessions.length} sessions`);
    return faults;
  });
  assert.deepEqual(faults, []);
});

pageTest("details that are no JSON do not keep a session from being written", async ({ page }) => {
  const result = await page.evaluate(async () => {
    const loop = {};
    loop.loop = loop;
    const messages = [{ role: "toolResult", toolCallId: "x", toolName: "x", content: [], details: { loop, big: 1n, get no() { throw new Error("no"); } }, isError: false, timestamp: 0 }];
    return JSON.parse(JSON.stringify(scriptedAgent([], { messages }))).messages[0].details;
  });
  assert.deepEqual(result, { loop: { loop: "[circular]" }, big: "1", no: "[unreadable]" });
});

pageTest("an agent without a model is a session, too", async ({ page }) => {
  const session = await page.evaluate(() => {
    const agent = new sluice.Agent();
    agent.appendMessage({ role: "user", content: "Hi", timestamp: 0 });
    return sluice.Agent.fromJSON(agent.toJSON()).toJSON();
  });
  assert.deepEqual(session, {
    version: 1, systemPrompt: "", thinkingLevel: "off", messages: [{ role: "user", content: "Hi", timestamp: 0 }], pendingApprovals: [], startedToolCalls: [], steering: [], followUp: [],
    steeringMode: "one-at-a-time", followUpMode: "one-at-a-time", interruptMode: "immediate",
  });
});

const good = { version: 1, systemPrompt: "", thinkingLevel: "off", messages: [], steering: [], followUp: [] };
for (const [session, message] of [
  [undefined, "session must be an object as agent.toJSON() gives it, parsed, but is undefined."],
  ['{"version":1}', 'session must be an object as agent.toJSON() gives it, parsed, but is the string "{\\"version\\":1}".'],
  [[], "session must be an object as agent.toJSON() gives it, parsed, but is an array."],
  [{}, "session.version must be 1 for this version of the library, but is undefined."],
  [{ ...good, version: 2 }, "session.version must be 1 for this version of the library, but is the number 2."],
  [{ ...good, messages: undefined }, "session.messages must be an array of messages, but is undefined."],
  [{ ...good, messages: [{ role: "user", content: "x" }, null] }, "session.messages[1] must be a message: an object with a role, but is null."],
  [{ ...good, messages: [{ role: "assistant" }] }, "session.messages[0].content must be an array of blocks, but is undefined."],
  [{ ...good, messages: [{ role: "assistant", content: ["x"] }] }, 'session.messages[0].content[0] must be a block: an object with a type, but is the string "x".'],
  [{ ...good, streamMessage: 5 }, "session.streamMessage must be a message: an object with a role, but is the number 5."],
  [{ ...good, pendingApprovals: [5] }, "session.pendingApprovals must be an array of ids, but is an array."],
  [{ ...good, steering: {} }, "session.steering must be an array of messages, but is an object."],
  [{ ...good, followUp: [5] }, "session.followUp[0] must be a message: an object with a role, but is the number 5."],
  [{ ...good, systemPrompt: 5 }, "systemPrompt must be a string, but is the number 5."],
  [{ ...good, thinkingLevel: "much" }, 'thinkingLevel must be "off", "minimal", "low", "medium", "high" or "xhigh", but is the string "much".'],
  [{ ...good, model: { id: "x" } }, /^model\.api must be a string/],
  [{ ...good, steeringMode: "some" }, 'steeringMode must be "one-at-a-time" or "all", but is the string "some".'],
]) {
  pageTest(`fromJSON() refuses ${JSON.stringify(session)?.slice(0, 120)}`, async ({ page }) => {
    const failure = await page.evaluate((session) => failureOf(() => sluice.Agent.fromJSON(session)), session);
    assert.deepEqual([failure.name, failure.code], ["SluiceError", "invalid_argument"]);
    if (typeof message === "string") assert.equal(failure.message, message);
    else assert.match(failure.message, message);
  });
}

for (const [options, message] of [
  [5, "Agent options must be an object, but is the number 5."],
  [{ initialState: [] }, "initialState must be an object, but is an array."],
  [{ sessionld: "x" }, 'Agent options have no "sessionld". The name is sessionId.'],
]) {
  pageTest(`fromJSON() refuses the options ${JSON.stringify(options)}`, async ({ page }) => {
    const failure = await page.evaluate(([session, options]) => failureOf(() => sluice.Agent.fromJSON(session, options)), [good, options]);
    assert.deepEqual([failure.code, failure.message], ["invalid_argument", message]);
  });
}

pageTest("events() ends when its agent is freed, behind the events of the run that this ended", async ({ page }) => {
  const result = await page.evaluate(async () => {
    const read = async (agent, lines) => { for await (const event of agent.events()) lines.push(event.type); };
    const idle = scriptedAgent([]);
    const idleLines = [];
    const idleReading = read(idle, idleLines);
    idle.free();
    await idleReading;
    const agent = scriptedAgent([{ toolCalls: [{ name: "hang" }] }], { tools: [newTool("hang", () => new Promise(() => {}))] });
    const started = seen(agent, ({ type }) => type === "tool_execution_start");
    const lines = [];
    const reading = read(agent, lines);
    const left = agent.events();
    await left.return();
    const run = agent.prompt("Go");
    await started;
    agent.free();
    await Promise.all([run, reading]);
    return { idleLines, last: lines.at(-1), freed: [await failureOf(() => agent.events()), await failureOf(() => agent.subscribe(() => {}))].map(({ code }) => code) };
  });
  assert.deepEqual(result, { idleLines: [], last: "agent_end", freed: ["freed", "freed"] });
});
