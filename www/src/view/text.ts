import type { AgentToolResult, Message } from "sluice-agent";

/** The text of a message or a tool's result, without what is not text. */
export function textOf({ content }: Pick<Message | AgentToolResult, "content">): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

export function seconds(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

const COUNT = new Intl.NumberFormat("en");

export function count(number: number): string {
  return COUNT.format(number);
}

export function dollars(amount: number): string {
  return `$${amount < 0.01 ? amount.toPrecision(2) : amount.toFixed(2)}`;
}
