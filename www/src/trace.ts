// The inspector's tree: agent run › turn › message or tool, with every event in its place.

import type { AgentEvent, AgentMessage } from "sluice-agent";

/** An event, or consecutive deltas of one block. */
export interface EventRow {
  kind: "event";
  id: number;
  type: string;
  /** Events in this row. */
  count: number;
  at: number;
  /** The last of them. */
  event: AgentEvent;
  /** What the deltas of the row add up to. */
  delta?: string;
}

export interface Span {
  kind: "span";
  id: number;
  level: "run" | "turn" | "message" | "tool";
  name: string;
  /** What tells it from others of its kind: a call's id. */
  of?: string;
  startedAt: number;
  /** When its last event came. */
  until: number;
  isOpen: boolean;
  /** How it ended, where that says more than that it did. */
  outcome?: string;
  isFailed: boolean;
  children: readonly TraceNode[];
}

export type TraceNode = Span | EventRow;

export interface Trace {
  runs: readonly Span[];
  nextId: number;
}

export const EMPTY_TRACE: Trace = { runs: [], nextId: 0 };

export function reduceTrace(trace: Trace, event: AgentEvent, at: number): Trace {
  const ids = { next: trace.nextId };
  const runs = record(trace.runs, path(event), event, { ids, at });
  return { runs: runs as readonly Span[], nextId: ids.next };
}

type Level = Span["level"];

/** The span that an event belongs to, from the outermost one, and what it does to it. */
interface Step {
  level: Level;
  of?: string;
  /** It begins the span, which has this name. */
  begins?: string;
  ends?: { outcome?: string; isFailed: boolean };
}

function path(event: AgentEvent): Step[] {
  const run: Step = { level: "run" };
  const turn: Step = { level: "turn" };
  switch (event.type) {
    case "agent_start":
      return [{ ...run, begins: "Run" }];
    case "agent_end":
      return [{ ...run, ends: { outcome: event.reason, isFailed: event.reason === "error" } }];
    case "turn_start":
      return [run, { ...turn, begins: "Turn" }];
    case "turn_end":
      return [run, { ...turn, ends: { isFailed: event.message.stopReason === "error" } }];
    case "message_start":
      return [run, turn, { level: "message", begins: messageName(event.message) }];
    case "message_update":
      return [run, turn, { level: "message" }];
    case "message_end":
      return [run, turn, { level: "message", ends: messageEnd(event.message) }];
    case "tool_execution_start":
      return [run, turn, { level: "tool", of: event.toolCallId, begins: event.toolName }];
    case "tool_approval_request":
    case "tool_execution_update":
      return [run, turn, { level: "tool", of: event.toolCallId }];
    case "tool_execution_end":
      return [run, turn, { level: "tool", of: event.toolCallId, ends: { isFailed: event.isError } }];
    case "auto_retry_start":
      return [run];
    case "auto_retry_end":
      return [run, turn];
    default:
      // An event that this page does not know yet.
      return [run];
  }
}

function messageName(message: AgentMessage): string {
  return message.role === "toolResult" ? `toolResult ${message.toolName}` : message.role;
}

function messageEnd(message: AgentMessage): NonNullable<Step["ends"]> {
  if (message.role !== "assistant") return { isFailed: false };
  return { outcome: message.stopReason, isFailed: message.stopReason === "error" };
}

interface Moment {
  ids: { next: number };
  at: number;
}

function record(nodes: readonly TraceNode[], steps: Step[], event: AgentEvent, moment: Moment): readonly TraceNode[] {
  const [step, ...inner] = steps;
  if (step === undefined) return addEvent(nodes, event, moment);
  const all = step.begins === undefined ? nodes : [...nodes, newSpan(step, step.begins, nodes, moment)];
  const index = all.findLastIndex(
    (node) => node.kind === "span" && node.isOpen && node.level === step.level && node.of === step.of,
  );
  const span = all[index];
  if (span?.kind !== "span") return addEvent(all, event, moment);
  const children = record(span.children, inner, event, moment);
  return all.with(index, { ...span, ...step.ends, isOpen: step.ends === undefined, until: moment.at, children });
}

function newSpan(step: Step, name: string, siblings: readonly TraceNode[], { ids, at }: Moment): Span {
  const { level, of } = step;
  const earlier = siblings.filter((node) => node.kind === "span" && node.level === level).length;
  return {
    kind: "span",
    id: ids.next++,
    level,
    name: level === "run" || level === "turn" ? `${name} ${earlier + 1}` : name,
    of,
    startedAt: at,
    until: at,
    isOpen: true,
    isFailed: false,
    children: [],
  };
}

function addEvent(nodes: readonly TraceNode[], event: AgentEvent, { ids, at }: Moment): readonly TraceNode[] {
  const type = event.type === "message_update" ? event.assistantMessageEvent.type : event.type;
  const delta = deltaOf(event);
  const last = nodes.at(-1);
  if (delta !== undefined && last?.kind === "event" && last.delta !== undefined && isSameBlock(last.event, event)) {
    return nodes.with(-1, { ...last, count: last.count + 1, event, delta: last.delta + delta });
  }
  return [...nodes, { kind: "event", id: ids.next++, type, count: 1, at, event, delta }];
}

function deltaOf(event: AgentEvent): string | undefined {
  if (event.type !== "message_update") return undefined;
  return "delta" in event.assistantMessageEvent ? event.assistantMessageEvent.delta : undefined;
}

function isSameBlock(one: AgentEvent, other: AgentEvent): boolean {
  return (
    one.type === "message_update" &&
    other.type === "message_update" &&
    one.assistantMessageEvent.type === other.assistantMessageEvent.type &&
    one.assistantMessageEvent.contentIndex === other.assistantMessageEvent.contentIndex
  );
}
