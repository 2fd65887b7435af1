// What only events tell about a conversation: the rest is in the agent's snapshot.

import type { AgentEndReason, AgentEvent, AgentMessage, AgentToolResult } from "sluice-agent";

/** Why nothing runs; `"left"` when the page was left in the middle of a run. */
export type EndReason = AgentEndReason | "left";

export interface Chat {
  endReason?: EndReason;
  /** Index of the block that is being received. */
  openBlock?: number;
  /** All progress that tools reported, by the ids of the calls. */
  updates: Readonly<Record<string, readonly AgentToolResult[]>>;
}

export const NEW_CHAT: Chat = { updates: {} };

export function reduceChat(chat: Chat, event: AgentEvent): Chat {
  switch (event.type) {
    case "agent_start":
      return { updates: chat.updates };
    case "agent_end":
      return { updates: chat.updates, endReason: event.reason };
    case "message_update": {
      const { type, contentIndex } = event.assistantMessageEvent;
      const openBlock = type.endsWith("_end") ? undefined : contentIndex;
      return openBlock === chat.openBlock ? chat : { ...chat, openBlock };
    }
    case "tool_execution_start":
      return { ...chat, updates: { ...chat.updates, [event.toolCallId]: [] } };
    case "tool_execution_update": {
      const { toolCallId, partialResult } = event;
      return { ...chat, updates: { ...chat.updates, [toolCallId]: [...(chat.updates[toolCallId] ?? []), partialResult] } };
    }
    default:
      return chat;
  }
}

/** A conversation that was kept. It is over when it ends with an answer. */
export function restoredChat(messages: readonly AgentMessage[]): Chat {
  const last = messages.at(-1);
  if (last === undefined) return NEW_CHAT;
  if (last.role !== "assistant" || last.stopReason === "aborted") return { ...NEW_CHAT, endReason: "left" };
  return { ...NEW_CHAT, endReason: last.stopReason === "error" ? "error" : "done" };
}
