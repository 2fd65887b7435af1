// Values of every kind on their way through an agent: what is the page's own stays its own, and nothing stops the module.
import assert from "node:assert/strict";
import { browserTests } from "./browser.mjs";
import { answer, call, done, finish, toolAnswer } from "./streams.mjs";

const pageTest = browserTests();

/** Makes `zoo` in the page: a value of each kind, and a few that JSON has not. */
const zoo = (page) => page.evaluate(() => {
  const nest = (depth, isArray) => {
    let value = "deep";
    for (let level = 0; level < depth; level++) value = isArray ? [value] : { value };
    return value;
  };
  const cycle = { name: "cycle" };
  cycle.self = [cycle];
  const holes = [1, , 3];
  holes.named = true;
  globalThis.nest = nest;
  globalThis.zoo = {
    map: new Map([[{ key: 1 }, new Set([2])]]), date: new Date(1), invalidDate: new Date(NaN), expression: /x/g, error: new TypeError("no"),
    bytes: new Uint8Array([1, 2, 3]), floats: new Float64Array(3), buffer: new ArrayBuffer(8), view: new DataView(new ArrayBuffer(8)), file: new File(["x"], "x.txt"), blob: new Blob(["x"]), url: new URL("https://example.com"),
    call: () => 1, klass: class { static x = 1; }, symbol: Symbol("x"), big: 10n, nothing: undefined, null: null, not: NaN, infinite: -Infinity, zero: -0, no: false,
    holes, cycle, bare: Object.assign(Object.create(null), { x: 1 }), proto: JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":1}}'), frozen: Object.freeze({ list: Object.freeze([1]) }),
    surrogate: { "a\ud83d": "\ude00b", text: "\ud83d" }, deepArray: nest(5_000, true), deepObject: nest(5_000, false), promise: Promise.resolve(1), weak: new WeakMap(), element: document.createElement("p"),
    getter: { get no() { throw new Error("no"); } }, proxy: new Proxy({}, { get() { throw new Error("no"); }, ownKeys() { throw new Error("no"); } }), json: { toJSON() { throw new Error("no"); } },
    window, iterable: { *[Symbol.iterator]() { yield 1; } }, thenable: undefined, huge: "x".repeat(1_000_000), wide: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key ${index}`, index])),
  };
  return Object.keys(globalThis.zoo).length;
});

pageTest("what a tool puts into details is the page's own, from its first update to the transcript, whatever it is", async ({ page }) => {
  await zoo(page);
  const faults = await page.evaluate(async () => {
    const faults = [];
    for (const [kind, details] of Object.entries(zoo)) {
      const execute = (_params, _signal, onUpdate) => (onUpdate({ content: [], details }), { content: [{ type: "text", text: kind }], details });
      const agent = scriptedAgent([{ toolCalls: [{ id: "a", name: "keep" }] }, { text: "Fine." }, { text: "Fine." }], { tools: [newTool("keep", execute)] });
      const seen = {};
      const { getSnapshot } = agent.store;
      agent.subscribe((event) => {
        if (event.type === "tool_execution_update") seen.update = event.partialResult.details;
        if (event.type === "tool_execution_update") seen.partial = getSnapshot().toolExecutions.a.partialResult.details;
        if (event.type === "tool_execution_end") seen.end = event.result.details;
        if (event.type === "message_end" && event.message.role === "toolResult") seen.message = event.message.details;
        if (event.type === "turn_end" && event.toolResults.length > 0) seen.turn = event.toolResults[0].details;
        if (event.type === "agent_end") seen.run = event.messages[2].details;
      });
      await agent.prompt("Go");
      Object.assign(seen, { state: agent.state.messages[2]?.details, store: getSnapshot().toolExecutions.a.result?.details });
      for (const [place, found] of Object.entries(seen)) if (!Object.is(found, details)) faults.push(`${kind}: another value in ${place}`);
      if (agent.state.messages.at(-1).stopReason !== "stop") faults.push(`${kind}: ${agent.state.messages.at(-1).errorMessage}`);
      const restored = sluice.Agent.fromJSON(JSON.parse(JSON.stringify(agent)), { retry: false, streamFn: sluice.createScript([{ text: "Fine." }]) });
      await restored.prompt("And");
      if (restored.state.messages.at(-1).stopReason !== "stop") faults.push(`${kind}, restored: ${restored.state.messages.at(-1).errorMessage}`);
    }
    return faults;
  });
  assert.deepEqual(faults, []);
});

pageTest("messages of the app's own may hold anything, in the transcript, in a prompt and in the queues", async ({ page, provider }) => {
  const kinds = await zoo(page);
  provider.answer(...Array.from({ length: kinds }, () => answer("Fine.")));
  const faults = await page.evaluate(async (model) => {
    const faults = [];
    for (const [kind, value] of Object.entries(zoo)) {
      const note = (name) => ({ role: "note", name, value, [kind]: value });
      const [first, second, third, fourth] = ["initial", "appended", "prompted", "steered"].map(note);
      const agent = newAgent(model, { messages: [first], steeringMode: "all" });
      agent.appendMessage(second);
      agent.steer(fourth);
      const recording = [];
      agent.subscribe((event) => void (event.type === "message_end" && recording.push(event.message)));
      await agent.prompt([third, { role: "user", content: "Go", timestamp: 0, extra: value }]);
      const { messages } = agent.state;
      for (const [index, message] of [first, second, fourth, third].entries()) {
        if (messages[index] !== message || !Object.is(messages[index].value, value)) faults.push(`${kind}: message ${index} is another`);
      }
      if (!Object.is(messages[4].extra, value)) faults.push(`${kind}: the user's message is another`);
      if (recording[0] !== fourth || recording[1] !== third) faults.push(`${kind}: events of another message`);
      if (messages.at(-1).stopReason !== "stop") faults.push(`${kind}: ${messages.at(-1).errorMessage}`);
      const session = JSON.parse(JSON.stringify(agent));
      if (session.messages.length !== messages.length) faults.push(`${kind}: the session has ${session.messages.length} messages`);
      agent.replaceMessages([second, messages.at(-1)]);
      if (agent.state.messages[0] !== second || agent.popMessage() !== messages.at(-1)) faults.push(`${kind}: not the same behind replaceMessages()`);
    }
    return faults;
  }, provider.model);
  assert.deepEqual(faults, []);
  // The page's fields are told to nobody.
  for (const { body } of provider.requests) assert.deepEqual(body.messages, [{ role: "user", content: "Go" }]);
});

