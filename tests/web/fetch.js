// Servers and `fetch` functions that misbehave.

import {
  agentWith, answer, check, delta, done, equal, fetchOf, finish, frame, last, matches, model, never, open, record, same, sleep, soon, stillWorks, streamed, text, textOf,
} from "./helpers.js";

const context = { messages: [{ role: "user", content: "hi", timestamp: 1 }] };

/** One call against a `fetch`; gives its message. */
async function complete(sluice, fetch, options = {}) {
  const stream = sluice.streamSimple(model, context, { fetch, ...options });
  const events = [];
  await soon((async () => { for await (const event of stream) events.push(event); })(), "the call");
  sluice.checkCall(JSON.stringify(events));
  return stream.result();
}

function failed(message, code, retryable, what) {
  same(message.stopReason, "error", `${what}: the stop reason`);
  same(message.error.code, code, `${what}: the code of "${message.errorMessage}"`);
  same(message.error.retryable, retryable, `${what}: whether to retry`);
  same(message.error.message, message.errorMessage, `${what}: the message twice`);
  check(message.errorMessage.length > 10, `${what}: a sentence`);
}

/** A response of this body, as a stub that is no Response. */
const bare = (body, fields = {}) => ({ status: 200, headers: new Headers({ "content-type": "text/event-stream" }), body, ...fields });
const reader = (read, fields = {}) => bare({ getReader: () => ({ read, cancel: async () => {}, releaseLock() {}, ...fields }) });
const bytes = (value) => ({ done: false, value: new TextEncoder().encode(value) });

export async function a_fetch_that_fails_is_a_network_error(sluice) {
  const reasons = [new TypeError("Failed to fetch"), new TypeError("Load failed"), new TypeError("NetworkError when attempting to fetch resource."), "just a string", undefined, null, 5, {}, new DOMException("gone", "NetworkError")];
  for (const reason of reasons) {
    failed(await complete(sluice, async () => { throw reason; }), "network", true, String(reason));
    failed(await complete(sluice, () => { throw reason; }), "network", true, `${String(reason)}, synchronously`);
  }
  matches((await complete(sluice, async () => { throw "just a string"; })).errorMessage, /just a string/, "the reason is told");
}

export async function the_page_s_own_fetch_may_fail_in_any_way(sluice) {
  const fetch = globalThis.fetch;
  try {
    for (const reason of [new TypeError("Failed to fetch"), "just a string", undefined, new DOMException("x", "AbortError")]) {
      globalThis.fetch = async () => { throw reason; };
      failed(await complete(sluice, undefined), "network", true, String(reason));
    }
    for (const value of [undefined, null, {}, 5, "text"]) {
      globalThis.fetch = async () => value;
      failed(await complete(sluice, undefined), "bad_response", false, String(value));
    }
    let request;
    globalThis.fetch = async (given) => ((request = given), streamed(answer("hi")));
    same(textOf(await complete(sluice, undefined, { apiKey: "k" })), "hi", "the answer");
    check(request instanceof Request && request.method === "POST" && request.headers.get("authorization") === "Bearer k", "the request");
    equal((await request.json()).stream, true, "the body");
    globalThis.fetch = undefined;
    failed(await complete(sluice, undefined), "invalid_request", false, "no fetch");
  } finally {
    globalThis.fetch = fetch;
  }
}

export async function an_abort_error_without_an_abort_is_a_network_error(sluice) {
  const message = await complete(sluice, async () => { throw new DOMException("aborted", "AbortError"); });
  failed(message, "network", true, "AbortError from fetch");
  const reading = await complete(sluice, async () => reader(async () => { throw new DOMException("aborted", "AbortError"); }));
  failed(reading, "truncated", true, "AbortError from the body");
}

export async function what_is_no_response_is_refused(sluice) {
  for (const value of [undefined, null, 5, "text", {}, [], () => {}, { status: "200" }]) failed(await complete(sluice, async () => value), "bad_response", false, String(value));
}

export async function a_stub_of_a_response_is_enough(sluice) {
  const chunks = answer("hi");
  const stub = () => {
    let at = 0;
    return bare({ getReader: () => ({ read: async () => (at < chunks.length ? bytes(chunks[at++]) : { done: true }) }) }, { headers: undefined });
  };
  same(textOf(await complete(sluice, async () => stub())), "hi", "without headers and cancel");
  const thenable = { then: (resolve) => resolve(streamed(answer("hi"))) };
  same(textOf(await complete(sluice, () => thenable)), "hi", "a thenable");
  same(textOf(await complete(sluice, () => streamed(answer("hi")))), "hi", "a response that is no promise");
}

