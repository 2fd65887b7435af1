/// <reference lib="esnext.disposable" />
import {
  Agent as LoopAgent,
  type AgentEvent,
  type AgentListener,
  type AgentOptions,
  type AgentSession,
  type AgentState,
  type AgentStore,
  type AgentTool,
  type ListModelsOptions,
  type ModelInfo,
  type Recording,
  type ReplayOptions,
  type ScriptOptions,
  type ScriptTurn,
  type ScriptTurns,
  type StreamFn,
  type SubscribeOptions,
  type SyncInitInput,
} from "./sluice_agent.js";

export * from "./sluice_agent.js";

/**
 * An agent: a conversation, its model and tools, and the run that is under way.
 *
 * `prompt` and `continue` resolve when the run has settled, listeners included. They reject only on misuse; failures of
 * providers and tools end the run through events and the last message.
 */
export class Agent extends LoopAgent {
  constructor(options?: AgentOptions);
  /** The state as a store, made when it is first asked for. */
  get store(): AgentStore;
  /**
   * Calls `listener` with every event, and returns the function that ends it.
   *
   * Listeners run in order. A promise that one returns is awaited before anything else happens. What one throws goes to
   * `reportError` and touches neither the run nor the other listeners.
   */
  subscribe(listener: AgentListener, options?: SubscribeOptions): () => void;
  /** The session, as plain JSON. */
  toJSON(): AgentSession;
  /**
   * Makes the agent of a session. Options win over it, those of `initialState` too; tools, keys, headers and hooks have
   * to be given again.
   *
   * What was under way is over: an answer that was streaming is there as an aborted one, which `retry()` makes again,
   * and calls that were not answered have error results, with which `continue()` goes on. No tool is run again.
   */
  static fromJSON(session: AgentSession, options?: AgentOptions): Agent;
}

/** Records the runs of an agent, or of a replay, from its next run on. */
export function recordEvents(agent: Agent | Replay): Recorder;

/** A recording that is being made. */
export interface Recorder {
  /** Records nothing more. */
  stop(): void;
  /** What was recorded so far, as plain JSON. */
  toJSON(): Recording;
}

/** The recording without what differs between equal runs: times are 0, ids are counted. For snapshot tests. */
export function normalizeRecording(recording: Recording | Recorder): Recording;

/** Plays a recording back: the same events, snapshots and state. */
export function replay(recording: Recording | Recorder, options?: ReplayOptions): Replay;

/** A recording that is played back. */
export interface Replay {
  readonly state: AgentState;
  readonly store: AgentStore;
  subscribe(listener: AgentListener, options?: SubscribeOptions): () => void;
  events(): AsyncIterableIterator<AgentEvent>;
  /** Plays it, once. Resolves at the end, or when it was aborted; rejects when an event does not fit those before it. */
  start(): Promise<void>;
  /** Stops it. Nothing more is delivered. */
  abort(reason?: any): void;
}

/**
 * The models of an OpenAI-compatible host, from `/models` below `baseUrl`. With the `api` and the `baseUrl`, each is a
 * `Model`. Needs no `init()`. Rejects with a `SluiceError` when the host fails or sends no list.
 */
export function listModels(baseUrl: string, apiKey?: string, options?: ListModelsOptions): Promise<ModelInfo[]>;

/**
 * Makes a `streamFn` that plays turns, one per model call, through the same decoder as a provider's response: for demos,
 * tests and work without a network. `turns` may be a function, which is asked for each turn. Throws when a turn is not one.
 */
export function createScript(turns: ScriptTurn[] | ScriptTurns, options?: ScriptOptions): StreamFn;

/** Where the wasm module comes from; by default from beside the package's script. */
export type InitSource = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

/**
 * Loads the module. Concurrent and later calls share one instance; a call behind a failed one tries
 * again, and one behind a crash loads a new instance of the same module.
 */
export default function init(source?: InitSource | Promise<InitSource>): Promise<void>;

/** Loads the module at once. */
export function initSync(input: { module: SyncInitInput } | SyncInitInput): void;

/** Gives a tool the types of its parameters: `params` of `execute` is inferred from `parameters`. */
export function defineTool<const TParameters, TDetails = any>(
  tool: AgentTool<TParameters, TDetails>,
): AgentTool<TParameters, TDetails>;
