import { memo } from "preact/compat";
import type { UserMessage } from "sluice-agent";
import { textOf } from "./text";

export const Question = memo(({ message }: { message: UserMessage }) => (
  <li class="entry question">
    <span class="unseen">You: </span>
    <p class="bubble">{textOf(message)}</p>
  </li>
));
