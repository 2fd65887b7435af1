/// <reference lib="esnext.disposable" />
/* tslint:disable */
/* eslint-disable */
/**
 * A model and where to reach it. Only `id` and `api` are required.
 */
export interface Model {
    /**
     * The id that the provider knows it by.
     */
    id: string;
    /**
     * The wire protocol, or any name when the app brings its own `streamFn`.
     */
    api: Api;
    /**
     * The provider's name, given to `getApiKey`; by default the protocol's own provider.
     */
    provider?: string | undefined;
    /**
     * Root of the provider's API, for example `https://api.openai.com/v1`.
     */
    baseUrl?: string | undefined;
    /**
     * A name for people.
     */
    name?: string | undefined;
    /**
     * Whether the model thinks before it answers and can be told how much.
     */
    reasoning?: boolean | undefined;
    /**
     * What the model can read; text and images when absent.
     */
    input?: InputKind[] | undefined;
    /**
     * Prices, for the cost in `usage`.
     */
    cost?: ModelCost | undefined;
    /**
     * Tokens that input and output may have together.
     */
    contextWindow?: number | undefined;
    /**
     * Tokens that one answer may have.
     */
    maxTokens?: number | undefined;
    /**
     * HTTP headers added to every request.
     */
    headers?: Record<string, string> | undefined;
    /**
     * Switches for hosts that differ from the protocol's own provider.
     */
    compat?: Compat | undefined;
}

/**
 * A model's request that the page run a tool.
 */
export interface ToolCall {
    type: "toolCall";
    /**
     * Identifies the call within its message; the result carries it as `toolCallId`.
     */
    id: string;
    /**
     * The tool's name; as the model wrote it where there is no such tool.
     */
    name: string;
    /**
     * The arguments. While the message streams: the best-effort parse of what has arrived.
     */
    arguments: Record<string, any>;
    /**
     * Opaque data that belongs to this call and goes back to the provider with it.
     */
    thoughtSignature?: string | undefined;
}

/**
 * A tool call of a [`ScriptTurn`].
 */
export interface ScriptToolCall {
    /**
     * Its id; one is made where it is absent.
     */
    id?: string | undefined;
    /**
     * The name of the tool.
     */
    name: string;
    /**
     * The arguments. A string is taken as their JSON text, right or wrong.
     */
    arguments?: Record<string, any> | string | undefined;
}

/**
 * An image, inline.
 */
export interface ImageContent {
    type: "image";
    /**
     * The bytes in base64, without a `data:` prefix.
     */
    data: string;
    /**
     * MIME type, for example `image/png`.
     */
    mimeType: string;
}

/**
 * Content of a user message: plain text, or blocks.
 */
export type UserContent = string | UserContentBlock[];

/**
 * How a host differs from the protocol's own provider; most of it is about OpenAI's protocols.
 *
 * Every switch that is absent is chosen by the host in `baseUrl`; an unknown host gets the plain
 * protocol and nothing else. On the Responses protocol `supportsReasoningEffort`,
 * `supportsDeveloperRole` and `supportsStore` count.
 */
export interface Compat {
    /**
     * Name of the field that limits the output.
     */
    maxTokensField?: MaxTokensField | undefined;
    /**
     * Whether the host takes `reasoning_effort`; on `anthropic-messages`, whether the model thinks
     * as much as `effort` says in place of within a budget.
     */
    supportsReasoningEffort?: boolean | undefined;
    /**
     * Whether the host takes the `developer` role for the system prompt of a thinking model.
     */
    supportsDeveloperRole?: boolean | undefined;
    /**
     * Whether the host takes `store: false`.
     */
    supportsStore?: boolean | undefined;
    /**
     * Whether the host takes `stream_options: {"include_usage": true}`.
     */
    supportsUsageInStreaming?: boolean | undefined;
    /**
     * The message field in which the host wants a tool-calling turn's thinking back, if any.
     */
    reasoningField?: ReasoningField | undefined;
    /**
     * What the host accepts as a tool call id.
     */
    toolCallIdFormat?: ToolCallIdFormat | undefined;
    /**
     * Whether a tool message must carry the tool's `name`.
     */
    requiresToolResultName?: boolean | undefined;
    /**
     * Whether the host refuses a user message right behind tool messages.
     */
    requiresAssistantAfterToolResult?: boolean | undefined;
}

/**
 * How a scripted turn fails.
 */
export interface ScriptError {
    /**
     * What the provider says.
     */
    message: string;
    /**
     * The HTTP status.
     */
    status?: number | undefined;
    /**
     * How long the provider asks to wait, in milliseconds; needs a status.
     */
    retryAfterMs?: number | undefined;
}

/**
 * How long the provider may keep a prompt cached.
 */
export type CacheRetention = "none" | "short" | "long";

/**
 * How many waiting messages one delivery takes.
 */
export type QueueMode = "one-at-a-time" | "all";

/**
 * How much a model should think.
 */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh";

/**
 * One answer of the scripted model: thinking, then text, then tool calls.
 */
