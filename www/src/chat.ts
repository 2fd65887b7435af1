// The conversation as the page shows it: a reducer over the agent's events.

import type {
  AgentEndReason,
  AgentEvent,
  AgentMessage,
  AgentToolResult,
  AssistantMessage,
  AssistantMessageUpdate,
  ToolResultMessage,
  UserMessage,
} from "sluice-agent";

export interface ToolRun {
  phase: "running" | "done" | "failed";
  updates: readonly AgentToolResult[];
  result?: AgentToolResult;
  durationMs?: number;
}

export interface UserEntry {
  kind: "user";
  key: number;
  message: UserMessage;
}

export interface AssistantEntry {
  kind: "assistant";
  key: number;
  message: AssistantMessage;
  isStreaming: boolean;
  /** Index of the block that is being received. */
  openBlock: number | undefined;
  /** By the id of the call. */
  tools: Readonly<Record<string, ToolRun>>;
}

export type Entry = UserEntry | AssistantEntry;

export interface Chat {
  entries: readonly Entry[];
  isRunning: boolean;
  /** Why the last run ended. */
  endReason?: AgentEndReason;
  nextKey: number;
}

export const EMPTY_CHAT: Chat = { entries: [], isRunning: false, nextKey: 0 };

export function reduceChat(chat: Chat, event: AgentEvent): Chat {
  switch (event.type) {
    case "agent_start":
      return { ...chat, isRunning: true, endReason: undefined };
    case "agent_end":
      return { ...chat, isRunning: false, endReason: event.reason };
    case "message_start":
      return begin(chat, event.message);
    case "message_update":
      return changeAnswer(chat, (entry) => ({
        ...entry,
        message: event.message,
        openBlock: openBlock(event.assistantMessageEvent),
      }));
    case "message_end":
      return end(chat, event.message);
    case "tool_execution_start":
      return changeTool(chat, event.toolCallId, () => ({ phase: "running", updates: [] }));
    case "tool_execution_update":
      return changeTool(chat, event.toolCallId, (run) => ({ ...run, updates: [...run.updates, event.partialResult] }));
    case "tool_execution_end":
      return changeTool(chat, event.toolCallId, (run) => ({
        ...run,
        phase: event.isError ? "failed" : "done",
        result: event.result,
        durationMs: event.durationMs,
      }));
    default:
      return chat;
  }
}

/** Drops what is no longer in the transcript: the failed answer, when it is tried again. */
export function keepOnly(chat: Chat, messages: readonly AgentMessage[]): Chat {
  const kept = new Set(messages);
  return { ...chat, entries: chat.entries.filter((entry) => kept.has(entry.message)) };
}

function begin(chat: Chat, message: AgentMessage): Chat {
  const key = chat.nextKey;
  switch (message.role) {
    case "user":
      return push(chat, { kind: "user", key, message });
    case "assistant":
      return push(chat, { kind: "assistant", key, message, isStreaming: true, openBlock: undefined, tools: {} });
    default:
      return chat;
  }
}

function end(chat: Chat, message: AgentMessage): Chat {
  switch (message.role) {
    case "assistant":
      return changeAnswer(chat, (entry) => ({ ...entry, message, isStreaming: false, openBlock: undefined }));
    case "toolResult":
      return answerUnrun(chat, message);
    default:
      return chat;
  }
}

/** A call that never ran is answered all the same: skipped, cut off or aborted. */
function answerUnrun(chat: Chat, message: ToolResultMessage): Chat {
  return changeTool(chat, message.toolCallId, (run) => {
    if (run.result !== undefined) return run;
    const { content, details, durationMs } = message;
    return { ...run, phase: message.isError ? "failed" : "done", result: { content, details }, durationMs };
  });
}

function openBlock(event: AssistantMessageUpdate): number | undefined {
  return event.type.endsWith("_end") ? undefined : event.contentIndex;
}

function push(chat: Chat, entry: Entry): Chat {
  return { ...chat, entries: [...chat.entries, entry], nextKey: chat.nextKey + 1 };
}

/** Changes the last answer: the one that streams, or whose tools run. */
function changeAnswer(chat: Chat, change: (entry: AssistantEntry) => AssistantEntry): Chat {
  const index = chat.entries.findLastIndex((entry) => entry.kind === "assistant");
  const entry = chat.entries[index];
  return entry?.kind === "assistant" ? { ...chat, entries: chat.entries.with(index, change(entry)) } : chat;
}

const UNRUN: ToolRun = { phase: "running", updates: [] };

function changeTool(chat: Chat, id: string, change: (run: ToolRun) => ToolRun): Chat {
  return changeAnswer(chat, (entry) => ({
    ...entry,
    tools: { ...entry.tools, [id]: change(entry.tools[id] ?? UNRUN) },
  }));
}
