import type { AssistantMessage } from "sluice-agent";
import { count, dollars, seconds } from "./text";

export function UsageLine({ message }: { message: AssistantMessage }) {
  const { usage, durationMs } = message;
  const parts: string[] = [];
  if (usage?.totalTokens) {
    parts.push(`${count(usage.input ?? 0)} tokens in`);
    if (usage.cacheRead) parts.push(`${count(usage.cacheRead)} cached`);
    parts.push(`${count(usage.output ?? 0)} out`);
  }
  if (usage?.cost?.total) parts.push(dollars(usage.cost.total));
  if (durationMs !== undefined) parts.push(seconds(durationMs));
  return parts.length === 0 ? null : <p class="usage">{parts.join(" · ")}</p>;
}
