// Plays a recording back: the same events, snapshots and state, without an agent.

import { EventStream } from "../streams.js";
import { Channel } from "../live.js";
import { subscribeTo } from "./coalesce.js";
import { checkOptions } from "../given.js";
import { invalid, misuse } from "../values.js";
import { beginningOf } from "./growth.js";
import { toJson } from "./recording.js";
import { createStore } from "./store.js";

/** Plays a recording: `speed` times as fast as it was recorded, `Infinity` to wait for nothing. */
export function replay(recording, options) {
  checkOptions(options, "the options of replay()", ["speed"]);
  const speed = options?.speed ?? 1;
  if (!(speed > 0)) throw invalid("speed", "a positive number", speed);
  return new Replay(toJson(recording).events, speed);
}

/** The longest delay that `setTimeout` keeps to. */
const MAX_DELAY_MS = 2_147_483_647;

class Replay {
  #entries;
  #speed;
  #channel = new Channel();
  #record = this.#channel.record();
  #controller = new AbortController();
  #streams = new Set();
  #store;
  #wake;
  #done;
  /** Messages that have ended, by their numbers. */
  #messages = [];
  /** What has started: a message that is no answer, arguments by block, what tools are given and gave. */
  #message;
  #arguments = new Map();
  #args = new Map();
  #results = new Map();

  /** The state as the agent's was. */
  state = this.#channel.view();

  constructor(entries, speed) {
    this.#entries = entries;
    this.#speed = speed;
    this.#channel.open(this.#controller.signal);
    this.#channel.subscribe((event) => this.#store?.onEvent(event));
  }

  get store() {
    this.#store ??= createStore(this.state);
    return this.#store.store;
  }

  subscribe(listener, options) {
    return subscribeTo((listener) => this.#channel.subscribe(listener), listener, options);
  }

  events() {
    const stream = new EventStream(() => {
      unsubscribe();
      this.#streams.delete(stream);
    });
    const unsubscribe = this.#channel.subscribe((event) => stream.push(event));
    this.#streams.add(stream);
    return stream;
  }

  /** Plays it, once. Resolves at the end, or when it was aborted. */
  start() {
    this.#done ??= this.#play();
    return this.#done;
  }

  /** Stops. Nothing more is delivered. */
  abort(reason) {
    this.#controller.abort(reason);
    this.#channel.letGo();
    this.#wake?.();
  }

  async #play() {
    // Whoever starts it sees the first event behind its start.
    await undefined;
    const began = performance.now();
    const { signal } = this.#controller;
    try {
      for (const [index, entry] of this.#entries.entries()) {
        const delay = began + entry.at / this.#speed - performance.now();
        if (delay > 0 && !signal.aborted) await this.#sleep(delay);
        if (signal.aborted) break;
        const waiting = this.#channel.emit(this.#take(entry, index));
        if (waiting !== undefined) await waiting;
      }
    } finally {
      this.#settle();
      for (const stream of this.#streams) stream.end();
    }
  }

  #sleep(delay) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(delay, MAX_DELAY_MS));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #take({ at: _at, ...entry }, index) {
    try {
      return this.#event(entry);
    } catch (error) {
      throw misuse("invalid_argument", `recording.events[${index}] (${entry.type}) does not follow from the events before it: ${error.message}`);
    }
  }

  /** The event of an entry. The state follows it. */
  #event(entry) {
    const record = this.#record;
    const messageOf = (number) => (typeof number === "number" ? this.#messages[number] : number);
    switch (entry.type) {
      case "agent_start":
      case "auto_retry_start": {
        const { messages, ...event } = entry;
        if (messages !== undefined) record.messages = messages.map(messageOf);
        // What failed is taken back with its messages.
        record.error = undefined;
        if (entry.type === "agent_start") record.isStreaming = true;
        return event;
      }
      case "agent_end":
        this.#settle();
        return { ...entry, messages: entry.messages.map(messageOf) };
      case "turn_end": {
        const message = messageOf(entry.message);
        if (message.errorMessage !== undefined) record.error = message.errorMessage;
        return { ...entry, message, toolResults: entry.toolResults.map(messageOf) };
      }
      case "message_start":
        return this.#start(entry);
      case "message_end":
        return this.#end(entry);
      case "tool_execution_start":
        this.#pend(entry, true);
        return this.#withArgs(entry);
      case "tool_execution_update":
      case "tool_approval_request":
        return this.#withArgs(entry);
      case "tool_execution_end":
        this.#pend(entry, false);
        this.#results.set(entry.toolCallId, entry.result);
        return entry;
      default:
        return typeof entry.contentIndex === "number" ? this.#update(entry) : entry;
    }
  }

