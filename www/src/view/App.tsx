import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useSyncExternalStore } from "preact/compat";
import type { Session } from "../session";
import { Announcer } from "./Announcer";
import { ChatsDialog } from "./ChatsDialog";
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
  const { snapshot, chat, trace, queued, settings, id, kept, problem } = useSyncExternalStore(session.subscribe, session.getSnapshot);
  const { messages, isStreaming, toolExecutions } = snapshot;
  const isEmpty = messages.length === 0 && !isStreaming;
  const isWide = useWide();
  const [isInspecting, setInspecting] = useState(isWide);
  useLayoutEffect(() => {
    // Beside the conversation it is at hand; over it, it has to be asked for.
    if (!isWide) setInspecting(false);
  }, [isWide]);
  const [isSettingUp, setSettingUp] = useState(false);
  const [isChoosing, setChoosing] = useState(false);
  const input = useRef<HTMLTextAreaElement>(null);
  const focusInput = () => input.current?.focus();
  const isCovered = isInspecting && !isWide;
  useStopKey(isStreaming && !isSettingUp && !isChoosing, () => session.stop());

  const closeInspector = useCallback(() => {
    setInspecting(false);
    document.querySelector<HTMLElement>("#inspect")?.focus();
  }, []);
  const stop = useCallback(() => session.stop(), [session]);
  const decide = useCallback((id: string, isApproved: boolean) => session.decide(id, isApproved), [session]);
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
        onChats={() => setChoosing(true)}
        onNewChat={() => void session.newChat().then(focusInput)}
      />
      <main class="conversation" inert={isCovered}>
        {isEmpty ? (
          <Welcome onPick={send} />
        ) : (
          <Transcript
            key={id}
            snapshot={snapshot}
            chat={chat}
            onRetry={() => {
              session.retry();
              focusInput();
            }}
            onStop={stop}
            onDecide={decide}
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
            isRunning={isStreaming}
            onSend={() => session.sendQueued()}
            onClear={() => session.clearQueue()}
          />
          <Composer
            input={input}
            isRunning={isStreaming}
            onSend={send}
            onSteer={(text) => session.steer(text)}
            onFollowUp={(text) => session.followUp(text)}
            onStop={() => session.stop()}
          >
            <Total messages={messages} />
          </Composer>
        </div>
      </main>
      {isInspecting && (
        <Inspector trace={trace} secret={settings.apiKey} isOver={isCovered} onClose={closeInspector} />
      )}
      {isChoosing && (
        <ChatsDialog
          kept={kept}
          id={id}
          isRunning={isStreaming}
          onPick={(id) => void session.switchTo(id)}
          onRemove={(id) => void session.remove(id)}
          onClose={() => setChoosing(false)}
        />
      )}
      {isSettingUp && (
        <SettingsDialog
          settings={settings}
          isRunning={isStreaming}
          onSave={(changed) => void session.apply(changed)}
          onClose={() => setSettingUp(false)}
        />
      )}
      <Announcer messages={messages} executions={toolExecutions} />
    </div>
  );
}
