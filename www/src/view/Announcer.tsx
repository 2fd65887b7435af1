import { memo } from "preact/compat";
import type { AssistantMessage } from "sluice-agent";
import type { Entry } from "../chat";
import { plainText } from "./markdown";
import { textOf } from "./text";

/** Tells screen readers each answer once, when it is complete: a log that received every delta could not be followed. */
export const Announcer = memo(({ entries }: { entries: readonly Entry[] }) => {
  const last = entries.findLast((entry) => entry.kind === "assistant" && !entry.isStreaming);
  return (
    <div class="unseen" role="log" aria-live="polite" aria-label="Answers">
      {last?.kind === "assistant" && <Told key={last.key} message={last.message} />}
    </div>
  );
});

const Told = memo(({ message }: { message: AssistantMessage }) => {
  const calls = message.content.flatMap((block) => (block.type === "toolCall" ? [`Calls ${block.name}.`] : []));
  return <p>{[plainText(textOf(message)), ...calls, message.errorMessage].filter(Boolean).join(" ")}</p>;
});
