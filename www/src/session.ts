// The page's one agent, and the state that is drawn: made from the agent's events, drawn once per frame.

import type { Agent, AgentEvent, QueuedMessages, UserMessage } from "sluice-agent";
import { createAgent } from "./agent";
import { EMPTY_CHAT, keepOnly, reduceChat, type Chat } from "./chat";
import { saveSettings, type Settings } from "./settings";
import { EMPTY_TRACE, reduceTrace, type Trace } from "./trace";

export interface View {
  settings: Settings;
  chat: Chat;
  trace: Trace;
  queued: QueuedMessages;
  /** Misuse that the agent rejected: nothing that a run reports. */
  problem?: string;
}

const NOTHING_QUEUED: QueuedMessages = { steering: [], followUp: [] };

export class Session {
  #agent: Agent;
  #unsubscribe: () => void;
  #view: View;
  #drawn: View;
  #frame = 0;
  readonly #listeners = new Set<() => void>();

  constructor(settings: Settings) {
    this.#agent = createAgent(settings);
    this.#unsubscribe = this.#agent.subscribe(this.#onEvent);
    this.#view = { settings, chat: EMPTY_CHAT, trace: EMPTY_TRACE, queued: NOTHING_QUEUED };
    this.#drawn = this.#view;
  }

  /** The state to draw: it changes once per frame at most. */
  getSnapshot = (): View => this.#drawn;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  send(text: string): void {
    this.#run(this.#agent.prompt(text));
  }

  /** Tells the model as soon as possible, while it works. */
  steer(text: string): void {
    this.#agent.steer(userMessage(text));
    this.#showQueue();
  }

  /** Tells the model when it would stop. */
  followUp(text: string): void {
    this.#agent.followUp(userMessage(text));
    this.#showQueue();
  }

  /** Sends what an ended run left in the queue. */
  sendQueued(): void {
    this.#run(this.#agent.continue());
  }

  clearQueue(): void {
    this.#agent.clearAllQueues();
    this.#showQueue();
  }

  stop(): void {
    this.#agent.abort();
  }

  retry(): void {
    this.#run(this.#agent.retry());
    this.#change({ chat: keepOnly(this.#view.chat, this.#agent.state.messages) });
  }

  async newChat(): Promise<void> {
    await this.#stopAgent();
    this.#useAgent(createAgent(this.#view.settings));
    this.#change({ chat: EMPTY_CHAT, trace: EMPTY_TRACE, queued: NOTHING_QUEUED, problem: undefined });
  }

  /** A run that is under way is stopped; the conversation goes on with the new settings. */
  async apply(settings: Settings): Promise<void> {
    saveSettings(settings);
    await this.#stopAgent();
    const agent = createAgent(settings, this.#agent.state.messages);
    const queued = this.#agent.peekQueuedMessages();
    for (const message of queued.steering) agent.steer(message);
    for (const message of queued.followUp) agent.followUp(message);
    this.#useAgent(agent);
    this.#change({ settings, problem: undefined });
  }

  /** Waits for the events in which its run ends. */
  async #stopAgent(): Promise<void> {
    this.#agent.abort();
    await this.#agent.waitForIdle();
  }

  #useAgent(agent: Agent): void {
    this.#unsubscribe();
    this.#agent.free();
    this.#agent = agent;
    this.#unsubscribe = agent.subscribe(this.#onEvent);
  }

  #run(run: Promise<void>): void {
    this.#change({ problem: undefined });
    run.catch((error: unknown) => this.#change({ problem: String(error) }));
  }

  #onEvent = (event: AgentEvent): void => {
    this.#change({
      chat: reduceChat(this.#view.chat, event),
      trace: reduceTrace(this.#view.trace, event, performance.now()),
    });
    if (event.type === "message_start" || event.type === "agent_end") this.#showQueue();
  };

  #showQueue(): void {
    this.#change({ queued: this.#agent.peekQueuedMessages() });
  }

  #change(change: Partial<View>): void {
    this.#view = { ...this.#view, ...change };
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#drawn = this.#view;
      for (const listener of this.#listeners) listener();
    });
  }
}

function userMessage(text: string): UserMessage {
  return { role: "user", content: text, timestamp: Date.now() };
}