export interface ScriptTurn {
    /**
     * What the model thinks first.
     */
    thinking?: string | undefined;
    /**
     * What it says.
     */
    text?: string | undefined;
    /**
     * The tools it calls.
     */
    toolCalls?: ScriptToolCall[] | undefined;
    /**
     * Why it stops; by default `toolUse` if it calls tools, else `stop`.
     */
    stopReason?: ScriptStopReason | undefined;
    /**
     * The tokens it reports; none when absent.
     */
    usage?: ScriptUsage | undefined;
    /**
     * The failure in which the turn ends. With a status the response is an HTTP error and nothing
     * else; without one the failure comes within the stream, behind the content.
     */
    error?: ScriptError | undefined;
    /**
     * True if the connection closes behind the content, before the response is complete.
     */
    cut?: boolean | undefined;
}

/**
 * Text written by a user, a model or a tool.
 */
export interface TextContent {
    type: "text";
    /**
     * The text itself.
     */
    text: string;
    /**
     * Opaque data by which the provider recognises this block when it is sent back.
     */
    textSignature?: string | undefined;
}

/**
 * The field of a chat-completions request that limits the output.
 */
export type MaxTokensField = "max_tokens" | "max_completion_tokens";

/**
 * The general rules of [`ToolChoice`].
 */
export type ToolChoiceMode = "auto" | "none" | "required";

/**
 * The kind of a failure.
 */
export type ErrorCode = "network" | "http" | "rate_limit" | "overloaded" | "auth" | "context_overflow" | "invalid_request" | "bad_response" | "truncated" | "timeout" | "refused" | "aborted" | "stream_fn";

/**
 * The message field that carries thinking on the chat-completions wire.
 */
export type ReasoningField = "none" | "reasoning_content" | "reasoning" | "content";

/**
 * The one tool of a [`ToolChoice`].
 */
export interface NamedTool {
    /**
     * The tool's name.
     */
    name: string;
}

/**
 * The tokens that a scripted turn reports.
 */
export interface ScriptUsage {
    /**
     * Input tokens outside the cache.
     */
    input?: number | undefined;
    /**
     * Output tokens, thinking included.
     */
    output?: number | undefined;
    /**
     * Input tokens read from the cache.
     */
    cacheRead?: number | undefined;
    /**
     * Input tokens written to the cache.
     */
    cacheWrite?: number | undefined;
}

/**
 * Tokens that one model call used.
 */
export interface Usage {
    /**
     * Input tokens, without those read from or written to a cache.
     */
    input: number;
    /**
     * Output tokens, thinking included.
     */
    output: number;
    /**
     * Input tokens read from a cache.
     */
    cacheRead: number;
    /**
     * Input tokens written to a cache.
     */
    cacheWrite: number;
    /**
     * The sum of the four.
     */
    totalTokens: number;
    /**
     * What they cost.
     */
    cost: UsageCost;
}

/**
 * US dollars per million tokens.
 */
export interface ModelCost {
    /**
     * Input tokens outside the cache.
     */
    input?: number | undefined;
    /**
     * Output tokens.
     */
    output?: number | undefined;
    /**
     * Input tokens read from the cache.
     */
    cacheRead?: number | undefined;
    /**
     * Input tokens written to the cache.
     */
    cacheWrite?: number | undefined;
}

/**
 * US dollars, by the model's prices per million tokens; zero where no price is known.
 */
export interface UsageCost {
    /**
     * Input tokens outside the cache.
     */
    input: number;
    /**
     * Output tokens.
     */
    output: number;
    /**
     * Input tokens read from the cache.
     */
    cacheRead: number;
    /**
     * Input tokens written to the cache.
     */
    cacheWrite: number;
    /**
     * The sum of the four.
     */
    total: number;
}

/**
 * What a host accepts as a tool call id.
 */
export type ToolCallIdFormat = "standard" | "nine_alphanumeric";

/**
 * What a model can read.
 */
export type InputKind = "text" | "image";

/**
 * What a model says in one call.
 */
export interface AssistantMessage {
    role: "assistant";
    /**
     * Blocks in the order in which they began.
     */
    content: AssistantContentBlock[];
    /**
     * The wire protocol that carried the call.
     */
    api: Api;
    /**
     * The provider's name.
     */
    provider: string;
    /**
     * The model's id as it was requested.
     */
    model: string;
    /**
     * The provider's id of the response.
     */
    responseId?: string | undefined;
    /**
     * Tokens used; zeros until the provider reports them.
     */
    usage: Usage;
    /**
     * Why the message ended; `stop` while it streams.
     */
    stopReason: StopReason;
    /**
     * A sentence for people when the call failed or was aborted.
     */
    errorMessage?: string | undefined;
    /**
     * The same for programs.
     */
    error?: ErrorInfo | undefined;
    /**
     * When the call began, in milliseconds since 1970.
     */
    timestamp: number;
    /**
     * From the request to the end of the response, in milliseconds.
     */
    durationMs?: number | undefined;
}

/**
 * What a model thought before it answered.
 */
