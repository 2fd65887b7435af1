// A module that fails in the middle of its work: nothing waits for ever, and the page goes on with a new instance of it.
import assert from "node:assert/strict";
import { browserTests } from "./browser.mjs";
import { answer, text } from "./streams.mjs";

const pageTest = browserTests();
const start = { start: "crash.html" };

const PLACES = [
  "a poll", "a poll, behind a listener that hides what its own call was told", "a method", "a method that returns a promise", "the constructor",
  "agentLoop()", "a callback of the network", "a timer", "a function that a tool was given", "an abort event",
  "its own memory, which something has overwritten", "a stack that is full",
];
const WAITING = [
  "events() of an idle agent", "prompt() in a tool", "waitForIdle()", "events() of a run", "prompt() in an approval",
  "prompt() before another try", "prompt() in a listener", "continue() in a hook", "retry() in a hook", "streamSimple, the next event",
  "streamSimple, the result", "agentLoop, iterated", "agentLoop, the result", "agentLoopContinue, iterated", "complete()",
];
const asked = ["agent_start", "turn_start", "message_start user", "message_end user", "message_start assistant"];
const TWO_TURNS = [
  ...asked, "toolcall_start 0", "toolcall_delta 0 {}", "toolcall_end 0 look {}", "message_end assistant toolUse", "tool_execution_start call_1 look {}",
  "tool_execution_end call_1 Nothing.", "message_start toolResult", "message_end toolResult call_1 Nothing.", "turn_end toolUse, 1 results",
  "turn_start", "message_start assistant", "text_start 0", "text_delta 0 Fine.", "text_end 0 Fine.", "message_end assistant stop", "turn_end stop, 0 results",
  "agent_end done: user, assistant, toolResult, assistant",
];

/** A provider on which everything waits. */
function stalled(provider) {
  const half = { body: answer("Half", " never"), stallAt: text("Half").length };
  provider.answer(half, { noHeaders: true }, { noHeaders: true });
  return provider.model;
}

/** What the page's console is told. */
function errorsOf(page) {
  const errors = [];
  page.on("console", (message) => message.type() === "error" && !message.text().includes("503") && errors.push(message.text()));
  return errors;
}

for (const place of PLACES) {
  pageTest(`a trap in ${place} rejects all that waits, is logged, and new agents work; so does a second one`, async ({ page, server }) => {
    const errors = errorsOf(page);
    for (const round of [1, 2]) {
      const [provider, busy] = [server.provider(), server.provider()];
      busy.answer({ status: 503, type: "text/plain", body: "Busy." });
      await page.evaluate(async (models) => { globalThis.waiting = await waitingForAll(models); }, { model: stalled(provider), busy: busy.model });
      await provider.request(2);
      const found = await page.evaluate(async (place) => {
        const { signals, outcomes, agents } = waiting;
        const before = performance.now();
        const told = await places[place]();
        const waited = await outcomes();
        const ms = performance.now() - before;
        return { told, waited, ms, signals: Object.entries(signals).map(([name, { reason }]) => [name, reason?.code]), next: await twoTurns(), old: Object.values(agents).map(({ state }) => state.isStreaming) };
      }, place);
      assert.equal(found.told, "crashed");
      assert.deepEqual(found.waited, Object.fromEntries(WAITING.map((name) => [name, "crashed"])));
      assert.ok(found.ms < 1_900, `${found.ms} ms`);
      assert.deepEqual(found.signals, [["run", "crashed"], ["tool", "crashed"]]);
      assert.deepEqual(found.next, { lines: TWO_TURNS, faults: [] });
      assert.deepEqual(await Promise.all(provider.requests.map(({ outcome }) => outcome)), Array(3).fill("cancelled"));
      assert.equal(errors.length, round, errors.join("\n"));
      assert.match(errors.at(-1), /module of sluice-agent failed.*Make new agents.*report this[^]*Error: /);
    }
  }, start);
}

