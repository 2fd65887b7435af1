// Every event has its case in a `switch`, and the case has its fields.
import type {
  AgentEndReason, AgentEvent, AgentMessage, AgentToolResult, AssistantMessage, AssistantMessageEvent, AssistantMessageUpdate,
  ImageContent, ToolCall, ToolResultMessage,
} from "sluice-agent";
import { check, never, type Same } from "./expect.js";

export function onEvent(event: AgentEvent): string {
  switch (event.type) {
    case "agent_start":
    case "turn_start":
      return event.type;
    case "agent_end":
      check<Same<typeof event.messages, AgentMessage[]>>();
      check<Same<typeof event.reason, AgentEndReason>>();
      return onReason(event.reason);
    case "turn_end":
      check<Same<typeof event.message, AssistantMessage>>();
      check<Same<typeof event.toolResults, ToolResultMessage[]>>();
      return event.message.stopReason;
    case "message_start":
    case "message_end":
      check<Same<typeof event.message, AgentMessage>>();
      return event.message.role;
    case "message_update":
      check<Same<typeof event.message, AssistantMessage>>();
      check<Same<typeof event.assistantMessageEvent, AssistantMessageUpdate>>();
      return onUpdate(event.assistantMessageEvent);
    case "tool_execution_start":
      check<Same<typeof event.args, Record<string, any>>>();
      return event.toolCallId + event.toolName;
    case "tool_execution_update":
      check<Same<typeof event.args, Record<string, any>>>();
      check<Same<typeof event.partialResult, AgentToolResult>>();
      return event.toolCallId + event.toolName;
    case "tool_execution_end":
      check<Same<typeof event.result, AgentToolResult>>();
      check<Same<typeof event.isError, boolean>>();
      check<Same<typeof event.durationMs, number | undefined>>();
      return event.toolCallId + event.toolName;
    case "tool_approval_request":
      check<Same<typeof event.args, Record<string, any>>>();
      return event.toolCallId + event.toolName;
    case "auto_retry_start":
      check<Same<typeof event.errorMessage, string>>();
      return `${event.attempt} of ${event.maxAttempts} in ${event.delayMs}`;
    case "auto_retry_end":
      check<Same<typeof event.success, boolean>>();
      check<Same<typeof event.finalError, string | undefined>>();
      return `${event.attempt}`;
    default:
      return never(event);
  }
}

function onReason(reason: AgentEndReason): string {
  switch (reason) {
    case "done":
    case "error":
    case "aborted":
    case "terminated":
    case "max_turns":
      return reason;
    default:
      return never(reason);
  }
}

/** The events that a `message_update` carries: neither the start nor the end of the call. */
function onUpdate(event: AssistantMessageUpdate): string {
  check<Same<typeof event.contentIndex, number>>();
  check<Same<typeof event.partial, AssistantMessage>>();
  // @ts-expect-error the end of the call is message_end
  if (event.type === "done") return "";
  // @ts-expect-error the start of the call is message_start
  if (event.type === "start") return "";
  return onAssistantEvent(event);
}

export function onAssistantEvent(event: AssistantMessageEvent): string {
  switch (event.type) {
    case "start":
      check<Same<typeof event.partial, AssistantMessage>>();
      return event.type;
    case "text_start":
    case "thinking_start":
    case "toolcall_start":
      check<Same<typeof event.contentIndex, number>>();
      check<Same<typeof event.partial, AssistantMessage>>();
      return event.type;
    case "text_delta":
    case "thinking_delta":
    case "toolcall_delta":
      check<Same<typeof event.contentIndex, number>>();
      check<Same<typeof event.partial, AssistantMessage>>();
      return event.delta;
    case "text_end":
    case "thinking_end":
      check<Same<typeof event.partial, AssistantMessage>>();
      return event.content;
    case "toolcall_end":
      check<Same<typeof event.toolCall, ToolCall>>();
      check<Same<typeof event.partial, AssistantMessage>>();
      return event.toolCall.name;
    case "image_end":
      check<Same<typeof event.content, ImageContent>>();
      check<Same<typeof event.partial, AssistantMessage>>();
      return event.content.mimeType;
    case "done":
      check<Same<typeof event.reason, "stop" | "length" | "toolUse">>();
      check<Same<typeof event.message, AssistantMessage>>();
      return event.reason;
    case "error":
      check<Same<typeof event.reason, "error" | "aborted">>();
      check<Same<typeof event.error, AssistantMessage>>();
      return event.reason;
    default:
      return never(event);
  }
}

export function wrong(event: AgentEvent) {
  // @ts-expect-error there is no such event
  if (event.type === "message_delta") return;
  // @ts-expect-error only some events have a message
  event.message;
  // @ts-expect-error an event of an agent is none of a model call
  onAssistantEvent(event);
}

export function narrow(event: AgentEvent) {
  if (event.type !== "message_update") return;
  const inner = event.assistantMessageEvent;
  if (inner.type === "text_delta") check<Same<typeof inner.delta, string>>();
  // @ts-expect-error a start has no delta
  if (inner.type === "text_start") inner.delta;
}