export interface ThinkingContent {
    type: "thinking";
    /**
     * The readable part; empty when the provider withholds it.
     */
    thinking: string;
    /**
     * Opaque data that lets the same model take this thinking up again.
     */
    thinkingSignature?: string | undefined;
    /**
     * True when the provider encrypted the thinking; the payload is in the signature.
     */
    redacted?: boolean | undefined;
}

/**
 * What a person (or the app in their name) says.
 */
export interface UserMessage {
    role: "user";
    /**
     * Text, or text and images.
     */
    content: UserContent;
    /**
     * When it was made, in milliseconds since 1970.
     */
    timestamp: number;
}

/**
 * What a tool answered to one call.
 */
export interface ToolResultMessage {
    role: "toolResult";
    /**
     * The id of the call.
     */
    toolCallId: string;
    /**
     * The name of the tool.
     */
    toolName: string;
    /**
     * What the model gets to read.
     */
    content: UserContentBlock[];
    /**
     * What the page keeps for itself: any value, never sent to a model.
     */
    details?: any | undefined;
    /**
     * True when the tool failed or did not run.
     */
    isError: boolean;
    /**
     * When the result was made, in milliseconds since 1970.
     */
    timestamp: number;
    /**
     * How long the tool ran, in milliseconds.
     */
    durationMs?: number | undefined;
}

/**
 * What went wrong in a model call.
 */
export interface ErrorInfo {
    /**
     * The kind, for programs.
     */
    code: ErrorCode;
    /**
     * One or two sentences for people: what failed, where, and what to do.
     */
    message: string;
    /**
     * The HTTP status, when there was one.
     */
    status?: number | undefined;
    /**
     * How long the provider asks to wait, in milliseconds.
     */
    retryAfterMs?: number | undefined;
    /**
     * True when the same request may well succeed later.
     */
    retryable: boolean;
}

/**
 * When a steering message interrupts a batch of tool calls.
 */
export type InterruptMode = "immediate" | "wait";

/**
 * Whether and which tool the model has to call.
 */
export type ToolChoice = ToolChoiceMode | NamedTool;

/**
 * Whether the calls of one message run side by side.
 */
export type ToolExecutionMode = "parallel" | "sequential";

/**
 * Why a model stopped.
 */
export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";

/**
 * Why a run ended.
 */
export type AgentEndReason = "done" | "error" | "aborted" | "terminated" | "max_turns";

/**
 * Why a scripted turn stops.
 */
export type ScriptStopReason = "stop" | "length" | "toolUse";

/**
 * `agent_end`: the run is over; nothing comes behind it.
 */
export interface AgentEndEvent {
    type: "agent_end";
    /**
     * All messages that the run added, in order.
     */
    messages: AgentMessage[];
    /**
     * Why it ended.
     */
    reason: AgentEndReason;
}

/**
 * `agent_start`: a run begins.
 */
export interface AgentStartEvent {
    type: "agent_start";
}

/**
 * `auto_retry_end`: that retry is over.
 */
export interface AutoRetryEndEvent {
    type: "auto_retry_end";
    /**
     * Whether the model answered.
     */
    success: boolean;
    /**
     * Which retry it was.
     */
    attempt: number;
    /**
     * Why the run gives up; absent on success, and when another retry follows.
     */
    finalError?: string | undefined;
}

/**
 * `auto_retry_start`: a model call failed and will be made again. The failed message, and what
 * answered its calls, have left the transcript.
 */
export interface AutoRetryStartEvent {
    type: "auto_retry_start";
    /**
     * Which retry of this call it is, counted from 1.
     */
    attempt: number;
    /**
     * How many retries there are at most.
     */
    maxAttempts: number;
    /**
     * How long the run waits before it, in milliseconds. Offline, it also waits for the network.
     */
    delayMs: number;
    /**
     * What failed.
     */
    errorMessage: string;
}

/**
 * `done`: the response is complete.
 */
export interface DoneEvent {
    type: "done";
    /**
     * Why the model stopped.
     */
    reason: "stop" | "length" | "toolUse";
    /**
     * The message.
     */
    message: AssistantMessage;
}

/**
 * `error`: the call failed or was aborted.
 */
export interface ErrorEvent {
    type: "error";
    /**
     * Which of the two.
     */
    reason: "error" | "aborted";
    /**
     * The message with what had arrived; its `error` says what failed.
     */
    error: AssistantMessage;
}

/**
 * `image_end`: an image arrived.
 */
export interface ImageEndEvent {
    type: "image_end";
    /**
     * Index of the block in `partial.content`.
     */
    contentIndex: number;
    /**
     * The image.
     */
    content: ImageContent;
    /**
     * The message so far.
     */
    partial: AssistantMessage;
}

/**
 * `message_end`: the message is complete.
 */
export interface MessageEndEvent {
    type: "message_end";
    /**
     * The message.
     */
    message: AgentMessage;
}

/**
 * `message_start`: a message of any role enters.
 */
export interface MessageStartEvent {
    type: "message_start";
    /**
     * The message; an assistant message is still empty.
     */
    message: AgentMessage;
}

/**
 * `message_update`: the assistant message grew.
 */
