import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";

/** How near the end counts as at the end. */
const NEAR_PX = 48;

/**
 * Keeps the end in view while content grows, until the reader scrolls up; takes up again when they
 * come back to the end, or start a run.
 */
export function useFollow(scroller: RefObject<HTMLElement | null>, content: unknown, isRunning: boolean) {
  const [isFollowing, setFollowing] = useState(true);
  const follows = useRef(true);
  const lastTop = useRef(0);

  const onScroll = useCallback(() => {
    const { scrollTop, scrollHeight, clientHeight } = scroller.current!;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < NEAR_PX;
    // Growth moves the end away from the reader: only scrolling up is their own doing.
    const isLeaving = scrollTop < lastTop.current;
    lastTop.current = scrollTop;
    if (isAtEnd || isLeaving) {
      follows.current = isAtEnd;
      setFollowing(isAtEnd);
    }
  }, []);

  const toEnd = useCallback(() => {
    follows.current = true;
    setFollowing(true);
    scroller.current!.scrollTop = scroller.current!.scrollHeight;
  }, []);

  useLayoutEffect(() => {
    if (isRunning) toEnd();
  }, [isRunning]);

  useLayoutEffect(() => {
    if (follows.current) scroller.current!.scrollTop = scroller.current!.scrollHeight;
  }, [content]);

  return { isFollowing, onScroll, toEnd };
}
