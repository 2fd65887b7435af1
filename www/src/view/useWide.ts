import { useEffect, useState } from "preact/hooks";

/** The width from which the inspector has room beside the conversation; the style sheets have the same. */
const WIDE = matchMedia("(min-width: 62rem)");

export function useWide(): boolean {
  const [isWide, setWide] = useState(WIDE.matches);
  useEffect(() => {
    const onChange = () => setWide(WIDE.matches);
    WIDE.addEventListener("change", onChange);
    return () => WIDE.removeEventListener("change", onChange);
  }, []);
  return isWide;
}
