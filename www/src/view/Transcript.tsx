import { useMemo, useRef } from "preact/hooks";
import type { AgentMessage, AgentSnapshot, ToolResultMessage } from "sluice-agent";
import type { Chat } from "../chat";
import { Answer } from "./Answer";
import { Icon } from "./icons";
import { Question } from "./Question";
import { Retrying } from "./Retrying";
import { RunEnd } from "./RunEnd";
import { useFollow } from "./useFollow";

interface Props {
  snapshot: AgentSnapshot;
  chat: Chat;
  onRetry: () => void;
  onStop: () => void;
  onDecide: (toolCallId: string, isApproved: boolean) => void;
}

export function Transcript({ snapshot, chat, onRetry, onStop, onDecide }: Props) {
  const { messages, streamMessage, isStreaming, toolExecutions, retry } = snapshot;
  const scroller = useRef<HTMLDivElement>(null);
  const { isFollowing, onScroll, toEnd } = useFollow(scroller, snapshot, isStreaming);
  const durations = useMemo(() => durationsOf(messages), [messages]);
  const tools = useMemo(
    () => ({ executions: toolExecutions, updates: chat.updates, durations, onDecide }),
    [toolExecutions, chat.updates, durations, onDecide],
  );
  const all: readonly AgentMessage[] = streamMessage === null ? messages : [...messages, streamMessage];
  return (
    <div class="transcript-frame">
      <div class="transcript" ref={scroller} onScroll={onScroll} tabIndex={0} role="region" aria-label="Conversation">
        <ol class="entries" aria-busy={isStreaming}>
          {all.map((message, index) => {
            // A message has its place from its first delta on.
            if (message.role === "user") return <Question key={index} message={message} />;
            if (message.role !== "assistant") return null;
            const isGrowing = message === streamMessage;
            return (
              <Answer
                key={index}
                message={message}
                isStreaming={isGrowing}
                openBlock={isGrowing ? chat.openBlock : undefined}
                tools={tools}
              />
            );
          })}
        </ol>
        {retry !== undefined && <Retrying key={retry.attempt} retry={retry} isWaiting={streamMessage === null} onStop={onStop} />}
        {!isStreaming && <RunEnd reason={chat.endReason} onRetry={onRetry} />}
      </div>
      {!isFollowing && (
        <button type="button" class="to-end" onClick={toEnd}>
          <Icon name="down" />
          Latest
        </button>
      )}
    </div>
  );
}

function durationsOf(messages: readonly AgentMessage[]): ReadonlyMap<string, number | undefined> {
  const results = messages.filter((message): message is ToolResultMessage => message.role === "toolResult");
  return new Map(results.map(({ toolCallId, durationMs }) => [toolCallId, durationMs]));
}
