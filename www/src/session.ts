// The page's one agent, and the state that is drawn: the agent's snapshot and what its events add, once per frame.

import type { Agent, AgentEvent, AgentSession, AgentSnapshot, QueuedMessages, UserMessage } from "sluice-agent";
import { createAgent } from "./agent";
import { NEW_CHAT, reduceChat, restoredChat, type Chat } from "./chat";
import { currentId, forget, keep, listKept, setCurrentId, takeUp, type KeptHead } from "./kept";
import { saveSettings, type Settings } from "./settings";
import { EMPTY_TRACE, reduceTrace, type Trace } from "./trace";

export interface View {
  settings: Settings;
  snapshot: AgentSnapshot;
  chat: Chat;
  trace: Trace;
  queued: QueuedMessages;
  /** The conversation that is open, and all that are kept. */
  id: string;
  kept: readonly KeptHead[];
  /** Misuse that the agent rejected, or a browser that keeps nothing: what no run reports. */
  problem?: string;
}

/** A conversation that changes is kept so often at most, in milliseconds. */
const KEEP_EVERY_MS = 500;

export class Session {
  #agent: Agent;
  #leave: () => void = () => {};
  #view: View;
  #drawn: View;
  #frame = 0;
  #keeping: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<() => void>();

  private constructor(settings: Settings, id: string, session: AgentSession | undefined) {
    this.#agent = createAgent(settings, session);
    this.#view = { settings, id, kept: [], trace: EMPTY_TRACE, ...this.#conversation() };
    this.#drawn = this.#view;
    this.#follow();
    addEventListener("visibilitychange", () => document.hidden && void this.#keepNow());
    addEventListener("pagehide", () => void this.#keepNow());
  }

  /** The conversation that this tab had, or a new one. */
  static async open(settings: Settings): Promise<Session> {
    const id = currentId();
    const session = id === undefined ? undefined : await takeUp(id).catch(() => undefined);
    const opened = new Session(settings, session && id ? id : newId(), session);
    await opened.#list();
    opened.#askAgain();
    return opened;
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
  }

  /** Lets a call that waits run, or tells the model that it does not. */
  decide(toolCallId: string, isApproved: boolean): void {
    // The run may have ended since the button was drawn.
    if (!this.#agent.pendingApprovals.includes(toolCallId)) return;
    if (isApproved) this.#agent.approveToolCall(toolCallId);
    else this.#agent.denyToolCall(toolCallId);
  }

  async newChat(): Promise<void> {
    await this.#open(newId(), undefined);
  }

  /** Goes on with a conversation that was kept. A run that is under way is stopped. */
  async switchTo(id: string): Promise<void> {
    const session = await takeUp(id);
    if (session !== undefined && id !== this.#view.id) await this.#open(id, session);
  }

  async remove(id: string): Promise<void> {
    if (id === this.#view.id) await this.newChat();
    await forget(id);
    await this.#list();
  }

  /** A run that is under way is stopped; the conversation goes on with the new settings. */
  async apply(settings: Settings): Promise<void> {
    saveSettings(settings);
    await this.#stopAgent();
    this.#useAgent(createAgent(settings, this.#agent.toJSON()));
    this.#change({ settings, problem: undefined });
  }

  async #open(id: string, session: AgentSession | undefined): Promise<void> {
    await this.#stopAgent();
    await this.#keepNow();
    this.#useAgent(createAgent(this.#view.settings, session));
    setCurrentId(id);
    this.#change({ id, trace: EMPTY_TRACE, problem: undefined, ...this.#conversation() });
    this.#askAgain();
  }

  /** Calls that waited for approval when the page was left wait again, in the run that they are part of. */
  #askAgain(): void {
    if (this.#agent.pendingApprovals.length > 0) this.#run(this.#agent.continue());
  }

  #conversation(): Pick<View, "snapshot" | "chat" | "queued"> {
    const snapshot = this.#agent.store.getSnapshot();
    const chat = snapshot.messages.length === 0 ? NEW_CHAT : restoredChat(snapshot.messages);
    return { snapshot, chat, queued: this.#agent.peekQueuedMessages() };
  }

  /** Waits for the events in which its run ends. */
  async #stopAgent(): Promise<void> {
    this.#agent.abort();
    await this.#agent.waitForIdle();
  }

  #useAgent(agent: Agent): void {
    this.#leave();
    this.#agent.free();
    this.#agent = agent;
    this.#follow();
  }

  #follow(): void {
    const { subscribe, getSnapshot } = this.#agent.store;
    const show = () => {
      this.#change({ snapshot: getSnapshot() });
      this.#keepSoon();
    };
    const leave = [subscribe(show), this.#agent.subscribe(this.#onEvent)];
    this.#leave = () => leave.forEach((leave) => leave());
    show();
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
    if (event.type === "message_end" || event.type === "agent_end") void this.#keepNow();
  };

  #showQueue(): void {
    this.#change({ queued: this.#agent.peekQueuedMessages() });
    this.#keepSoon();
  }

  #keepSoon(): void {
    this.#keeping ??= setTimeout(() => void this.#keepNow(), KEEP_EVERY_MS);
  }

  async #keepNow(): Promise<void> {
    clearTimeout(this.#keeping);
    this.#keeping = undefined;
    const session = this.#agent.toJSON();
    if (session.messages.length === 0) return;
    setCurrentId(this.#view.id);
    try {
      await keep(this.#view.id, session);
      await this.#list();
    } catch (error) {
      this.#change({ problem: `This browser does not keep the conversation. ${String(error)}` });
    }
  }

  async #list(): Promise<void> {
    this.#change({ kept: await listKept().catch(() => []) });
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

function newId(): string {
  return crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
}

function userMessage(text: string): UserMessage {
  return { role: "user", content: text, timestamp: Date.now() };
}
