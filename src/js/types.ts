// What is declared by hand: functions, generics, and unions over what an app may add.
// All data types are generated from the Rust types beside which this file is compiled.

/** A wire protocol: one that is built in, or any name when the app brings its own `streamFn`. */
export type Api =
  | "openai-completions"
  | "openai-responses"
  | "anthropic-messages"
  | "google-generative-ai"
  | (string & {});

/**
 * Messages of an app's own, by name. Open for declaration merging:
 * `declare module "sluice-agent" { interface CustomAgentMessages { note: { role: "note"; text: string } } }`
 */
export interface CustomAgentMessages {}

/** A message of the transcript: one that models know, or one of the app's own. */
export type AgentMessage = Message | CustomAgentMessages[keyof CustomAgentMessages];

/** The events of a model call that `message_update` carries: those with a block. */
export type AssistantMessageUpdate = Exclude<AssistantMessageEvent, StartEvent | DoneEvent | ErrorEvent>;

/** What a tool gives: `content` for the model, `details` for the page. */
export interface AgentToolResult<TDetails = any> {
  content: (TextContent | ImageContent)[];
  /** Anything the page wants to keep: never sent to a model, identity kept. */
  details?: TDetails;
  /** True when the content reports a failure. Throwing does the same. */
  isError?: boolean;
  /** Asks that the run end after this batch. It does when every tool of the batch asks. */
  terminate?: boolean;
}

/** Reports progress of a running tool. Ignored once the call is answered. */
export type AgentToolUpdateCallback<TDetails = any> = (partialResult: AgentToolResult<TDetails>) => void;

/** A JSON Schema object. */
export type JsonSchema = { readonly [key: string]: unknown };

/** Some of the members. */
type Some<T> = { [K in keyof T]?: T[K] | undefined };

type Simplify<T> = { [K in keyof T]: T[K] } & {};

type ObjectOf<S> = S extends { readonly properties: infer P }
  ? S extends { readonly required: readonly (infer R)[] }
    ? Simplify<
        { -readonly [K in keyof P as K extends R ? K : never]: Infer<P[K]> } & {
          -readonly [K in keyof P as K extends R ? never : K]?: Infer<P[K]>;
        }
      >
    : { -readonly [K in keyof P]?: Infer<P[K]> }
  : Record<string, any>;

type TypeNamed<T, S> = T extends "string" ? string
  : T extends "number" | "integer" ? number
  : T extends "boolean" ? boolean
  : T extends "null" ? null
  : T extends "array" ? (S extends { readonly items: infer I } ? Infer<I>[] : any[])
  : T extends "object" ? ObjectOf<S>
  : any;

/**
 * The type of the values that a schema accepts, as far as types can say it: a JSON Schema, or the
 * object of a library that says so itself (Standard Schema, TypeBox).
 */
export type Infer<S> = S extends { readonly "~standard": { readonly types?: infer T } }
    ? (NonNullable<T> extends { readonly output: infer O } ? O : any)
  : S extends { readonly static: infer T } ? T
  : S extends { readonly const: infer C } ? C
  : S extends { readonly enum: readonly (infer E)[] } ? E
  : S extends { readonly anyOf: readonly (infer A)[] } ? Infer<A>
  : S extends { readonly oneOf: readonly (infer O)[] } ? Infer<O>
  : S extends { readonly type: readonly (infer T)[] } ? TypeNamed<T, S>
  : S extends { readonly type: infer T } ? TypeNamed<T, S>
  : any;

/** A tool that a model can call. */
export interface AgentTool<TParameters = any, TDetails = any> {
  /** How the model calls it. A provider that does not take the name gets one near to it; events and messages have this one. */
  name: string;
  /** A name for people. */
  label?: string;
  /** What it does and when to use it, for the model. */
  description?: string;
  /**
   * JSON Schema of the arguments, or a Standard Schema object that can give it (ArkType, Zod 4,
   * Valibot). Arguments are checked against it, with the usual coercions; a Standard Schema has the
   * last word, and `params` is what it returns.
   */
  parameters?: TParameters;
  /** Runs the tool. What it throws becomes an error result with the message. */
  execute(
    toolCallId: string,
    params: Infer<TParameters>,
    signal: AbortSignal,
    onUpdate: AgentToolUpdateCallback<TDetails>,
  ): AgentToolResult<TDetails> | string | void | Promise<AgentToolResult<TDetails> | string | void>;
  /** Changes raw arguments before they are checked. */
  prepareArguments?: (args: Record<string, any>) => Record<string, any>;
  /**
   * Has the last word on arguments that fit the schema: returns those to use (nothing for these), or
   * throws with what does not fit.
   */
  validate?: (args: Record<string, any>) => unknown;
  /** Whether a call waits for `approveToolCall` or `denyToolCall`: always, or depending on its arguments. */
  needsApproval?: boolean | ((params: Infer<TParameters>) => boolean | Promise<boolean>);
  /** `"sequential"` for a tool that must not run beside others. */
  executionMode?: ToolExecutionMode;
  /** Milliseconds after which a call is given up. */
  timeoutMs?: number;
}

