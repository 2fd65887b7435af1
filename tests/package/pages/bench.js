// The measurements. Bytes come from a `fetch` that has them ready, so that no network is measured.
import init, { Agent } from "/sluice-agent/index.js";
import { memory as moduleMemory } from "./memory.js";

const FRAMES_PER_CHUNK = 8;
const model = { id: "bench", api: "openai-completions", baseUrl: "http://localhost/v1" };

// ---- prepared bytes

const frame = (delta, finish_reason = null) =>
  `data: ${JSON.stringify({
    id: "chatcmpl-BvLmTnWq3xS0aYpF5kZ1dRhJ", object: "chat.completion.chunk", created: 1750000000, model: "gpt-4o-mini-2024-07-18",
    service_tier: "default", system_fingerprint: "fp_34a54ae93c", choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  })}\n\n`;

function chunks(deltas, reason) {
  const frames = [...deltas.map((delta) => frame(delta)), frame({}, reason), "data: [DONE]\n\n"];
  const encoder = new TextEncoder();
  const bytes = [];
  for (let i = 0; i < frames.length; i += FRAMES_PER_CHUNK) bytes.push(encoder.encode(frames.slice(i, i + FRAMES_PER_CHUNK).join("")));
  return bytes;
}

const WORDS = [" the", " quick", " brown", " fox", " jumps", " over", " a", " lazy", " dog", ",", " naïve", " ¼", "\n\n", " \"so\"", " 好"];
const textChunks = (count) => chunks(Array.from({ length: count }, (_, i) => ({ content: WORDS[i % WORDS.length] })), "stop");

function argumentChunks(json) {
  const deltas = [{ tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "write", arguments: "" } }] }];
  for (let i = 0; i < json.length; i += 20) deltas.push({ tool_calls: [{ index: 0, function: { arguments: json.slice(i, i + 20) } }] });
  return chunks(deltas, "tool_calls");
}

function response(bytes) {
  let sent = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (sent < bytes.length) controller.enqueue(bytes[sent++]);
      else controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

// ---- what is measured

async function bare(bytes, onDelta) {
  const reader = response(bytes).body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const frames = (rest + decoder.decode(value, { stream: true })).split("\n\n");
    rest = frames.pop();
    for (const frame of frames) {
      const data = frame.slice(6);
      if (data === "[DONE]") continue;
      const { delta } = JSON.parse(data).choices[0];
      if (delta.content !== undefined) onDelta(delta.content);
    }
  }
}

async function sluice(bytes, onUpdate, options) {
  const agent = new Agent({ initialState: { model }, fetch: async () => response(bytes), ...options });
  const unsubscribe = agent.subscribe((event) => {
    if (event.type === "message_update") onUpdate(event.assistantMessageEvent);
  });
  await agent.prompt("Go");
  unsubscribe();
  if (agent.state.error !== undefined) throw new Error(agent.state.error);
  agent.free();
}

async function time(run) {
  const begin = performance.now();
  await run();
  return performance.now() - begin;
}

const breathe = () => new Promise((resolve) => setTimeout(resolve));

/** Runs both until the browser has compiled their hot code at its best. */
async function warmUp() {
  const bytes = textChunks(20_000);
  for (let round = 0; round < 10; round++) {
    await bare(bytes, () => {});
    await sluice(bytes, () => {});
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Milliseconds of the bare loop and of an agent on the same bytes, in turns. */
async function compare(count, rounds) {
  const bytes = textChunks(count);
  let length = 0;
  const times = { bare: [], sluice: [] };
  const measure = {
    bare: () => bare(bytes, (delta) => (length += delta.length)),
    sluice: () => sluice(bytes, (event) => { if (event.type === "text_delta") length += event.delta.length; }),
  };
  for (let round = -3; round < rounds; round++) {
    for (const name of round % 2 === 0 ? ["bare", "sluice"] : ["sluice", "bare"]) {
      await breathe();
      length = 0;
      const ms = await time(measure[name]);
      if (round >= 0) times[name].push(ms);
      times.length ??= length;
      if (length !== times.length) throw new Error(`${name} saw ${length} characters, not ${times.length}`);
    }
  }
  return times;
}

/** Milliseconds that each tenth of a long answer took. */
async function tenths(count) {
  const bytes = textChunks(count);
  const marks = [];
  let seen = 0;
  await sluice(bytes, (event) => {
    if (event.type !== "text_delta") return;
    if (seen++ % (count / 10) === 0) marks.push(performance.now());
  });
  marks.push(performance.now());
  return marks.slice(1).map((mark, index) => mark - marks[index]);
}

const SHAPES = {
  string: (size) => JSON.stringify({ path: "a.txt", content: "The quick brown fox.\n".repeat(Math.ceil(size / 22)).slice(0, size) }),
  objects: (size) => JSON.stringify({ rows: Array.from({ length: Math.ceil(size / 40) }, (_, id) => ({ id, name: `row ${id}`, on: id % 2 === 0 })) }),
};

/** Milliseconds from the first to the last delta of one tool call's arguments. */
async function toolArguments(shape, size) {
  const json = SHAPES[shape](size);
  const bytes = argumentChunks(json);
  let first, last, deltas = 0, kept;
  const tools = [{ name: "write", parameters: { type: "object" }, execute: (_id, params) => { kept = params; return { content: [], terminate: true }; } }];
  await sluice(bytes, (event) => {
    if (event.type === "toolcall_start") first = performance.now();
    if (event.type === "toolcall_delta") deltas++;
    if (event.type === "toolcall_end") last = performance.now();
  }, { initialState: { model, tools } });
  if (JSON.stringify(kept)?.length !== json.length) throw new Error("the tool got other arguments");
  return { characters: json.length, deltas, ms: last - first };
}

/** Bytes of wasm memory while short runs are made. */
async function memory(runs, isFreed) {
  const bytes = textChunks(20);
  const sizes = [[0, moduleMemory.buffer.byteLength]];
  for (let run = 1; run <= runs; run++) {
    const agent = new Agent({ initialState: { model }, fetch: async () => response(bytes) });
    agent.subscribe(() => {});
    await agent.prompt("Go");
    if (isFreed) agent.free();
    if (run % 100 === 0) await breathe();
    if ([100, 1000, runs / 2, runs].includes(run)) sizes.push([run, moduleMemory.buffer.byteLength]);
  }
  return sizes;
}

/** Milliseconds of init() and from its call to the first delta. */
async function start() {
  const bytes = textChunks(20);
  const begin = performance.now();
  await init();
  const ready = performance.now();
  let first;
  await sluice(bytes, (event) => { if (event.type === "text_delta") first ??= performance.now(); });
  return { init: ready - begin, firstEvent: first - begin };
}

Object.assign(globalThis, { bench: { init, warmUp, compare, tenths, toolArguments, memory, start }, isLoaded: true });
