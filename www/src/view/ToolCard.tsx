import { useRef } from "preact/hooks";
import type { AgentToolResult, AssistantContentBlock, ToolCall, ToolExecution } from "sluice-agent";
import { calculator } from "../tools/calculator";
import { notes } from "../tools/notes";
import { progressOf } from "../tools/progress";
import { Icon, type IconName } from "./icons";
import { seconds, textOf } from "./text";

const KNOWN: Record<string, { label: string; icon: IconName }> = {
  [calculator.name]: { label: calculator.label ?? calculator.name, icon: "calculator" },
  [notes.name]: { label: notes.label ?? notes.name, icon: "notes" },
};

/** What is known of all calls, by their ids. */
export interface Tools {
  executions: Readonly<Record<string, ToolExecution>>;
  updates: Readonly<Record<string, readonly AgentToolResult[]>>;
  durations: ReadonlyMap<string, number | undefined>;
  onDecide: (toolCallId: string, isApproved: boolean) => void;
}

/** What is known of one. */
export interface ToolRun {
  execution?: ToolExecution | undefined;
  updates?: readonly AgentToolResult[] | undefined;
  durationMs?: number | undefined;
  onDecide?: Tools["onDecide"];
}

export function runOf(block: AssistantContentBlock, { executions, updates, durations, onDecide }: Tools): ToolRun {
  if (block.type !== "toolCall") return {};
  return { execution: executions[block.id], updates: updates[block.id], durationMs: durations.get(block.id), onDecide };
}

/** What a tool is called on the page. */
export function labelOf(toolName: string): string {
  return KNOWN[toolName]?.label ?? toolName;
}

interface Props extends ToolRun {
  call: ToolCall;
  /** The call is being received. */
  isOpen: boolean;
}

export function ToolCard({ call, isOpen, execution, updates = [], durationMs, onDecide }: Props) {
  const { icon } = KNOWN[call.name] ?? { icon: "tool" };
  const label = labelOf(call.name);
  const phase = execution?.status ?? (isOpen ? "arriving" : "pending");
  return (
    <section class={`tool-card ${phase}`} aria-label={`Tool call: ${label}`} aria-busy={phase === "running"}>
      <header>
        <Icon name={icon} />
        <strong>{label}</strong>
        <span class="phase">
          {STATUS[phase]}
          {durationMs !== undefined && ` · ${seconds(durationMs)}`}
        </span>
      </header>
      <Arguments values={call.arguments} />
      {phase === "awaiting_approval" && <Approval label={label} onDecide={(isApproved) => onDecide?.(call.id, isApproved)} />}
      <Updates updates={updates} isRunning={phase === "running"} />
      {execution?.result !== undefined && <Result result={execution.result} isFailed={phase === "error"} />}
    </section>
  );
}

function Approval({ label, onDecide }: { label: string; onDecide: (isApproved: boolean) => void }) {
  const group = useRef<HTMLDivElement>(null);
  const decide = (isApproved: boolean) => {
    // These buttons go: the focus moves on to the next decision, or back to the composer.
    const others = document.querySelectorAll<HTMLElement>(".approval button.primary, #draft");
    [...others].find((other) => !group.current?.contains(other))?.focus();
    onDecide(isApproved);
  };
  return (
    <div class="approval" ref={group} role="group" aria-label={`${label} waits for your approval`}>
      <span>May it run?</span>
      <button type="button" onClick={() => decide(false)}>
        <Icon name="close" />
        Deny
      </button>
      <button type="button" class="primary" onClick={() => decide(true)}>
        <Icon name="check" />
        Approve
      </button>
    </div>
  );
}

const STATUS = {
  arriving: "receiving arguments",
  pending: "waiting",
  awaiting_approval: "waiting for approval",
  running: "running",
  done: "done",
  error: "failed",
};

function Arguments({ values }: { values: Record<string, unknown> }) {
  const entries = Object.entries(values);
  if (entries.length === 0) return null;
  return (
    <dl class="arguments">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The latest update, and all of them behind it. */
function Updates({ updates, isRunning }: { updates: readonly AgentToolResult[]; isRunning: boolean }) {
  const last = updates.at(-1);
  if (last === undefined) return null;
  const progress = progressOf(last);
  return (
    <div class="updates">
      {progress !== undefined && isRunning && (
        <progress value={progress.done} max={progress.total} aria-label="Progress" />
      )}
      <details>
        <summary>
          {isRunning ? textOf(last) : `${updates.length} progress update${updates.length === 1 ? "" : "s"}`}
        </summary>
        <ol>
          {updates.map((update, index) => (
            <li key={index}>{textOf(update)}</li>
          ))}
        </ol>
      </details>
    </div>
  );
}

function Result({ result, isFailed }: { result: AgentToolResult; isFailed: boolean }) {
  return (
    <div class="result">
      {isFailed && <Icon name="alert" />}
      <pre role="group" tabIndex={0} aria-label={isFailed ? "Error" : "Result"}>
        {textOf(result)}
      </pre>
    </div>
  );
}
