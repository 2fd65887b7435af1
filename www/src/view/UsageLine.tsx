import type { AssistantMessage } from "sluice-agent";
import type { Entry } from "../chat";
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

/** What the whole conversation used. */
export function Total({ entries }: { entries: readonly Entry[] }) {
  const usages = entries.map((entry) => (entry.kind === "assistant" ? entry.message.usage : undefined));
  const tokens = usages.reduce((sum, usage) => sum + (usage?.totalTokens ?? 0), 0);
  const cost = usages.reduce((sum, usage) => sum + (usage?.cost?.total ?? 0), 0);
  if (tokens === 0) return null;
  return (
    <p class="usage" aria-label="Used by this conversation">
      {count(tokens)} tokens{cost > 0 && ` · ${dollars(cost)}`}
    </p>
  );
}
