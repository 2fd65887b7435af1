// Builds the message that is being received and calls the listeners.
//
// This runs once per delta, so it makes plain objects and calls functions, and nothing else: every
// decision (what a delta belongs to, when a block ends, what an error is) was taken in Rust and
// arrives as operations, whose encoding src/assemble/batch.rs describes.

import { EventStream } from "./streams.js";

/**
 * The reason of an abort by leaving. One for all, made where nothing is on the stack: an error keeps the functions that
 * were being called when it was made, and a signal its reason.
 */
const LEFT = new DOMException("The stream was left before its end.", "AbortError");

/** A listener that knows nothing but the stream: functions made in one scope hold all that any of them needs. */
function into(stream) {
  return (event) => {
    // Behind its last event there is nothing to abort.
    if (LAST.includes(event.type)) stream.detach();
    stream.push(event);
  };
}

/** With what a call or a run ends. */
const LAST = ["done", "error", "agent_end"];

/** What the module has of one agent's app: its state, listeners, hooks and tools, and the message that is being received. */
export class Channel {
  /** @param given hooks and what a `streamFn` is told, as `readOptions` gives them, and perhaps a `record` of its own */
  constructor(given) {
    this.own = { listeners: [], tools: [], streams: new Set(), record: newState(), ...given };
    this.own.view = liveView(this.own.record);
    // Behind the view: a session is to have what waits, and what the page does not see yet.
    Object.assign(this.own.record, nothingWaits());
    channels.set(this.own.record, this);
    this.signal = undefined;
    this.message = undefined;
    this.arguments = new Map();
    this.isReleased = false;
    this.release = () => {};
    this.wrap = (event) => ({ type: "message_update", message: event.partial, assistantMessageEvent: event });
  }

  /**
   * Leaves what is the app's to whoever holds what this returns, but for the time of a run. A listener, a tool or a
   * message may well hold the agent; the module, which holds the channel, is never garbage, and the agent could not be
   * either.
   */
  leave() {
    const { own } = this;
    this.left = new WeakRef(own);
    this.own = undefined;
    return own;
  }

  /** What is the app's. Of an agent that is garbage there is nothing left. */
  held() {
    return this.own ?? this.left.deref() ?? { listeners: [], tools: [], streams: new Set(), record: { ...newState(), ...nothingWaits() }, hooks: {}, told: {} };
  }

  get(key) {
    return this.held().record[key];
  }

  set(key, value) {
    this.held().record[key] = value;
  }

  record() {
    return this.held().record;
  }

  /** The live state, as the page sees it. */
  view() {
    return this.held().view;
  }

  /** A function among the options. */
  hook(name) {
    return this.held().hooks[name];
  }

  told() {
    return this.held().told;
  }

  /** The app's tools, in an array of our own. */
  tools() {
    return this.held().tools;
  }

  setTools(tools) {
    this.held().tools = [...tools];
  }

  /** Whether these are the tools that were set. */
  hasTools(tools) {
    const known = this.tools();
    return Array.isArray(tools) && tools.length === known.length && known.every((tool, index) => tool === tools[index]);
  }

  /** Events of the model call itself go out, in place of those of an agent. */
  unwrapped() {
    this.wrap = (event) => event;
  }

  /** A run begins; its signal goes to every listener. */
  open(signal) {
    this.own = this.held();
    this.signal = signal;
    this.isReleased = false;
  }

  /** A run is over. Its signal may hold whoever aborted it: the reason knows the call. */
  close() {
    this.signal = undefined;
    if (this.left !== undefined) this.own = undefined;
  }

  /** From here on no listener's promise is waited for, not even the one that is waited for now. */
  letGo() {
    this.isReleased = true;
    this.release();
  }

  subscribe(listener) {
    const entry = { listener };
    const change = (listenersOf) => {
      const own = this.held();
      own.listeners = listenersOf(own);
    };
    change(({ listeners }) => [...listeners, entry]);
    return () => {
      // Nor is it called for an event that is under way.
      entry.listener = undefined;
      change(({ listeners }) => listeners.filter((other) => other !== entry));
    };
  }

