// What stays behind: of many short runs nothing, of large images a few copies once. `RUNS=10000` for the long form.
import assert from "node:assert/strict";
import { browserTests } from "./browser.mjs";
import { answer, delta, finish, done, text, toolAnswer } from "./streams.mjs";

const pageTest = browserTests();

const RUNS = Number(process.env.RUNS ?? 2_000);
const BLOCKS = 8;

/** The heap in use once nothing that is garbage is left, in bytes, and the wasm memory. */
async function settled(client, page) {
  // What a finaliser frees is garbage of the next round.
  for (let round = 0; round < 3; round++) {
    await client.send("HeapProfiler.collectGarbage");
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 20)));
  }
  const { usedSize } = await client.send("Runtime.getHeapUsage");
  return { heap: usedSize, wasm: await page.evaluate(() => memory.buffer.byteLength) };
}

const kinds = {
  "an answer": { bodies: [answer("Fine, ", "and ", "done.")] },
  "a tool call with progress": { bodies: [toolAnswer("call_1", "look", { at: "x" }), answer("Fine.")] },
  "an approved call": { bodies: [toolAnswer("call_1", "ask", { at: "x" }), answer("Fine.")] },
  "a retried call": { bodies: [delta({ content: "Half" }), answer("Fine.")] },
  "an answer that is aborted while it is read": { bodies: [text("Half") + text(" of it")], isOpen: true },
  "a failed call": { bodies: [finish("nonsense") + done] },
};

for (const isFreed of [true, false]) {
  pageTest(`${RUNS} runs of agents that are ${isFreed ? "freed" : "dropped"} leave nothing behind, in the module and in the page`, async ({ page, t }) => {
    const client = await page.context().newCDPSession(page);
    await page.evaluate(([kinds, isFreed]) => {
      const encoder = new TextEncoder();
      const streams = Object.values(kinds).map(({ bodies, isOpen }) => ({ isOpen, bodies: bodies.map((body) => encoder.encode(body)) }));
      // The listener, `fetch`, the tools and a message know the agent, as those of pages do.
      globalThis.run = async ({ bodies, isOpen }) => {
        let calls = 0;
        const fetch = async () => {
          const start = (controller) => {
            controller.enqueue(bodies[calls++]);
            if (!isOpen) controller.close();
          };
          return new Response(new ReadableStream({ start }), { headers: { "content-type": "text/event-stream" } });
        };
        const tools = [
          newTool("look", (_params, _signal, onUpdate) => (onUpdate({ content: [] }), agent.steer("Look again"), { content: [], details: { agent } })),
          newTool("ask", () => (agent.peekQueuedMessages(), "yes"), { needsApproval: true }),
        ];
        const agent = newAgent({ id: "test", api: "openai-completions" }, { tools, fetch, retry: { baseDelayMs: 1 } });
        agent.appendMessage({ role: "note", agent });
        agent.store.subscribe(() => {});
        agent.subscribe(({ type, toolCallId, assistantMessageEvent }) => {
          if (type === "tool_approval_request") agent.approveToolCall(toolCallId);
          // Behind the deltas of the chunk, when the next one is being read.
          if (isOpen && assistantMessageEvent?.delta === " of it") setTimeout(() => agent.abort());
        });
        await agent.prompt("Go");
        const { stopReason } = agent.state.messages.at(-1);
        agent.followUp({ role: "note", agent });
        if (isFreed) agent.free();
        return stopReason;
      };
      globalThis.runMany = async (count) => {
        for (let index = 0; index < count; index++) {
          await run(streams[index % streams.length]);
          if (index % 50 === 0) await new Promise((resolve) => setTimeout(resolve));
        }
      };
      globalThis.streams = streams;
    }, [kinds, isFreed]);
    const ends = await page.evaluate(async () => Promise.all(streams.map(run)));
    assert.deepEqual(ends, ["stop", "stop", "stop", "stop", "aborted", "error"]);
    const sizes = [];
    for (let block = 0; block < BLOCKS; block++) {
      await page.evaluate((count) => runMany(count), Math.ceil(RUNS / BLOCKS));
      sizes.push(await settled(client, page));
    }
    const [warm, rest] = [sizes[1], sizes.slice(2)];
    // When the collector frees dropped agents is its own business: a few may overlap more than before.
    const room = isFreed ? 0 : 2 * 65_536;
    assert.ok(Math.max(...rest.map(({ wasm }) => wasm)) - warm.wasm <= room, `wasm memory: ${sizes.map(({ wasm }) => wasm)}`);
    assert.ok(rest.at(-1).heap - warm.heap < 100_000, `heap: ${sizes.map(({ heap }) => heap)}`);
    t.diagnostic(`wasm ${warm.wasm} to ${rest.at(-1).wasm}, heap ${warm.heap} to ${rest.at(-1).heap}`);
  });
}

