// An async iterable of events with the result of what made them.

/** Events wait in it until they are read; `onLeave` is called when the reader leaves early. */
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