export interface MessageUpdateEvent {
    type: "message_update";
    /**
     * The message so far: the same object as `assistantMessageEvent.partial`.
     */
    message: AssistantMessage;
    /**
     * What just happened to it.
     */
    assistantMessageEvent: AssistantMessageUpdate;
}

/**
 * `start`: the response begins.
 */
export interface StartEvent {
    type: "start";
    /**
     * The message so far.
     */
    partial: AssistantMessage;
}

/**
 * `text_delta`: a text block grew.
 */
export interface TextDeltaEvent {
    type: "text_delta";
    /**
     * Index of the block in `partial.content`.
     */
    contentIndex: number;
    /**
     * What was added.
     */
    delta: string;
    /**
     * The message so far.
     */
    partial: AssistantMessage;
}

/**
 * `text_end`: a text block is complete.
 */
export interface TextEndEvent {
    type: "text_end";
    /**
     * Index of the block in `partial.content`.
     */
    contentIndex: number;
    /**
     * The whole text of the block.
     */
    content: string;
    /**
     * The message so far.
     */
    partial: AssistantMessage;
}

/**
 * `text_start`: a text block begins.
 */
export interface TextStartEvent {
    type: "text_start";
    /**
     * Index of the block in `partial.content`.
     */
    contentIndex: number;
    /**
     * The message so far.
     */
    partial: AssistantMessage;
}

/**
 * `thinking_delta`: a thinking block grew.
 */
export interface ThinkingDeltaEvent {
    type: "thinking_delta";
    /**
     * Index of the block in `partial.content`.
     */
    contentIndex: number;
    /**
     * What was added.
     */
    delta: string;
    /**
     * The message so far.
     */
    partial: AssistantMessage;
}

/**
 * `thinking_end`: a thinking block is complete.
 */
export interface ThinkingEndEvent {
    type: "thinking_end";
    /**
     * Index of the block in `partial.content`.
     */
    contentIndex: number;
    /**
     * The whole text of the block.
     */
    content: string;
    /**
     * The message so far.
     */
    partial: AssistantMessage;
}

/**
 * `thinking_start`: a thinking block begins.
 */
export interface ThinkingStartEvent {
    type: "thinking_start";
    /**
     * Index of the block in `partial.content`.
     */
    contentIndex: number;
    /**
     * The message so far.
     */
    partial: AssistantMessage;
}

/**
 * `tool_approval_request`: a tool call waits for the app's yes or no.
 */
export interface ToolApprovalRequestEvent {
    type: "tool_approval_request";
    /**
     * The id of the call: what `approveToolCall` and `denyToolCall` are told.
     */
    toolCallId: string;
    /**
     * The name of the tool.
     */
    toolName: string;
    /**
     * The arguments that the tool would get.
     */
    args: Record<string, any>;
}

/**
 * `tool_execution_end`: a tool call is answered.
 */
export interface ToolExecutionEndEvent {
    type: "tool_execution_end";
    /**
     * The id of the call.
     */
    toolCallId: string;
    /**
     * The name of the tool.
     */
    toolName: string;
    /**
     * The result: `content` for the model, `details` for the page.
     */
    result: AgentToolResult;
    /**
     * True when the tool failed or did not run.
     */
    isError: boolean;
    /**
     * How long the tool ran, in milliseconds; absent when it did not.
     */
    durationMs?: number | undefined;
}

/**
 * `tool_execution_start`: a tool call is taken up.
 */
export interface ToolExecutionStartEvent {
    type: "tool_execution_start";
    /**
     * The id of the call.
     */
    toolCallId: string;
    /**
     * The name of the tool.
     */
    toolName: string;
    /**
     * The arguments as the model wrote them.
     */
    args: Record<string, any>;
}

/**
 * `tool_execution_update`: a running tool reports progress.
 */
export interface ToolExecutionUpdateEvent {
    type: "tool_execution_update";
    /**
     * The id of the call.
     */
    toolCallId: string;
    /**
     * The name of the tool.
     */
    toolName: string;
    /**
     * The arguments as the model wrote them.
     */
    args: Record<string, any>;
    /**
     * What the tool passed to `onUpdate`.
     */
    partialResult: AgentToolResult;
}

/**
 * `toolcall_delta`: a tool call block grew.
 */
export interface ToolCallDeltaEvent {
    type: "toolcall_delta";
    /**
     * Index of the block in `partial.content`.
     */
    contentIndex: number;
    /**
     * JSON text of the arguments that arrived.
     */
    delta: string;
    /**
     * The message so far.
     */
    partial: AssistantMessage;
}

/**
 * `toolcall_end`: a tool call block is complete, or was cut.
 */
export interface ToolCallEndEvent {
    type: "toolcall_end";
    /**
     * Index of the block in `partial.content`.
     */
    contentIndex: number;
    /**
     * The block.
     */
    toolCall: ToolCall;
    /**
     * The message so far.
     */
    partial: AssistantMessage;
}

/**
 * `toolcall_start`: a tool call block begins.
 */
