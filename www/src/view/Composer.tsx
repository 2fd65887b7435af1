import { useState } from "preact/hooks";
import type { ComponentChildren, RefObject } from "preact";
import { Icon } from "./icons";

interface Props {
  input: RefObject<HTMLTextAreaElement | null>;
  isRunning: boolean;
  onSend: (text: string) => void;
  onSteer: (text: string) => void;
  onFollowUp: (text: string) => void;
  onStop: () => void;
  /** Beside the buttons, while they leave room. */
  children?: ComponentChildren;
}

/** For browsers that cannot size it by its content. */
const MAX_ROWS = 8;

export function Composer({ input, isRunning, onSend, onSteer, onFollowUp, onStop, children }: Props) {
  const [draft, setDraft] = useState("");
  const isEmpty = draft.trim() === "";

  const give = (receiver: (text: string) => void) => {
    if (isEmpty) return;
    receiver(draft.trim());
    setDraft("");
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    const isLater = event.ctrlKey || event.metaKey || event.altKey;
    give(!isRunning ? onSend : isLater ? onFollowUp : onSteer);
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        give(isRunning ? onSteer : onSend);
      }}
    >
      <label class="unseen" for="draft">
        Message
      </label>
      <textarea
        id="draft"
        ref={input}
        rows={Math.min(MAX_ROWS, draft.split("\n").length)}
        value={draft}
        placeholder={isRunning ? "Steer the run…" : "Ask something…"}
        aria-describedby="keys"
        autofocus
        onInput={(event) => setDraft(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="composer-row">
        <p class="keys" id="keys">
          {isRunning ? <RunningKeys /> : <IdleKeys />}
        </p>
        {isRunning ? (
          <>
            <button
              type="button"
              disabled={isEmpty}
              onClick={() => give(onFollowUp)}
              title="Tell the model when it would stop (Ctrl+Enter)"
            >
              <Icon name="later" />
              Follow up
            </button>
            <button type="submit" disabled={isEmpty} title="Tell the model as soon as possible (Enter)">
              <Icon name="steer" />
              Steer
            </button>
            <button
              type="button"
              class="stop"
              title="Stop the run (Esc)"
              onClick={() => {
                onStop();
                input.current?.focus();
              }}
            >
              <Icon name="stop" />
              Stop
            </button>
          </>
        ) : (
          <>
            {children}
            <button type="submit" class="primary" disabled={isEmpty}>
              <Icon name="send" />
              Send
            </button>
          </>
        )}
      </div>
    </form>
  );
}

function IdleKeys() {
  return (
    <>
      <kbd>Enter</kbd> sends, <kbd>Shift+Enter</kbd> new line
    </>
  );
}

function RunningKeys() {
  return (
    <>
      <kbd>Enter</kbd> steers, <kbd>Ctrl+Enter</kbd> follows up, <kbd>Esc</kbd> stops
    </>
  );
}
