import { memo } from "preact/compat";
import { useState } from "preact/hooks";
import type { EventRow } from "../trace";
import { count, seconds } from "./text";

/** What is longer is cut: a transcript with images has megabytes. */
const MAX_CHARACTERS = 20_000;

interface Props {
  row: EventRow;
  origin: number;
  secret: string;
}

export const EventNode = memo(({ row, origin, secret }: Props) => {
  const [isUnfolded, setUnfolded] = useState(false);
  return (
    <details class="event" onToggle={(event) => setUnfolded(event.currentTarget.open)}>
      <summary>
        <span class="name">{row.type}</span>
        {row.count > 1 && <span class="count">×{count(row.count)}</span>}
        <span class="took">+{seconds(row.at - origin)}</span>
      </summary>
      {isUnfolded && (
        <div class="json">
          {row.count > 1 && <p>Together: {JSON.stringify(row.delta)}. The last of them:</p>}
          <pre role="group" tabIndex={0} aria-label={`${row.type} as JSON`}>
            {json(row.event, secret)}
          </pre>
        </div>
      )}
    </details>
  );
});

function json(value: unknown, secret: string): string {
  const text = JSON.stringify(value, null, 2);
  const hidden = secret === "" ? text : text.replaceAll(secret, "•••");
  return hidden.length > MAX_CHARACTERS ? `${hidden.slice(0, MAX_CHARACTERS)}\n…` : hidden;
}
