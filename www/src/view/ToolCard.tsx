import type { AgentToolResult, ToolCall } from "sluice-agent";
import type { ToolRun } from "../chat";
import { calculator } from "../tools/calculator";
import { notes } from "../tools/notes";
import { progressOf } from "../tools/progress";
import { Icon, type IconName } from "./icons";
import { seconds, textOf } from "./text";

const KNOWN: Record<string, { label: string; icon: IconName }> = {
  [calculator.name]: { label: calculator.label ?? calculator.name, icon: "calculator" },
  [notes.name]: { label: notes.label ?? notes.name, icon: "notes" },
};

interface Props {
  call: ToolCall;
  /** The call is being received. */
  isOpen: boolean;
  run: ToolRun | undefined;
}

export function ToolCard({ call, isOpen, run }: Props) {
  const { label, icon } = KNOWN[call.name] ?? { label: call.name, icon: "tool" };
  const phase = run?.phase ?? (isOpen ? "arriving" : "waiting");
  return (
    <section class={`tool-card ${phase}`} aria-label={`Tool call: ${label}`} aria-busy={phase === "running"}>
      <header>
        <Icon name={icon} />
        <strong>{label}</strong>
        <span class="phase">
          {STATUS[phase]}
          {run?.durationMs !== undefined && ` · ${seconds(run.durationMs)}`}
        </span>
      </header>
      <Arguments values={call.arguments} />
      {run !== undefined && <Updates run={run} />}
      {run?.result !== undefined && <Result result={run.result} isFailed={run.phase === "failed"} />}
    </section>
  );
}

const STATUS = {
  arriving: "receiving arguments",
  waiting: "waiting",
  running: "running",
  done: "done",
  failed: "failed",
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
function Updates({ run: { updates, phase } }: { run: ToolRun }) {
  const last = updates.at(-1);
  if (last === undefined) return null;
  const progress = progressOf(last);
  return (
    <div class="updates">
      {progress !== undefined && phase === "running" && (
        <progress value={progress.done} max={progress.total} aria-label="Progress" />
      )}
      <details>
        <summary>
          {phase === "running" ? textOf(last) : `${updates.length} progress update${updates.length === 1 ? "" : "s"}`}
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
