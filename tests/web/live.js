// Tool arguments as they grow in the page, against the native parser.

import { agentWith, answer, call, check, done, equal, fetchOf, finish, isEqual, last, more, random, record, said, streamed, text, tool } from "./helpers.js";

/** A random JSON value. Strings hold what is awkward to cut or to escape. */
function randomValue(next, depth) {
  const kind = Math.floor(next() * (depth > 0 ? 7 : 5));
  const strings = ["", "plain text", 'quote " and \\ back', "line\nbreak\ttab", "é ü ß", "日本語", "😀 and 👩‍👩‍👧", "\u2028\u0000", "{\"not\":1}", "a".repeat(60)];
  switch (kind) {
    case 0:
      return [null, true, false][Math.floor(next() * 3)];
    case 1:
      return [0, -0, 1, -17, 3.25, 1e21, 1.5e-9, 9007199254740993, 123456789012345680000][Math.floor(next() * 9)];
    case 2:
    case 3:
    case 4:
      return strings[Math.floor(next() * strings.length)];
    case 5:
      return Array.from({ length: Math.floor(next() * 6) }, () => randomValue(next, depth - 1));
    default:
      return randomObject(next, depth);
  }
}

function randomObject(next, depth) {
  const keys = ["a", "b", "key with space", "ключ", "__proto__", "constructor", "10", "2", "", "toString"];
  const object = {};
  for (let count = Math.floor(next() * 6); count > 0; count--) {
    const key = keys[Math.floor(next() * keys.length)];
    Object.defineProperty(object, key, { value: randomValue(next, depth - 1), writable: true, enumerable: true, configurable: true });
  }
  return object;
}

/** JSON with escapes and white space that `JSON.stringify` would not write. */
function written(value, next) {
  const json = next() < 0.5 ? JSON.stringify(value) : JSON.stringify(value, undefined, 2);
  return next() < 0.5 ? json : json.replace(/[é日😀]/gu, (c) => [...c].flatMap((char) => char.split("")).map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""));
}

/** Cuts a text between characters, never within one. */
function pieces(json, next, most) {
  const characters = [...json];
  const cut = [];
  while (characters.length > 0) cut.push(characters.splice(0, 1 + Math.floor(next() * most)).join(""));
  return cut;
}

/** Cuts a body anywhere, also within a character. */
function networkChunks(frames, next) {
  const bytes = new TextEncoder().encode(frames.join(""));
  const chunks = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + Math.floor(next() * (next() < 0.5 ? 40 : 2000));
    chunks.push(bytes.slice(at, at + size));
    at += size;
  }
  return chunks;
}

/** Plays one call's deltas and returns what the page saw after each, and the end. */
async function play(sluice, args, next) {
  const frames = [text("before"), call(0, "c1", "f", args[0] ?? ""), ...args.slice(1).map((delta) => more(0, delta)), finish("tool_calls"), done];
  let params;
  const agent = agentWith(sluice, fetchOf(() => streamed(networkChunks(frames, next)), answer("ok")), { tools: [tool("f", (id, given) => { params = given; return said("ok"); })] });
  const log = record(agent);
  await agent.prompt("go");
  try {
    log.verify(sluice);
  } catch (error) {
    const shown = log.updates().findLast((event) => event.type === "toolcall_end").toolCall.arguments;
    throw new Error(`${error.message}\nshown ${JSON.stringify(shown)}\nfor ${args.join("")}`);
  }
  const updates = log.updates().filter((event) => event.type.startsWith("toolcall"));
  return { updates, params, log, agent };
}

function compare(sluice, updates, what) {
  const deltas = updates.filter((event) => event.type === "toolcall_delta");
  const views = sluice.argumentViews(deltas.map((event) => event.delta)).map((json) => JSON.parse(json));
  deltas.forEach((event, index) => {
    const shown = event.partial.content[event.contentIndex].arguments;
    check(isEqual(shown, views[index]), `${what}, delta ${index}: the page shows ${JSON.stringify(shown)}, the parser ${JSON.stringify(views[index])}`);
  });
  check(isEqual(updates.at(-1).toolCall.arguments, views.at(-1)), `${what}: at the end the page shows ${JSON.stringify(updates.at(-1).toolCall.arguments)}, the parser ${JSON.stringify(views.at(-1))}`);
}

