// Listeners that want the deltas of a block together, not one by one.

import { Channel } from "../live.js";
import { checkOptions } from "../given.js";
import { invalid } from "../values.js";

/** A frame of a page that draws; and the longest that one is waited for, since a hidden page draws none. */
const FRAME_MS = 16;
const LONGEST_FRAME_MS = 100;

/** Subscribes a listener with its options. `subscribe` is that of the source of the events. */
export function subscribeTo(subscribe, listener, options) {
  checkOptions(options, "the options of subscribe()", ["coalesce"]);
  if (typeof listener !== "function") throw invalid("listener", "a function", listener);
  const coalesce = options?.coalesce;
  if (coalesce === undefined) return subscribe(listener);
  if (coalesce !== "frame" && !(coalesce > 0 && Number.isFinite(coalesce))) {
    throw invalid("coalesce", '"frame" or a positive number of milliseconds', coalesce);
  }
  const coalescer = new Coalescer(listener, coalesce);
  const unsubscribe = subscribe((event, signal) => coalescer.take(event, signal));
  return () => {
    unsubscribe();
    coalescer.end();
  };
}

class Coalescer {
  /** Calls the listener, and reports what it throws. */
  #channel = new Channel();
  #unsubscribe;
  #coalesce;
  /** The last delta, and the text of those before it that it stands for. */
  #held;
  #text = "";
  /** Events that are due, behind what the listener is still at. */
  #due = [];
  /** What the listener is at: it is not called meanwhile. */
  #busy;
  /** What the run waits for. */
  #awaited;
  #cancel = () => {};

  constructor(listener, coalesce) {
    this.#coalesce = coalesce;
    this.#unsubscribe = this.#channel.subscribe(listener);
  }

  /** Returns a promise when the run has to wait. */
  take(event, signal) {
    this.#channel.signal = signal;
    // The run goes on without waiting any longer: so does this listener.
    if (this.#awaited !== undefined) this.#busy = undefined;
    if (this.#isMore(event)) {
      this.#hold(event);
      return undefined;
    }
    this.#release();
    if (isDelta(event)) this.#hold(event);
    else this.#due.push(event);
    const awaited = this.#deliver();
    this.#awaited = awaited;
    awaited?.then(() => {
      if (this.#awaited === awaited) this.#awaited = undefined;
    });
    return awaited;
  }

  /** Nothing more is delivered. */
  end() {
    this.#cancel();
    this.#unsubscribe();
  }

  /** Whether it is the next delta of the block whose deltas are held. */
  #isMore(event) {
    if (this.#held === undefined || !isDelta(event)) return false;
    const { type, contentIndex } = event.assistantMessageEvent;
    const held = this.#held.assistantMessageEvent;
    return type === held.type && contentIndex === held.contentIndex;
  }

  #hold(event) {
    if (this.#held === undefined) this.#cancel = after(this.#coalesce, this.#onTimer);
    this.#held = event;
    this.#text += event.assistantMessageEvent.delta;
  }

  #onTimer = () => {
    if (this.#busy !== undefined) {
      this.#cancel = after(this.#coalesce, this.#onTimer);
    } else {
      this.#release();
      this.#deliver();
    }
  };

  /** What is held is due. */
  #release() {
    if (this.#held === undefined) return;
    this.#cancel();
    const { assistantMessageEvent } = this.#held;
    const isOne = assistantMessageEvent.delta.length === this.#text.length;
    this.#due.push(isOne ? this.#held : { ...this.#held, assistantMessageEvent: { ...assistantMessageEvent, delta: this.#text } });
    this.#held = undefined;
    this.#text = "";
  }

  #deliver() {
    if (this.#busy !== undefined) return this.#busy.then(() => this.#deliver());
    while (this.#due.length > 0) {
      const waiting = this.#channel.emit(this.#due.shift());
      if (waiting === undefined) continue;
      const busy = waiting.then(() => {
        if (this.#busy === busy) this.#busy = undefined;
        return this.#deliver();
      });
      this.#busy = busy;
      return busy;
    }
    return undefined;
  }
}

function isDelta({ type, assistantMessageEvent }) {
  return type === "message_update" && typeof assistantMessageEvent.delta === "string";
}

/** Calls back with the next frame, or so many milliseconds later. Returns what cancels it. */
function after(coalesce, callback) {
  const isFrame = coalesce === "frame";
  // A worker may have the function, and no frames.
  const hasFrames = isFrame && typeof document === "object" && typeof requestAnimationFrame === "function";
  const done = () => {
    cancel();
    callback();
  };
  const timer = setTimeout(done, !isFrame ? coalesce : hasFrames ? LONGEST_FRAME_MS : FRAME_MS);
  const frame = hasFrames ? requestAnimationFrame(done) : undefined;
  const cancel = () => {
    clearTimeout(timer);
    if (frame !== undefined) cancelAnimationFrame(frame);
  };
  return cancel;
}