pageTest("of an agent whose module crashed, what was said can be read and gone on with; the rest says what happened", async ({ page }) => {
  const errors = errorsOf(page);
  const found = await page.evaluate(async () => {
    const tools = [newTool("look", () => "Nothing."), newTool("hang", () => new Promise(() => {}))];
    const agent = scriptedAgent([{ text: "One." }, { toolCalls: [{ id: "call_2", name: "hang" }] }], { tools });
    const { store } = agent;
    const told = [];
    store.subscribe(() => told.push(store.getSnapshot().error));
    await agent.prompt("1");
    const started = seen(agent, ({ type }) => type === "tool_execution_start");
    agent.prompt("2").catch(() => {});
    await started;
    agent.steer("3");
    agent.followUp("4");
    await places["a method"]();
    await new Promise((resolve) => setTimeout(resolve));
    const refused = {};
    const uses = {
      steer: () => agent.steer("x"), followUp: () => agent.followUp("x"), reset: () => agent.reset(), setModel: () => agent.setModel({ id: "m", api: "script" }),
      subscribe: () => agent.subscribe(() => {}), events: () => agent.events(), approveToolCall: () => agent.approveToolCall("x"),
      prompt: () => agent.prompt("x"), continue: () => agent.continue(), retry: () => agent.retry(), waitForIdle: () => agent.waitForIdle(),
    };
    for (const [name, use] of Object.entries(uses)) refused[name] = (await failureOf(use)).code;
    const { messages, isStreaming, error } = agent.state;
    const read = { roles: messages.map(({ role }) => role), isStreaming, error, signal: agent.signal, waits: [agent.hasQueuedMessages(), agent.pendingApprovals, ...Object.values(agent.peekQueuedMessages()).map((messages) => messages.map(({ content }) => content[0].text))], running: store.getSnapshot().toolExecutions.call_2.status, told: told.at(-1) };
    agent.abort();
    const session = JSON.parse(JSON.stringify(agent));
    agent.free();
    agent.free();
    const freed = [agent.state.messages.length, JSON.stringify(agent.toJSON().messages) === JSON.stringify(session.messages), (await failureOf(() => agent.steer("x"))).code];
    const next = sluice.Agent.fromJSON(session, { streamFn: sluice.createScript([{ text: "On." }, { text: "And on." }]), initialState: { tools } });
    await next.continue();
    const copy = newAgent({ id: "demo", api: "script" }, { messages, streamFn: sluice.createScript([{ text: "Fine." }]) });
    return { refused, read, freed, next: next.state.messages.map(({ role, content }) => `${role} ${content[0].text ?? content[0].type}`), copy: copy.state.messages.length };
  });
  assert.deepEqual(new Set(Object.values(found.refused)), new Set(["crashed"]), JSON.stringify(found.refused));
  const { error, told, ...read } = found.read;
  assert.match(error, /^The module of sluice-agent failed/);
  assert.equal(told, error);
  assert.deepEqual(read, {
    roles: ["user", "assistant", "user", "assistant"], isStreaming: false, signal: undefined, waits: [true, [], ["3"], ["4"]], running: "running",
  });
  assert.deepEqual(found.freed, [4, true, "freed"]);
  assert.deepEqual(found.next, [
    "user 1", "assistant One.", "user 2", "assistant toolCall",
    "toolResult The run was cut off before this call was answered. The tool may have run, wholly or in part, and was not run again.",
    "user 3", "assistant On.", "user 4", "assistant And on.",
  ]);
  assert.equal(found.copy, 4);
  assert.equal(errors.length, 1);
}, start);

pageTest("a trap at any call out of a constructor or a run is told as what it is, and nothing of it goes unhandled", async ({ page }) => {
  const found = await page.evaluate(async () => {
    // A console that is looked at keeps what it was told, and with the error the instance: there is no room for so many.
    console.error = () => {};
    const tools = [newTool("look", (_params, _signal, onUpdate) => (onUpdate({ content: [] }), "Nothing."))];
    const options = () => ({ initialState: { model: { id: "m", api: "script" }, tools }, streamFn: sluice.createScript([{ text: "Hm.", toolCalls: [{ name: "look" }] }, { text: "Fine." }]) });
    const made = await crashesOf((begin) => {
      const given = options();
      begin();
      return new sluice.Agent(given);
    });
    const run = await crashesOf(async (begin) => {
      const agent = new sluice.Agent(options());
      agent.store.subscribe(() => agent.store.getSnapshot());
      begin();
      try {
        await agent.prompt("Go");
      } finally {
        if (agent.state.isStreaming || agent.store.getSnapshot().isStreaming) throw new Error("still streaming");
        agent.free();
      }
    }, 3);
    return { made, run };
  });
  const { made, run } = found;
  assert.ok(made.crashed >= 5 && run.crashed >= 50, JSON.stringify(found));
  // What is left to do when a run has settled may trap, too.
  const { resolved, ...unsettled } = run;
  assert.ok(resolved < 10, JSON.stringify(run));
  assert.deepEqual([Object.keys(made), made.isOver, Object.keys(unsettled), run.isOver], [["crashed", "isOver"], "resolved", ["crashed", "isOver"], "resolved"]);
}, start);

