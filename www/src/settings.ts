// What the settings dialog edits. It lives as long as the tab: a key must not outlast it.

import type { ThinkingLevel } from "sluice-agent";

/** The protocols that are built in. */
export type Protocol = "openai-completions" | "openai-responses" | "anthropic-messages" | "google-generative-ai";

/** What the form says of each: a name, and examples of what goes into its fields. */
export const PROTOCOLS: Record<Protocol, { label: string; hosts: string; baseUrl: string; modelId: string; key: string }> = {
  "openai-completions": {
    label: "OpenAI chat completions",
    hosts: "OpenAI, OpenRouter, Groq, Ollama, vLLM and many others",
    baseUrl: "https://api.openai.com/v1",
    modelId: "gpt-4o-mini",
    key: "sk-…",
  },
  "openai-responses": {
    label: "OpenAI Responses",
    hosts: "OpenAI, Azure and xAI",
    baseUrl: "https://api.openai.com/v1",
    modelId: "gpt-5-mini",
    key: "sk-…",
  },
  "anthropic-messages": {
    label: "Anthropic Messages",
    hosts: "Anthropic, and hosts that speak its protocol",
    baseUrl: "https://api.anthropic.com",
    modelId: "claude-sonnet-4-5",
    key: "sk-ant-…",
  },
  "google-generative-ai": {
    label: "Google Gemini",
    hosts: "Google",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    modelId: "gemini-2.5-flash",
    key: "AIza…",
  },
};

export interface Settings {
  source: "script" | "endpoint";
  protocol: Protocol;
  /** Empty for the protocol's own. */
  baseUrl: string;
  modelId: string;
  apiKey: string;
  thinkingLevel: ThinkingLevel;
  systemPrompt: string;
}

export const THINKING_LEVELS: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh"];

const STORED_AS = "sluice.settings";

const DEFAULTS: Settings = {
  source: "script",
  protocol: "openai-completions",
  baseUrl: "",
  modelId: "",
  apiKey: "",
  thinkingLevel: "low",
  systemPrompt:
    "You are a helpful assistant in a web page. Use the calculator for arithmetic and the notes for what should be remembered. Answer in Markdown.",
};

export function loadSettings(): Settings {
  try {
    return { ...DEFAULTS, ...JSON.parse(sessionStorage.getItem(STORED_AS) ?? "{}") };
  } catch {
    // Storage is blocked, or what it holds is not ours.
    return DEFAULTS;
  }
}

export function saveSettings(settings: Settings): void {
  try {
    sessionStorage.setItem(STORED_AS, JSON.stringify(settings));
  } catch {
    // Storage is blocked: they hold until the page is left.
  }
}
