import { useEffect, useRef, useState } from "preact/hooks";
import type { ThinkingLevel } from "sluice-agent";
import { PROTOCOLS, THINKING_LEVELS, type Protocol, type Settings } from "../settings";

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
          A provider
          <small>OpenAI, Anthropic, Google, OpenRouter, Ollama and others that allow calls from web pages.</small>
        </span>
      </label>
    </fieldset>
  );
}

function Endpoint({ draft, change }: PartProps) {
  const examples = PROTOCOLS[draft.protocol];
  return (
    <>
      <label>
        Protocol
        <select
          value={draft.protocol}
          // A key of one provider must not go to another because somebody looked around.
          onChange={(event) =>
            change({ protocol: event.currentTarget.value as Protocol, baseUrl: "", modelId: "", apiKey: "" })
          }
        >
          {Object.entries(PROTOCOLS).map(([protocol, { label }]) => (
            <option key={protocol} value={protocol}>
              {label}
            </option>
          ))}
        </select>
        <small>{examples.hosts}</small>
      </label>
      <label>
        Base URL
        <input
          type="url"
          placeholder={examples.baseUrl}
          value={draft.baseUrl}
          onInput={(event) => change({ baseUrl: event.currentTarget.value })}
        />
      </label>
      <label>
        Model id
        <input
          required
          placeholder={examples.modelId}
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
          placeholder={examples.key}
          value={draft.apiKey}
          onInput={(event) => change({ apiKey: event.currentTarget.value })}
        />
      </label>
      <p class="hint">Left empty, the base URL is the one shown. The key goes there and nowhere else. Whoever can use this tab can read it: use one with a limit.</p>
    </>
  );
}