pageTest("arguments that a hook or a validation gives are the tool's, as they are", async ({ page }) => {
  await zoo(page);
  const faults = await page.evaluate(async () => {
    const faults = [];
    for (const [kind, args] of Object.entries(zoo)) {
      if (args === undefined || args === null) continue;
      for (const way of ["beforeToolCall", "validate"]) {
        let kept;
        const tool = newTool("keep", (params) => ((kept = params), "kept"), way === "validate" ? { validate: () => args } : {});
        const options = way === "beforeToolCall" ? { beforeToolCall: () => ({ args }) } : {};
        const agent = scriptedAgent([{ toolCalls: [{ id: "a", name: "keep" }] }, { text: "Fine." }], { tools: [tool], ...options });
        await agent.prompt("Go");
        // A promise is waited for, as any that a hook gives.
        const expected = way === "validate" && kind === "promise" ? 1 : args;
        if (!Object.is(kept, expected)) faults.push(`${kind} by ${way}: ${agent.state.messages[2].content[0].text}`);
        if (agent.state.messages.at(-1).stopReason !== "stop") faults.push(`${kind} by ${way}: ${agent.state.messages.at(-1).errorMessage}`);
      }
    }
    return faults;
  });
  assert.deepEqual(faults, []);
});

pageTest("arguments that are prepared into what is no JSON object are refused, and the run goes on", async ({ page }) => {
  await zoo(page);
  const { ran, refused } = await page.evaluate(async () => {
    const [ran, refused] = [[], {}];
    for (const [kind, args] of Object.entries(zoo)) {
      const tool = newTool("keep", (params) => (ran.push(`${kind} ${JSON.stringify(params).slice(0, 20)}`), "kept"), { prepareArguments: () => args });
      const agent = scriptedAgent([{ toolCalls: [{ id: "a", name: "keep" }] }, { text: "Fine." }], { tools: [tool] });
      await agent.prompt("Go");
      const [, , { isError, content }, { stopReason }] = agent.state.messages;
      if (isError || stopReason !== "stop") refused[kind] = `${stopReason} ${content[0].text.replaceAll("\n", " ")}`;
    }
    return { ran, refused };
  });
  // Objects are told as JSON tells them; nothing stands for what the function was given.
  const empty = ["map", "expression", "error", "buffer", "view", "file", "blob", "promise", "weak", "element", "iterable", "nothing", "thenable"].map((kind) => `${kind} {}`);
  assert.deepEqual(ran.sort(), [
    ...empty, 'bytes {"0":1,"1":2,"2":3}', 'floats {"0":0,"1":0,"2":0}', 'bare {"x":1}', 'frozen {"list":[1]}', 'proto {"__proto__":{"admin', 'surrogate {"a�":"�b","text":"�', 'wide {"key 0":0,"key 1":1',
  ].sort());
  assert.deepEqual(Object.values(refused).filter((line) => !line.startsWith("stop ")), []);
  assert.match(refused.cycle, /prepareArguments gave no arguments: Converting circular structure/);
  assert.match(refused.deepArray, /prepareArguments gave no arguments: /);
  assert.match(refused.call, /expected object, got null/);
  assert.match(refused.holes, /expected object, got array \[1,null,3\]/);
  assert.match(refused.proxy, /prepareArguments gave no arguments: no/);
});

