import type { EndReason } from "../chat";
import { Icon } from "./icons";

const SAYS: Partial<Record<EndReason, string>> = {
  error: "The run ended in an error.",
  aborted: "You stopped the run.",
  max_turns: "The run reached its limit of turns.",
  left: "The page was left before the run was over.",
};

/** How the last run ended, where there is something to do about it. */
export function RunEnd({ reason, onRetry }: { reason: EndReason | undefined; onRetry: () => void }) {
  const says = reason && SAYS[reason];
  if (says === undefined) return null;
  return (
    <div class="run-end">
      <span>{says}</span>
      <button type="button" onClick={onRetry}>
        <Icon name="retry" />
        Retry
      </button>
    </div>
  );
}
