// The agent among the things of a page: its fetch, its keys, its listeners, its memory.
import assert from "node:assert/strict";
import { browserTests } from "./browser.mjs";
import { answer, call, done, finish, text } from "./streams.mjs";

const pageTest = browserTests();

const started = ["agent_start", "turn_start", "message_start user", "message_end user", "message_start assistant"];
const goodRun = [
  ...started, "text_start 0", "text_delta 0 Fine.", "text_end 0 Fine.", "message_end assistant stop", "turn_end stop, 0 results",
  "agent_end done: user, assistant",
];

pageTest("a fetch of the page's own gets the URL and an init object, and its Response is read", async ({ page, provider }) => {
  provider.answer(answer("Fine."));
  const result = await page.evaluate(async (model) => {
    const calls = [];
    const agent = newAgent(model, {
      apiKey: "key",
      headers: { "x-app": "lab" },
      fetch: (url, init) => {
        calls.push([url, init.method, init.headers, JSON.parse(init.body).model, init.signal instanceof AbortSignal]);
        return fetch(url, init);
      },
    });
    const recording = record(agent);
    await agent.prompt("Go");
    return { calls, lines: recording.lines };
  }, provider.model);
  assert.deepEqual(result.lines, goodRun);
  const [[url, method, headers, model, hasSignal]] = result.calls;
  assert.deepEqual([url, method, model, hasSignal], [`${provider.model.baseUrl}/chat/completions`, "POST", "test", true]);
  assert.deepEqual([headers.authorization, headers["x-app"], headers["content-type"]], ["Bearer key", "lab", "application/json"]);
  assert.equal(provider.requests[0].headers["x-app"], "lab");
});

for (const [what, code] of [
  ["throws", "network"],
  ["rejects with a string", "network"],
  ["rejects with undefined", "network"],
  ["gives no Response", "bad_response"],
]) {
  pageTest(`a fetch of the page's own that ${what} fails the run, not the page`, async ({ page, provider }) => {
    const lines = await page.evaluate(async ([model, fetch]) => {
      const fetches = {
        throws: () => { throw new TypeError("no"); },
        "rejects with a string": () => Promise.reject("no"),
        "rejects with undefined": () => Promise.reject(),
        "gives no Response": () => Promise.resolve(undefined),
      };
      const agent = newAgent(model, { fetch: fetches[fetch] });
      const recording = record(agent);
      await agent.prompt("Go");
      return recording.lines;
    }, [provider.model, what]);
    assert.deepEqual(lines, [
      ...started, `message_end assistant error (${code})`, "turn_end error, 0 results", "agent_end error: user, assistant",
    ]);
  });
}

pageTest("keys are in no event, state or error, whatever the provider echoes", async ({ page, provider }) => {
  const echo = (key) => ({ status: 401, type: "application/json", body: JSON.stringify({ error: { message: `Wrong key ${key}: Bearer ${key}` } }) });
  provider.answer(answer("Fine."), echo("sk-one-0123456789abcdef"), echo("sk-two-0123456789abcdef"));
  const shown = await page.evaluate(async (model) => {
    const asked = [];
    const agent = newAgent(model, {
      apiKey: "sk-one-0123456789abcdef",
      getApiKey: async (provider) => (asked.push(provider), asked.length === 3 ? "sk-two-0123456789abcdef" : undefined),
    });
    const recording = record(agent);
    await agent.prompt("1");
    await agent.prompt("2");
    await agent.prompt("3");
    return { asked, text: JSON.stringify([recording.events, agent.state, Object.keys(agent), agent]) };
  }, provider.model);
  assert.deepEqual(shown.asked, ["test", "test", "test"]);
  assert.doesNotMatch(shown.text, /0123456789/);
  assert.deepEqual(provider.requests.map(({ headers }) => headers.authorization.slice(0, 13)), ["Bearer sk-one", "Bearer sk-one", "Bearer sk-two"]);
});