export interface ToolCallStartEvent {
    type: "toolcall_start";
    /**
     * Index of the block in `partial.content`.
     */
    contentIndex: number;
    /**
     * The message so far.
     */
    partial: AssistantMessage;
}

/**
 * `turn_end`: one model call and the tools it asked for are done.
 */
export interface TurnEndEvent {
    type: "turn_end";
    /**
     * The assistant message of the turn.
     */
    message: AssistantMessage;
    /**
     * The results of its tool calls, in the order of the calls.
     */
    toolResults: ToolResultMessage[];
}

/**
 * `turn_start`: a turn begins.
 */
export interface TurnStartEvent {
    type: "turn_start";
}

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
    details?: TDetails | undefined;
    /** True when the content reports a failure. Throwing does the same. */
    isError?: boolean | undefined;
    /** Asks that the run end after this batch. It does when every tool of the batch asks. */
    terminate?: boolean | undefined;
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
    label?: string | undefined;
    /** What it does and when to use it, for the model. */
    description?: string | undefined;
    /**
     * JSON Schema of the arguments, or a Standard Schema object that can give it (ArkType, Zod 4,
     * Valibot). Arguments are checked against it, with the usual coercions; a Standard Schema has the
     * last word, and `params` is what it returns.
     */
    parameters?: TParameters | undefined;
    /** Runs the tool. What it throws becomes an error result with the message. */
    execute(
    toolCallId: string,
    params: Infer<TParameters>,
    signal: AbortSignal,
    onUpdate: AgentToolUpdateCallback<TDetails>,
    ): AgentToolResult<TDetails> | string | void | Promise<AgentToolResult<TDetails> | string | void>;
    /** Changes raw arguments before they are checked. */
    prepareArguments?: ((args: Record<string, any>) => Record<string, any>) | undefined;
    /**
     * Has the last word on arguments that fit the schema: returns those to use (nothing for these), or
     * throws with what does not fit.
     */
    validate?: ((args: Record<string, any>) => unknown) | undefined;
    /** Whether a call waits for `approveToolCall` or `denyToolCall`: always, or depending on its arguments. */
    needsApproval?: (boolean | ((params: Infer<TParameters>) => boolean | Promise<boolean>)) | undefined;
    /** `"sequential"` for a tool that must not run beside others. */
    executionMode?: ToolExecutionMode | undefined;
    /** Milliseconds after which a call is given up. */
    timeoutMs?: number | undefined;
}

/** Any tool, whatever its parameters. */
export type AnyTool = AgentTool<any, any>;

/** A conversation as a model gets it. */
export interface Context {
    systemPrompt?: string | undefined;
    messages: Message[];
    tools?: Pick<AnyTool, "name" | "description" | "parameters">[] | undefined;
}

/** A function of the shape of `fetch`. It is called with a URL and an init object. */
export type FetchFunction = (input: string, init: RequestInit) => Promise<Response>;

/** Options of one model call. */
export interface StreamOptions extends CallOptions {
    /** How much the model thinks. */
    reasoning?: ThinkingLevel | undefined;
    /** Aborts the call. */
    signal?: AbortSignal | undefined;
}

/**
 * Options of `streamProxy`. Keys (`apiKey`, `getApiKey`) are taken and not used: the backend has its
 * own. `headers` go to the backend.
 */
export interface ProxyOptions extends StreamOptions {
    /** The root of the backend; requests go to `/api/stream` below it. Empty for the page's own origin. */
    proxyUrl: string;
    /** Sent as `Authorization: Bearer …`. Leave it out where the backend knows its user by a cookie. */
    authToken?: string | undefined;
}

/** What goes with every model call. */
export interface CallOptions {
    /** The provider's key. */
    apiKey?: string | undefined;
    /** Gives the key for a provider; before `apiKey`. Asked before every call, so that it may expire. */
    getApiKey?: ((provider: string) => string | undefined | Promise<string | undefined>) | undefined;
    /** In place of the page's `fetch`. */
    fetch?: FetchFunction | undefined;
    /** HTTP headers, over those of the model. */
    headers?: Record<string, string> | undefined;
    /** Identifies the conversation to providers that cache by it. */
    sessionId?: string | undefined;
    temperature?: number | undefined;
    /** Limit of the output in tokens, over that of the model. */
    maxTokens?: number | undefined;
    /** Thinking tokens per level, for protocols that take budgets. */
    thinkingBudgets?: Some<Record<ThinkingLevel, number>> | undefined;
    cacheRetention?: CacheRetention | undefined;
    toolChoice?: ToolChoice | undefined;
    /** Sees the request body; what it returns replaces it. */
    onPayload?: ((payload: any, model: Model) => unknown | Promise<unknown>) | undefined;
    /** Sees the status and the headers of the response. */
    onResponse?: ((response: { status: number; headers: Record<string, string>; contentType: string; retryAfterMs?: number }, model: Model) => void | Promise<void>) | undefined;
    /** Milliseconds to wait for response headers; 600000 when absent, 0 for ever. */
    timeoutMs?: number | undefined;
    /** Milliseconds of silence on the body, any byte counts; 300000 when absent, 0 for ever. */
    idleTimeoutMs?: number | undefined;
    /** Milliseconds after which one of these functions is given up; no limit when absent. */
    hookTimeoutMs?: number | undefined;
    /** The most bytes that one event of a response may have; 33554432 (32 MiB) when absent. A longer one fails the call. */
    maxEventBytes?: number | undefined;
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
    systemPrompt?: string | undefined;
    messages: AgentMessage[];
    tools?: AnyTool[] | undefined;
}

