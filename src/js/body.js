// Reads a response body with one callback for all of its chunks.

/** Reads chunk after chunk, each told to the same callback. */
export class Pump {
  /** `settle` gets a chunk, `null` at the end, or `undefined` and an error. */
  constructor(reader, settle) {
    this.reader = reader;
    this.onStep = (step) => settle(step.done ? null : step.value);
    this.onError = (error) => settle(undefined, error ?? new Error("the body failed without a reason"));
  }

  /** Asks for the next chunk. */
  next() {
    try {
      this.reader.read().then(this.onStep, this.onError);
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
  let timer;
  try {
    if (isComplete) {
      const late = new Promise((resolve) => {
        timer = setTimeout(resolve, graceMs, { done: false });
      });
      let step;
      do step = await Promise.race([reader.read(), late]);
      while (!step.done && step.value !== undefined);
      if (step.done) return;
    }
    await reader.cancel();
  } catch {
    // What cannot be read or cancelled has ended.
  } finally {
    clearTimeout(timer);
    controller.abort();
    reader.releaseLock?.();
  }
}
