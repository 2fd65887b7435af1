import { useState } from "preact/hooks";
import type { ThinkingContent } from "sluice-agent";
import { Icon } from "./icons";

/** Unfolded while it grows, folded behind, unless the reader has decided. */
export function Thinking({ block, isOpen }: { block: ThinkingContent; isOpen: boolean }) {
  const [choice, setChoice] = useState<boolean>();
  const isUnfolded = choice ?? isOpen;
  return (
    <details class="thinking" open={isUnfolded}>
      <summary
        onClick={(event) => {
          event.preventDefault();
          setChoice(!isUnfolded);
        }}
      >
        <Icon name="spark" />
        {isOpen ? "Thinking…" : "Thought"}
      </summary>
      <p>{block.redacted ? "The provider withholds this thinking." : block.thinking}</p>
    </details>
  );
}