  /** All events from now on, until whoever reads them leaves or the agent is no more. */
  events() {
    const { streams } = this.held();
    const stream = new EventStream(() => {
      unsubscribe();
      streams.delete(stream);
    });
    const unsubscribe = this.subscribe((event) => stream.push(event));
    streams.add(stream);
    return stream;
  }

  /** The module has failed: no event will come any more. What was under way stays in the state as it was. */
  fail(error) {
    const { record, streams } = this.held();
    Object.assign(record, { isStreaming: false, error: error.message });
    for (const stream of streams) stream.fail(error);
  }

  /** The events of what is under way; leaving them early calls `abort`, with a reason. */
  stream(abort) {
    const stream = new EventStream(abort, LEFT);
    this.subscribe(into(stream));
    return stream;
  }

  /** Calls the listeners in order. Returns a promise only when one of them did. */
  emit(event) {
    const { listeners } = this.own;
    for (let i = 0; i < listeners.length; i++) {
      const promise = call(listeners[i], event, this.signal);
      if (promise !== undefined) return this.emitRest(promise, event, listeners, i + 1);
    }
    return undefined;
  }

  async emitRest(promise, event, listeners, next) {
    await this.settled(promise);
    for (let i = next; i < listeners.length; i++) {
      const promise = call(listeners[i], event, this.signal);
      if (promise !== undefined) await this.settled(promise);
    }
  }

  settled(promise) {
    return new Promise((resolve) => {
      this.release = resolve;
      if (this.isReleased) resolve();
      Promise.resolve(promise).then(resolve, (error) => {
        report(error);
        resolve();
      });
    });
  }

  /** A message begins. */
  begin(message) {
    this.message = message;
    this.arguments.clear();
    this.own.record.streamMessage = message;
  }

  /** The message is complete: the last snapshot with `fields` on it. */
  end(fields) {
    const message = { ...this.message, ...fields };
    this.message = undefined;
    this.arguments.clear();
    this.own.record.streamMessage = null;
    return message;
  }

  /**
   * Carries out the operations of one network chunk: one snapshot and one event each. Returns how
   * many words were carried out (fewer than all when the run was aborted meanwhile), or a promise
   * of it when a listener is waited for.
   */
  update(text, words, isClosing) {
    // The words lie in wasm memory, which moves when a listener makes it grow.
    return this.step(new Cursor(text, words.slice()), isClosing);
  }

  step(cursor, isClosing) {
    while (cursor.word < cursor.words.length) {
      if (!isClosing && this.signal?.aborted) break;
      const event = this.next(cursor);
      if (event === undefined) continue;
      const waiting = this.emit(this.wrap(event));
      if (waiting !== undefined) return waiting.then(() => this.step(cursor, isClosing));
    }
    return cursor.word;
  }