  #start({ type, message }) {
    const result = message.role === "toolResult" && message.content === undefined ? this.#results.get(message.toolCallId) : undefined;
    if (result !== undefined) {
      const { content, details } = result;
      message = details === undefined ? { ...message, content } : { ...message, content, details };
    }
    this.#message = message;
    if (message.role === "assistant") this.#channel.begin(message);
    return { type, message };
  }

  #update({ blocks = {}, ...entry }) {
    const { type, contentIndex, delta } = entry;
    const { [contentIndex]: own, ...others } = blocks;
    this.#patch(others);
    const grown = this.#grown(entry, this.#channel.message.content[contentIndex]);
    const block = own === undefined ? grown : { ...grown, ...own };
    const partial = this.#channel.put(contentIndex, block);
    const told = delta === undefined ? contentOf(type, block) : { delta };
    return { type: "message_update", message: partial, assistantMessageEvent: { type, contentIndex, ...told, partial } };
  }

  /** The block of an entry, behind what it was before. */
  #grown({ type, contentIndex, delta, ...entry }, block) {
    const growing = this.#arguments.get(contentIndex);
    switch (type) {
      case "text_start":
        return { type: "text", text: "" };
      case "text_delta":
        return { ...block, text: block.text + delta };
      case "thinking_start":
        return { type: "thinking", thinking: "" };
      case "thinking_delta":
        return { ...block, thinking: block.thinking + delta };
      case "toolcall_start":
        this.#arguments.set(contentIndex, { value: entry.arguments, size: 1 });
        return { type: "toolCall", id: entry.id, name: entry.name, arguments: beginningOf(entry.arguments, 1) };
      case "toolcall_delta":
        growing.size = Math.max(growing.size, entry.size);
        return { ...block, arguments: beginningOf(growing.value, growing.size) };
      case "toolcall_end":
        return growing.value === block.arguments ? block : { ...block, arguments: growing.value };
      case "text_end":
      case "thinking_end":
        return block;
      case "image_end":
        return entry.content;
      default:
        throw new Error("there is no such event");
    }
  }

  /** Puts back what changed in blocks without an event of theirs. */
  #patch(blocks = {}) {
    const { content } = this.#channel.message;
    for (const [index, fields] of Object.entries(blocks)) this.#channel.put(Number(index), { ...content[index], ...fields });
  }

  #end({ type, message, blocks }) {
    if (this.#message.role === "assistant") {
      this.#patch(blocks);
      message = this.#channel.end(message);
      for (const block of message.content) if (block.type === "toolCall") this.#args.set(block.id, block.arguments);
    }
    message ??= this.#message;
    this.#messages.push(message);
    this.#record.messages = [...this.#record.messages, message];
    return { type, message };
  }

  #withArgs(entry) {
    return entry.args === undefined ? { ...entry, args: this.#args.get(entry.toolCallId) } : entry;
  }

  #pend({ toolCallId }, isPending) {
    const pending = new Set(this.#record.pendingToolCalls);
    if (isPending) pending.add(toolCallId);
    else pending.delete(toolCallId);
    this.#record.pendingToolCalls = pending;
  }

  #settle() {
    Object.assign(this.#record, { isStreaming: false, streamMessage: null, pendingToolCalls: new Set() });
  }
}

/** What the end of a block tells. */
function contentOf(type, block) {
  switch (type) {
    case "text_end":
      return { content: block.text };
    case "thinking_end":
      return { content: block.thinking };
    case "image_end":
      return { content: block };
    case "toolcall_end":
      return { toolCall: block };
    default:
      return undefined;
  }
}
