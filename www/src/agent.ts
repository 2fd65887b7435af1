// Makes the agent for the settings.

import { Agent, createScript, type AgentOptions, type AgentSession, type Model } from "sluice-agent";
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

/** With a session, the agent goes on with its conversation; the rest is as the settings say. */
export function createAgent(settings: Settings, session?: AgentSession): Agent {
  const options = optionsFor(settings);
  return session === undefined ? new Agent(options) : Agent.fromJSON(session, options);
}

function optionsFor({ source, protocol, baseUrl, modelId, apiKey, systemPrompt, thinkingLevel }: Settings): AgentOptions {
  const state = { systemPrompt, thinkingLevel, tools: [calculator, notes] };
  if (source === "script") {
    return {
      initialState: { ...state, model: SCRIPT_MODEL },
      streamFn: createScript(scriptedTurns({ thinks: thinkingLevel !== "off" }), {
        tokensPerSecond: SCRIPT_TOKENS_PER_SECOND,
      }),
    };
  }
  return {
    initialState: {
      ...state,
      model: {
        api: protocol,
        id: modelId,
        ...(baseUrl !== "" && { baseUrl }),
        reasoning: thinkingLevel !== "off",
      },
    },
    ...(apiKey !== "" && { apiKey }),
  };
}

export function modelName(settings: Settings): string {
  return settings.source === "script" ? "Offline script" : settings.modelId;
}
