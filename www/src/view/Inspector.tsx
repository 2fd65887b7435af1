import { memo } from "preact/compat";
import { useEffect, useRef } from "preact/hooks";
import type { Trace } from "../trace";
import { Icon } from "./icons";
import { SpanNode } from "./SpanNode";

interface Props {
  trace: Trace;
  /** Never shown, should a provider have put it into a message. */
  secret: string;
  /** It covers the page, for want of room beside the conversation. */
  isOver: boolean;
  onClose: () => void;
}

export const Inspector = memo(({ trace, secret, isOver, onClose }: Props) => (
  <aside class="inspector" aria-label="Inspector" onKeyDown={isOver ? closeOnEscape(onClose) : undefined}>
    <header>
      <h2>Inspector</h2>
      <p>Every event, in its place.</p>
      <CloseButton takesFocus={isOver} onClose={onClose} />
    </header>
    <div class="runs" tabIndex={0} role="region" aria-label="Events">
      {trace.runs.length === 0 && <p class="nothing">Send a message to see its run: agent, turns, messages, tools.</p>}
      {trace.runs.map((run, index) => (
        <SpanNode
          key={run.id}
          span={run}
          origin={run.startedAt}
          secret={secret}
          startsUnfolded={index === trace.runs.length - 1}
        />
      ))}
    </div>
  </aside>
));

function closeOnEscape(onClose: () => void) {
  return (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    onClose();
  };
}

function CloseButton({ takesFocus, onClose }: { takesFocus: boolean; onClose: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (takesFocus) button.current!.focus();
  }, [takesFocus]);
  return (
    <button ref={button} type="button" class="plain" onClick={onClose} aria-label="Close the inspector">
      <Icon name="close" />
    </button>
  );
}
