// Messages and their content: what is read is there, what is written is checked.
import type {
  AgentMessage, Api, AssistantMessage, AssistantContentBlock, ErrorCode, ErrorInfo, ImageContent, Message, Model, StopReason,
  TextContent, ThinkingContent, ToolCall, ToolResultMessage, Usage, UsageCost, UserMessage,
} from "sluice-agent";
import { check, never, type Same } from "./expect.js";

export function onMessage(message: Message): string {
  switch (message.role) {
    case "user":
      check<Same<typeof message, UserMessage>>();
      return typeof message.content === "string" ? message.content : message.content.map(onBlock).join("");
    case "assistant":
      check<Same<typeof message, AssistantMessage>>();
      return message.content.map(onBlock).join("");
    case "toolResult":
      check<Same<typeof message, ToolResultMessage>>();
      check<Same<typeof message.toolCallId, string>>();
      check<Same<typeof message.toolName, string>>();
      check<Same<typeof message.content, (TextContent | ImageContent)[]>>();
      check<Same<typeof message.isError, boolean>>();
      return message.content.map(onBlock).join("");
    default:
      return never(message);
  }
}

function onBlock(block: AssistantContentBlock): string {
  switch (block.type) {
    case "text":
      check<Same<typeof block, TextContent>>();
      check<Same<typeof block.textSignature, string | undefined>>();
      return block.text;
    case "thinking":
      check<Same<typeof block, ThinkingContent>>();
      check<Same<typeof block.thinkingSignature, string | undefined>>();
      check<Same<typeof block.redacted, boolean | undefined>>();
      return block.thinking;
    case "image":
      check<Same<typeof block, ImageContent>>();
      return `data:${block.mimeType};base64,${block.data}`;
    case "toolCall":
      check<Same<typeof block, ToolCall>>();
      check<Same<typeof block.arguments, Record<string, any>>>();
      check<Same<typeof block.thoughtSignature, string | undefined>>();
      return block.id + block.name;
    default:
      return never(block);
  }
}

/** What the loop gives is complete: nothing here may be undefined. */
export function onAnswer(message: AssistantMessage): number {
  check<Same<typeof message.api, Api>>();
  check<Same<typeof message.provider, string>>();
  check<Same<typeof message.model, string>>();
  check<Same<typeof message.usage, Usage>>();
  check<Same<typeof message.stopReason, StopReason>>();
  check<Same<typeof message.timestamp, number>>();
  check<Same<typeof message.responseId, string | undefined>>();
  check<Same<typeof message.errorMessage, string | undefined>>();
  check<Same<typeof message.error, ErrorInfo | undefined>>();
  check<Same<typeof message.durationMs, number | undefined>>();
  const { input, output, cacheRead, cacheWrite, totalTokens, cost } = message.usage;
  check<Same<typeof cost, UsageCost>>();
  return input + output + cacheRead + cacheWrite + totalTokens + cost.total + cost.input + cost.output + cost.cacheRead + cost.cacheWrite;
}

export function onStop(reason: StopReason): string {
  switch (reason) {
    case "stop":
    case "length":
    case "toolUse":
    case "error":
    case "aborted":
      return reason;
    default:
      return never(reason);
  }
}

export function onError(error: ErrorInfo): string {
  check<Same<typeof error.code, ErrorCode>>();
  check<Same<typeof error.retryable, boolean>>();
  check<Same<typeof error.status, number | undefined>>();
  check<Same<typeof error.retryAfterMs, number | undefined>>();
  if (error.code === "rate_limit" || error.code === "truncated") return error.message;
  // @ts-expect-error codes are a closed list
  if (error.code === "rate-limit") return "";
  return "";
}

// A transcript of an app's own.
export const transcript: AgentMessage[] = [
  { role: "user", content: "Hello", timestamp: 0 },
  { role: "user", content: [{ type: "text", text: "Look" }, { type: "image", data: "", mimeType: "image/png" }], timestamp: 0 },
  { role: "toolResult", toolCallId: "1", toolName: "read", content: [{ type: "text", text: "" }], isError: false, timestamp: 0, details: new Map() },
];

// @ts-expect-error there is no such role
export const system: AgentMessage = { role: "system", content: "x", timestamp: 0 };
// @ts-expect-error a user message has content
export const empty: AgentMessage = { role: "user", timestamp: 0 };
// @ts-expect-error a user does not call tools
export const calling: UserMessage = { role: "user", content: [{ type: "toolCall", id: "", name: "", arguments: {} }], timestamp: 0 };
// @ts-expect-error an image says what it is
export const image: ImageContent = { type: "image", data: "" };
// @ts-expect-error a tool result names its call
export const result: ToolResultMessage = { role: "toolResult", toolName: "read", content: [], isError: false, timestamp: 0 };

export const models: Model[] = [
  { id: "gpt-4o-mini", api: "openai-completions" },
  { id: "mine", api: "an-api-of-my-own" },
  {
    id: "m", api: "openai-completions", provider: "p", baseUrl: "http://localhost/v1", name: "M", reasoning: true, input: ["text", "image"],
    cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1 }, contextWindow: 1, maxTokens: 1, headers: { "x-a": "b" },
  },
];
// @ts-expect-error a model names its protocol
export const nameless: Model = { id: "x" };
// @ts-expect-error a model reads text and images
export const listening: Model = { id: "x", api: "openai-completions", input: ["audio"] };