pageTest("streamSimple() gives the events of one call, complete() its message, failed or not", async ({ page, provider }) => {
  provider.answer(answer("Fine."), answer("Fine."), { status: 401, type: "application/json", body: '{"error":{"message":"No."}}' });
  const result = await page.evaluate(async (model) => {
    const context = { systemPrompt: "Be brief.", messages: [{ role: "user", content: "Go", timestamp: 0 }] };
    const lines = [];
    const stream = sluice.streamSimple(model, context, { apiKey: "key", temperature: 0 });
    for await (const event of stream) lines.push(outline(event));
    const message = await stream.result();
    const [good, bad] = [await sluice.complete(model, context), await sluice.complete(model, context)];
    return { lines, texts: [message, good].map(({ content }) => content[0].text), bad: [bad.stopReason, bad.error.code] };
  }, provider.model);
  assert.deepEqual(result.lines, ["start", "text_start 0", "text_delta 0 Fine.", "text_end 0 Fine.", "done stop"]);
  assert.deepEqual([result.texts, result.bad], [["Fine.", "Fine."], ["error", "auth"]]);
  assert.deepEqual([provider.requests[0].body.temperature, provider.requests[0].body.messages.length], [0, 2]);
});

pageTest("events() iterates over the events of run after run until it is left", async ({ page, provider }) => {
  provider.answer(answer("Fine."), answer("Fine."), answer("Fine."));
  const lines = await page.evaluate(async (model) => {
    const agent = newAgent(model);
    const lines = [];
    const reading = (async () => {
      for await (const event of agent.events()) if (lines.push(outline(event)) === 22) break;
    })();
    for (const text of ["1", "2", "3"]) await agent.prompt(text);
    await reading;
    return lines;
  }, provider.model);
  assert.deepEqual(lines, [...goodRun, ...goodRun]);
});

pageTest("a source of the app's own streams through the same events, and what it throws ends the run", async ({ page }) => {
  const lines = await page.evaluate(async () => {
    let calls = 0;
    const agent = newAgent({ id: "mine", api: "my-own" }, {
      async *streamFn(model, { messages }) {
        if (++calls === 2) throw new Error("no more");
        const message = (text) => ({
          role: "assistant", content: text === undefined ? [] : [{ type: "text", text }], api: model.api, provider: "mine", model: model.id,
          usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } },
          stopReason: "stop", timestamp: 0,
        });
        yield { type: "start", partial: message() };
        yield { type: "text_start", contentIndex: 0, partial: message("") };
        yield { type: "text_delta", contentIndex: 0, delta: "Fine.", partial: message("Fine.") };
        yield { type: "text_end", contentIndex: 0, content: "Fine.", partial: message("Fine.") };
        yield { type: "done", reason: "stop", message: message("Fine.") };
      },
    });
    const recording = record(agent);
    await agent.prompt("1");
    await agent.prompt("2");
    return recording.lines;
  });
  assert.deepEqual(lines, [
    ...goodRun, ...started, "message_end assistant error (stream_fn)", "turn_end error, 0 results", "agent_end error: user, assistant",
  ]);
});

pageTest("messages of the app's own are events and transcript, and models get what convertToLlm makes of them", async ({ page, provider }) => {
  provider.answer(answer("Fine."));
  const result = await page.evaluate(async (model) => {
    const note = { role: "note", text: "Remember", file: new File(["x"], "x.txt"), act: () => 1 };
    const agent = newAgent(model, {
      convertToLlm: (messages) => messages.map((message) => (message.role === "note" ? { role: "user", content: `Note: ${message.text}`, timestamp: 0 } : message)),
    });
    const recording = record(agent);
    await agent.prompt([note, { role: "user", content: "Go", timestamp: 0 }]);
    return { lines: recording.lines, same: agent.state.messages[0] === note };
  }, provider.model);
  assert.deepEqual(result.lines, [
    "agent_start", "turn_start", "message_start note", "message_end note", ...goodRun.slice(2, -1), "agent_end done: note, user, assistant",
  ]);
  assert.equal(result.same, true);
  assert.deepEqual(provider.requests[0].body.messages.map(({ content }) => content), ["Note: Remember", "Go"]);
});

