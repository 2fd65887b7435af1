// The store of an agent: a snapshot that is the same object until something changes, and is told when it does.
import assert from "node:assert/strict";
import { browserTests } from "./browser.mjs";

const pageTest = browserTests();

pageTest("a run is seen step by step, and every step is told once", async ({ page }) => {
  const steps = await page.evaluate(async () => {
    const agent = scriptedAgent([{ text: "Let me see.", toolCalls: [{ id: "call_1", name: "look", arguments: { at: "x" } }] }, { text: "Fine." }], {
      tools: [newTool("look", (_params, _signal, onUpdate) => (onUpdate({ content: [{ type: "text", text: "half" }] }), "all"))],
    });
    const steps = [];
    let told = 0;
    agent.store.subscribe(() => told++);
    agent.subscribe(({ type }) => {
      if (type === "message_update") return;
      const { messages, streamMessage, isStreaming, pendingToolCalls, toolExecutions } = agent.store.getSnapshot();
      const call = toolExecutions.call_1;
      steps.push([
        type, told, messages.length, streamMessage?.role ?? "-", isStreaming, [...pendingToolCalls].join(),
        call === undefined ? "-" : [call.toolName, call.args.at, call.status, call.partialResult?.content[0].text, call.result?.content[0].text].filter(Boolean).join(" "),
      ].join(" | "));
      told = 0;
    });
    await agent.prompt("Go");
    return steps;
  });
  const none = "-";
  assert.deepEqual(steps.filter((step) => !step.startsWith("message_end assistant")), [
    `agent_start | 1 | 0 | - | true |  | ${none}`,
    `turn_start | 0 | 0 | - | true |  | ${none}`,
    `message_start | 0 | 0 | - | true |  | ${none}`,
    `message_end | 1 | 1 | - | true |  | ${none}`,
    `message_start | 1 | 1 | assistant | true |  | ${none}`,
    ...steps.slice(5, 6),
    "tool_execution_start | 1 | 2 | - | true | call_1 | look x running",
    "tool_execution_update | 1 | 2 | - | true | call_1 | look x running half",
    "tool_execution_end | 1 | 2 | - | true |  | look x done all",
    "message_start | 0 | 2 | - | true |  | look x done all",
    "message_end | 1 | 3 | - | true |  | look x done all",
    "turn_end | 0 | 3 | - | true |  | look x done all",
    "turn_start | 0 | 3 | - | true |  | look x done all",
    "message_start | 1 | 3 | assistant | true |  | look x done all",
    ...steps.slice(14, 15),
    "turn_end | 0 | 4 | - | true |  | look x done all",
    "agent_end | 1 | 4 | - | false |  | look x done all",
  ]);
  assert.match(steps[5], /^message_end \| \d+ \| 2 \| - \| true \|  \| look x pending$/);
  assert.match(steps[14], /^message_end \| \d+ \| 4 \| - \| true \|  \| look x done all$/);
});

pageTest("what does not change keeps its identity while a message streams", async ({ page }) => {
  const seen = await page.evaluate(async () => {
    const agent = scriptedAgent([{ toolCalls: [{ id: "call_1", name: "look" }, { id: "call_2", name: "look" }] }, { text: "one two three four five six" }], {
      tools: [newTool("look", () => "ok")],
    });
    const { subscribe, getSnapshot } = agent.store;
    const snapshots = [getSnapshot()];
    subscribe(() => snapshots.push(getSnapshot()));
    const faults = [];
    agent.subscribe(() => {
      if (getSnapshot() !== getSnapshot()) faults.push("two snapshots of one state");
      if (getSnapshot() !== snapshots.at(-1)) faults.push("a snapshot that was not told");
      if (getSnapshot().messages !== agent.state.messages && agent.state.messages.length > 0) faults.push("other messages than the state's");
    });
    await agent.prompt("Go");
    const streaming = snapshots.filter(({ streamMessage, messages }) => streamMessage !== null && messages.length === 4);
    const parts = ["messages", "pendingToolCalls", "toolExecutions"].filter((part) => new Set(streaming.map((snapshot) => snapshot[part])).size !== 1);
    // Each call's execution changes only by its own events: pending, running, done.
    const executions = ["call_1", "call_2"].map((id) => new Set(snapshots.map(({ toolExecutions }) => toolExecutions[id])).size);
    return { faults, length: new Set(snapshots).size === snapshots.length, streaming: streaming.length, messages: new Set(streaming.map(({ streamMessage }) => streamMessage)).size, parts, executions };
  });
  assert.deepEqual(seen, { faults: [], length: true, streaming: seen.streaming, messages: seen.streaming, parts: [], executions: [4, 4] });
  assert.ok(seen.streaming > 4, `${seen.streaming} snapshots of the stream`);
});

