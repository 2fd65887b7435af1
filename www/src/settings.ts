// What the settings dialog edits. It lives as long as the tab: a key must not outlast it.

import type { ThinkingLevel } from "sluice-agent";

export interface Settings {
  source: "script" | "endpoint";
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
  baseUrl: "https://api.openai.com/v1",
  modelId: "gpt-4o-mini",
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
