import { modelName } from "../agent";
import type { Settings } from "../settings";
import { Icon, Logo } from "./icons";

interface Props {
  settings: Settings;
  isInspecting: boolean;
  onInspect: () => void;
  onSettings: () => void;
  onNewChat: () => void;
  onChats: () => void;
}

export function Header({ settings, isInspecting, onInspect, onSettings, onNewChat, onChats }: Props) {
  return (
    <header class="header">
      <h1 class="brand">
        <Logo />
        Sluice
      </h1>
      <button type="button" class="model" onClick={onSettings} aria-label={`Model: ${modelName(settings)}. Settings`}>
        <span class={`dot ${settings.source}`} />
        <span class="model-name">{modelName(settings)}</span>
      </button>
      <nav class="actions" aria-label="Page">
        <button type="button" class="plain" onClick={onNewChat}>
          <Icon name="plus" />
          <span class="label">New chat</span>
        </button>
        <button type="button" class="plain" onClick={onChats} aria-haspopup="dialog">
          <Icon name="chats" />
          <span class="label">Chats</span>
        </button>
        <button type="button" class="plain" id="inspect" aria-pressed={isInspecting} onClick={onInspect}>
          <Icon name="tree" />
          <span class="label">Inspector</span>
        </button>
        <button type="button" class="plain settings-button" onClick={onSettings}>
          <Icon name="sliders" />
          <span class="label">Settings</span>
        </button>
      </nav>
    </header>
  );
}