  next(cursor) {
    const head = cursor.number();
    const contentIndex = head >>> 8;
    const block = this.message.content[contentIndex];
    switch (head & 0xff) {
      case 1:
        return { type: "text_start", contentIndex, partial: this.put(contentIndex, { type: "text", text: "" }) };
      case 2: {
        const delta = cursor.string();
        const partial = this.put(contentIndex, { ...block, text: block.text + delta });
        return { type: "text_delta", contentIndex, delta, partial };
      }
      case 3:
        return { type: "text_end", contentIndex, content: block.text, partial: this.put(contentIndex, block) };
      case 4:
        return { type: "thinking_start", contentIndex, partial: this.put(contentIndex, { type: "thinking", thinking: "" }) };
      case 5: {
        const delta = cursor.string();
        const partial = this.put(contentIndex, { ...block, thinking: block.thinking + delta });
        return { type: "thinking_delta", contentIndex, delta, partial };
      }
      case 6:
        return { type: "thinking_end", contentIndex, content: block.thinking, partial: this.put(contentIndex, block) };
      case 7: {
        const view = new ArgumentsView();
        this.arguments.set(contentIndex, view);
        const call = { type: "toolCall", id: cursor.string(), name: cursor.string(), arguments: view.value };
        return { type: "toolcall_start", contentIndex, partial: this.put(contentIndex, call) };
      }
      case 8: {
        const delta = cursor.string();
        const value = this.arguments.get(contentIndex).apply(cursor);
        const partial = this.put(contentIndex, { ...block, arguments: value });
        return { type: "toolcall_delta", contentIndex, delta, partial };
      }
      case 9: {
        cursor.string();
        const value = this.arguments.get(contentIndex).apply(cursor, true);
        const toolCall = value === block.arguments ? block : { ...block, arguments: value };
        return { type: "toolcall_end", contentIndex, toolCall, partial: this.put(contentIndex, toolCall) };
      }
      case 10: {
        const content = { type: "image", data: cursor.string(), mimeType: cursor.string() };
        return { type: "image_end", contentIndex, content, partial: this.put(contentIndex, content) };
      }
      case 11:
        this.put(contentIndex, { ...block, textSignature: cursor.string() });
        return undefined;
      case 12:
        this.put(contentIndex, { ...block, thinkingSignature: cursor.string() });
        return undefined;
      case 13:
        this.put(contentIndex, { ...block, redacted: true });
        return undefined;
      case 14:
        this.put(contentIndex, { ...block, thoughtSignature: cursor.string() });
        return undefined;
    }
  }

  /** The next snapshot: one block differs, all others are shared. */
  put(contentIndex, block) {
    const content = this.message.content.slice();
    content[contentIndex] = block;
    this.message = { ...this.message, content };
    this.own.record.streamMessage = this.message;
    return this.message;
  }
}

/** What stands behind `agent.state`. Arrays and sets in it are replaced when they change, so that a page can compare them. */
export function newState() {
  return {
    systemPrompt: "", model: null, thinkingLevel: "off", tools: [], messages: [], isStreaming: false, streamMessage: null,
    pendingToolCalls: new Set(), error: undefined,
  };
}

/** Messages that a run has taken and not shown yet, and those that it may take. */
function nothingWaits() {
  return { taken: [], steering: [], followUp: [] };
}

/** A state follows a run. `isKept` is false for a run whose conversation was thrown away. */
export function follow(state, event, isKept) {
  switch (event.type) {
    case "message_end":
      if (isKept) state.messages = [...state.messages, event.message];
      break;
    case "turn_end":
      if (isKept) state.error = event.message.errorMessage ?? state.error;
      break;
    case "tool_execution_start":
      state.pendingToolCalls = new Set(state.pendingToolCalls).add(event.toolCallId);
      break;
    case "tool_execution_end":
      state.pendingToolCalls = new Set([...state.pendingToolCalls].filter((id) => id !== event.toolCallId));
      break;
    case "agent_end":
      Object.assign(state, { isStreaming: false, streamMessage: null, pendingToolCalls: new Set() });
      break;
  }
}

/**
 * A live view of a record. Its properties are accessors: a page may freeze or spread what it was
 * given (stores do) without stopping the agent that writes the record.
 */
export function liveView(record) {
  const view = {};
  records.set(view, record);
  for (const key of Object.keys(record)) {
    Object.defineProperty(view, key, { enumerable: true, get: () => record[key] });
  }
  return view;
}

const records = new WeakMap();
const channels = new WeakMap();

/** The channel of the agent whose state this view shows. */
export function channelOf(view) {
  return channels.get(recordOf(view));
}

/** The record behind a view. */
export function recordOf(view) {
  return records.get(view);
}

/** Reads words, and the text they measure. */
class Cursor {
  constructor(text, words) {
    this.text = text;
    this.words = words;
    this.word = 0;
    this.char = 0;
  }

