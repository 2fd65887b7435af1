// Views over the events: the store, coalesced listeners, recordings, sessions.
import {
  Agent, normalizeRecording, recordEvents, replay,
  type AgentEvent, type AgentMessage, type AgentSession, type AgentSnapshot, type AgentState, type AgentStore, type AnyTool, type AssistantMessage,
  type PendingRetry, type Recorder, type Recording, type Replay, type SubscribeOptions, type ToolExecution,
} from "sluice-agent";
import { check, never, type Same } from "./expect.js";

declare const agent: Agent;
declare const tool: AnyTool;

/** The shape of React's `useSyncExternalStore`, and of its like. */
declare function useSyncExternalStore<T>(subscribe: (changed: () => void) => () => void, getSnapshot: () => T, getServerSnapshot?: () => T): T;

export function store() {
  check<Same<typeof agent.store, AgentStore>>();
  const { subscribe, getSnapshot } = agent.store;
  const snapshot = useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
  check<Same<typeof snapshot, AgentSnapshot>>();
  check<Same<typeof snapshot.messages, readonly AgentMessage[]>>();
  check<Same<typeof snapshot.streamMessage, AssistantMessage | null>>();
  check<Same<typeof snapshot.retry, PendingRetry | undefined>>();
  check<Same<typeof snapshot.error, string | undefined>>();
  check<Same<(typeof snapshot.toolExecutions)[string], ToolExecution>>();
  snapshot.pendingToolCalls.has("1") satisfies boolean;
  // @ts-expect-error a snapshot is never changed
  snapshot.isStreaming = true;
  // @ts-expect-error nor are its parts
  snapshot.messages.push({ role: "user", content: "", timestamp: 0 });
  // @ts-expect-error the agent makes it
  agent.store = agent.store;
  const messages: readonly AgentMessage[] = useSyncExternalStore(subscribe, () => getSnapshot().messages);
  return messages.length;
}

export function status({ status }: ToolExecution): string {
  switch (status) {
    case "pending":
      return "…";
    case "awaiting_approval":
      return "?";
    case "running":
      return ">";
    case "done":
      return "+";
    case "error":
      return "!";
    default:
      return never(status);
  }
}

export function listen() {
  const options: SubscribeOptions = { coalesce: 50 };
  check<Same<ReturnType<typeof agent.subscribe>, () => void>>();
  agent.subscribe(() => {}, options);
  agent.subscribe(async (event) => check<Same<typeof event, AgentEvent>>(), { coalesce: "frame" });
  // @ts-expect-error there is no such pace
  agent.subscribe(() => {}, { coalesce: "slow" });
  // @ts-expect-error there is no such option
  agent.subscribe(() => {}, { throttle: 50 });
}

export async function record() {
  const recorder = recordEvents(agent);
  check<Same<typeof recorder, Recorder>>();
  recorder.stop();
  const recording: Recording = recorder.toJSON();
  check<Same<ReturnType<typeof normalizeRecording>, Recording>>();
  normalizeRecording(recorder);
  const player = replay(recording, { speed: Infinity });
  check<Same<typeof player, Replay>>();
  check<Same<typeof player.store, AgentStore>>();
  check<Same<typeof player.state, AgentState>>();
  player.subscribe((event, signal) => void [event.type, signal.aborted], { coalesce: "frame" });
  recordEvents(player);
  for await (const event of player.events()) check<Same<typeof event, AgentEvent>>();
  check<Same<ReturnType<typeof player.start>, Promise<void>>>();
  player.abort();
  replay(recorder);
  // @ts-expect-error JSON text is parsed first
  replay(JSON.stringify(recorder));
  // @ts-expect-error a speed is a number
  replay(recording, { speed: "fast" });
  // @ts-expect-error events are not recorded by themselves
  recordEvents([]);
}

export function session() {
  const session = agent.toJSON();
  check<Same<typeof session, AgentSession>>();
  const restored = Agent.fromJSON(session, { initialState: { tools: [tool] }, getApiKey: () => "key" });
  check<Same<typeof restored, Agent>>();
  Agent.fromJSON(JSON.parse(JSON.stringify(agent)));
  // @ts-expect-error JSON text is parsed first
  Agent.fromJSON(JSON.stringify(agent));
  // @ts-expect-error there is no such option
  Agent.fromJSON(session, { tools: [tool] });
}
