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
    if (retry !== undefined) next.retry = retry;
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
    if (getSnapshot() === announced) return;
    announced = snapshot;
    for (const { subscriber } of [...subscribers]) {
      try {
        subscriber();
      } catch (error) {
        report(error);
      }
    }
  };

  const subscribe = (subscriber) => {
    if (typeof subscriber !== "function") throw invalid("subscriber", "a function", subscriber);
    const entry = { subscriber };
    subscribers.add(entry);
    return () => {
      subscribers.delete(entry);
    };
  };

  const onEvent = (event) => {
    // Before the event is looked at: it may be of a call that came with the same message.
    getSnapshot();
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
  executions = {};
  /** By id: the block of the message, and what is known of the call. */
  #calls = new Map();
  #messages;

  /** Calls are those of the transcript: they come and go with its messages, and those that stay keep what is known. */
  follow(messages) {
    if (messages === this.#messages) return;
    this.#messages = messages;
    const calls = new Map();
    for (const message of messages) {
      if (message.role === "toolResult") {
        const call = calls.get(message.toolCallId);
        if (call !== undefined && call.execution.result === undefined) calls.set(message.toolCallId, answered(call, message, message.isError));
      } else if (message.role === "assistant" && Array.isArray(message.content)) {
        for (const block of message.content) {
          if (block?.type !== "toolCall") continue;
          const known = this.#calls.get(block.id);
          calls.set(block.id, known?.block === block ? known : { block, execution: { toolName: block.name, args: block.arguments, status: "pending" } });
        }
      }
    }
    const isSame = calls.size === this.#calls.size && [...calls].every(([id, call]) => call === this.#calls.get(id));
    if (!isSame) this.#show(calls);
  }

  /** An event of a call that is no longer in the transcript is of a conversation that was thrown away. */
  take({ type, toolCallId, args, isStarted, partialResult, result, isError }) {
    const call = this.#calls.get(toolCallId);
    if (call === undefined) return;
    const change = (fields) => ({ ...call, execution: { ...call.execution, ...fields } });
    const changes = {
      // It is asked about the arguments that the tool would get, which may differ from those of the model.
      tool_approval_request: () => change({ status: "awaiting_approval", args: args ?? call.execution.args }),
      // No event of the run: the app has decided. A decision on a call of a session is there before its run.
      tool_decision: () => change({ status: isStarted ? "running" : "pending" }),
      tool_execution_start: () => change({ status: "running" }),
      tool_execution_update: () => change({ status: "running", partialResult }),
      tool_execution_end: () => answered(call, result, isError),
    };
    if (Object.hasOwn(changes, type)) this.#show(new Map(this.#calls).set(toolCallId, changes[type]()));
  }

  #show(calls) {
    this.#calls = calls;
    this.executions = Object.fromEntries([...calls].map(([id, { execution }]) => [id, execution]));
  }
}

function answered({ block, execution: { toolName, args } }, source, isError) {
  const { content, details } = source;
  const result = source.role === undefined ? source : { content, details };
  return { block, execution: { toolName, args, status: isError ? "error" : "done", result } };
}

/** Nothing in place of nothing is no change. */
function isEmptyAgain(before, after) {
  return sizeOf(before) === 0 && sizeOf(after) === 0;
}

const sizeOf = (value) => (Array.isArray(value) ? value.length : value?.size);