pageTest("everything the package exports has a camelCase name", async ({ page }) => {
  const names = await page.evaluate(() => [
    ...Object.keys(sluice), ...Object.getOwnPropertyNames(sluice.Agent.prototype), ...Object.keys(new sluice.Agent().state),
  ]);
  // wasm-bindgen's own begin with two underscores.
  assert.deepEqual(names.filter((name) => !/^(__\w+|[a-zA-Z][a-zA-Z0-9]*)$/.test(name)), []);
});

pageTest("an agent is free while it runs: all that it offers works in every callback", async ({ page, provider }) => {
  provider.answer([call(0, { id: "call_1", name: "step", args: "{}" }), finish("tool_calls"), done].join(""), answer("Fine."));
  const result = await page.evaluate(async (model) => {
    const faults = [];
    const places = new Set();
    const busy = [];
    const used = new Set();
    const note = { role: "note" };
    const message = { role: "user", content: "Wait", timestamp: 0 };
    // Each member once, with what it must do there and then.
    const members = {
      state: (where) => agent.state.isStreaming === (where !== "agent_end"),
      signal: () => agent.signal instanceof AbortSignal,
      store: () => {
        const { isStreaming, messages } = agent.store.getSnapshot();
        return isStreaming === agent.state.isStreaming && messages.length === agent.state.messages.length && messages.every((message, index) => message === agent.state.messages[index]);
      },
      toJSON: () => JSON.parse(JSON.stringify(agent)).messages.length >= agent.state.messages.length,
      pendingApprovals: () => Array.isArray(agent.pendingApprovals),
      subscribe: () => agent.subscribe(() => {}, { coalesce: 1 })() === undefined,
      events: () => agent.events().return() instanceof Promise,
      setTools: () => (agent.setTools([step]), agent.state.tools[0] === step),
      setModel: () => (agent.setModel({ ...model }), agent.state.model.id === model.id),
      setSystemPrompt: () => (agent.setSystemPrompt("Brief."), agent.state.systemPrompt === "Brief."),
      setThinkingLevel: () => (agent.setThinkingLevel("low"), agent.state.thinkingLevel === "low"),
      setSteeringMode: () => (agent.setSteeringMode("all"), agent.toJSON().steeringMode === "all"),
      setFollowUpMode: () => (agent.setFollowUpMode("all"), agent.toJSON().followUpMode === "all"),
      setInterruptMode: () => (agent.setInterruptMode("wait"), agent.toJSON().interruptMode === "wait"),
      steer: () => (agent.steer(message), agent.peekQueuedMessages().steering.at(-1) === message),
      clearSteeringQueue: () => (agent.clearSteeringQueue(), agent.peekQueuedMessages().steering.length === 0),
      followUp: () => (agent.followUp(message), agent.peekQueuedMessages().followUp.at(-1) === message),
      clearFollowUpQueue: () => (agent.clearFollowUpQueue(), agent.peekQueuedMessages().followUp.length === 0),
      hasQueuedMessages: () => agent.hasQueuedMessages() === false,
      peekQueuedMessages: () => agent.peekQueuedMessages().steering.length === 0,
      clearAllQueues: () => (agent.steer(message), agent.clearAllQueues(), !agent.hasQueuedMessages()),
      appendMessage: () => (agent.appendMessage(note), agent.store.getSnapshot().messages.at(-1) === note),
      popMessage: () => agent.popMessage() === note && agent.store.getSnapshot().messages.at(-1) !== note,
      clearMessages: () => ((kept = agent.state.messages), agent.clearMessages(), agent.state.messages.length === 0),
      replaceMessages: () => (agent.replaceMessages(kept), agent.state.messages.every((message, index) => message === kept[index])),
      approveToolCall: () => refuses(() => agent.approveToolCall("x"), "invalid_argument"),
      denyToolCall: () => refuses(() => agent.denyToolCall("x"), "invalid_argument"),
      waitForIdle: () => agent.waitForIdle() instanceof Promise,
      prompt: () => busy.push(failureOf(() => agent.prompt("again"))),
      continue: () => busy.push(failureOf(() => agent.continue())),
      retry: () => busy.push(failureOf(() => agent.retry())),
    };
    let kept;
    const refuses = (call, code) => {
      try {
        call();
      } catch (error) {
        return error.code === code;
      }
      return false;
    };
    const touch = (where) => {
      places.add(where);
      for (const [name, use] of Object.entries(members)) {
        used.add(name);
        try {
          if (!use(where)) faults.push(`${name} in ${where}`);
        } catch (error) {
          faults.push(`${name} in ${where}: ${error}`);
        }
      }
    };
    const hooked = (name, result) => (argument) => (touch(name), result === undefined ? argument : result);
    const step = newTool("step", (_params, _signal, onUpdate) => (touch("tool"), onUpdate({ content: [] }), "done"), {
      prepareArguments: hooked("prepareArguments"), validate: hooked("validate"), needsApproval: hooked("needsApproval", false),
    });
    const agent = newAgent(model, {
      tools: [step],
      convertToLlm: hooked("convertToLlm"),
      transformContext: hooked("transformContext"),
      prepareRequest: hooked("prepareRequest", null),
      finishTurn: hooked("finishTurn", null),
      beforeToolCall: hooked("beforeToolCall", null),
      afterToolCall: hooked("afterToolCall", null),
      getApiKey: hooked("getApiKey", "key"),
      onPayload: hooked("onPayload"),
      onResponse: hooked("onResponse", null),
      fetch: (url, init) => (touch("fetch"), fetch(url, init)),
    });
    agent.subscribe(({ type }) => touch(type));
    // What is tried there changes the store again: once is enough.
    agent.store.subscribe(() => agent.state.isStreaming && !places.has("store") && touch("store"));
    const running = agent.prompt("Go");
    touch("behind prompt");
    await running;
    const { prototype } = sluice.Agent;
    const all = [prototype, Object.getPrototypeOf(prototype)].flatMap((level) => Object.getOwnPropertyNames(level));
    const unused = all.filter((name) => !used.has(name) && !name.startsWith("__"));
    const codes = new Set((await Promise.all(busy)).map(({ isError, code }) => isError && code));
    return { faults, places: [...places].sort(), codes: [...codes], unused: [...new Set(unused)].sort(), last: agent.state.messages.at(-1).content[0].text };
  }, provider.model);
  assert.deepEqual(result.faults, []);
  assert.deepEqual(result.codes, ["busy"]);
  assert.equal(result.last, "Fine.");
  // What ends the run, or the agent, is tried by itself.
  assert.deepEqual(result.unused, ["abort", "constructor", "free", "reset"]);
  assert.deepEqual(result.places, [
    "afterToolCall", "agent_end", "agent_start", "beforeToolCall", "behind prompt", "convertToLlm", "fetch", "finishTurn", "getApiKey", "message_end", "message_start",
    "message_update", "needsApproval", "onPayload", "onResponse", "prepareArguments", "prepareRequest", "store", "tool", "tool_execution_end", "tool_execution_start",
    "tool_execution_update", "transformContext", "turn_end", "turn_start", "validate",
  ]);
});

