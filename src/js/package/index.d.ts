/// <reference lib="esnext.disposable" />
import type { AgentTool, SyncInitInput } from "./sluice_agent.js";

export * from "./sluice_agent.js";

/** Where the wasm module comes from; by default from beside the package's script. */
export type InitSource = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

/**
 * Loads the module. Concurrent and later calls share one instance; a call behind a failed one tries
 * again.
 */
export default function init(source?: InitSource | Promise<InitSource>): Promise<void>;

/** Loads the module at once. */
export function initSync(input: { module: SyncInitInput } | SyncInitInput): void;

/** Gives a tool the types of its parameters: `params` of `execute` is inferred from `parameters`. */
export function defineTool<const TParameters, TDetails = any>(
  tool: AgentTool<TParameters, TDetails>,
): AgentTool<TParameters, TDetails>;