export async function chunks_may_be_bytes_or_text(sluice) {
  const of = (map) => {
    const chunks = answer("hi 😀");
    let at = 0;
    return async () => reader(async () => (at < chunks.length ? { done: false, value: map(chunks[at++]) } : { done: true }));
  };
  const encode = (chunk) => new TextEncoder().encode(chunk);
  same(textOf(await complete(sluice, of((chunk) => chunk))), "hi 😀", "text");
  same(textOf(await complete(sluice, of(encode))), "hi 😀", "bytes");
  const padded = (chunk) => {
    const all = new Uint8Array(encode(chunk).length + 8);
    all.set(encode(chunk), 4);
    return all.subarray(4, all.length - 4);
  };
  same(textOf(await complete(sluice, of(padded))), "hi 😀", "a part of a buffer");
  for (const value of [5, {}, null, undefined, [1, 2]]) failed(await complete(sluice, of(() => value)), "truncated", true, `a chunk that is ${String(value)}`);
}

export async function a_read_may_give_anything(sluice) {
  for (const value of [undefined, null, 5]) {
    let count = 0;
    const message = await complete(sluice, async () => reader(async () => (count++ === 0 ? bytes(text("x")) : value)));
    failed(message, "truncated", true, `a read that gives ${String(value)}`);
    same(textOf(message), "x", "what had arrived is kept");
  }
  failed(await complete(sluice, async () => reader(undefined)), "truncated", true, "no read method");
  failed(await complete(sluice, async () => reader(async () => { throw "a string"; })), "truncated", true, "a read that rejects");
}

export async function a_body_that_is_locked_or_missing_fails(sluice) {
  const locked = streamed(answer("x"));
  locked.body.getReader();
  failed(await complete(sluice, async () => locked), "bad_response", false, "locked");
  failed(await complete(sluice, async () => new Response(null, { status: 200 })), "truncated", true, "no body");
  failed(await complete(sluice, async () => new Response("", { status: 200, headers: { "content-type": "text/event-stream" } })), "truncated", true, "an empty body");
  failed(await complete(sluice, async () => new Response(null, { status: 401 })), "auth", false, "401 without a body");
}

export async function pages_and_documents_in_place_of_a_stream(sluice) {
  const html = "<!doctype html><title>Sign in</title>";
  failed(await complete(sluice, async () => new Response(html, { headers: { "content-type": "text/html; charset=utf-8" } })), "bad_response", false, "HTML");
  failed(await complete(sluice, async () => new Response(html, { headers: { "content-type": "text/plain" } })), "bad_response", false, "HTML as text");
  const completion = { id: "r9", choices: [{ index: 0, message: { role: "assistant", content: "whole" }, finish_reason: "stop" }], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } };
  const message = await complete(sluice, async () => Response.json(completion));
  equal([message.stopReason, textOf(message), message.responseId, message.usage.totalTokens], ["stop", "whole", "r9", 5], "a whole completion");
  failed(await complete(sluice, async () => Response.json({ error: { message: "no such model", type: "invalid_request_error" } })), "invalid_request", false, "an error in a 200");
  failed(await complete(sluice, async () => Response.json({ hello: 1 })), "bad_response", false, "another document");
}

export async function statuses_are_classified(sluice) {
  const json = (status, message, headers = {}) => async () => Response.json({ error: { message } }, { status, headers });
  const limited = await complete(sluice, json(429, "slow down", { "retry-after": "7" }));
  failed(limited, "rate_limit", true, "429");
  equal([limited.error.status, limited.error.retryAfterMs], [429, 7000], "status and delay");
  const date = new Date(Date.now() + 30_000).toUTCString();
  const dated = await complete(sluice, json(503, "down", { "retry-after": date }));
  failed(dated, "overloaded", true, "503");
  check(Math.abs(dated.error.retryAfterMs - 30_000) < 3000, "a delay by date");
  same((await complete(sluice, json(429, "x", { "retry-after": "soon" }))).error.retryAfterMs, undefined, "a delay that is none");
  failed(await complete(sluice, json(401, "bad key")), "auth", false, "401");
  failed(await complete(sluice, json(400, "bad")), "invalid_request", false, "400");
  failed(await complete(sluice, async () => new Response("<html>Bad gateway</html>", { status: 502, headers: { "content-type": "text/html" } })), "overloaded", true, "502 with HTML");
  const broken = async () => ({ status: 500, headers: new Headers(), body: { getReader: () => ({ read: async () => { throw "x"; } }) } });
  same((await complete(sluice, broken)).error.status, 500, "500 whose body breaks");
}