for (const [what, told] of [
  ["appendMessage", [3]],
  ["popMessage", [1]],
  ["clearMessages", [0]],
  ["replaceMessages", [0]],
  ["reset", [0]],
  ["three changes in a row", [1]],
  ["a setter of what it does not show", []],
  ["a refused call", []],
]) {
  pageTest(`outside a run subscribers are told once: ${what}`, async ({ page }) => {
    const result = await page.evaluate(async (what) => {
      const change = {
        appendMessage: () => agent.appendMessage({ role: "user", content: "3", timestamp: 0 }),
        popMessage: () => agent.popMessage(),
        clearMessages: () => agent.clearMessages(),
        replaceMessages: () => agent.replaceMessages([]),
        reset: () => agent.reset(),
        "three changes in a row": () => (agent.popMessage(), agent.popMessage(), agent.appendMessage({ role: "note" })),
        "a setter of what it does not show": () => agent.setSystemPrompt("x"),
        "a refused call": () => failureOf(() => agent.appendMessage(5)),
      }[what];
      const messages = ["1", "2"].map((content) => ({ role: "user", content, timestamp: 0 }));
      const agent = scriptedAgent([], { messages });
      const before = agent.store.getSnapshot();
      const told = [];
      agent.store.subscribe(() => told.push(agent.store.getSnapshot().messages.length));
      change();
      const atOnce = agent.store.getSnapshot();
      const toldAtOnce = told.length;
      await Promise.resolve();
      return { told, toldAtOnce, isSame: before === atOnce, isKept: atOnce === agent.store.getSnapshot(), isState: atOnce.messages === agent.state.messages };
    }, what);
    assert.deepEqual(result, { told, toldAtOnce: 0, isSame: told.length === 0, isKept: true, isState: true });
  });
}

pageTest("clearing what is empty is no change", async ({ page }) => {
  const told = await page.evaluate(async () => {
    const agent = scriptedAgent([]);
    let told = 0;
    agent.store.subscribe(() => told++);
    const before = agent.store.getSnapshot();
    agent.reset();
    agent.replaceMessages([]);
    await Promise.resolve();
    return [told, before === agent.store.getSnapshot()];
  });
  assert.deepEqual(told, [0, true]);
});

pageTest("the store is there for what happened before it was asked for", async ({ page }) => {
  const result = await page.evaluate(async () => {
    const call = (id) => ({ type: "toolCall", id, name: "look", arguments: { id } });
    const answer = (...content) => ({ role: "assistant", content, stopReason: "toolUse", timestamp: 0 });
    const result = (toolCallId, isError) => ({ role: "toolResult", toolCallId, toolName: "look", content: [{ type: "text", text: toolCallId }], details: 1, isError, timestamp: 0 });
    // The id of the first call comes again later: the later one counts.
    const messages = [answer(call("a"), call("b")), result("a", false), result("b", true), answer(call("a"), call("constructor"), call("__proto__"))];
    const { toolExecutions } = scriptedAgent([], { messages }).store.getSnapshot();
    return Object.entries(toolExecutions);
  });
  assert.deepEqual(result, [
    ["a", { toolName: "look", args: { id: "a" }, status: "pending" }],
    ["b", { toolName: "look", args: { id: "b" }, status: "error", result: { content: [{ type: "text", text: "b" }], details: 1 } }],
    ["constructor", { toolName: "look", args: { id: "constructor" }, status: "pending" }],
    ["__proto__", { toolName: "look", args: { id: "__proto__" }, status: "pending" }],
  ]);
});

pageTest("executions are those of the transcript: a reset in the middle of a run leaves none, and none come back", async ({ page }) => {
  const result = await page.evaluate(async () => {
    const agent = scriptedAgent([{ toolCalls: [{ id: "call_1", name: "wait" }] }], { tools: [newTool("wait", () => new Promise(() => {}))] });
    const started = seen(agent, ({ type }) => type === "tool_execution_start");
    const { getSnapshot } = agent.store;
    const run = agent.prompt("Go");
    await started;
    const during = Object.keys(getSnapshot().toolExecutions);
    agent.reset();
    const after = getSnapshot();
    await run;
    const { messages, toolExecutions, isStreaming, streamMessage } = getSnapshot();
    return { during, after: [after.messages, after.toolExecutions], end: [messages, toolExecutions, isStreaming, streamMessage] };
  });
  assert.deepEqual(result, { during: ["call_1"], after: [[], {}], end: [[], {}, false, null] });
});

