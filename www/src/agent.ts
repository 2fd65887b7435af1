// Makes the agent for the settings.

import { Agent, createScript, type AgentMessage, type Model } from "sluice-agent";
import { scriptedTurns } from "./script/turns";
import type { Settings } from "./settings";
import { calculator } from "./tools/calculator";
import { notes } from "./tools/notes";

const SCRIPT_TOKENS_PER_SECOND = 70;

const SCRIPT_MODEL: Model = {
  api: "script",
  id: "offline-script",
  name: "Offline script",
  reasoning: true,
  // Made up, so that the page has a cost to show.
  cost: { input: 0.15, output: 0.6 },
};

export function createAgent(settings: Settings, messages: AgentMessage[] = []): Agent {
  const { systemPrompt, thinkingLevel } = settings;
  const state = { systemPrompt, thinkingLevel, messages, tools: [calculator, notes] };
  if (settings.source === "script") {
    return new Agent({
      initialState: { ...state, model: SCRIPT_MODEL },
      streamFn: createScript(scriptedTurns({ thinks: thinkingLevel !== "off" }), {
        tokensPerSecond: SCRIPT_TOKENS_PER_SECOND,
      }),
    });
  }
  const { baseUrl, modelId, apiKey } = settings;
  return new Agent({
    initialState: {
      ...state,
      model: { api: "openai-completions", id: modelId, baseUrl, reasoning: thinkingLevel !== "off" },
    },
    apiKey: apiKey === "" ? undefined : apiKey,
  });
}

export function modelName(settings: Settings): string {
  return settings.source === "script" ? "Offline script" : settings.modelId;
}
