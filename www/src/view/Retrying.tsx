import { useEffect, useState } from "preact/hooks";
import type { PendingRetry } from "sluice-agent";
import { Icon } from "./icons";

interface Props {
  retry: PendingRetry;
  /** The failed call is not yet being made again. */
  isWaiting: boolean;
  onStop: () => void;
}

/** A failed model call that is made again by itself, and how long that takes. */
export function Retrying({ retry: { attempt, maxAttempts, delayMs, errorMessage }, isWaiting, onStop }: Props) {
  const left = useSecondsLeft(delayMs);
  return (
    <div class="retrying">
      <Icon name="retry" />
      <div>
        <p>
          {/* Told once, and not again with every second. */}
          <span role="status">
            Trying again ({attempt} of {maxAttempts})…
          </span>
          {isWaiting && left > 0 && <span class="countdown"> in {left} s</span>}
        </p>
        <p class="cause">{errorMessage}</p>
      </div>
      {isWaiting && (
        <button
          type="button"
          onClick={() => {
            // This button goes with the run.
            document.querySelector<HTMLElement>("#draft")?.focus();
            onStop();
          }}
        >
          <Icon name="stop" />
          Stop trying
        </button>
      )}
    </div>
  );
}

function useSecondsLeft(delayMs: number): number {
  const [endsAt] = useState(() => performance.now() + delayMs);
  const [left, setLeft] = useState(delayMs);
  useEffect(() => {
    const timer = setInterval(() => setLeft(endsAt - performance.now()), 250);
    return () => clearInterval(timer);
  }, [endsAt]);
  return Math.max(0, Math.ceil(left / 1000));
}