pageTest("what a listener throws goes to reportError, and neither the run nor other listeners notice", async ({ page, provider }) => {
  provider.answer(answer("Fine."));
  const result = await page.evaluate(async (model) => {
    const reported = [];
    globalThis.reportError = (error) => reported.push(error.message);
    const agent = newAgent(model);
    agent.subscribe(({ type }) => {
      if (type === "message_update") throw new Error("sync");
    });
    agent.subscribe(async ({ type }) => {
      if (type === "agent_end") throw new Error("async");
    });
    const recording = record(agent);
    await agent.prompt("Go");
    return { lines: recording.lines, reported };
  }, provider.model);
  assert.deepEqual(result, { lines: goodRun, reported: ["sync", "sync", "sync", "async"] });
});

pageTest("an agent that a UI library has wrapped in proxies does all that it does otherwise", async ({ page }) => {
  const result = await page.evaluate(async () => {
    const wrap = (object) => new Proxy(object, {
      get(target, key, receiver) {
        const value = Reflect.get(target, key, receiver);
        return typeof value === "object" && value !== null ? wrap(value) : value;
      },
    });
    const agent = wrap(scriptedAgent([{ text: "Fine." }]));
    const types = [];
    agent.subscribe(({ type }) => types.push(type));
    await agent.prompt("Go");
    const text = agent.state.messages[1].content[0].text;
    const { store } = agent;
    const isOne = store === agent.store || store.getSnapshot === agent.store.getSnapshot;
    const shown = store.getSnapshot().messages.length;
    agent.setSteeringMode("all");
    agent.setFollowUpMode("all");
    agent.setInterruptMode("wait");
    const session = agent.toJSON();
    const events = agent.events();
    await events.return();
    agent.free();
    const freed = [agent.state.messages.length, agent.store.getSnapshot().messages.length, (await failureOf(() => agent.steer("x"))).code];
    return { text, isOne, shown, session: [session.messages.length, session.steeringMode, session.interruptMode], last: types.at(-1), freed };
  });
  assert.deepEqual(result, {
    text: "Fine.", isOne: true, shown: 2, session: [2, "all", "wait"], last: "agent_end", freed: [2, 2, "freed"],
  });
});

