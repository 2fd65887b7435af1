// An agent's conversation as JSON, and what becomes of it when a page that was in the middle of a run comes back.

import { recordOf } from "../live.js";
import { checkOptions, invalid, isObject } from "./errors.js";
import { plain } from "./plain.js";

const VERSION = 1;

/** Settings that the state does not show, with what an agent has when it is told nothing. */
const SETTINGS = { steeringMode: "one-at-a-time", followUpMode: "one-at-a-time", interruptMode: "immediate", sessionId: undefined };

const CUT = "The page was reloaded before the answer was complete.";
const NOT_RUN = "The tool did not run: the page was reloaded before the answer was complete.";
const MAY_HAVE_RUN = "The page was reloaded before this call was answered. The tool may have run, wholly or in part, and was not run again.";

/** What a session needs to know beside the state. It is told every event. */
export class SessionMemory {
  settings;
  /** Results of tools whose batch is not over: they become messages when it is. */
  #results = new Map();
  #shown = new WeakSet();
  #state;

  constructor(state, options) {
    this.#state = state;
    this.settings = Object.fromEntries(Object.keys(SETTINGS).map((key) => [key, options?.[key] ?? SETTINGS[key]]));
  }

  onEvent(event) {
    if (event.type === "message_end") this.#shown.add(event.message);
    else if (event.type === "tool_execution_end") this.#results.set(event.toolCallId, event);
    else if (event.type === "turn_end") this.#results.clear();
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
  const { systemPrompt, model, thinkingLevel, streamMessage } = state;
  const { headers: _headers, ...told } = model ?? {};
  return plain({
    version: VERSION,
    systemPrompt,
    model: model === null ? undefined : told,
    thinkingLevel,
    messages: memory.messages,
    streamMessage: streamMessage ?? undefined,
    pendingApprovals,
    ...queued,
    ...memory.settings,
  });
}

/** What an agent is made of to go on with a session: options, and the messages that wait. What the app gives wins. */
export function fromSession(session, options) {
  check(session);
  checkOptions(options, "Agent options");
  checkOptions(options?.initialState, "initialState");
  const { systemPrompt, model, thinkingLevel, pendingApprovals, steering = [], followUp = [] } = session;
  const settings = Object.fromEntries(Object.keys(SETTINGS).map((key) => [key, session[key]]));
  const initialState = { systemPrompt, model, thinkingLevel, messages: resumed(session), pendingApprovals, ...given(options?.initialState) };
  return { options: { ...settings, ...given(options), initialState }, steering, followUp };
}

function given(options) {
  return Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== undefined));
}

/**
 * The transcript as the next run can take it up: what was under way is over, and no tool is run for it. Calls that wait
 * for approval go on waiting.
 */
function resumed({ messages, streamMessage, pendingApprovals = [] }) {
  const answer = streamMessage && {
    ...streamMessage, stopReason: "aborted", errorMessage: CUT, error: { code: "aborted", message: CUT, retryable: false },
  };
  return answerCalls(answer ? [...messages, answer] : messages, (call, message) => {
    if (pendingApprovals.includes(call.id)) return undefined;
    const text = message === answer ? NOT_RUN : MAY_HAVE_RUN;
    return resultMessage({ toolCallId: call.id, toolName: call.name }, { content: [{ type: "text", text }], details: {} }, true);
  });
}

/** Puts a result behind every call that has none, where `answer` gives one. */
function answerCalls(messages, answer) {
  const answered = [];
  const open = new Map();
  let asking;
  const close = () => {
    for (const call of open.values()) {
      const result = answer(call, asking);
      if (result !== undefined) answered.push(result);
    }
    open.clear();
  };
  for (const message of messages) {
    if (message.role === "toolResult") open.delete(message.toolCallId);
    else close();
    answered.push(message);
    if (message.role !== "assistant" || !Array.isArray(message.content)) continue;
    asking = message;
    for (const block of message.content) if (block.type === "toolCall") open.set(block.id, block);
  }
  close();
  return answered;
}

function resultMessage({ toolCallId, toolName }, { content, details }, isError, durationMs) {
  return { role: "toolResult", toolCallId, toolName, content, details, isError, timestamp: Date.now(), durationMs };
}

/** The rest is checked as options are. */
function check(session) {
  if (!isObject(session)) throw invalid("session", "an object as agent.toJSON() gives it, parsed", session);
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
  if (!isObject(message) || typeof message.role !== "string") throw invalid(place, "a message: an object with a role", message);
  if (message.role !== "assistant") return;
  if (!Array.isArray(message.content)) throw invalid(`${place}.content`, "an array of blocks", message.content);
  message.content.forEach((block, index) => {
    if (!isObject(block)) throw invalid(`${place}.content[${index}]`, "a block: an object with a type", block);
  });
}