/** Any tool, whatever its parameters. */
export type AnyTool = AgentTool<any, any>;

/** A conversation as a model gets it. */
export interface Context {
  systemPrompt?: string;
  messages: Message[];
  tools?: Pick<AnyTool, "name" | "description" | "parameters">[];
}

/** A function of the shape of `fetch`. It is called with a URL and an init object. */
export type FetchFunction = (input: string, init: RequestInit) => Promise<Response>;

/** Options of one model call. */
export interface StreamOptions extends CallOptions {
  /** How much the model thinks. */
  reasoning?: ThinkingLevel;
  /** Aborts the call. */
  signal?: AbortSignal;
}

/**
 * Options of `streamProxy`. Keys (`apiKey`, `getApiKey`) are taken and not used: the backend has its
 * own. `headers` go to the backend.
 */
export interface ProxyOptions extends StreamOptions {
  /** The root of the backend; requests go to `/api/stream` below it. Empty for the page's own origin. */
  proxyUrl: string;
  /** Sent as `Authorization: Bearer …`. Leave it out where the backend knows its user by a cookie. */
  authToken?: string;
}

/** What goes with every model call. */
export interface CallOptions {
  /** The provider's key. */
  apiKey?: string;
  /** Gives the key for a provider; before `apiKey`. Asked before every call, so that it may expire. */
  getApiKey?: (provider: string) => string | undefined | Promise<string | undefined>;
  /** In place of the page's `fetch`. */
  fetch?: FetchFunction;
  /** HTTP headers, over those of the model. */
  headers?: Record<string, string>;
  /** Identifies the conversation to providers that cache by it. */
  sessionId?: string;
  temperature?: number;
  /** Limit of the output in tokens, over that of the model. */
  maxTokens?: number;
  /** Thinking tokens per level, for protocols that take budgets. */
  thinkingBudgets?: Some<Record<ThinkingLevel, number>>;
  cacheRetention?: CacheRetention;
  toolChoice?: ToolChoice;
  /** Sees the request body; what it returns replaces it. */
  onPayload?: (payload: any, model: Model) => unknown | Promise<unknown>;
  /** Sees the status and the headers of the response. */
  onResponse?: (response: { status: number; headers: Record<string, string>; contentType: string; retryAfterMs?: number }, model: Model) => void | Promise<void>;
  /** Milliseconds to wait for response headers; 600000 when absent, 0 for ever. */
  timeoutMs?: number;
  /** Milliseconds of silence on the body, any byte counts; 300000 when absent, 0 for ever. */
  idleTimeoutMs?: number;
  /** Milliseconds after which one of these functions is given up; no limit when absent. */
  hookTimeoutMs?: number;
  /** The most bytes that one event of a response may have; 33554432 (32 MiB) when absent. A longer one fails the call. */
  maxEventBytes?: number;
}

/** An app's own source of model responses, in place of a built-in protocol. */
export type StreamFn = (
  model: Model,
  context: { systemPrompt?: string; messages: Message[]; tools?: AnyTool[] },
  options: StreamOptions,
) => AsyncIterable<AssistantMessageEvent> | Promise<AsyncIterable<AssistantMessageEvent>>;

/** What hooks on tool calls get. */
export interface ToolCallContext {
  assistantMessage: AssistantMessage;
  toolCall: ToolCall;
  /** The arguments as the tool gets them. */
  args: any;
  context: AgentContext;
}

/** A conversation as the loop gets it. */
export interface AgentContext {
  systemPrompt?: string;
  messages: AgentMessage[];
  tools?: AnyTool[];
}

