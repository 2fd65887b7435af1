// Conversations that outlast the page, in IndexedDB. What is kept is a session: no keys are in it.

import { createStore, del, get, set, values } from "idb-keyval";
import type { AgentMessage, AgentSession } from "sluice-agent";
import { textOf } from "./view/text";

export interface Kept {
  id: string;
  title: string;
  /** When it was last changed. */
  at: number;
  session: AgentSession;
}

/** What a list of them shows. */
export type KeptHead = Omit<Kept, "session">;

const STORE = createStore("sluice-demo", "sessions");
const TITLE_LENGTH = 80;
const CURRENT = "sluice.current";

export async function keep(id: string, session: AgentSession): Promise<void> {
  await set(id, { id, title: titleOf(session.messages), at: Date.now(), session } satisfies Kept, STORE);
}

export async function listKept(): Promise<KeptHead[]> {
  const all = await values<Kept>(STORE);
  return all.map(({ id, title, at }) => ({ id, title, at })).sort((a, b) => b.at - a.at);
}

export async function takeUp(id: string): Promise<AgentSession | undefined> {
  return (await get<Kept>(id, STORE))?.session;
}

export async function forget(id: string): Promise<void> {
  await del(id, STORE);
}

/** The conversation of this tab, which a reload comes back to. */
export function currentId(): string | undefined {
  try {
    return sessionStorage.getItem(CURRENT) ?? undefined;
  } catch {
    // Storage is blocked: every visit is a new one.
    return undefined;
  }
}

export function setCurrentId(id: string): void {
  try {
    sessionStorage.setItem(CURRENT, id);
  } catch {
    // Storage is blocked: a reload begins anew.
  }
}

function titleOf(messages: readonly AgentMessage[]): string {
  const asked = messages.find((message) => message.role === "user");
  const title = asked === undefined ? "" : textOf(asked).trim().replaceAll(/\s+/g, " ");
  return title.length > TITLE_LENGTH ? `${title.slice(0, TITLE_LENGTH)}…` : title || "Without words";
}
