import type { AgentMessage, QueuedMessages } from "sluice-agent";
import { Icon, type IconName } from "./icons";
import { textOf } from "./text";

interface Props {
  queued: QueuedMessages;
  isRunning: boolean;
  onSend: () => void;
  onClear: () => void;
}

/** Messages that are not delivered yet. */
export function Queue({ queued: { steering, followUp }, isRunning, onSend, onClear }: Props) {
  if (steering.length + followUp.length === 0) return null;
  return (
    <div class="queue" role="group" aria-label="Waiting messages">
      <ul>
        {steering.map((message, index) => (
          <Chip key={`s${index}`} icon="steer" kind="Steering" message={message} />
        ))}
        {followUp.map((message, index) => (
          <Chip key={`f${index}`} icon="later" kind="Follow-up" message={message} />
        ))}
      </ul>
      {!isRunning && (
        <button type="button" onClick={onSend}>
          Send now
        </button>
      )}
      <button type="button" class="plain" onClick={onClear} aria-label="Forget the waiting messages">
        <Icon name="close" />
      </button>
    </div>
  );
}

function Chip({ icon, kind, message }: { icon: IconName; kind: string; message: AgentMessage }) {
  return (
    <li class="chip">
      <Icon name={icon} />
      <span class="chip-kind">{kind}</span>
      <span class="chip-text">{textOf(message)}</span>
    </li>
  );
}