pageTest("a stream that has ended keeps nothing of what it was made from", async ({ page }) => {
  const client = await page.context().newCDPSession(page);
  await page.evaluate(async () => {
    const body = 'data: {"choices":[{"index":0,"delta":{"content":"Fine."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
    const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
    const model = { id: "test", api: "openai-completions" };
    const readAll = async (stream) => { for await (const _ of stream); };
    const user = (note) => ({ role: "user", content: "Go", timestamp: 0, note });
    const ways = {
      "streamSimple, iterated": (m) => readAll(sluice.streamSimple(model, { messages: [m] }, { fetch })),
      "streamSimple, its result": (m) => sluice.streamSimple(model, { messages: [m] }, { fetch }).result(),
      "streamSimple, left": async (m) => { for await (const _ of sluice.streamSimple(model, { messages: [m] }, { fetch })) break; },
      "agentLoop, iterated": (m) => readAll(sluice.agentLoop([m], { messages: [] }, { model, fetch })),
      "agentLoopContinue, its result": (m) => sluice.agentLoopContinue({ messages: [m] }, { model, fetch }).result(),
      "a script": (m) => readAll(sluice.createScript([{ text: "Fine." }])(model, { messages: [m] }, {})),
      "an agent on a source of the app's": async (m) => {
        const agent = newAgent(model, { messages: [m], streamFn: (model, context, options) => sluice.streamSimple(model, context, { ...options, fetch }), tools: [newTool("look", () => agent.abort())] });
        await agent.prompt("Go");
      },
      "an agent whose events are read": async (m) => {
        const agent = newAgent(model, { messages: [m], fetch });
        void (async () => { for await (const _ of agent.events()) agent.state; })();
        await agent.prompt("Go");
      },
    };
    globalThis.left = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
    for (const [way, go] of Object.entries(ways)) {
      for (let index = 0; index < 20; index++) {
        const message = user({});
        left[way].push(new WeakRef(message));
        await go(message);
      }
    }
  });
  let left;
  for (let round = 0; round < 40; round++) {
    await client.send("HeapProfiler.collectGarbage");
    left = await page.evaluate(() => new Promise((resolve) => setTimeout(() => resolve(Object.fromEntries(Object.entries(globalThis.left).map(([way, refs]) => [way, refs.filter((ref) => ref.deref() !== undefined).length]))), 50)));
    if (Object.values(left).every((count) => count < 2)) break;
  }
  // The last one may still lie on a stack.
  for (const [way, count] of Object.entries(left)) assert.ok(count < 2, `${way}: ${count} of 20 are left`);
});

pageTest("a 20 MB image does not go through the module, wherever it stands", async ({ page }) => {
  const { grown, unsent, sent, isKept } = await page.evaluate(async () => {
    const sse = (text) => new Response(text, { headers: { "content-type": "text/event-stream" } });
    const say = 'data: {"choices":[{"index":0,"delta":{"content":"Fine."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
    const call = 'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"shoot","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n';
    const image = { type: "image", data: "iVBORw0KGgo".padEnd(20_000_000, "A"), mimeType: "image/png" };
    const grown = {};
    const growth = async (name, turn) => {
      const sizes = [memory.buffer.byteLength];
      for (let index = 0; index < 10; index++) {
        await turn(index);
        sizes.push(memory.buffer.byteLength);
      }
      grown[name] = sizes.slice(1).map((size) => size - sizes[0]);
    };
    let sent = 0;
    let isCalling = false;
    const fetch = async (_url, { body }) => {
      sent = Math.max(sent, body.length);
      const reply = isCalling ? call : say;
      isCalling = false;
      return sse(reply);
    };
    const details = { image: image.data };
    const tools = [newTool("shoot", (_params, _signal, onUpdate) => (onUpdate({ content: [image], details }), { content: [{ type: "text", text: "There." }], details }))];
    const agent = newAgent({ id: "test", api: "openai-completions", input: ["text", "image"] }, { fetch, tools });
    await agent.prompt("Go");
    // Where no model reads it, the module never has it.
    await growth("details", async () => { isCalling = true; await agent.prompt("Go"); });
    const unsent = sent;
    await growth("state", async () => { agent.appendMessage({ role: "note", image }); await agent.prompt("Go"); JSON.stringify(agent); });
    await growth("prompt", async (index) => { await agent.prompt("Look", index === 0 ? [image] : []); });
    const shooting = newAgent({ id: "test", api: "openai-completions", input: ["text", "image"] }, { fetch, tools: [newTool("shoot", () => ({ content: [image] }))] });
    await growth("result", async (index) => { isCalling = index === 0; await shooting.prompt("Go"); });
    return { grown, unsent, sent, isKept: shooting.state.messages[2].content[0].data === image.data };
  });
  // A page of memory may be taken for something else meanwhile.
  for (const [place, sizes] of Object.entries(grown)) assert.ok(Math.max(...sizes) <= 65_536, `${place}: ${sizes}`);
  assert.ok(unsent < 10_000 && sent > 20_000_000, `${unsent} and ${sent} characters were sent`);
  assert.equal(isKept, true);
});

for (const api of ["openai-completions", "openai-responses", "anthropic-messages", "google-generative-ai"]) {
  pageTest(`images of any length are sent as they are by ${api}, also through onPayload`, async ({ page }) => {
    const faults = await page.evaluate(async (api) => {
      const faults = [];
      for (const length of [100, 4_095, 4_096, 5_000, 300_000]) {
        for (const isSeen of [false, true]) {
          const images = ["iVBORw0KGgo", "/9j/4AAQSkZJRg"].map((start) => ({ type: "image", data: `${start}${"Ab+/".repeat(length / 4)}==`, mimeType: "image/png" }));
          const text = "a held:1; \\ $& “quoted”\n".repeat(length / 20);
          let body, payload;
          const fetch = async (_url, init) => (({ body } = init), new Response("no", { status: 400 }));
          const onPayload = isSeen ? (given) => ((payload = JSON.stringify(given)), given) : undefined;
          const agent = newAgent({ id: "test", api }, { fetch, onPayload, apiKey: "key-key-key-key" });
          await agent.prompt(text, images);
          const sent = JSON.parse(body);
          const found = images.filter(({ data }) => JSON.stringify(sent).includes(data));
          if (found.length !== 2 || body.includes("held:0") || !JSON.stringify(sent).includes(JSON.stringify(text).slice(1, -1))) faults.push(`${length} ${isSeen}`);
          if (isSeen && payload !== JSON.stringify(sent)) faults.push(`${length}: onPayload saw something else`);
        }
      }
      return faults;
    }, api);
    assert.deepEqual(faults, []);
  });
}
