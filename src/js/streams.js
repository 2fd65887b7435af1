// What streams: bodies of responses, read with a single callback for all of their chunks; events, read by iteration;
// and the events of an app's own source.

import { blockOf, describe, get, isPlainObject, kind, toJson } from "./values.js";

/** Reads chunk after chunk, each told to the same callback. */
export class Pump {
  /** `settle` gets a chunk, `null` at the end, or `undefined` and an error: once for each `next`, whatever the reader gives. */
  constructor(reader, settle) {
    this.reader = reader;
    this.settle = settle;
    this.onStep = (step) => (step?.done ? this.settle(null) : this.settle(step?.value ?? undefined));
    this.onError = (error) => this.settle(undefined, error ?? new Error("the body failed without a reason"));
  }

  /** Asks for the next chunk. */
  next() {
    try {
      Promise.resolve(this.reader.read()).then(this.onStep, this.onError);
    } catch (error) {
      this.onError(error);
    }
  }

  /** Nobody listens any more, not even to a read that is under way. */
  stop() {
    this.settle = () => {};
  }
}

/** Calls the app's own `fetch`. One that does not heed the signal may answer when nobody waits for it any more. */
export function post(fetch, url, headers, body, signal) {
  const answer = Promise.resolve(fetch(url, { method: "POST", headers, body, signal }));
  answer.then((response) => signal.aborted && get(response, "body")?.cancel()).catch(() => {});
  return answer;
}

/**
 * Ends a body that nobody reads any more. A body that is complete but for its end is read to that
 * end for a moment, so that the connection can be used again; any other is cancelled at once.
 */
export async function close(reader, controller, isComplete, graceMs) {
  try {
    if (isComplete && (await ends(reader, graceMs))) return;
    const cancelled = reader.cancel();
    // Not behind the promise: it may never settle.
    controller.abort();
    await cancelled;
  } catch {
    // What cannot be read or cancelled has ended.
    controller.abort();
  } finally {
    release(reader);
  }
}

/** Chunks that may come behind a complete answer. */
const MAX_LATE_READS = 8;