/** Options of a run. */
export interface RunOptions extends CallOptions {
    /** Turns the transcript into messages that models know. By default custom messages are left out. */
    convertToLlm?: ((messages: AgentMessage[]) => Message[] | Promise<Message[]>) | undefined;
    /** Changes what the next model call gets to read, before `convertToLlm`. The transcript stays. */
    transformContext?: ((messages: AgentMessage[], signal: AbortSignal) => AgentMessage[] | Promise<AgentMessage[]>) | undefined;
    /** Called before every model call; what it returns replaces what that call is made with. */
    prepareRequest?: ((
    request: ModelRequest,
    signal: AbortSignal,
    ) => Some<ModelRequest> | void | Promise<Some<ModelRequest> | void>) | undefined;
    /**
     * Called after a turn that went well. `"end"` ends the run, what is queued stays queued;
     * `"continue"` hands in results although tools asked to stop. Behind an answer without calls there is nothing to hand
     * in: queue a message with `followUp` in place of it.
     */
    finishTurn?: ((turn: FinishedTurn, signal: AbortSignal) => FinishTurnResult | Promise<FinishTurnResult>) | undefined;
    /** Called before a tool runs. */
    beforeToolCall?: ((
    context: ToolCallContext,
    signal: AbortSignal,
    ) => BeforeToolCallResult | void | Promise<BeforeToolCallResult | void>) | undefined;
    /** Called with what a tool gave; the fields it returns replace those of the result. */
    afterToolCall?: ((
    context: ToolCallContext & { result: AgentToolResult; isError: boolean },
    signal: AbortSignal,
    ) => Some<AgentToolResult> | void | Promise<Some<AgentToolResult> | void>) | undefined;
    /** Whether the calls of one message run side by side; `"parallel"` when absent. */
    toolExecution?: ToolExecutionMode | undefined;
    /** Whether a steering message interrupts a batch of tool calls; `"immediate"` when absent. */
    interruptMode?: InterruptMode | undefined;
    /** Milliseconds after which a tool is given up, where the tool names no limit. */
    toolTimeoutMs?: number | undefined;
    /** Turns after which a run ends; 100 when absent. */
    maxTurns?: number | undefined;
    /** How failed model calls are made again. An agent does so when absent, the bare loop does not. */
    retry?: RetryOptions | false | undefined;
}

/** How failed model calls are made again: those that may succeed later. */
export interface RetryOptions {
    /** How often in a row; 3 when absent. */
    maxAttempts?: number | undefined;
    /** The wait before the first retry, in milliseconds; it doubles, and half of it is chance. 2000 when absent. */
    baseDelayMs?: number | undefined;
    /** The longest wait, in milliseconds, whatever the provider asks for; 60000 when absent. */
    maxDelayMs?: number | undefined;
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
    block?: boolean | undefined;
    /** What the model is told in place of a result. */
    reason?: string | undefined;
    /** Arguments to run the tool with, in place of those of the model. */
    args?: any | undefined;
    /** Asks that the run end after this batch. It does when every call of the batch asks. */
    terminate?: boolean | undefined;
}

/** What a new agent begins with. */
export interface InitialState {
    systemPrompt?: string | undefined;
    model?: Model | undefined;
    thinkingLevel?: ThinkingLevel | undefined;
    tools?: AnyTool[] | undefined;
    messages?: AgentMessage[] | undefined;
    /** Ids of calls of the last answer that wait for approval: `continue()` asks for it again. */
    pendingApprovals?: string[] | undefined;
}

/** Options of `new Agent`. */
export interface AgentOptions extends RunOptions {
    initialState?: InitialState | undefined;
    /** In place of the built-in protocols. */
    streamFn?: StreamFn | undefined;
    /** How many steering messages one delivery takes; `"one-at-a-time"` when absent. */
    steeringMode?: QueueMode | undefined;
    /** How many follow-up messages one delivery takes; `"one-at-a-time"` when absent. */
    followUpMode?: QueueMode | undefined;
}

/** Config of `agentLoop`. */
export interface AgentLoopConfig extends RunOptions {
    model: Model;
    reasoning?: ThinkingLevel | undefined;
    streamFn?: StreamFn | undefined;
    /** Asked for steering messages before tools and after turns. */
    getSteeringMessages?: (() => AgentMessage[] | Promise<AgentMessage[]>) | undefined;
    /** Asked for follow-up messages when the run would end. */
    getFollowUpMessages?: (() => AgentMessage[] | Promise<AgentMessage[]>) | undefined;
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
    readonly error?: string | undefined;
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
    coalesce?: "frame" | number | undefined;
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
    readonly partialResult?: AgentToolResult | undefined;
    /** What the model gets to read, with the tool's `details`. */
    readonly result?: AgentToolResult | undefined;
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
    readonly retry?: PendingRetry | undefined;
    /** Why the last run failed. */
    readonly error?: string | undefined;
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
    speed?: number | undefined;
}

