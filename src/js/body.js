// Bodies of responses: reading one with a single callback for all of its chunks, ending it, making a scripted one.

/** Reads chunk after chunk, each told to the same callback. */
export class Pump {
  /** `settle` gets a chunk, `null` at the end, or `undefined` and an error: once for each `next`, whatever the reader gives. */
  constructor(reader, settle) {
    this.reader = reader;
    this.onStep = (step) => (step?.done ? settle(null) : settle(step?.value ?? undefined));
    this.onError = (error) => settle(undefined, error ?? new Error("the body failed without a reason"));
  }

  /** Asks for the next chunk. */
  next() {
    try {
      Promise.resolve(this.reader.read()).then(this.onStep, this.onError);
    } catch (error) {
      this.onError(error);
    }
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

/** Tokens that come together when no pace is given: about what a network chunk holds. */
const TOKENS_PER_CHUNK = 8;

/** A response with chunks of text as its body, at a given pace. */
export function respond(chunks, status, contentType, retryAfterMs, tokensPerSecond) {
  const headers = { "content-type": contentType };
  if (retryAfterMs !== undefined) headers["retry-after-ms"] = String(retryAfterMs);
  const encoder = new TextEncoder();
  const began = performance.now();
  let sent = 0;
  const body = new ReadableStream({
    async pull(controller) {
      let due = sent + TOKENS_PER_CHUNK;
      if (tokensPerSecond > 0) {
        const isDueAt = began + ((sent + 1) * 1000) / tokensPerSecond;
        await new Promise((resolve) => setTimeout(resolve, isDueAt - performance.now()));
        due = Math.max(sent + 1, Math.floor(((performance.now() - began) * tokensPerSecond) / 1000));
      }
      if (sent < chunks.length) controller.enqueue(encoder.encode(chunks.slice(sent, due).join("")));
      sent = due;
      if (sent >= chunks.length) controller.close();
    },
  });
  return new Response(body, { status, headers });
}

/** Nothing when there is a network, as far as the page knows; else a promise for its return. */
export function online() {
  if (globalThis.navigator?.onLine !== false) return undefined;
  return new Promise((resolve) => globalThis.addEventListener("online", resolve, { once: true }));
}