pageTest("arguments and schemas that are nested deeper than any honest ones are refused, and nothing stops", async ({ page, provider }) => {
  const deep = (depth) => `{"value":${"[".repeat(depth)}1${"]".repeat(depth)}}`;
  const results = [];
  for (const depth of [50, 5_000, 100_000]) {
    const pieces = deep(depth).match(/.{1,2000}/g).map((args) => call(0, { args }));
    provider.answer({ body: [call(0, { id: "a", name: "keep", args: "" }), ...pieces, finish("tool_calls"), done].join(""), pieces: 100_000 }, answer("Fine."), answer("Again."));
    results.push(await page.evaluate(async (model) => {
      let depth = 0;
      const measure = ({ value }) => {
        for (; Array.isArray(value); depth++) [value] = value;
        return "kept";
      };
      const agent = newAgent(model, { tools: [newTool("keep", measure)] });
      await agent.prompt("Go");
      await agent.prompt("Again");
      const { messages } = agent.state;
      return [depth, messages[2].content[0].text, messages.map(({ stopReason, isError }) => stopReason ?? isError ?? "")];
    }, provider.model));
  }
  assert.deepEqual(results[0], [50, "kept", ["", "toolUse", false, "stop", "", "stop"]]);
  for (const [depth, text, ends] of results.slice(1)) {
    assert.deepEqual([depth, ends], [0, ["", "toolUse", true, "stop", "", "stop"]]);
    assert.match(text, /^The arguments of "keep" are not a complete JSON object: the JSON text is nested too deeply/);
  }
  const schemas = await page.evaluate(() => [20, 5_000, 100_000].map((depth) => {
    let parameters = { type: "string" };
    for (let level = 0; level < depth; level++) parameters = { type: "object", properties: { value: parameters } };
    try {
      new sluice.Agent({ initialState: { tools: [newTool("keep", () => "kept", { parameters })] } });
      return "taken";
    } catch ({ name, message }) {
      return `${name}: ${message}`;
    }
  }));
  assert.equal(schemas[0], "taken");
  for (const line of schemas.slice(1)) assert.match(line, /^SluiceError: tools\[0\]\.parameters is not JSON, or nested too deeply/);
});
