// The scripted model: it reads the conversation like a model would, and answers what was asked.

import type { Context, Message, ScriptToolCall, ScriptTurn, ToolResultMessage } from "sluice-agent";
import { HELP, LONG_ANSWER, REPORT } from "./answers";
import { steps, type Step } from "./request";

interface Exchange {
  /** The user's last words. */
  request: string;
  /** Tool results behind them. */
  results: ToolResultMessage[];
  /** The last value that was computed before them. */
  earlier: ToolResultMessage | undefined;
  /** How many times the model called tools behind them. */
  rounds: number;
}

/** Makes the function that `createScript` asks for turns. */
export function scriptedTurns(options: { thinks: boolean }): (context: Context) => ScriptTurn {
  /** Length of the conversation at the last failure: the next try succeeds. */
  let failedAt: number | undefined;
  return (context) => {
    const exchange = lastExchange(context.messages);
    const plan = steps(exchange.request);
    const failure = plan.map(({ kind }) => FAILURES[kind]).find((turn) => turn !== undefined);
    const fails = failure !== undefined && failedAt !== context.messages.length;
    if (fails) failedAt = context.messages.length;
    const turn = fails ? failure : answer(exchange, plan);
    const thinking = options.thinks ? turn.thinking : undefined;
    return { ...turn, thinking, usage: usage(context, { ...turn, thinking }) };
  };
}

const FAILURES: Partial<Record<Step["kind"], ScriptTurn>> = {
  // May pass: the agent tries again by itself.
  fail: {
    thinking: "The user wants to see a failure. I begin to answer, and then the provider breaks off.",
    text: "This answer begins well, but",
    error: { message: "The provider is overloaded (a scripted failure). The next try succeeds." },
  },
  // Does not pass by waiting.
  refuse: { error: { message: "The provider refuses the request (a scripted failure). Retry: the next try succeeds.", status: 400 } },
};

function answer({ request, results, earlier, rounds }: Exchange, plan: Step[]): ScriptTurn {
  const has = (kind: Step["kind"]) => plan.some((step) => step.kind === kind);
  if (rounds === 1 && has("saveResult")) return saveResult(results);
  if (rounds > 0) return summary(results);
  const calls = plan.map(toolCall).filter((call) => call !== undefined);
  if (calls.length > 0) return callTools(calls);
  if (has("saveResult") && earlier !== undefined) return saveResult([earlier]);
  if (has("longAnswer")) return { thinking: "A long answer: headings, a table, a list, some code.", text: LONG_ANSWER };
  if (has("fail") || has("refuse")) return { text: "The second try **succeeded**. The failed answer has left the transcript." };
  return { thinking: `Nothing in “${request}” is mine to compute or to note. I say what I can do.`, text: HELP };
}

function toolCall(step: Step): ScriptToolCall | undefined {
  switch (step.kind) {
    case "calculate":
      return { name: "calculator", arguments: { expression: step.expression } };
    case "notes":
      return { name: "notes", arguments: dropAbsent(step.arguments) };
    case "saveReport":
      return { name: "notes", arguments: { action: "write", name: "report.txt", text: REPORT } };
    default:
      return undefined;
  }
}

function callTools(calls: ScriptToolCall[]): ScriptTurn {
  const names = calls.map(({ name }) => name);
  const thinking =
    calls.length === 1
      ? `This is a task for one of my tools, the ${names[0]}. I take the arguments from what the user wrote, and call it rather than guess.`
      : `The user wants ${calls.length} things, and none needs the result of another. So I call ${names.join(" and ")} side by side, and answer when all are done.`;
  return { thinking, toolCalls: calls };
}

function saveResult(results: ToolResultMessage[]): ScriptTurn {
  const text = results.filter(({ isError }) => !isError).map(textOf).join("\n");
  if (text === "") return summary(results);
  return {
    thinking: "I have the result; now I note it.",
    text: "Got it. Now into your notes:",
    toolCalls: [{ name: "notes", arguments: { action: "append", text } }],
  };
}

function summary(results: ToolResultMessage[]): ScriptTurn {
  return { text: results.map(sentence).join("\n\n") };
}

function sentence(result: ToolResultMessage): string {
  const text = textOf(result);
  if (result.isError && text.startsWith("The user denied")) return "You said no, so I left it as it was.";
  if (result.isError) return `The tool \`${result.toolName}\` failed: ${text}`;
  if (result.toolName === "calculator") return `**${text.replaceAll("*", "\\*")}**`;
  return text.startsWith("Saved.") ? text : `Your notes:\n\n\`\`\`text\n${text}\n\`\`\``;
}

function lastExchange(messages: Message[]): Exchange {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const request = messages[asked];
  const behind = messages.slice(asked + 1);
  return {
    request: request === undefined ? "" : textOf(request),
    results: behind.filter((message) => message.role === "toolResult"),
    earlier: messages.slice(0, Math.max(asked, 0)).findLast(isValue),
    rounds: behind.filter(({ role }) => role === "assistant").length,
  };
}

function isValue(message: Message): message is ToolResultMessage {
  return message.role === "toolResult" && message.toolName === "calculator" && !message.isError;
}

function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

function usage(context: Context, turn: ScriptTurn): ScriptTurn["usage"] {
  return { input: tokens(context), output: tokens([turn.thinking, turn.text, turn.toolCalls]) };
}

/** Tokens in a value, by the usual rule of thumb. */
function tokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}

function dropAbsent(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}