pageTest("what a freed agent has said can be read, and nothing is under way in it; whoever draws it notices nothing", async ({ page }) => {
  const result = await page.evaluate(async () => {
    const agent = scriptedAgent([{ toolCalls: [{ id: "call_1", name: "ask" }] }], { tools: [newTool("ask", () => "Never.", { needsApproval: true })] });
    agent.followUp("Later");
    const draw = () => ({ messages: agent.state.messages.length, isStreaming: agent.store.getSnapshot().isStreaming, pending: agent.pendingApprovals, queued: agent.hasQueuedMessages(), all: agent.peekQueuedMessages().followUp.length, signal: typeof agent.signal, session: agent.toJSON().messages.length });
    const drawn = [];
    agent.store.subscribe(() => drawn.push(draw()));
    const asked = seen(agent, ({ type }) => type === "tool_approval_request");
    const run = agent.prompt("Go");
    await asked;
    const before = draw();
    agent.free();
    await run;
    agent.abort();
    agent.free();
    // A store may be asked for as late as that.
    const other = scriptedAgent([{ text: "Fine." }]);
    await other.prompt("Go");
    other.free();
    const uses = ["prompt", "continue", "retry", "waitForIdle", "steer", "followUp", "events", "reset", "approveToolCall", "denyToolCall", "setModel", "clearMessages"];
    const codes = await Promise.all(uses.map((name) => failureOf(() => agent[name]("x")).then(({ code }) => code)));
    return { before, last: drawn.at(-1), after: draw(), late: other.store.getSnapshot().messages.length, codes: [...new Set(codes)] };
  });
  const after = { messages: 3, isStreaming: false, pending: [], queued: true, all: 1, signal: "undefined", session: 3 };
  assert.deepEqual(result, { before: { messages: 2, isStreaming: true, pending: ["call_1"], queued: true, all: 1, signal: "object", session: 2 }, last: after, after, late: 2, codes: ["freed"] });
});