export async function random_arguments_grow_as_the_native_parser_has_them(sluice) {
  for (let seed = 1; seed <= 60; seed++) {
    const next = random(seed);
    const value = randomObject(next, 4);
    const json = written(value, next);
    const { updates, params } = await play(sluice, pieces(json, next, next() < 0.5 ? 3 : 30), next);
    compare(sluice, updates, `seed ${seed}`);
    equal(updates.at(-1).toolCall.arguments, JSON.parse(json), `seed ${seed}: the final arguments`);
    equal(params, JSON.parse(json), `seed ${seed}: what the tool got`);
  }
}

export async function broken_arguments_grow_as_the_native_parser_has_them(sluice) {
  for (let seed = 1; seed <= 40; seed++) {
    const next = random(1000 + seed);
    let json = written(randomObject(next, 3), next);
    const at = Math.floor(next() * json.length);
    json = [json.slice(0, at), json.slice(0, at) + "x" + json.slice(at), json + json, `"${json.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`][seed % 4];
    const { updates } = await play(sluice, pieces(json, next, 9), next);
    compare(sluice, updates, `seed ${seed} ${json}`);
  }
}

export async function a_wide_container_only_grows_and_ends_exact(sluice) {
  const wide = { list: Array.from({ length: 2000 }, (_, index) => index), map: Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, { v: index }])) };
  const json = JSON.stringify(wide);
  const next = random(7);
  const { updates, params } = await play(sluice, pieces(json, next, 12), next);
  let shown = 0;
  for (const { partial, contentIndex } of updates) {
    const { list = [] } = partial.content[contentIndex].arguments;
    check(list.length >= shown, "a list that shrinks");
    list.forEach((item, index) => check(item === index || index === list.length - 1, `item ${index} is ${item}`));
    shown = list.length;
  }
  equal(updates.at(-1).toolCall.arguments, wide, "the final arguments");
  equal(params, wide, "what the tool got");
}

export async function up_to_the_limit_a_container_is_exact_at_every_delta(sluice) {
  const json = JSON.stringify({ list: Array.from({ length: 128 }, (_, index) => `item ${index}`) });
  const next = random(3);
  const { updates } = await play(sluice, pieces(json, next, 5), next);
  compare(sluice, updates, "128 items");
}

export async function arguments_share_what_did_not_change(sluice) {
  const deltas = ['{"first":{"deep":[1,2]},', '"second":"a', "b", 'c","third":[{"x":1},', '{"y":', "2}]}"];
  const { updates } = await play(sluice, deltas, random(1));
  const shown = updates.filter((event) => event.type === "toolcall_delta").map((event) => event.partial.content[event.contentIndex].arguments);
  for (let index = 1; index < shown.length; index++) {
    check(shown[index] !== shown[index - 1], `delta ${index}: the root is new`);
    check(shown[index].first === shown[0].first, `delta ${index}: what did not change is shared`);
  }
  check(shown.at(-1).third[0] === shown[3].third[0], "a closed element of an open array is shared");
}

export async function two_calls_may_grow_in_turns(sluice) {
  const frames = [call(0, "a", "f", '{"x":'), call(1, "b", "f", '{"y":"'), more(0, "1"), more(1, "q"), more(0, "}"), more(1, '"}'), finish("tool_calls"), done];
  const got = [];
  const agent = agentWith(sluice, fetchOf(frames, answer("ok")), { tools: [tool("f", (id, params) => { got.push([id, params]); return said("ok"); })] });
  const log = record(agent);
  await agent.prompt("go");
  log.verify(sluice);
  equal(got, [["a", { x: 1 }], ["b", { y: "q" }]], "what the tools got");
  equal(last(agent).stopReason, "stop", "the run goes on");
}

export async function text_is_cut_by_utf16_units(sluice) {
  const parts = ["a😀", "é", "日本", "👩‍👩‍👧", "\u2028", "z"];
  for (const seed of [1, 2, 3, 4, 5]) {
    const frames = [...parts.map(text), call(0, "c", "f", '{"s":"😀'), more(0, '日"}'), finish("tool_calls"), done];
    const agent = agentWith(sluice, fetchOf(() => streamed(networkChunks(frames, random(seed))), answer("ok")), { tools: [tool("f", () => said("ok"))] });
    const log = record(agent);
    await agent.prompt("go");
    equal(log.updates().filter((event) => event.type === "text_delta").slice(0, parts.length).map((event) => event.delta), parts, "the deltas");
    equal(log.of("tool_execution_start")[0].args, { s: "😀日" }, "the arguments");
    log.verify(sluice);
  }
}