/** Options of a run. */
export interface RunOptions extends CallOptions {
  /** Turns the transcript into messages that models know. By default custom messages are left out. */
  convertToLlm?: (messages: AgentMessage[]) => Message[] | Promise<Message[]>;
  /** Changes what the next model call gets to read, before `convertToLlm`. The transcript stays. */
  transformContext?: (messages: AgentMessage[], signal: AbortSignal) => AgentMessage[] | Promise<AgentMessage[]>;
  /** Called before every model call; what it returns replaces what that call is made with. */
  prepareRequest?: (
    request: ModelRequest,
    signal: AbortSignal,
  ) => Some<ModelRequest> | void | Promise<Some<ModelRequest> | void>;
  /**
   * Called after a turn that went well. `"end"` ends the run, what is queued stays queued;
   * `"continue"` hands in results although tools asked to stop. Behind an answer without calls there is nothing to hand
   * in: queue a message with `followUp` in place of it.
   */
  finishTurn?: (turn: FinishedTurn, signal: AbortSignal) => FinishTurnResult | Promise<FinishTurnResult>;
  /** Called before a tool runs. */
  beforeToolCall?: (
    context: ToolCallContext,
    signal: AbortSignal,
  ) => BeforeToolCallResult | void | Promise<BeforeToolCallResult | void>;
  /** Called with what a tool gave; the fields it returns replace those of the result. */
  afterToolCall?: (
    context: ToolCallContext & { result: AgentToolResult; isError: boolean },
    signal: AbortSignal,
  ) => Some<AgentToolResult> | void | Promise<Some<AgentToolResult> | void>;
  /** Whether the calls of one message run side by side; `"parallel"` when absent. */
  toolExecution?: ToolExecutionMode;
  /** Whether a steering message interrupts a batch of tool calls; `"immediate"` when absent. */
  interruptMode?: InterruptMode;
  /** Milliseconds after which a tool is given up, where the tool names no limit. */
  toolTimeoutMs?: number;
  /** Turns after which a run ends; 100 when absent. */
  maxTurns?: number;
  /** How failed model calls are made again. An agent does so when absent, the bare loop does not. */
  retry?: RetryOptions | false;
}

/** How failed model calls are made again: those that may succeed later. */
export interface RetryOptions {
  /** How often in a row; 3 when absent. */
  maxAttempts?: number;
  /** The wait before the first retry, in milliseconds; it doubles, and half of it is chance. 2000 when absent. */
  baseDelayMs?: number;
  /** The longest wait, in milliseconds, whatever the provider asks for; 60000 when absent. */
  maxDelayMs?: number;
}

/** What a model call is made with. */
export interface ModelRequest {
  context: AgentContext;
  model: Model;
  thinkingLevel: ThinkingLevel;
}

/** A turn that went well. */
export interface FinishedTurn {
  message: AssistantMessage;
  toolResults: ToolResultMessage[];
  /** The transcript. */
  messages: AgentMessage[];
}

/** What `finishTurn` decides; nothing leaves it to the loop. */
export type FinishTurnResult = "continue" | "end" | void;

/** What `beforeToolCall` decides. */
export interface BeforeToolCallResult {
  /** Do not run the tool. */
  block?: boolean;
  /** What the model is told in place of a result. */
  reason?: string;
  /** Arguments to run the tool with, in place of those of the model. */
  args?: any;
  /** Asks that the run end after this batch. It does when every call of the batch asks. */
  terminate?: boolean;
}

/** What a new agent begins with. */
export interface InitialState {
  systemPrompt?: string;
  model?: Model;
  thinkingLevel?: ThinkingLevel;
  tools?: AnyTool[];
  messages?: AgentMessage[];
  /** Ids of calls of the last answer that wait for approval: `continue()` asks for it again. */
  pendingApprovals?: string[];
}

/** Options of `new Agent`. */
export interface AgentOptions extends RunOptions {
  initialState?: InitialState;
  /** In place of the built-in protocols. */
  streamFn?: StreamFn;
  /** How many steering messages one delivery takes; `"one-at-a-time"` when absent. */
  steeringMode?: QueueMode;
  /** How many follow-up messages one delivery takes; `"one-at-a-time"` when absent. */
  followUpMode?: QueueMode;
}

/** Config of `agentLoop`. */
export interface AgentLoopConfig extends RunOptions {
  model: Model;
  reasoning?: ThinkingLevel;
  streamFn?: StreamFn;
  /** Asked for steering messages before tools and after turns. */
  getSteeringMessages?: () => AgentMessage[] | Promise<AgentMessage[]>;
  /** Asked for follow-up messages when the run would end. */
  getFollowUpMessages?: () => AgentMessage[] | Promise<AgentMessage[]>;
}

/** The live state of an agent. */
export interface AgentState {
  readonly systemPrompt: string;
  readonly model: Model | null;
  readonly thinkingLevel: ThinkingLevel;
  readonly tools: AnyTool[];
  readonly messages: AgentMessage[];
  readonly isStreaming: boolean;
  /** The message that is being received, as far as it has arrived. */
  readonly streamMessage: AssistantMessage | null;
  /** Ids of the tool calls that are being answered. */
  readonly pendingToolCalls: ReadonlySet<string>;
  /** Why the last run failed. */
  readonly error?: string;
}

/** Messages that wait. */
export interface QueuedMessages {
  steering: AgentMessage[];
  followUp: AgentMessage[];
}

/** Gets every event of an agent, and the signal of the run. */
export type AgentListener = (event: AgentEvent, signal: AbortSignal) => void | Promise<void>;