/** Whether the body ends within this time. */
async function ends(reader, graceMs) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, graceMs, {});
  });
  try {
    // A server that goes on sending would keep even the timer from going off.
    for (let reads = 0; reads < MAX_LATE_READS; reads++) {
      const step = await Promise.race([reader.read(), late]);
      if (step.done) return true;
      if (step.value === undefined) break;
    }
    return false;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

function release(reader) {
  try {
    reader.releaseLock?.();
  } catch {
    // A read is still under way: the lock goes with the reader.
  }
}

/**
 * An async iterable of events with the result of what made them. Events wait in it until they are read; `onLeave` is
 * called when the reader leaves early.
 */
export class EventStream {
  #waiting = [];
  #taken = 0;
  #readers = [];
  #isEnded = false;
  #failure;
  #onLeave;
  #reason;
  #result;
  #resolve;

  constructor(onLeave, reason) {
    this.#onLeave = onLeave;
    this.#reason = reason;
    this.#result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  push(event) {
    if (this.#isEnded) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) reader({ value: event, done: false });
    else this.#waiting.push(event);
  }

  end(result) {
    this.#resolve(result);
    this.#finish();
  }

  /** Nothing comes any more, and there is no result. */
  fail(error) {
    if (this.#isEnded) return;
    this.#failure = error;
    // Nobody may be waiting for it.
    this.#result.catch(() => {});
    this.end(Promise.reject(error));
  }

  /** What it all came to. */
  result() {
    return this.#result;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  next() {
    if (this.#taken < this.#waiting.length) return Promise.resolve({ value: this.#take(), done: false });
    if (this.#isEnded) return this.#last();
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  return(value) {
    this.#onLeave?.(this.#reason);
    this.#waiting = [];
    this.#taken = 0;
    this.#finish();
    return Promise.resolve({ value, done: true });
  }

  /** Nobody is told of leaving any more, nor kept by whoever keeps the stream. */
  detach() {
    this.#onLeave = undefined;
  }

  #finish() {
    this.#isEnded = true;
    this.detach();
    for (const reader of this.#readers.splice(0)) reader(this.#last());
  }

  async #last() {
    if (this.#failure !== undefined) throw this.#failure;
    return { value: undefined, done: true };
  }

  /** `shift` would move all that waits, for every event. */
  #take() {
    const event = this.#waiting[this.#taken];
    this.#waiting[this.#taken++] = undefined;
    if (this.#taken === this.#waiting.length) {
      this.#waiting = [];
      this.#taken = 0;
    }
    return event;
  }
}

/** A time to wait. */
export class Timer {
  constructor(ms) {
    this.over = new Promise((resolve) => {
      this.end = resolve;
    });
    this.id = setTimeout(this.end, ms);
  }

  /** It is over now: whoever waits for a promise is kept until it settles. */
  stop() {
    clearTimeout(this.id);
    this.end();
  }
}

/** Nothing when there is a network, as far as the page knows; else a promise for its return. `signal` ends the listening. */
export function online(signal) {
  if (globalThis.navigator?.onLine !== false) return undefined;
  return new Promise((resolve) => globalThis.addEventListener("online", resolve, { once: true, signal }));
}

// ---- the app's own source of responses

/** Kinds of parts; `stream_fn.rs` has the same. */
const TEXT = 0;
const THINKING = 1;
const CALL_DELTA = 2;
const BLOCK_END = 3;
const CALL_START = 4;
const CALL_END = 5;
const IMAGE = 6;
const TEXT_SIGNATURE = 7;
const THINKING_SIGNATURE = 8;
const FINAL = 9;
const CALL_SIGNATURE = 10;
const REDACTED = 11;
const ORIGIN = 12;

/** The types of blocks, by the kind of part by which they grow. */
const TYPES = { [TEXT]: "text", [THINKING]: "thinking", [CALL_DELTA]: "toolCall", [IMAGE]: "image" };

/** What `streamFn` returned, read as parts: of each event only what it adds, in four values. */
export class AppStream {
  constructor(source) {
    const iterate = get(source, Symbol.asyncIterator);
    if (typeof iterate !== "function") {
      throw new Error(`streamFn returned ${kind(source)} in place of an async iterable of AssistantMessageEvents.`);
    }
    this.source = source;
    try {
      this.iterator = iterate.call(source);
    } catch (thrown) {
      throw failed(thrown);
    }
    /** By content index: the kind of part by which a block grows, its key, and its text so far. */
    this.blocks = new Map();
    this.calls = 0;
    /** Whether it has said all, and whether its iterator has ended by itself. */
    this.isOver = false;
    this.isEnded = false;
  }

  /** The parts of the next event: kind, key of a call, two texts, and so on. */
  next() {
    const parts = this.nextParts();
    // A module that fails does not get to wait for it.
    parts.catch(() => {});
    return parts;
  }

  async nextParts() {
    this.parts = [];
    const next = get(this.iterator, "next");
    if (typeof next !== "function") throw new Error("The iterator of streamFn has no next method.");
    const step = await attempt(() => next.call(this.iterator));
    if (!get(step, "done")) {
      this.read(get(step, "value"));
      return this.parts;
    }
    this.isOver = this.isEnded = true;
    // A source may end without `done` when it has a result to ask for.
    const result = get(this.source, "result");
    if (typeof result !== "function") throw new Error("The stream of streamFn ended without a done or error event.");
    this.finish(await attempt(() => result.call(this.source)));
    return this.parts;
  }

  /** Tells a source that is not read any more to stop, as leaving a loop over it would. It is free to fail at that. */
  stop() {
    if (this.isEnded) return;
    attempt(() => get(this.iterator, "return")?.call(this.iterator)).catch(() => {});
  }

  push(kind, key = 0, first = "", second = "") {
    this.parts.push(kind, key, first, second);
  }

  read(event) {
    const type = text(event, "type");
    switch (type) {
      case "start": {
        const origin = ["api", "provider", "model"].map((name) => [name, get(get(event, "partial"), name)]);
        if (origin.every(([, name]) => typeof name === "string")) this.push(ORIGIN, 0, toJson(Object.fromEntries(origin)));
        break;
      }
      case "text_start":
      case "thinking_start":
      case "toolcall_start":
        this.block(event, type);
        break;
      case "text_delta":
      case "thinking_delta":
      case "toolcall_delta":
        this.grow(this.block(event, type), text(event, "delta"));
        break;
      case "text_end":
      case "thinking_end": {
        const block = this.block(event, type);
        // What only a whole block has comes with it at its end.
        const whole = blockOf(get(event, "partial"), get(event, "contentIndex"));
        if (get(whole, "redacted") === true && block.text === "") {
          this.push(REDACTED, 0, text(whole, "thinkingSignature"));
          break;
        }
        this.complete(block, text(event, "content"));
        for (const [kind, name] of [[TEXT_SIGNATURE, "textSignature"], [THINKING_SIGNATURE, "thinkingSignature"]]) {
          if (typeof get(whole, name) === "string") this.push(kind, 0, get(whole, name));
        }
        this.push(BLOCK_END);
        block.isEnded = true;
        break;
      }
      case "toolcall_end": {
        const block = this.block(event, type);
        const call = get(event, "toolCall") ?? blockOf(get(event, "partial"), get(event, "contentIndex"));
        if (block.text === "") this.grow(block, toJson(get(call, "arguments")));
        if (typeof get(call, "thoughtSignature") === "string") this.push(CALL_SIGNATURE, block.key, get(call, "thoughtSignature"));
        if (block.kind === CALL_DELTA) this.push(CALL_END, block.key);
        break;
      }
      case "image_end": {
        const content = get(event, "content");
        this.blocks.set(get(event, "contentIndex") ?? this.blocks.size, { kind: IMAGE });
        this.push(IMAGE, 0, text(content, "data"), text(content, "mimeType"));
        break;
      }
      case "done":
      case "error":
        this.isOver = true;
        this.finish(get(event, type === "done" ? "message" : "error"));
        break;
      // Nothing of events of a later version.
    }
  }

  /** The block of an event; begins it where the source did not. */
  block(event, type) {
    const index = get(event, "contentIndex");
    if (typeof index !== "number") throw new Error(`The ${type} event of streamFn has no contentIndex.`);
    let block = this.blocks.get(index);
    if (block === undefined) {
      block = { kind: type.startsWith("text") ? TEXT : type.startsWith("thinking") ? THINKING : CALL_DELTA, key: 0, text: "" };
      this.blocks.set(index, block);
      if (block.kind === CALL_DELTA) {
        block.key = this.calls++;
        const told = get(event, "toolCall");
        const call = isPlainObject(told) ? told : blockOf(get(event, "partial"), index);
        this.push(CALL_START, block.key, text(call, "id"), text(call, "name"));
      } else {
        this.push(BLOCK_END);
      }
    }
    return block;
  }

  grow(block, delta) {
    block.text += delta;
    this.push(block.kind, block.key, delta);
  }

  /** A block is known as a whole: what its deltas left out of the end comes now. */
  complete(block, whole) {
    if (whole.length > block.text.length && whole.startsWith(block.text)) this.grow(block, whole.slice(block.text.length));
  }

  /** The last word: what the source streamed nothing of is in the final message. */
  finish(message) {
    const content = get(message, "content");
    // Where the numbers of the events are not the places in the message, nobody knows what is new.
    const isPlace = ([index, { kind }]) => get(blockOf(message, index), "type") === TYPES[kind];
    if (Array.isArray(content) && [...this.blocks].every(isPlace)) content.forEach((block, contentIndex) => this.readWhole(block, contentIndex, message));
    const told = {};
    for (const name of ["stopReason", "usage", "responseId", "errorMessage", "error"]) told[name] = get(message, name);
    this.push(FINAL, 0, toJson(told));
  }

  readWhole(block, contentIndex, partial) {
    const known = this.blocks.get(contentIndex);
    if (known !== undefined) {
      // Only the last block can still grow.
      if (contentIndex === this.blocks.size - 1 && known.kind <= THINKING && !known.isEnded) this.complete(known, text(block, known.kind === TEXT ? "text" : "thinking"));
      return undefined;
    }
    switch (get(block, "type")) {
      case "text":
        return this.read({ type: "text_end", contentIndex, content: get(block, "text"), partial });
      case "thinking":
        return this.read({ type: "thinking_end", contentIndex, content: get(block, "thinking"), partial });
      case "toolCall":
        return this.read({ type: "toolcall_end", contentIndex, toolCall: block });
      case "image":
        return this.read({ type: "image_end", contentIndex, content: block });
    }
  }
}

/** Calls the source. What it throws, now or later, is its failure. */
async function attempt(call) {
  try {
    return await call();
  } catch (thrown) {
    throw failed(thrown);
  }
}

function failed(thrown) {
  return new Error(`streamFn failed: ${describe(thrown)}.`);
}

/** A property that is a text; an empty one otherwise. */
function text(object, key) {
  const value = get(object, key);
  return typeof value === "string" ? value : "";
}
