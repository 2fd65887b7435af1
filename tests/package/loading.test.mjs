// Loading the module: at import nothing happens, init() may be called anyhow, and what comes too early says so.
import assert from "node:assert/strict";
import { browserTests } from "./browser.mjs";
import { answer, call, done, finish } from "./streams.mjs";

const pageTest = browserTests();
const bare = { start: "bare.html" };
const WASM = "/sluice-agent/sluice_agent_bg.wasm";

pageTest("importing the package runs nothing: no global, no request for the module", async ({ page }) => {
  assert.deepEqual(await page.evaluate(() => importing), { newGlobals: [], requestedWasm: [] });
}, bare);

pageTest("init() twice at once, and again behind an agent, is one instance", async ({ page }) => {
  const requests = [];
  page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  const result = await page.evaluate(async () => {
    const results = await Promise.all([init(), init()]);
    const agent = new sluice.Agent({
      initialState: { model: { id: "m", api: "script" } },
      streamFn: sluice.createScript([{ text: "One" }, { text: "Two" }]),
    });
    await agent.prompt("1");
    await init();
    await init("/nowhere.wasm");
    await agent.prompt("2");
    return { results, texts: agent.state.messages.filter(({ role }) => role === "assistant").map(({ content }) => content[0].text) };
  });
  assert.deepEqual(result, { results: [undefined, undefined], texts: ["One", "Two"] });
  assert.deepEqual(requests.filter((path) => path.endsWith(".wasm")), [WASM]);
}, bare);

pageTest("an init() that failed can be called again", async ({ page, files }) => {
  files.failing.set(WASM, 503);
  try {
    const failure = await page.evaluate(() => Promise.allSettled([init(), init()]).then((results) => results.map(({ status, reason }) => [status, reason?.name, reason?.code, /could not load.*served beside/.test(reason?.message)])));
    assert.deepEqual(failure, Array(2).fill(["rejected", "SluiceError", "not_initialised", true]));
  } finally {
    files.failing.delete(WASM);
  }
  assert.equal(await page.evaluate(async () => (await init(), new sluice.Agent().state.isStreaming)), false);
}, bare);

pageTest("init() takes a URL, a Response, bytes and a module; initSync() the last two", async ({ page }) => {
  const works = await page.evaluate(async (wasm) => {
    const bytes = await (await fetch(wasm)).arrayBuffer();
    const sources = {
      url: wasm, urlObject: new URL(wasm, location), response: await fetch(wasm), promise: fetch(wasm), bytes,
      view: new Uint8Array(bytes), module: await WebAssembly.compile(bytes),
    };
    const works = {};
    for (const [name, source] of Object.entries(sources)) {
      // Every copy of the module has its own state.
      const copy = await import(`/sluice-agent/index.js?${name}`);
      await copy.default(source);
      works[name] = new copy.Agent().state.systemPrompt;
    }
    return works;
  }, WASM);
  assert.deepEqual(works, { url: "", urlObject: "", response: "", promise: "", bytes: "", view: "", module: "" });
}, bare);

pageTest("what initSync() cannot load from, it says, and init() can be called behind it", async ({ page }) => {
  const found = await page.evaluate(async () => {
    const found = [];
    for (const input of [undefined, null, {}, "module.wasm", new Uint8Array([1, 2, 3])]) {
      try {
        sluice.initSync(input);
      } catch ({ name, code, message, cause }) {
        found.push([name, code, /^initSync\(\) could not load the module: .*bytes of the \.wasm file or a WebAssembly\.Module\.$/.test(message), cause instanceof Error]);
      }
    }
    const loading = init();
    try {
      sluice.initSync(new Uint8Array());
    } catch ({ code, message }) {
      found.push([code, message]);
    }
    await loading;
    return { found, works: new sluice.Agent().state.isStreaming };
  });
  const refused = ["SluiceError", "not_initialised", true, true];
  assert.deepEqual(found, { found: [...Array(5).fill(refused), ["not_initialised", "init() is under way, and the module is loaded once: await it in place of initSync()."]], works: false });
}, bare);

pageTest("whatever is used before init() throws an Error that says to call it", async ({ page }) => {
  const errors = await page.evaluate(() => {
    const { Agent, agentLoop, agentLoopContinue, streamSimple, streamProxy, complete, createScript } = sluice;
    const uses = {
      Agent: () => new Agent(), agentLoop: () => agentLoop(), agentLoopContinue: () => agentLoopContinue(),
      streamSimple: () => streamSimple(), streamProxy: () => streamProxy(), complete: () => complete(), createScript: () => createScript([]),
    };
    return Object.entries(uses).map(([name, use]) => {
      try {
        use();
        return `${name} did not throw`;
      } catch (error) {
        return [name, error instanceof Error, error.code, /init\(\)/.test(error.message), error.message.includes(name)];
      }
    });
  });
  assert.deepEqual(errors, ["Agent", "agentLoop", "agentLoopContinue", "streamSimple", "streamProxy", "complete", "createScript"].map(
    (name) => [name, true, "not_initialised", true, true],
  ));
  assert.equal(await page.evaluate(() => sluice.defineTool({ name: "x", execute() {} }).name), "x", "defineTool needs no module");
}, bare);

pageTest("a module worker runs an agent", async ({ page, provider }) => {
  provider.answer([call(0, { id: "call_1", name: "where", args: "{}" }), finish("tool_calls"), done].join(""), answer("There."));
  const { lines, faults } = await page.evaluate((model) => new Promise((resolve, reject) => {
    const worker = new Worker("/worker.js", { type: "module" });
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message ?? "the worker failed"));
    worker.postMessage({ model, text: "Where?" });
  }), provider.model);
  assert.deepEqual(lines, [
    "agent_start", "turn_start", "message_start user", "message_end user", "message_start assistant",
    "toolcall_start 0", "toolcall_delta 0 {}", "toolcall_end 0 where {}", "message_end assistant toolUse",
    "tool_execution_start call_1 where {}", "tool_execution_end call_1 DedicatedWorkerGlobalScope",
    "message_start toolResult", "message_end toolResult call_1 DedicatedWorkerGlobalScope", "turn_end toolUse, 1 results",
    "turn_start", "message_start assistant", "text_start 0", "text_delta 0 There.", "text_end 0 There.", "message_end assistant stop",
    "turn_end stop, 0 results", "agent_end done: user, assistant, toolResult, assistant",
  ]);
  assert.deepEqual(faults, []);
}, bare);