/** Options of `subscribe`. */
export interface SubscribeOptions {
  /**
   * Brings consecutive deltas of one block as one: once per animation frame, or once per so many milliseconds. Any
   * other event brings what is held before it, so that nothing is late and the order stays.
   */
  coalesce?: "frame" | number;
}

/** A tool call of the transcript, and how far it has come. */
export interface ToolExecution {
  readonly toolName: string;
  readonly args: Record<string, any>;
  /**
   * `"pending"`: the model has called, the tool has not started. `"awaiting_approval"`: it waits for the app's yes or
   * no. `"running"`, then `"done"`, or `"error"` when it failed or did not run.
   */
  readonly status: "pending" | "awaiting_approval" | "running" | "done" | "error";
  /** What the running tool last passed to `onUpdate`. */
  readonly partialResult?: AgentToolResult;
  /** What the model gets to read, with the tool's `details`. */
  readonly result?: AgentToolResult;
}

/** A failed model call that will be made again. */
export interface PendingRetry {
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly delayMs: number;
  readonly errorMessage: string;
}

/** What an agent's state is at one moment. Never changed; parts that stay the same keep their identity. */
export interface AgentSnapshot {
  readonly messages: readonly AgentMessage[];
  readonly streamMessage: AssistantMessage | null;
  readonly isStreaming: boolean;
  readonly pendingToolCalls: ReadonlySet<string>;
  /** The calls of the transcript, by their ids. */
  readonly toolExecutions: Readonly<Record<string, ToolExecution>>;
  /** There while a failed call waits to be made again, and while it is. */
  readonly retry?: PendingRetry;
  /** Why the last run failed. */
  readonly error?: string;
}

/** Bound functions, for `useSyncExternalStore` and its like. */
export interface AgentStore {
  /** Calls `subscriber` behind every change, and returns the function that ends it. */
  readonly subscribe: (subscriber: () => void) => () => void;
  /** The same object until something changes. */
  readonly getSnapshot: () => AgentSnapshot;
}

/** Runs as JSON. What `events` hold is for `replay()`; it may change with `version`. */
export interface Recording {
  version: 1;
  events: { at: number; type: string; [key: string]: unknown }[];
}

/** Options of `replay`. */
export interface ReplayOptions {
  /** How many times as fast as it was recorded; 1 when absent, `Infinity` to wait for nothing. */
  speed?: number;
}

/** A conversation as JSON: no keys, headers or functions. */
export interface AgentSession {
  version: 1;
  systemPrompt: string;
  model?: Model;
  thinkingLevel: ThinkingLevel;
  messages: AgentMessage[];
  /** What had come of an answer. */
  streamMessage?: AssistantMessage;
  /** Ids of calls that wait for approval. */
  pendingApprovals?: string[];
  /** Ids of calls whose tool may have begun. */
  startedToolCalls?: string[];
  /** Messages that wait. */
  steering: AgentMessage[];
  followUp: AgentMessage[];
  steeringMode: QueueMode;
  followUpMode: QueueMode;
  interruptMode: InterruptMode;
  sessionId?: string;
}

/** An async iterable with the result of what it reports. */
export interface EventStream<TEvent, TResult> extends AsyncIterableIterator<TEvent> {
  result(): Promise<TResult>;
}

/** The events of a run; `result()` are its new messages. */
export type AgentEventStream = EventStream<AgentEvent, AgentMessage[]>;

/** The events of a model call; `result()` is its message. */
export type AssistantMessageEventStream = EventStream<AssistantMessageEvent, AssistantMessage>;

/** Asked for the turn of each model call, which are counted from 0. */
export type ScriptTurns = (context: Context, call: number) => ScriptTurn | Promise<ScriptTurn>;

/** Options of `createScript`. */
export interface ScriptOptions {
  /** Pace of the scripted answers; as fast as possible when absent. */
  tokensPerSecond?: number;
}

/**
 * What calls that cannot be right throw or reject with, and with a code of `ErrorInfo` what `listModels` rejects with
 * when the host fails. With `crashed`, what everything rejects with that waits for a module which failed; `cause` is how.
 */
export interface SluiceError extends Error {
  name: "SluiceError";
  code: "invalid_argument" | "busy" | "nothing_to_continue" | "not_initialised" | "freed" | "crashed" | ErrorCode;
  /** The HTTP status, when there was one. */
  status?: number;
  /** True when the same request may well succeed later. */
  retryable?: boolean;
}

/** A model that a host lists: part of a `Model`, as far as the host describes it. */
export type ModelInfo = Pick<Model, "id" | "name" | "contextWindow" | "input" | "reasoning" | "cost">;

/** Options of `listModels`. */
export interface ListModelsOptions {
  /** HTTP headers. */
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** In place of the page's `fetch`. */
  fetch?: FetchFunction;
}
