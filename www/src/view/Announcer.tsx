import { memo } from "preact/compat";
import type { AgentMessage, AssistantMessage, ToolExecution } from "sluice-agent";
import { plainText } from "./markdown";
import { textOf } from "./text";
import { labelOf } from "./ToolCard";

interface Props {
  messages: readonly AgentMessage[];
  executions: Readonly<Record<string, ToolExecution>>;
}

/** Tells screen readers each answer once, when it is complete: a log that received every delta could not be followed. */
export const Announcer = memo(({ messages, executions }: Props) => {
  const last = messages.findLastIndex((message) => message.role === "assistant");
  const message = messages[last];
  const waiting = Object.entries(executions).filter(([, { status }]) => status === "awaiting_approval");
  return (
    <div class="unseen" role="log" aria-live="polite" aria-label="Answers">
      {message?.role === "assistant" && <Told key={last} message={message} />}
      {waiting.map(([id, { toolName }]) => (
        <p key={id}>{labelOf(toolName)} waits for your approval: approve or deny it in front of the message box.</p>
      ))}
    </div>
  );
});

const Told = memo(({ message }: { message: AssistantMessage }) => {
  const calls = message.content.flatMap((block) => (block.type === "toolCall" ? [`Calls ${block.name}.`] : []));
  return <p>{[plainText(textOf(message)), ...calls, message.errorMessage].filter(Boolean).join(" ")}</p>;
});