pageTest("free() of an agent that is frozen, or readonly to whoever has it, ends it like any other", async ({ page }) => {
  const result = await page.evaluate(async () => {
    const readonly = (object) => new Proxy(object, { set: () => false, defineProperty: () => false, deleteProperty: () => false, get: (target, key) => (typeof target[key] === "object" && target[key] !== null ? readonly(target[key]) : target[key]) });
    const found = [];
    for (const guard of [Object.freeze, readonly]) {
      const agent = guard(scriptedAgent([{ toolCalls: [{ name: "hang" }] }], { tools: [newTool("hang", () => new Promise(() => {}))] }));
      const { reason } = await new Promise((resolve) => {
        agent.subscribe((event) => {
          if (event.type === "tool_execution_start") agent.free();
          if (event.type === "agent_end") resolve(event);
        });
        agent.prompt("Go");
      });
      found.push([reason, (await failureOf(() => agent.steer("x"))).code, agent.state.isStreaming]);
    }
    return found;
  });
  assert.deepEqual(result, [["aborted", "freed", false], ["aborted", "freed", false]]);
});

pageTest("a method that was given away without its agent says how to give it", async ({ page }) => {
  const result = await page.evaluate(async () => {
    const agent = scriptedAgent([]);
    const found = {};
    for (const name of ["abort", "prompt", "steer", "subscribe", "free", "approveToolCall"]) {
      const { [name]: method } = agent;
      const button = { onclick: method };
      for (const use of [() => method(() => {}), () => button.onclick(() => {})]) {
        const { code, message } = await failureOf(use);
        found[`${code} ${message.replaceAll(name, "NAME")}`] = (found[`${code} ${message.replaceAll(name, "NAME")}`] ?? 0) + 1;
      }
    }
    return found;
  });
  assert.deepEqual(result, { "invalid_argument NAME() was called without its agent: give () => agent.NAME() in place of agent.NAME.": 12 });
});

pageTest("a freed agent ends its run, and other agents go on", async ({ page, provider }) => {
  provider.answer({ body: answer("Half", " never"), stallAt: text("Half").length }, answer("Fine."));
  const result = await page.evaluate(async (model) => {
    const agent = newAgent(model);
    const other = newAgent(model);
    const lines = [];
    agent.subscribe((event) => lines.push(outline(event)));
    const running = agent.prompt("Go");
    await seen(agent, ({ assistantMessageEvent }) => assistantMessageEvent?.type === "text_delta");
    agent.free();
    await running;
    agent.free();
    agent[Symbol.dispose]?.();
    // By rejecting, not by throwing.
    const failure = await agent.prompt("again").catch(({ name, code }) => [name, code]);
    const refused = await failureOf(() => agent.steer("again"));
    await other.prompt("Go");
    return { lines, failure, refused, other: other.state.messages.length };
  }, provider.model);
  assert.deepEqual(result.lines, [
    ...started, "text_start 0", "text_delta 0 Half", "text_end 0 Half", "message_end assistant aborted (aborted)",
    "turn_end aborted, 0 results", "agent_end aborted: user, assistant",
  ]);
  assert.deepEqual([result.failure, result.refused.code], [["SluiceError", "freed"], "freed"]);
  assert.equal(result.other, 2);
  assert.equal(await provider.requests[0].outcome, "cancelled");
});

pageTest("a body without an async iterator is read, as in WebKit", async ({ page, provider }) => {
  provider.answer(answer("Fine."));
  const lines = await page.evaluate(async (model) => {
    delete ReadableStream.prototype[Symbol.asyncIterator];
    delete ReadableStream.prototype.values;
    const agent = newAgent(model);
    const recording = record(agent);
    await agent.prompt("Go");
    return recording.lines;
  }, provider.model);
  assert.deepEqual(lines, goodRun);
});

pageTest("a hidden page gets every event: nothing waits for a frame", async ({ page, provider }) => {
  provider.answer(answer("Fine."));
  const lines = await page.evaluate(async (model) => {
    globalThis.requestAnimationFrame = () => 0;
    Object.defineProperty(document, "hidden", { value: true });
    Object.defineProperty(document, "visibilityState", { value: "hidden" });
    const agent = newAgent(model);
    const recording = record(agent);
    await agent.prompt("Go");
    return recording.lines;
  }, provider.model);
  assert.deepEqual(lines, goodRun);
});

