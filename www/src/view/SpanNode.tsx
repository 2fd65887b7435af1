import { memo } from "preact/compat";
import { useEffect, useState } from "preact/hooks";
import type { Span } from "../trace";
import { EventNode } from "./EventNode";
import { seconds } from "./text";

interface Props {
  span: Span;
  /** When its run began. */
  origin: number;
  secret: string;
  startsUnfolded: boolean;
}

export const SpanNode = memo(({ span, origin, secret, startsUnfolded }: Props) => {
  const [isUnfolded, setUnfolded] = useState(startsUnfolded);
  useEffect(() => setUnfolded(startsUnfolded), [startsUnfolded]);
  return (
    <details
      class={`span ${span.level}${span.isFailed ? " failed" : ""}${span.isOpen ? " open-ended" : ""}`}
      open={isUnfolded}
      onToggle={(event) => setUnfolded(event.currentTarget.open)}
      style={timesOf(span, origin)}
    >
      <summary>
        <span class="name">{span.name}</span>
        {span.outcome !== undefined && <span class="outcome">{span.outcome}</span>}
        <span class="bar" />
        <span class="took">{seconds(span.until - span.startedAt)}</span>
      </summary>
      {isUnfolded && (
        <div class="children">
          {span.children.map((node) =>
            node.kind === "span" ? (
              <SpanNode key={node.id} span={node} origin={origin} secret={secret} startsUnfolded={node.level === "turn"} />
            ) : (
              <EventNode key={node.id} row={node} origin={origin} secret={secret} />
            ),
          )}
        </div>
      )}
    </details>
  );
});

/** The style sheet draws the bars, so that a longer run moves them without drawing every span again. */
function timesOf(span: Span, origin: number): Record<string, number> {
  const took = span.until - span.startedAt;
  return span.level === "run"
    ? { "--run": Math.max(took, 1), "--from": 0, "--took": took }
    : { "--from": span.startedAt - origin, "--took": took };
}
