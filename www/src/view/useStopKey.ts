import { useEffect } from "preact/hooks";

/** Escape stops the run, wherever the focus is. */
export function useStopKey(isActive: boolean, stop: () => void): void {
  useEffect(() => {
    if (!isActive) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented && !event.isComposing) stop();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [isActive]);
}