export async function a_stream_that_is_cut_is_truncated(sluice) {
  for (const chunks of [[], [text("a")], [": ping\n\n"], [text("a"), "data: {\"choi"]]) {
    const message = await complete(sluice, fetchOf(chunks));
    check(["truncated", "bad_response"].includes(message.error.code), `the code of ${JSON.stringify(chunks)}`);
    failed(message, message.error.code, true, JSON.stringify(chunks));
  }
  same(textOf(await complete(sluice, fetchOf([text("a")]))), "a", "what had arrived is kept");
  same((await complete(sluice, fetchOf([text("a"), finish()]))).stopReason, "stop", "a finish reason counts");
}

export async function an_error_within_a_stream_cancels_the_download(sluice) {
  let cancelled = 0;
  const message = await complete(sluice, fetchOf(() => open([text("a"), frame({ error: { message: "exploded", type: "server_error" } })], () => { cancelled++; })));
  same(message.stopReason, "error", "the stop reason");
  matches(message.errorMessage, /exploded/, "the message");
  same(textOf(message), "a", "what had arrived is kept");
  await sleep(1);
  same(cancelled, 1, "the body is cancelled");
}

export async function after_the_end_of_the_answer_the_download_is_cancelled(sluice) {
  let cancelled = 0;
  let signal;
  const began = performance.now();
  const message = await complete(sluice, (url, init) => ((signal = init.signal), open(answer("a"), () => { cancelled++; })));
  same(message.stopReason, "stop", "the stop reason");
  check(performance.now() - began < 900, "the answer does not wait for the end of the body");
  await sleep(1300);
  equal([cancelled, signal.aborted], [1, true], "a body that does not end is cancelled");
}

export async function a_body_that_ends_is_read_to_its_end_and_not_aborted(sluice) {
  let signal, isAtEnd = false;
  const chunks = [...answer("a"), ": bye\n\n"];
  let at = 0;
  const message = await complete(sluice, (url, init) => ((signal = init.signal), reader(async () => {
    await sleep(2);
    if (at < chunks.length) return bytes(chunks[at++]);
    isAtEnd = true;
    return { done: true };
  })));
  same(message.stopReason, "stop", "the stop reason");
  await sleep(50);
  equal([isAtEnd, signal.aborted], [true, false], "read to the end, not aborted");
}

export async function a_body_that_never_ends_is_not_read_for_ever(sluice) {
  let signal, reads = 0, at = 0;
  const chunks = answer("a");
  const endless = (url, init) => ((signal = init.signal), reader(async () => (reads++, at < chunks.length ? bytes(chunks[at++]) : bytes(": noise\n\n"))));
  same((await complete(sluice, endless)).stopReason, "stop", "the stop reason");
  await sleep(1300);
  check(signal.aborted, "it is aborted");
  const before = reads;
  await sleep(20);
  same(reads, before, "and not read any more");
}

export async function a_cancel_that_fails_is_quiet(sluice) {
  for (const cancel of [async () => { throw new Error("no"); }, () => { throw new Error("no"); }, undefined, 5, never]) {
    const chunks = [text("a"), frame({ error: { message: "exploded" } })];
    let at = 0;
    const message = await complete(sluice, async () => reader(async () => (at < chunks.length ? bytes(chunks[at++]) : never()), { cancel, releaseLock: () => { throw new Error("no"); } }));
    same(message.stopReason, "error", "the stop reason");
  }
}

export async function a_body_may_take_its_time(sluice) {
  let at = 0;
  const chunks = [text("one "), text("two"), finish(), done];
  const message = await complete(sluice, async () => reader(async () => {
    if (at === chunks.length) return { done: true };
    if (at === 1) await sleep(200);
    return bytes(chunks[at++]);
  }));
  same(textOf(message), "one two", "both chunks arrive");
}

export async function silence_has_a_limit_and_any_byte_counts(sluice) {
  failed(await complete(sluice, never, { timeoutMs: 20 }), "timeout", true, "no headers");
  const silent = await complete(sluice, fetchOf(() => open([text("a")])), { idleTimeoutMs: 30 });
  failed(silent, "timeout", true, "no bytes");
  same(textOf(silent), "a", "what had arrived is kept");
  let at = 0;
  const chunks = [": ping\n\n", ":", "\n", "\n", ": ping\n\n", ...answer("alive")];
  const alive = await complete(sluice, async () => reader(async () => {
    if (at === chunks.length) return { done: true };
    await sleep(25);
    return bytes(chunks[at++]);
  }), { idleTimeoutMs: 150 });
  same(textOf(alive), "alive", "heartbeats keep a stream alive");
}

