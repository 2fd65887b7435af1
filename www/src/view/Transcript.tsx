import { useRef } from "preact/hooks";
import type { Chat } from "../chat";
import { Answer } from "./Answer";
import { Icon } from "./icons";
import { Question } from "./Question";
import { RunEnd } from "./RunEnd";
import { useFollow } from "./useFollow";

export function Transcript({ chat, onRetry }: { chat: Chat; onRetry: () => void }) {
  const scroller = useRef<HTMLDivElement>(null);
  const { isFollowing, onScroll, toEnd } = useFollow(scroller, chat, chat.isRunning);
  return (
    <div class="transcript-frame">
      <div class="transcript" ref={scroller} onScroll={onScroll} tabIndex={0} role="region" aria-label="Conversation">
        <ol class="entries" aria-busy={chat.isRunning}>
          {chat.entries.map((entry) =>
            entry.kind === "user" ? (
              <Question key={entry.key} message={entry.message} />
            ) : (
              <Answer key={entry.key} entry={entry} />
            ),
          )}
        </ol>
        {!chat.isRunning && <RunEnd reason={chat.endReason} onRetry={onRetry} />}
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
