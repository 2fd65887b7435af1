import { useCallback, useRef, useState } from "preact/hooks";
import { useSyncExternalStore } from "preact/compat";
import type { Session } from "../session";
import { Announcer } from "./Announcer";
import { Composer } from "./Composer";
import { Header } from "./Header";
import { Inspector } from "./Inspector";
import { Queue } from "./Queue";
import { SettingsDialog } from "./SettingsDialog";
import { Transcript } from "./Transcript";
import { useStopKey } from "./useStopKey";
import { Total } from "./UsageLine";
import { useWide } from "./useWide";
import { Welcome } from "./Welcome";

export function App({ session }: { session: Session }) {
  const { chat, trace, queued, settings, problem } = useSyncExternalStore(session.subscribe, session.getSnapshot);
  const isWide = useWide();
  const [isInspecting, setInspecting] = useState(isWide);
  const [isSettingUp, setSettingUp] = useState(false);
  const input = useRef<HTMLTextAreaElement>(null);
  const focusInput = () => input.current?.focus();
  const isCovered = isInspecting && !isWide;
  useStopKey(chat.isRunning && !isSettingUp, () => session.stop());

  const closeInspector = useCallback(() => {
    setInspecting(false);
    document.querySelector<HTMLElement>("#inspect")?.focus();
  }, []);
  const send = (text: string) => {
    session.send(text);
    focusInput();
  };
  return (
    <div class={isInspecting ? "app inspecting" : "app"}>
      <Header
        settings={settings}
        isInspecting={isInspecting}
        onInspect={() => setInspecting(!isInspecting)}
        onSettings={() => setSettingUp(true)}
        onNewChat={() => void session.newChat().then(focusInput)}
      />
      <main class="conversation" inert={isCovered}>
        {chat.entries.length === 0 ? (
          <Welcome onPick={send} />
        ) : (
          <Transcript
            chat={chat}
            onRetry={() => {
              session.retry();
              focusInput();
            }}
          />
        )}
        <div class="dock">
          {problem !== undefined && (
            <p class="problem" role="alert">
              {problem}
            </p>
          )}
          <Queue
            queued={queued}
            isRunning={chat.isRunning}
            onSend={() => session.sendQueued()}
            onClear={() => session.clearQueue()}
          />
          <Composer
            input={input}
            isRunning={chat.isRunning}
            onSend={send}
            onSteer={(text) => session.steer(text)}
            onFollowUp={(text) => session.followUp(text)}
            onStop={() => session.stop()}
          >
            <Total entries={chat.entries} />
          </Composer>
        </div>
      </main>
      {isInspecting && (
        <Inspector trace={trace} secret={settings.apiKey} isOver={isCovered} onClose={closeInspector} />
      )}
      {isSettingUp && (
        <SettingsDialog
          settings={settings}
          isRunning={chat.isRunning}
          onSave={(changed) => void session.apply(changed)}
          onClose={() => setSettingUp(false)}
        />
      )}
      <Announcer entries={chat.entries} />
    </div>
  );
}
