import type { AgentMessage, AssistantMessage } from "sluice-agent";
import { count, dollars, seconds } from "./text";

export function UsageLine({ message }: { message: AssistantMessage }) {
  const { usage, durationMs } = message;
  const parts: string[] = [];
  if (usage.totalTokens > 0) {
    parts.push(`${count(usage.input)} tokens in`);
    if (usage.cacheRead > 0) parts.push(`${count(usage.cacheRead)} cached`);
    parts.push(`${count(usage.output)} out`);
  }
  if (usage.cost.total > 0) parts.push(dollars(usage.cost.total));
  if (durationMs !== undefined) parts.push(seconds(durationMs));
  return parts.length === 0 ? null : <p class="usage">{parts.join(" · ")}</p>;
}

/** What the whole conversation used. */
export function Total({ messages }: { messages: readonly AgentMessage[] }) {
  const usages = messages.flatMap((message) => (message.role === "assistant" ? [message.usage] : []));
  const tokens = usages.reduce((sum, usage) => sum + usage.totalTokens, 0);
  const cost = usages.reduce((sum, usage) => sum + usage.cost.total, 0);
  if (tokens === 0) return null;
  return (
    <p class="usage" aria-label="Used by this conversation">
      {count(tokens)} tokens{cost > 0 && ` · ${dollars(cost)}`}
    </p>
  );
}
