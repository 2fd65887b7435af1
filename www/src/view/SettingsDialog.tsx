import { useEffect, useRef, useState } from "preact/hooks";
import type { ThinkingLevel } from "sluice-agent";
import { THINKING_LEVELS, type Settings } from "../settings";

interface Props {
  settings: Settings;
  isRunning: boolean;
  onSave: (settings: Settings) => void;
  onClose: () => void;
}

export function SettingsDialog({ settings, isRunning, onSave, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [draft, setDraft] = useState(settings);
  const change = (changed: Partial<Settings>) => setDraft({ ...draft, ...changed });
  useEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog ref={dialog} class="settings" aria-labelledby="settings-title" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSave(draft);
          dialog.current!.close();
        }}
      >
        <h2 id="settings-title">Settings</h2>
        <Source draft={draft} change={change} />
        {draft.source === "endpoint" && <Endpoint draft={draft} change={change} />}
        <label>
          Thinking
          <select
            value={draft.thinkingLevel}
            onChange={(event) => change({ thinkingLevel: event.currentTarget.value as ThinkingLevel })}
          >
            {THINKING_LEVELS.map((level) => (
              <option key={level}>{level}</option>
            ))}
          </select>
        </label>
        <label>
          System prompt
          <textarea
            rows={4}
            value={draft.systemPrompt}
            onInput={(event) => change({ systemPrompt: event.currentTarget.value })}
          />
        </label>
        <p class="hint">Kept until this tab is closed.{isRunning && " Saving stops the run that is under way."}</p>
        <div class="dialog-row">
          <button type="button" onClick={() => dialog.current!.close()}>
            Cancel
          </button>
          <button type="submit" class="primary">
            {isRunning ? "Stop and save" : "Save"}
          </button>
        </div>
      </form>
    </dialog>
  );
}

interface PartProps {
  draft: Settings;
  change: (changed: Partial<Settings>) => void;
}

function Source({ draft, change }: PartProps) {
  return (
    <fieldset>
      <legend>Model</legend>
      <label class="choice">
        <input
          type="radio"
          name="source"
          checked={draft.source === "script"}
          onChange={() => change({ source: "script" })}
        />
        <span>
          Offline script
          <small>Answers from a script. No network.</small>
        </span>
      </label>
      <label class="choice">
        <input
          type="radio"
          name="source"
          checked={draft.source === "endpoint"}
          onChange={() => change({ source: "endpoint" })}
        />
        <span>
          OpenAI-compatible endpoint
          <small>OpenAI, OpenRouter, Ollama, vLLM and others that allow calls from web pages.</small>
        </span>
      </label>
    </fieldset>
  );
}

function Endpoint({ draft, change }: PartProps) {
  return (
    <>
      <label>
        Base URL
        <input
          type="url"
          required
          value={draft.baseUrl}
          onInput={(event) => change({ baseUrl: event.currentTarget.value })}
        />
      </label>
      <label>
        Model id
        <input
          required
          spellcheck={false}
          autocapitalize="off"
          value={draft.modelId}
          onInput={(event) => change({ modelId: event.currentTarget.value })}
        />
      </label>
      <label>
        API key
        <input
          type="password"
          autocomplete="off"
          value={draft.apiKey}
          onInput={(event) => change({ apiKey: event.currentTarget.value })}
        />
      </label>
      <p class="hint">The key goes to this URL and nowhere else. Whoever can use this tab can read it: use one with a limit.</p>
    </>
  );
}
