// Progress of a tool, as the `details` of what it passes to `onUpdate`.

import type { AgentToolResult } from "sluice-agent";

export interface Progress {
  done: number;
  total: number;
}

/** A report of progress: a sentence, and how far the work has come. */
export function report(text: string, progress: Progress): AgentToolResult<{ progress: Progress }> {
  return { content: [{ type: "text", text }], details: { progress } };
}

/** How far a tool has come, if it says so. */
export function progressOf(result: AgentToolResult | undefined): Progress | undefined {
  const progress: Partial<Progress> | undefined = result?.details?.progress;
  const { done, total } = progress ?? {};
  return typeof done === "number" && typeof total === "number" && total > 0 ? { done, total } : undefined;
}