  number() {
    return this.words[this.word++];
  }

  string() {
    const start = this.char;
    this.char += this.words[this.word++];
    return this.text.slice(start, this.char);
  }
}

/** Elements that may be copied for one delta: a wider container is shown only every so often. */
const COPIES_PER_DELTA = 128;

/**
 * The arguments of a tool call as far as they have arrived. Every snapshot shares what did not
 * change with the one before; what is shown is never changed afterwards.
 */
class ArgumentsView {
  constructor() {
    this.value = {};
    this.reset();
  }

  reset() {
    /** Open containers from the root inwards: `draft` changes, `shown` does not. */
    this.open = [];
    this.key = undefined;
  }

  /** Carries out path steps and returns the arguments to show. */
  apply(cursor, isEnd = false) {
    const end = cursor.number() + cursor.word;
    while (cursor.word < end) this.step(cursor.number(), cursor);
    for (let depth = this.open.length - 1; depth >= 0; depth--) this.show(depth, isEnd);
    return this.value;
  }

  step(kind, cursor) {
    switch (kind) {
      case 0:
        return this.push({});
      case 1:
        return this.push([]);
      case 2:
        this.key = cursor.string();
        return undefined;
      case 3:
        return this.set(cursor.string());
      case 4:
        return this.append(cursor.string());
      case 5:
        return this.set(Number(cursor.string()));
      case 6:
        return this.set(true);
      case 7:
        return this.set(false);
      case 8:
        return this.set(null);
      case 9:
        return this.close();
      case 10:
        return this.reset();
    }
  }

  push(draft) {
    const slot = this.open.length > 0 ? this.slot() : undefined;
    const shown = Array.isArray(draft) ? [] : {};
    this.write(slot, shown);
    this.open.push({ draft, slot, shown, size: 0, age: 0, isChanged: false });
  }

  set(value) {
    const slot = this.slot();
    this.open.at(-1).stringSlot = slot;
    this.write(slot, value);
  }

  append(text) {
    const { draft, stringSlot } = this.open.at(-1);
    this.write(stringSlot, draft[stringSlot] + text);
  }

  close() {
    const { draft, slot } = this.open.pop();
    this.write(slot, draft);
  }

  /** Where the next value goes. */
  slot() {
    const container = this.open.at(-1);
    container.size++;
    return Array.isArray(container.draft) ? container.draft.length : this.key;
  }

  /** Writes into the innermost open container, or replaces the root. */
  write(slot, value) {
    const container = this.open.at(-1);
    if (container === undefined) {
      this.value = value;
      return;
    }
    container.isChanged = true;
    define(container.draft, slot, value);
  }

  /** Shows what a container holds now, if that is not too much to copy for this delta. */
  show(depth, isEnd) {
    const container = this.open[depth];
    if (!container.isChanged) return;
    container.age++;
    if (!isEnd && container.size > container.age * COPIES_PER_DELTA) return;
    container.age = 0;
    container.isChanged = false;
    container.shown = Array.isArray(container.draft) ? container.draft.slice() : { ...container.draft };
    if (depth === 0) {
      this.value = container.shown;
    } else {
      const parent = this.open[depth - 1];
      parent.isChanged = true;
      define(parent.draft, container.slot, container.shown);
    }
  }
}

/** An own property, whatever its name: a model may well write `__proto__`. */
function define(object, key, value) {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** Calls a listener. What it returns counts only if it is a promise, of whatever make. */
function call({ listener }, event, signal) {
  try {
    const result = listener?.(event, signal);
    return isThenable(result) ? result : undefined;
  } catch (error) {
    report(error);
    return undefined;
  }
}

function isThenable(value) {
  return value !== null && (typeof value === "object" || typeof value === "function") && typeof value.then === "function";
}

export function report(error) {
  if (typeof globalThis.reportError === "function") globalThis.reportError(error);
  else console.error(error);
}
