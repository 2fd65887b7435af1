// An agent's state as a store: `subscribe` and `getSnapshot`, the shape that UI libraries take.

import { recordOf, report } from "../live.js";
import { invalid } from "../values.js";

const FIELDS = ["messages", "streamMessage", "isStreaming", "pendingToolCalls", "error"];

/** What waits to be made again, and is being made again, behind an event. */
export function retryBehind(event, retry) {
  const { type, attempt, maxAttempts, delayMs, errorMessage } = event;
  if (type === "auto_retry_start") return { attempt, maxAttempts, delayMs, errorMessage };
  return type === "auto_retry_end" || type === "agent_end" ? undefined : retry;
}

/**
 * Makes the store of a live state. What the state does not tell of the time before it is told: the ids of the calls that
 * are `waiting` for approval, and a `retry`. `onEvent` has to get every event, before any listener does, so that a
 * listener which looks at the store finds the event in it.
 *
 * Subscribers are told at each event, when the state is consistent. What changes the state outside a run has no event:
 * the store watches the state itself, so that no method has to remember to tell it, and tells its subscribers once the
 * code that changes it is through.
 */
export function createStore(state, { waiting = [], retry } = {}) {
  const record = recordOf(state);
  const subscribers = new Set();
  const calls = new Calls();
  let isCurrent = false;
  let isAnnouncing = false;
  let snapshot = { messages: [], pendingToolCalls: new Set(), toolExecutions: calls.executions };

  const onChange = () => {
    isCurrent = false;
    if (isAnnouncing) return;
    isAnnouncing = true;
    queueMicrotask(() => {
      isAnnouncing = false;
      announce();
    });
  };
  watch(record, new WeakRef(onChange));

  const getSnapshot = () => {
    if (isCurrent) return snapshot;
    isCurrent = true;
    calls.follow(record.messages);
    const next = { toolExecutions: calls.executions };
    for (const field of FIELDS) next[field] = isEmptyAgain(snapshot[field], record[field]) ? snapshot[field] : record[field];
    if (next.error === undefined) delete next.error;
    // Behind a crash no event tells of its end.
    if (retry !== undefined && record.isStreaming) next.retry = retry;
    if (["toolExecutions", "retry", ...FIELDS].some((field) => next[field] !== snapshot[field])) snapshot = next;
    return snapshot;
  };

  // What happened before the store was asked for, or on the page before this one.
  getSnapshot();
  for (const toolCallId of record.pendingToolCalls) calls.take({ type: "tool_execution_start", toolCallId });
  for (const toolCallId of waiting) calls.take({ type: "tool_approval_request", toolCallId });
  isCurrent = false;
  let announced = getSnapshot();
  const announce = () => {
    if (subscribers.size === 0 || getSnapshot() === announced) return;
    announced = snapshot;
    for (const entry of [...subscribers]) {
      try {
        if (subscribers.has(entry)) entry.subscriber();
      } catch (error) {
        report(error);
      }
    }
  };

  const subscribe = (subscriber) => {
    if (typeof subscriber !== "function") throw invalid("subscriber", "a function", subscriber);
    const entry = { subscriber };
    if (subscribers.size === 0) announced = getSnapshot();
    subscribers.add(entry);
    return () => {
      subscribers.delete(entry);
    };
  };

  const onEvent = (event) => {
    // Before the event is looked at: it may be of a call that came with the same message.
    calls.follow(record.messages);
    retry = retryBehind(event, retry);
    calls.take(event);
    isCurrent = false;
    announce();
  };

  return { store: { subscribe, getSnapshot }, onEvent, onChange };
}

/** Tells of every change of a record. The module holds the record, which must not hold whoever looks at the store. */
function watch(record, weak) {
  for (const field of FIELDS) {
    let value = record[field];
    const set = (next) => {
      value = next;
      weak.deref()?.();
    };
    Object.defineProperty(record, field, { enumerable: true, get: () => value, set });
  }
}

/** The tool calls of a transcript, and how far each has come. */
class Calls {
  #messages = [];
  /** By id: the block of the message, and what is known of the call. */
  #blocks = new Map();
  #executions = new Map();
  #shown;

  /** What is known of all calls, made when it is asked for: a tool may report more often than anybody looks. */
  get executions() {
    this.#shown ??= Object.fromEntries(this.#executions);
    return this.#shown;
  }

  /** Calls are those of the transcript: they come and go with its messages, and those that stay keep what is known. */
  follow(messages) {
    const before = this.#messages;
    if (messages === before) return;
    this.#messages = messages;
    if (before.length <= messages.length && before.every((message, index) => message === messages[index])) {
      this.#add(messages.slice(before.length));
      return;
    }
    const [blocks, executions, shown] = [this.#blocks, this.#executions, this.#shown];
    [this.#blocks, this.#executions, this.#shown] = [new Map(), new Map(), undefined];
    this.#add(messages, (id, block) => (blocks.get(id) === block ? executions.get(id) : undefined));
    const isSame = executions.size === this.#executions.size && [...executions].every(([id, execution]) => execution === this.#executions.get(id));
    if (isSame) this.#shown = shown;
  }

  #add(messages, known = () => undefined) {
    for (const message of messages) {
      if (message.role === "toolResult") {
        const execution = this.#executions.get(message.toolCallId);
        if (execution !== undefined && execution.result === undefined) this.#set(message.toolCallId, answered(execution, message, message.isError));
      } else if (message.role === "assistant" && Array.isArray(message.content)) {
        for (const block of message.content) {
          if (block?.type !== "toolCall") continue;
          this.#blocks.set(block.id, block);
          this.#set(block.id, known(block.id, block) ?? { toolName: block.name, args: block.arguments, status: "pending" });
        }
      }
    }
  }

  /** An event of a call that is no longer in the transcript is of a conversation that was thrown away. */
  take({ type, toolCallId, args, isStarted, partialResult, result, isError }) {
    const execution = this.#executions.get(toolCallId);
    if (execution === undefined) return;
    const changes = {
      // It is asked about the arguments that the tool would get, which may differ from those of the model.
      tool_approval_request: () => ({ ...execution, status: "awaiting_approval", args: args ?? execution.args }),
      // No event of the run: the app has decided. A decision on a call of a session is there before its run.
      tool_decision: () => ({ ...execution, status: isStarted ? "running" : "pending" }),
      tool_execution_start: () => ({ ...execution, status: "running" }),
      tool_execution_update: () => ({ ...execution, status: "running", partialResult }),
      tool_execution_end: () => answered(execution, result, isError),
    };
    if (Object.hasOwn(changes, type)) this.#set(toolCallId, changes[type]());
  }

  #set(id, execution) {
    this.#executions.set(id, execution);
    this.#shown = undefined;
  }
}

function answered({ toolName, args }, source, isError) {
  const { content, details } = source;
  const result = source.role === undefined ? source : { content, details };
  return { toolName, args, status: isError ? "error" : "done", result };
}

/** Nothing in place of nothing is no change. */
function isEmptyAgain(before, after) {
  return sizeOf(before) === 0 && sizeOf(after) === 0;
}

const sizeOf = (value) => (Array.isArray(value) ? value.length : value?.size);