pageTest("calls that wait for approval still wait in a session made behind a crash, and a retry does not", async ({ page, provider }) => {
  provider.answer({ status: 503, type: "text/plain", body: "Busy." });
  const found = await page.evaluate(async (model) => {
    const ran = [];
    const tools = ["yes", "no", "open", "late"].map((name) => newTool(name, () => (ran.push(name), name), { needsApproval: name !== "late" }));
    tools.push(newTool("done", () => "Done."));
    const calls = ["yes", "no", "open", "done"].map((name) => ({ id: name, name }));
    const agent = scriptedAgent([{ toolCalls: calls }], { tools });
    const asked = seen(agent, ({ type, toolCallId }) => type === "tool_execution_end" && toolCallId === "done");
    const run = outcome(agent.prompt("Go"));
    await asked;
    agent.denyToolCall("no");
    agent.approveToolCall("yes");
    await new Promise((resolve) => setTimeout(resolve, 20));
    const before = agent.pendingApprovals;
    const retried = newAgent(model, { retry: { baseDelayMs: 60_000 } });
    const waits = seen(retried, ({ type }) => type === "auto_retry_start");
    const retrying = outcome(retried.prompt("Go"));
    await waits;
    const hadRetry = retried.store.getSnapshot().retry !== undefined;
    await places["a method"]();
    const told = [await run, await retrying];
    const { retry, error } = retried.store.getSnapshot();
    const shown = agent.store.getSnapshot().toolExecutions.open.status;
    const next = sluice.Agent.fromJSON(JSON.parse(JSON.stringify(agent)), { streamFn: sluice.createScript([{ text: "Fine." }]), initialState: { tools } });
    const again = [];
    next.subscribe(({ type, toolCallId }) => {
      if (type !== "tool_approval_request") return;
      again.push(toolCallId);
      next.approveToolCall(toolCallId);
    });
    await next.continue();
    return { told, before, after: agent.pendingApprovals, shown, again, ran, results: next.state.messages.filter(({ role }) => role === "toolResult").map(({ content }) => content[0].text), hadRetry, retry, isFailed: error !== undefined };
  }, provider.model);
  assert.deepEqual(found, {
    told: ["crashed", "crashed"], before: ["open"], after: ["open"], shown: "awaiting_approval", again: ["open"], ran: ["yes", "open"],
    results: ["yes", "The user denied this tool call.", "Done.", "open"], hadRetry: true, retry: undefined, isFailed: true,
  });
}, start);

pageTest("what is left of a crashed instance touches nothing of the next one, as late as it may be collected or called", async ({ page }) => {
  const client = await page.context().newCDPSession(page);
  const ends = [];
  for (let round = 0; round < 5; round++) {
    await page.evaluate(async () => {
      for (let index = 0; index < 50; index++) globalThis[`kept${index}`] = scriptedAgent([]);
      let report;
      const agent = scriptedAgent([{ toolCalls: [{ id: "call_1", name: "hang" }] }], { tools: [newTool("hang", (_params, _signal, onUpdate) => ((report = onUpdate), new Promise(() => {})))] });
      const started = seen(agent, ({ type }) => type === "tool_execution_start");
      agent.prompt("Go").catch(() => {});
      await started;
      await places["a poll"]();
      // As the first thing, new agents take the places in memory that the old ones had.
      for (let index = 0; index < 50; index++) globalThis[`new${index}`] = scriptedAgent([{ text: "Fine." }]);
      report({ content: [] });
      for (let index = 0; index < 50; index++) delete globalThis[`kept${index}`];
    });
    await client.send("HeapProfiler.collectGarbage");
    ends.push(await page.evaluate(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const agents = Array.from({ length: 50 }, (_, index) => globalThis[`new${index}`]);
      await Promise.all(agents.map((agent) => agent.prompt("Go")));
      return { texts: new Set(agents.map(({ state }) => state.messages.at(-1).content[0].text)).size, ...(await twoTurns()) };
    }));
  }
  assert.deepEqual(ends, Array(5).fill({ texts: 1, lines: TWO_TURNS, faults: [] }));
}, start);

pageTest("where a browser makes no instance at once, init() loads the next one", async ({ page }) => {
  const found = await page.evaluate(async () => {
    refuseInstances(true);
    const told = await places["a poll"]();
    const { code, message } = await failureOf(() => new sluice.Agent());
    const cause = await new Promise((resolve) => { try { new sluice.Agent(); } catch (error) { resolve(error.cause.name); } });
    await sluice.init();
    return { told, refused: [code, message, cause], next: await twoTurns() };
  });
  const message = "Agent found that the module had failed, and no other instance could be made at once: WebAssembly.Instance is disallowed on the main thread. Await init() and try again.";
  assert.deepEqual(found, { told: "crashed", refused: ["not_initialised", message, "RangeError"], next: { lines: TWO_TURNS, faults: [] } });
}, start);

pageTest("what wasm-bindgen refuses before anything of it has begun is no crash", async ({ page }) => {
  const errors = errorsOf(page);
  const found = await page.evaluate(async () => {
    // A signal that forgets to forget its listeners calls one that is gone.
    const listeners = [];
    const signal = { aborted: false, addEventListener: (_type, listener) => listeners.push(listener), removeEventListener() {} };
    await sluice.complete({ id: "test", api: "openai-completions" }, { messages: [user] }, { signal, fetch: async () => new Response("", { status: 400 }) });
    return { late: (await failureOf(() => listeners[0]())).isError, next: await twoTurns() };
  });
  assert.deepEqual(found, { late: true, next: { lines: TWO_TURNS, faults: [] } });
  assert.deepEqual(errors, []);
}, start);