/** A conversation as JSON: no keys, headers or functions. */
export interface AgentSession {
    version: 1;
    systemPrompt: string;
    model?: Model | undefined;
    thinkingLevel: ThinkingLevel;
    messages: AgentMessage[];
    /** What had come of an answer. */
    streamMessage?: AssistantMessage | undefined;
    /** Ids of calls that wait for approval. */
    pendingApprovals?: string[] | undefined;
    /** Ids of calls whose tool may have begun. */
    startedToolCalls?: string[] | undefined;
    /** Messages that wait. */
    steering: AgentMessage[];
    followUp: AgentMessage[];
    steeringMode: QueueMode;
    followUpMode: QueueMode;
    interruptMode: InterruptMode;
    sessionId?: string | undefined;
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
    tokensPerSecond?: number | undefined;
}

/**
 * What calls that cannot be right throw or reject with, and with a code of `ErrorInfo` what `listModels` rejects with
 * when the host fails. With `crashed`, what everything rejects with that waits for a module which failed; `cause` is how.
 */
export interface SluiceError extends Error {
    name: "SluiceError";
    code: "invalid_argument" | "busy" | "nothing_to_continue" | "not_initialised" | "freed" | "crashed" | ErrorCode;
    /** The HTTP status, when there was one. */
    status?: number | undefined;
    /** True when the same request may well succeed later. */
    retryable?: boolean | undefined;
}

/** A model that a host lists: part of a `Model`, as far as the host describes it. */
export type ModelInfo = Pick<Model, "id" | "name" | "contextWindow" | "input" | "reasoning" | "cost">;

/** Options of `listModels`. */
export interface ListModelsOptions {
    /** HTTP headers. */
    headers?: Record<string, string> | undefined;
    signal?: AbortSignal | undefined;
    /** In place of the page's `fetch`. */
    fetch?: FetchFunction | undefined;
}


export type AgentEvent = | AgentStartEvent | AgentEndEvent | TurnStartEvent | TurnEndEvent | MessageStartEvent | MessageUpdateEvent | MessageEndEvent | ToolExecutionStartEvent | ToolExecutionUpdateEvent | ToolExecutionEndEvent | ToolApprovalRequestEvent | AutoRetryStartEvent | AutoRetryEndEvent;

export type AssistantContentBlock = | TextContent | ThinkingContent | ToolCall | ImageContent;

export type AssistantMessageEvent = | StartEvent | TextStartEvent | TextDeltaEvent | TextEndEvent | ThinkingStartEvent | ThinkingDeltaEvent | ThinkingEndEvent | ToolCallStartEvent | ToolCallDeltaEvent | ToolCallEndEvent | ImageEndEvent | DoneEvent | ErrorEvent;

export type Message = | UserMessage | AssistantMessage | ToolResultMessage;

export type UserContentBlock = | TextContent | ImageContent;


/**
 * An agent: a conversation, its model and tools, and the run that is under way.
 *
 * `prompt` and `continue` resolve when the run has settled, listeners included. They reject only
 * on misuse; failures of providers and tools end the run through events and the last message.
 */