pageTest("a failed run shows its error, and the next run forgets it", async ({ page }) => {
  const shown = await page.evaluate(async () => {
    const agent = scriptedAgent([{ error: { message: "No.", status: 400 } }, { text: "Fine." }]);
    const shown = [];
    agent.store.subscribe(() => {
      const { error, isStreaming } = agent.store.getSnapshot();
      const line = `${"error" in agent.store.getSnapshot()} ${error !== undefined} ${isStreaming}`;
      if (line !== shown.at(-1)) shown.push(line);
    });
    await agent.prompt("Go");
    await agent.retry();
    return shown;
  });
  assert.deepEqual(shown, ["false false true", "true true true", "true true false", "false false true", "false false false"]);
});

pageTest("behind a run the snapshot is idle, and whoever subscribed knows", async ({ page }) => {
  const result = await page.evaluate(async () => {
    const agent = scriptedAgent([{ text: "1" }, { text: "2" }]);
    let last = agent.store.getSnapshot();
    agent.store.subscribe(() => (last = agent.store.getSnapshot()));
    const seen = [];
    for (const text of ["a", "b"]) {
      await agent.prompt(text);
      seen.push([last.isStreaming, last === agent.store.getSnapshot(), last.messages.length]);
    }
    return seen;
  });
  assert.deepEqual(result, [[false, true, 2], [false, true, 4]]);
});

pageTest("a subscriber that throws is reported and harms nobody, and one that left is not told", async ({ page }) => {
  const result = await page.evaluate(async () => {
    const errors = [];
    addEventListener("error", (event) => (event.preventDefault(), errors.push(event.message)));
    const agent = scriptedAgent([{ text: "Fine." }]);
    const other = scriptedAgent([{ text: "Fine." }]);
    const told = { same: 0, left: 0, leftMeanwhile: 0, other: 0 };
    const same = () => told.same++;
    agent.store.subscribe(() => { throw new Error("broken subscriber"); });
    const [once, twice] = [agent.store.subscribe(same), agent.store.subscribe(same)];
    agent.store.subscribe(() => told.left++)();
    agent.store.subscribe(() => leaveMeanwhile());
    const leaveMeanwhile = agent.store.subscribe(() => told.leftMeanwhile++);
    other.store.subscribe(() => told.other++);
    agent.appendMessage({ role: "note" });
    await Promise.resolve();
    once();
    once();
    agent.appendMessage({ role: "note" });
    await Promise.resolve();
    twice();
    agent.appendMessage({ role: "note" });
    await Promise.resolve();
    await agent.prompt("Go");
    const isOne = agent.store === agent.store && agent.store !== other.store;
    const reported = errors.length;
    return { told, isOne, reported: reported > 3 && errors.every((text) => text.includes("broken subscriber")), end: agent.state.messages.at(-1).stopReason, wrong: await failureOf(() => agent.store.subscribe("x")) };
  });
  assert.deepEqual(result, {
    told: { same: 3, left: 0, leftMeanwhile: 0, other: 0 }, isOne: true, reported: true, end: "stop",
    wrong: { isError: true, name: "SluiceError", code: "invalid_argument", message: 'subscriber must be a function, but is the string "x".' },
  });
});

pageTest("an agent that is dropped is garbage, with its store, its coalesced listeners and its past runs", async ({ page }) => {
  await page.evaluate(async () => {
    globalThis.dropped = [];
    globalThis.kept = [];
    for (let count = 0; count < 5; count++) {
      const agent = scriptedAgent([{ text: "Fine." }]);
      agent.store.subscribe(() => {});
      agent.subscribe(() => {}, { coalesce: "frame" });
      sluice.recordEvents(agent);
      agent.events();
      await agent.prompt("Go");
      JSON.stringify(agent);
      dropped.push(new WeakRef(agent));
      kept.push(agent.store);
    }
    kept.length = 0;
  });
  const client = await page.context().newCDPSession(page);
  let left;
  for (let tries = 0; tries < 20 && left !== 0; tries++) {
    await client.send("HeapProfiler.collectGarbage");
    left = await page.evaluate(() => new Promise((resolve) => setTimeout(() => resolve(dropped.filter((reference) => reference.deref() !== undefined).length), 50)));
  }
  assert.equal(left, 0);
});
