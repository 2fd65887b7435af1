// An agent's conversation as JSON, and what becomes of it when a page that was in the middle of a run comes back.

import { recordOf } from "../live.js";
import { checkOptions } from "../given.js";
import { invalid, isPlainObject } from "../values.js";
import { plain } from "./plain.js";

const VERSION = 1;

/** Settings that the state does not show, with what an agent has when it is told nothing. */
const SETTINGS = { steeringMode: "one-at-a-time", followUpMode: "one-at-a-time", interruptMode: "immediate", sessionId: undefined };

const CUT = "The run was cut off before the answer was complete.";
const NOT_RUN = "The tool did not run: the run was cut off before the answer was complete.";
const NOT_STARTED = "The tool did not run: the run was cut off before its turn came.";
const MAY_HAVE_RUN = "The run was cut off before this call was answered. The tool may have run, wholly or in part, and was not run again.";

/** What a session needs to know beside the state. It is told every event. */
export class SessionMemory {
  settings;
  /** Results of tools whose batch is not over: they become messages when it is. */
  #results = new Map();
  #shown = new WeakSet();
  /** Ids of calls that somebody was asked about. */
  #asked;
  #state;

  constructor(state, options) {
    this.#state = state;
    this.#asked = new Set(options?.initialState?.pendingApprovals);
    this.settings = Object.fromEntries(Object.keys(SETTINGS).map((key) => [key, options?.[key] ?? SETTINGS[key]]));
  }

  onEvent(event) {
    const { type, toolCallId } = event;
    if (type === "message_end") this.#shown.add(event.message);
    else if (type === "tool_approval_request") this.#asked.add(toolCallId);
    else if (type === "tool_decision") this.#asked.delete(toolCallId);
    else if (type === "tool_execution_end") this.#results.set(toolCallId, event);
    else if (type === "turn_end") this.#results.clear();
  }

  /** The ids of calls that nobody has decided on and nothing has answered, as far as events tell. */
  get pendingApprovals() {
    return waiting({ messages: this.messages, pendingApprovals: [...this.#asked] });
  }

  /** The transcript with all that will be in it: results that are there, and messages that the run has taken. */
  get messages() {
    const answered = answerCalls(this.#state.messages, ({ id }) => {
      const ended = this.#results.get(id);
      return ended && resultMessage(ended, ended.result, ended.isError, ended.durationMs);
    });
    return [...answered, ...recordOf(this.#state).taken.filter((message) => !this.#shown.has(message))];
  }
}

/** The session of an agent. Keys, headers and functions stay with the page. */
export function toSession({ state, memory, queued, pendingApprovals }) {
  const { systemPrompt, model, thinkingLevel, streamMessage, pendingToolCalls } = state;
  const { headers: _headers, ...told } = model ?? {};
  return plain({
    version: VERSION,
    systemPrompt,
    model: model === null ? undefined : told,
    thinkingLevel,
    messages: memory.messages,
    streamMessage: streamMessage ?? undefined,
    pendingApprovals,
    startedToolCalls: [...pendingToolCalls],
    ...queued,
    ...memory.settings,
  });
}

/** What an agent is made of to go on with a session: options, and the messages that wait. What the app gives wins. */
export function fromSession(session, options) {
  check(session);
  checkOptions(options, "Agent options");
  checkOptions(options?.initialState, "initialState");
  const { systemPrompt, model, thinkingLevel, steering = [], followUp = [] } = session;
  const pendingApprovals = waiting(session);
  const settings = Object.fromEntries(Object.keys(SETTINGS).map((key) => [key, session[key]]));
  const initialState = { systemPrompt, model, thinkingLevel, messages: resumed(session, pendingApprovals), pendingApprovals, ...given(options?.initialState) };
  return { options: { ...settings, ...given(options), initialState }, steering, followUp };
}

function given(options) {
  return Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== undefined));
}

/**
 * The transcript as the next run can take it up: what was under way is over, and no tool is run for it. Calls that wait
 * for approval go on waiting.
 */
function resumed({ messages, streamMessage, startedToolCalls }, pendingApprovals) {
  const answer = streamMessage && {
    ...streamMessage, stopReason: "aborted", errorMessage: CUT, error: { code: "aborted", message: CUT, retryable: false },
  };
  return answerCalls(answer ? [...messages, answer] : messages, (call, message) => {
    if (pendingApprovals.includes(call.id)) return undefined;
    const isStarted = startedToolCalls?.includes(call.id) ?? true;
    const text = message === answer ? NOT_RUN : isStarted ? MAY_HAVE_RUN : NOT_STARTED;
    return resultMessage({ toolCallId: call.id, toolName: call.name }, { content: [{ type: "text", text }], details: {} }, true);
  });
}

/** The results of each message behind it, in the order of its calls; of calls that have none, where `answer` gives one. */
function answerCalls(messages, answer) {
  const answered = [];
  const calls = new Map();
  const results = new Map();
  let asking;
  const close = () => {
    for (const call of calls.values()) {
      const result = results.get(call.id) ?? answer(call, asking);
      if (result !== undefined) answered.push(result);
    }
    calls.clear();
    results.clear();
  };
  for (const message of messages) {
    const id = message.role === "toolResult" ? message.toolCallId : undefined;
    if (calls.has(id) && !results.has(id)) {
      results.set(id, message);
      continue;
    }
    if (message.role !== "toolResult") close();
    answered.push(message);
    if (message.role !== "assistant" || !Array.isArray(message.content)) continue;
    asking = message;
    for (const block of message.content) if (block.type === "toolCall") calls.set(block.id, block);
  }
  close();
  return answered;
}

/** The ids of calls of the last answer that wait for approval, of those that do. */
function waiting({ messages, pendingApprovals = [] }) {
  const last = messages.findLastIndex((message) => message.role === "assistant");
  const isCalled = (id) => messages[last]?.content.some((block) => block.type === "toolCall" && block.id === id);
  const isAnswered = (id) => messages.slice(last).some((message) => message.role === "toolResult" && message.toolCallId === id);
  return pendingApprovals.filter((id) => isCalled(id) && !isAnswered(id));
}

function resultMessage({ toolCallId, toolName }, { content, details }, isError, durationMs) {
  return { role: "toolResult", toolCallId, toolName, content, details, isError, timestamp: Date.now(), durationMs };
}

/** The rest is checked as options are. */
function check(session) {
  if (!isPlainObject(session)) throw invalid("session", "an object as agent.toJSON() gives it, parsed", session);
  if (session.version !== VERSION) throw invalid("session.version", `${VERSION} for this version of the library`, session.version);
  for (const key of ["messages", "steering", "followUp"]) {
    const messages = session[key] ?? (key === "messages" ? undefined : []);
    if (!Array.isArray(messages)) throw invalid(`session.${key}`, "an array of messages", messages);
    messages.forEach((message, index) => checkMessage(message, `session.${key}[${index}]`));
  }
  const pending = session.pendingApprovals ?? [];
  if (!Array.isArray(pending) || !pending.every((id) => typeof id === "string")) throw invalid("session.pendingApprovals", "an array of ids", pending);
  if (session.streamMessage !== undefined) checkMessage(session.streamMessage, "session.streamMessage");
}

function checkMessage(message, place) {
  if (!isPlainObject(message) || typeof message.role !== "string") throw invalid(place, "a message: an object with a role", message);
  if (message.role !== "assistant") return;
  if (!Array.isArray(message.content)) throw invalid(`${place}.content`, "an array of blocks", message.content);
  message.content.forEach((block, index) => {
    if (!isPlainObject(block)) throw invalid(`${place}.content[${index}]`, "a block: an object with a type", block);
  });
}