pageTest("arguments and results are plain values with the order, names and numbers they came with", async ({ page, provider }) => {
  const args = '{"z":1,"a":{"y":2,"b":[3,{"__proto__":{"admin":true},"c":null}]},"big":9007199254740993,"half":0.5,"💡":"\\ud83d\\ude00","10":true}';
  provider.answer([call(0, { id: "call_1", name: "keep", args }), finish("tool_calls"), done].join(""), answer("Fine."));
  const result = await page.evaluate(async (model) => {
    let kept;
    const details = { when: new Date(0), map: new Map([[1, 2]]), list: [1, undefined, null], fn: () => 1 };
    const keep = newTool("keep", (params) => ((kept = params), { content: [{ type: "text", text: "kept" }], details }));
    const agent = newAgent(model, { tools: [keep] });
    const recording = record(agent);
    const message = { role: "user", content: "Go", timestamp: 1, mine: { deep: [undefined] }, nothing: undefined };
    await agent.prompt(message);
    const end = recording.events.find(({ type }) => type === "tool_execution_end");
    const toolResult = agent.state.messages.find(({ role }) => role === "toolResult");
    return {
      kept: JSON.stringify(kept), shown: JSON.stringify(recording.events.find(({ type }) => type === "tool_execution_start").args),
      own: Object.getOwnPropertyNames(kept.a.b[1]), admin: {}.admin, plain: Object.getPrototypeOf(kept) === Object.prototype && Array.isArray(kept.a.b),
      same: [agent.state.messages[0] === message, end.result.details === details, toolResult.details === details],
    };
  }, provider.model);
  const expected = JSON.stringify(JSON.parse(args));
  assert.equal(result.shown, expected);
  assert.equal(result.kept, expected);
  assert.deepEqual([result.own, result.admin, result.plain, result.same], [["__proto__", "c"], undefined, true, [true, true, true]]);
  assert.deepEqual(JSON.parse(provider.requests[1].body.messages[1].tool_calls[0].function.arguments), JSON.parse(args));
});

pageTest("a message of 200,000 deltas arrives whole, an early event still shows its own text, and wasm memory stays", async ({ page, provider }) => {
  const result = await page.evaluate(async (model) => {
    const count = 200_000;
    const encoder = new TextEncoder();
    const frame = (index) => `data: {"choices":[{"index":0,"delta":{"content":"word ${index % 10} "},"finish_reason":null}]}\n\n`;
    const end = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
    const respond = (count) => {
      let sent = 0;
      const pull = (controller) => {
        let text = "";
        for (const until = Math.min(sent + 8, count); sent < until; sent++) text += frame(sent);
        controller.enqueue(encoder.encode(sent < count ? text : text + end));
        if (sent >= count) controller.close();
      };
      return new Response(new ReadableStream({ pull }), { headers: { "content-type": "text/event-stream" } });
    };
    const run = async (count) => {
      const agent = newAgent(model, { fetch: async () => respond(count) });
      let deltas = 0, length = 0, early, last;
      agent.subscribe(({ type, message, assistantMessageEvent: event }) => {
        if (type !== "message_update" || event.type !== "text_delta") return;
        length += event.delta.length;
        if (++deltas === 1000) early = message;
        if (last !== undefined && last.content === message.content) throw new Error("the content is the old array");
        last = message;
      });
      await agent.prompt("Go");
      const [{ text }] = agent.state.messages[1].content;
      return { deltas, length, text: text.length, early: early.content[0].text.length, end: text.slice(-14), bytes: memory.buffer.byteLength };
    };
    const short = await run(2_000);
    return { short, long: await run(count) };
  }, provider.model);
  const { short, long } = result;
  assert.deepEqual([short.deltas, short.length, short.text, short.early], [2_000, 14_000, 14_000, 7_000]);
  assert.deepEqual([long.deltas, long.length, long.text, long.early], [200_000, 1_400_000, 1_400_000, 7_000]);
  assert.equal(long.end, "word 8 word 9 ");
  assert.equal(long.bytes, short.bytes);
});
