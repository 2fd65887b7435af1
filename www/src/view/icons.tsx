const PATHS = {
  plus: "M12 5v14M5 12h14",
  chats: "M4 5h12v8H9l-5 4zM16 9h4v11l-4-3h-6",
  bin: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5",
  tree: "M5 4v13a2 2 0 0 0 2 2h4M5 9h6M15 7h5M15 9.5h5M15 17h5M15 19.5h5",
  sliders: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  steer: "M5 12h13M13 6l6 6-6 6",
  later: "M12 7v5l3 2M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17",
  retry: "M20 11a8 8 0 1 0-2.3 6.3M20 5v6h-6",
  close: "M6 6l12 12M18 6L6 18",
  calculator: "M7 3h10a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2M8.5 7.5h7M9 12h.01M12 12h.01M15 12h.01M9 16.5h.01M12 16.5h.01M15 16.5h.01",
  notes: "M6 3h8l5 5v13H6zM14 3v5h5M9 13h6M9 17h6",
  tool: "M14.5 6.5a4 4 0 0 0-5 5L4 17l3 3 5.5-5.5a4 4 0 0 0 5-5L15 12l-3-3z",
  spark: "M12 4l1.8 5.2L19 11l-5.2 1.8L12 18l-1.8-5.2L5 11l5.2-1.8z",
  down: "M12 5v14M6 13l6 6 6-6",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 12.5l4.5 4.5L19 7.5",
  alert: "M12 8v5M12 16.5h.01M12 3l9.5 17h-19z",
} as const;

export type IconName = keyof typeof PATHS;

/** A picture beside a word, or in a button that has a name. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M6 11c3.3-3 6.7-3 10 0s6.7 3 10 0" />
      <path d="M6 17c3.3-3 6.7-3 10 0s6.7 3 10 0" />
      <path d="M6 23c3.3-3 6.7-3 10 0s6.7 3 10 0" />
    </svg>
  );
}
