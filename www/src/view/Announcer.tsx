import { memo } from "preact/compat";
import type { AgentMessage, AssistantMessage } from "sluice-agent";
import { plainText } from "./markdown";
import { textOf } from "./text";

/** Tells screen readers each answer once, when it is complete: a log that received every delta could not be followed. */
export const Announcer = memo(({ messages }: { messages: readonly AgentMessage[] }) => {
  const last = messages.findLastIndex((message) => message.role === "assistant");
  const message = messages[last];
  return (
    <div class="unseen" role="log" aria-live="polite" aria-label="Answers">
      {message?.role === "assistant" && <Told key={last} message={message} />}
    </div>
  );
});

const Told = memo(({ message }: { message: AssistantMessage }) => {
  const calls = message.content.flatMap((block) => (block.type === "toolCall" ? [`Calls ${block.name}.`] : []));
  return <p>{[plainText(textOf(message)), ...calls, message.errorMessage].filter(Boolean).join(" ")}</p>;
});
