import { useEffect, useRef } from "preact/hooks";
import type { KeptHead } from "../kept";
import { Icon } from "./icons";

interface Props {
  kept: readonly KeptHead[];
  /** The one that is open. */
  id: string;
  isRunning: boolean;
  onPick: (id: string) => void;
  onRemove: (id: string) => void;
  onClose: () => void;
}

/** The conversations of this browser, to go on with and to delete. */
export function ChatsDialog({ kept, id, isRunning, onPick, onRemove, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  const remove = (removed: string) => {
    onRemove(removed);
    // The button that had the focus goes with its row.
    dialog.current!.querySelector<HTMLElement>(".close")?.focus();
  };
  return (
    <dialog ref={dialog} class="settings chats" aria-labelledby="chats-title" onClose={onClose}>
      <div class="chats-head">
        <h2 id="chats-title">Chats</h2>
        <button type="button" class="plain close" onClick={() => dialog.current!.close()} aria-label="Close">
          <Icon name="close" />
        </button>
      </div>
      {kept.length === 0 && <p class="hint">Chats are kept in this browser once you have sent a message.</p>}
      <ul>
        {kept.map((chat) => (
          <li key={chat.id}>
            <button
              type="button"
              class="plain chat"
              aria-current={chat.id === id ? "true" : undefined}
              onClick={() => {
                onPick(chat.id);
                dialog.current!.close();
              }}
            >
              <span class="chat-title">{chat.title}</span>
              <time class="chat-time" dateTime={new Date(chat.at).toISOString()}>
                {TIME.format(chat.at)}
              </time>
            </button>
            <button type="button" class="plain" onClick={() => remove(chat.id)} aria-label={`Delete the chat “${chat.title}”`}>
              <Icon name="bin" />
            </button>
          </li>
        ))}
      </ul>
      {isRunning && <p class="hint">Going to another chat stops the run that is under way.</p>}
    </dialog>
  );
}

const TIME = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