export async function no_limit_is_no_limit(sluice) {
  const slow = async () => {
    await sleep(40);
    const chunks = answer("slow");
    let at = 0;
    return reader(async () => {
      await sleep(20);
      return at < chunks.length ? bytes(chunks[at++]) : { done: true };
    });
  };
  same(textOf(await complete(sluice, slow, { timeoutMs: 0, idleTimeoutMs: 0 })), "slow", "0 stands for none");
  // More milliseconds than a timer of the browser holds, which would go off at once.
  for (const ms of [2 ** 31, 2 ** 32, 1e15]) {
    same(textOf(await complete(sluice, slow, { timeoutMs: ms, idleTimeoutMs: ms, hookTimeoutMs: ms, onPayload: (body) => sleep(20).then(() => body) })), "slow", `a limit of ${ms} ms`);
  }
}

/** How a body may answer an abort. */
const UNDER_ABORT = {
  "never settles": () => never(),
  "ends normally": (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve({ done: true }))),
  "gives one more chunk": (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(bytes(text("more"))))),
  "rejects with a TypeError": (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(new TypeError("network")))),
  "rejects with a string": (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject("stopped"))),
  "rejects with undefined": (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(undefined))),
};

export async function an_abort_is_an_abort_whatever_the_body_does(sluice) {
  for (const [kind, underAbort] of Object.entries(UNDER_ABORT)) {
    for (const cancel of [async () => {}, never, async () => { throw new Error("cannot cancel"); }]) {
      let count = 0;
      let signal;
      const stub = (url, init) => (({ signal } = init), reader(() => (count++ === 0 ? Promise.resolve(bytes(text("partial"))) : underAbort(signal)), { cancel }));
      const agent = agentWith(sluice, fetchOf(stub, answer("fine")));
      const log = record(agent);
      const running = agent.prompt("x");
      await sleep(15);
      agent.abort("by the user");
      await soon(running, kind);
      equal([log.reason(), last(agent).stopReason, last(agent).error.code], ["aborted", "aborted", "aborted"], kind);
      same(textOf(last(agent)), "partial", `${kind}: what had arrived`);
      check(signal.aborted, `${kind}: the signal of fetch is aborted`);
      log.verify(sluice);
      log.stop();
      await stillWorks(sluice, agent);
    }
  }
}

export async function the_body_of_a_large_request_is_the_page_s_own(sluice) {
  const data = "A".repeat(3_000_000);
  let body;
  const fetch = async (url, init) => {
    body = init.body;
    return streamed(answer("ok"));
  };
  const agent = agentWith(sluice, fetch);
  await agent.prompt("look", [{ type: "image", data, mimeType: "image/png" }]);
  const image = JSON.parse(body).messages[0].content.find((part) => part.type === "image_url");
  same(image.image_url.url.length, data.length + "data:image/png;base64,".length, "the image arrives whole");
}

export async function the_prototype_iterator_of_streams_is_not_needed(sluice) {
  const { prototype } = ReadableStream;
  const iterator = Object.getOwnPropertyDescriptor(prototype, Symbol.asyncIterator);
  delete prototype[Symbol.asyncIterator];
  try {
    same(textOf(await complete(sluice, fetchOf(answer("hi")))), "hi", "the answer");
  } finally {
    if (iterator !== undefined) Object.defineProperty(prototype, Symbol.asyncIterator, iterator);
  }
}

export async function frames_that_are_not_json_fail_with_the_rest_kept(sluice) {
  const message = await complete(sluice, fetchOf([text("a"), "data: {nonsense}\n\n", ...answer("b")]));
  same(message.stopReason, "error", "the stop reason");
  same(textOf(message), "a", "what had arrived is kept");
  const odd = await complete(sluice, fetchOf([frame({ choices: [] }), delta({ role: "assistant" }), ...answer("fine")]));
  same(textOf(odd), "fine", "frames without content are skipped");
}

export async function a_fetch_that_fails_with_the_key_in_its_message_does_not_tell_it(sluice) {
  const fetch = async (url, init) => {
    throw new Error(`refused ${init.headers.authorization}`);
  };
  const agent = new sluice.Agent({ initialState: { model }, fetch, apiKey: "secret-key-of-an-app" });
  await agent.prompt("x");
  const message = last(agent);
  same(message.error.code, "network", "the code");
  check(!JSON.stringify(message).includes("secret-key"), "the key is not told");
}
