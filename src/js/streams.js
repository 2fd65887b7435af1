// What streams: bodies of responses, read with a single callback for all of their chunks, and events, read by iteration.

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
  #onLeave;
  #result;
  #resolve;

  constructor(onLeave) {
    this.#onLeave = onLeave;
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

  /** What it all came to. */
  result() {
    return this.#result;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  next() {
    if (this.#taken < this.#waiting.length) return Promise.resolve({ value: this.#take(), done: false });
    if (this.#isEnded) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  return(value) {
    if (!this.#isEnded) this.#onLeave();
    this.#waiting = [];
    this.#taken = 0;
    this.#finish();
    return Promise.resolve({ value, done: true });
  }

  #finish() {
    this.#isEnded = true;
    for (const reader of this.#readers.splice(0)) reader({ value: undefined, done: true });
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

/** Nothing when there is a network, as far as the page knows; else a promise for its return. */
export function online() {
  if (globalThis.navigator?.onLine !== false) return undefined;
  return new Promise((resolve) => globalThis.addEventListener("online", resolve, { once: true }));
}
