// Recordings of runs as JSON: what happened and when, each thing once.
//
// One entry per event, `at` so many milliseconds behind the first. What the entries before it tell is left out of an
// entry; replay.js puts it back:
// - A `message_update` is its `assistantMessageEvent` without `partial` and without the content of a block that ends.
//   A tool call starts with its last arguments, and its deltas say how much of them had come (growth.js).
// - Messages are numbered by their `message_end`, and later events name the number. An answer's end has the fields that
//   its start did not have; another message is at its start.
// - `blocks` are members of content blocks that have no events of their own, such as signatures.
// - A tool's `args` are those of the call and a result message's content that of the tool, unless the entry has others.
// - `messages` of `agent_start` and `auto_retry_start` are the transcript, where it is not what the events before make.

import { invalid, isPlainObject } from "../values.js";
import { sizeOf } from "./growth.js";
import { isSame, plain } from "./plain.js";

export const VERSION = 1;

/** What deltas and starts of blocks tell. */
const TOLD = new Set(["type", "text", "thinking", "id", "name", "arguments", "data", "mimeType"]);

/**
 * Records the runs of an agent, or of a replay, from the next `agent_start` on.
 */
export function recordEvents(agent) {
  if (typeof agent?.subscribe !== "function") throw invalid("agent", "an Agent", agent);
  const recorder = new Recorder(agent.state);
  const stop = agent.subscribe((event) => recorder.take(event));
  return { stop, toJSON: () => plain({ version: VERSION, events: recorder.entries }) };
}

class Recorder {
  entries = [];
  #state;
  #began;
  /** The message that has started, as far as it was shown. */
  #message;
  /** Numbers of the messages that have ended. */
  #numbers = new Map();
  /** The transcript as a replay has it. */
  #transcript = [];
  /** Starts of the tool calls of the message, by block. */
  #starts = new Map();
  /** What the last batch of tools is given, and gives. */
  #args = new Map();
  #results = new Map();

  constructor(state) {
    this.#state = state;
  }

  take(event) {
    const now = performance.now();
    // What is left of a run that was under way has no beginning that a replay could show.
    if (this.#began === undefined && event.type !== "agent_start") return;
    this.#began ??= now;
    const entry = { at: Math.round(now - this.#began), ...this.#entry(event) };
    this.entries.push(entry);
    if (entry.type === "toolcall_start") this.#starts.set(entry.contentIndex, entry);
    // Those of the end, when there is one.
    if (entry.type.startsWith("toolcall_")) this.#starts.get(entry.contentIndex).arguments = event.message.content[entry.contentIndex].arguments;
  }

  #entry(event) {
    switch (event.type) {
      case "agent_start":
      case "auto_retry_start":
        return { ...plain(event), ...this.#changedTranscript() };
      case "agent_end":
        return { ...event, messages: event.messages.map(this.#number) };
      case "turn_end":
        return { ...event, message: this.#number(event.message), toolResults: event.toolResults.map(this.#number) };
      case "message_start":
        return this.#start(event);
      case "message_update":
        return this.#update(event.assistantMessageEvent);
      case "message_end":
        return this.#end(event);
      case "tool_execution_end":
        this.#results.set(event.toolCallId, event.result);
        return plain(event);
      default:
        return this.#withoutArgs(plain(event), event.args);
    }
  }

  #number = (message) => this.#numbers.get(message) ?? plain(message);

  #changedTranscript() {
    const { messages } = this.#state;
    const isKnown = messages.length === this.#transcript.length && messages.every((message, index) => message === this.#transcript[index]);
    this.#transcript = messages;
    return isKnown ? undefined : { messages: messages.map(this.#number) };
  }

  #start({ type, message }) {
    this.#message = message;
    this.#starts.clear();
    const result = message.role === "toolResult" ? this.#results.get(message.toolCallId) : undefined;
    if (result === undefined || result.content !== message.content || result.details !== message.details) return { type, message: plain(message) };
    const { content: _content, details: _details, ...rest } = message;
    return { type, message: plain(rest) };
  }

  #update({ partial, toolCall: _toolCall, ...told }) {
    const { type, contentIndex } = told;
    const before = this.#message.content;
    const block = partial.content[contentIndex];
    this.#message = partial;
    if (type === "text_end" || type === "thinking_end") delete told.content;
    if (type === "toolcall_start") Object.assign(told, { id: block.id, name: block.name });
    if (type === "toolcall_delta") told.size = sizeOf(block.arguments);
    return Object.assign(told, changedBlocks(before, partial.content));
  }

  #end({ type, message }) {
    this.#numbers.set(message, this.#numbers.size);
    this.#transcript = [...this.#transcript, message];
    const shown = this.#message;
    if (message.role !== "assistant" || shown.role !== "assistant") return message === shown ? { type } : { type, message: plain(message) };
    for (const block of message.content) if (block.type === "toolCall") this.#args.set(block.id, block.arguments);
    const fields = Object.entries(message).filter(([key, value]) => key !== "content" && !isSame(value, shown[key]));
    return { type, message: plain(Object.fromEntries(fields)), ...changedBlocks(shown.content, message.content) };
  }

  #withoutArgs(entry, args) {
    if (entry.args !== undefined && isSame(args, this.#args.get(entry.toolCallId))) delete entry.args;
    return entry;
  }
}

function changedBlocks(before, after) {
  const blocks = {};
  after.forEach((block, index) => {
    if (block === before[index]) return;
    const changed = Object.entries(block).filter(([key, value]) => !TOLD.has(key) && value !== before[index]?.[key]);
    if (changed.length > 0) blocks[index] = plain(Object.fromEntries(changed));
  });
  return Object.keys(blocks).length > 0 ? { blocks } : undefined;
}

/**
 * The recording with nothing in it that differs between equal runs: times are 0, and ids are counted.
 */
export function normalizeRecording(recording) {
  const ids = new Map();
  const idOf = (id) => ids.get(id) ?? ids.set(id, `id_${ids.size + 1}`).get(id);
  const normal = (object) => {
    if (!isPlainObject(object)) return object;
    const fields = { ...object };
    for (const key of ["at", "timestamp", "durationMs", "delayMs"]) if (key in fields) fields[key] = 0;
    for (const key of ["toolCallId", "responseId"]) if (key in fields) fields[key] = idOf(fields[key]);
    if (fields.type === "toolcall_start" || fields.type === "toolCall") fields.id = idOf(fields.id);
    fields.message = normal(fields.message);
    for (const key of ["messages", "toolResults", "content"]) if (Array.isArray(fields[key])) fields[key] = fields[key].map(normal);
    return plain(fields);
  };
  const { events, ...rest } = toJson(recording);
  return { ...rest, events: events.map(normal) };
}

/** A recording as JSON, whether it was read from somewhere or has just been made. */
export function toJson(recording) {
  const json = typeof recording?.toJSON === "function" ? recording.toJSON() : recording;
  const { version, events } = json ?? {};
  if (version === undefined || !Array.isArray(events)) throw invalid("recording", "what recordEvents() has made, or its JSON", recording);
  if (version !== VERSION) throw invalid("recording.version", `${VERSION} for this version of the library`, version);
  events.forEach((event, index) => {
    if (typeof event?.type !== "string" || !(event.at >= 0)) throw invalid(`recording.events[${index}]`, "an event with a time", event);
  });
  return json;
}