export class Agent {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * Aborts the run, if one is under way. It settles promptly, with reason `aborted`; tools get
     * the reason with their signal.
     */
    abort(reason?: any): void;
    /**
     * Adds a message to the end of the transcript.
     */
    appendMessage(message: AgentMessage): void;
    /**
     * Lets a tool call run that waits for approval (`tool_approval_request`).
     *
     * Throws when no such call waits.
     */
    approveToolCall(id: string): void;
    /**
     * Forgets all messages that wait.
     */
    clearAllQueues(): void;
    /**
     * Forgets the follow-up messages that wait.
     */
    clearFollowUpQueue(): void;
    /**
     * Empties the transcript.
     */
    clearMessages(): void;
    /**
     * Forgets the steering messages that wait.
     */
    clearSteeringQueue(): void;
    /**
     * Goes on from the transcript as it is. When it ends with an answer, one delivery of waiting
     * steering messages is taken, else one of follow-ups; with neither, this rejects.
     */
    continue(): Promise<void>;
    /**
     * Keeps a tool call from running that waits for approval. The model reads the reason.
     *
     * Throws when no such call waits.
     */
    denyToolCall(id: string, reason?: string | null): void;
    /**
     * The same events as an async iterator, from now on until the iterator is left.
     */
    events(): AsyncIterableIterator<AgentEvent>;
    /**
     * Queues a message that the model gets when it would stop.
     */
    followUp(message: string | AgentMessage): void;
    /**
     * Whether any message waits.
     */
    hasQueuedMessages(): boolean;
    /**
     * Makes an agent.
     *
     * Throws an error that names the option when one is not what it must be.
     */
    constructor(options?: AgentOptions);
    /**
     * The messages that wait, oldest first.
     */
    peekQueuedMessages(): QueuedMessages;
    /**
     * Takes the last message off the transcript and returns it.
     */
    popMessage(): AgentMessage | undefined;
    /**
     * Starts a run with a message: a text (with images), a message, or several.
     */
    prompt(input: string | AgentMessage | AgentMessage[], images?: ImageContent[]): Promise<void>;
    /**
     * Replaces the transcript by a copy of this array.
     */
    replaceMessages(messages: AgentMessage[]): void;
    /**
     * Aborts the run, if one is under way, and forgets messages, queues and error. Model, tools
     * and system prompt stay.
     */
    reset(): void;
    /**
     * Drops a failed or aborted answer from the end of the transcript and goes on without it.
     */
    retry(): Promise<void>;
    /**
     * Sets how many follow-up messages one delivery takes.
     */
    setFollowUpMode(mode: QueueMode): void;
    /**
     * Sets whether a steering message interrupts a batch of tool calls.
     */
    setInterruptMode(mode: InterruptMode): void;
    /**
     * Sets the model of the next model call.
     */
    setModel(model: Model): void;
    /**
     * Sets how many steering messages one delivery takes.
     */
    setSteeringMode(mode: QueueMode): void;
    /**
     * Sets the system prompt of the next model call.
     */
    setSystemPrompt(prompt: string): void;
    /**
     * Sets how much the model thinks, from the next model call on.
     */
    setThinkingLevel(level: ThinkingLevel): void;
    /**
     * Sets the tools of the next model call. The array is kept as it is.
     */
    setTools(tools: AnyTool[]): void;
    /**
     * Queues a message that the model gets as soon as possible, while it works.
     */
    steer(message: string | AgentMessage): void;
    /**
     * Calls `listener` with every event, and returns the function that ends it.
     *
     * Listeners run in order. A promise that one returns is awaited before anything else happens.
     * What one throws goes to `reportError` and touches neither the run nor the other listeners.
     */
    subscribe(listener: AgentListener): () => void;
    /**
     * Resolves when no run is under way.
     */
    waitForIdle(): Promise<void>;
    /**
     * The ids of the tool calls that wait for approval, oldest first.
     */
    get pendingApprovals(): string[];
    /**
     * The signal of the run that is under way.
     */
    get signal(): AbortSignal | undefined;
    /**
     * The live state. Arrays and sets in it are replaced when they change, never changed in place.
     */
    get state(): AgentState;
}

/**
 * Runs the loop from `prompts` on. The context is read, not changed: new messages are in the
 * events and in `result()`. Leaving the iteration early aborts the run.
 *
 * Throws when an argument is not what it must be.
 */
export function agentLoop(prompts: AgentMessage[], context: AgentContext, config: AgentLoopConfig, signal?: AbortSignal, streamFn?: StreamFn): AgentEventStream;

/**
 * Runs the loop from the context as it is. Its last message must not be an answer.
 *
 * Throws when an argument is not what it must be.
 */
export function agentLoopContinue(context: AgentContext, config: AgentLoopConfig, signal?: AbortSignal, streamFn?: StreamFn): AgentEventStream;

/**
 * Makes one model call and resolves with its message, failed or not.
 */
export function complete(model: Model, context: Context, options?: StreamOptions): Promise<AssistantMessage>;

/**
 * Makes one model call through a backend of the app, which holds the key. Returns an async iterable
 * of its events; `result()` is the message. It serves as a `streamFn`:
 * `(model, context, options) => streamProxy(model, context, { ...options, proxyUrl, authToken })`.
 *
 * Throws when an argument is not what it must be. A call that fails ends with an `error` event,
 * and `result()` is the failed message.
 */
export function streamProxy(model: Model, context: Context, options: ProxyOptions): AssistantMessageEventStream;

/**
 * Makes one model call. Returns an async iterable of its events; `result()` is the message.
 *
 * Throws when an argument is not what it must be. A call that fails ends with an `error` event,
 * and `result()` is the failed message.
 */
export function streamSimple(model: Model, context: Context, options?: StreamOptions): AssistantMessageEventStream;

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly memory: WebAssembly.Memory;
}

export type SyncInitInput = BufferSource | WebAssembly.Module;

/**
 * Instantiates the given `module`, which can either be bytes or
 * a precompiled `WebAssembly.Module`.
 *
 * @param {{ module: SyncInitInput }} module - Passing `SyncInitInput` directly is deprecated.
 *
 * @returns {InitOutput}
 */
export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;

/**
 * If `module_or_path` is {RequestInfo} or {URL}, makes a request and
 * for everything else, calls `WebAssembly.instantiate` directly.
 *
 * @param {{ module_or_path: InitInput | Promise<InitInput> }} module_or_path - Passing `InitInput` directly is deprecated.
 *
 * @returns {Promise<InitOutput>}
 */
export default function __wbg_init (module_or_path?: { module_or_path: InitInput | Promise<InitInput> } | InitInput | Promise<InitInput>): Promise<InitOutput>;
