// The agent, the loop and the model call: options, methods, results.
import init, {
  Agent, agentLoop, agentLoopContinue, complete, createScript, initSync, listModels, streamProxy, streamSimple,
  type AgentContext, type AgentEvent, type AgentEventStream, type AgentListener, type AgentLoopConfig, type AgentMessage, type AgentOptions,
  type AgentState, type AgentStore, type AnyTool, type AssistantMessage, type AssistantMessageEvent, type AssistantMessageEventStream, type Context, type FinishedTurn,
  type FinishTurnResult, type Model, type ModelInfo, type ModelRequest, type QueuedMessages, type RetryOptions, type SluiceError, type StreamFn,
  type ThinkingLevel, type ToolResultMessage,
} from "sluice-agent";
import initInline, { Agent as InlineAgent } from "sluice-agent/inline";
import { check, type Same } from "./expect.js";

declare const tool: AnyTool;
declare const model: Model;
declare const keys: Record<string, string>;

export async function load(bytes: BufferSource, module: WebAssembly.Module) {
  check<Same<ReturnType<typeof init>, Promise<void>>>();
  await init();
  await init("/sluice.wasm");
  await init(new URL("https://example.com/sluice.wasm"));
  await init(fetch("/sluice.wasm"));
  await init(bytes);
  await init(module);
  await initInline();
  initSync({ module });
  initSync({ module: bytes });
  new InlineAgent() satisfies Agent;
  // @ts-expect-error null is no module
  await init(null);
  // @ts-expect-error a module is needed at once
  initSync();
}

const options = {
  initialState: { systemPrompt: "Be brief.", model, thinkingLevel: "high", tools: [tool], messages: [{ role: "user", content: "Hello", timestamp: 0 }], pendingApprovals: ["call_1"] },
  convertToLlm: (messages) => messages.filter((message) => message.role !== "assistant"),
  transformContext: async (messages, signal) => (signal.aborted ? [] : messages.slice(-10)),
  streamFn: createScript([{ text: "Hello" }]),
  fetch: (url, request) => fetch(url, request),
  apiKey: "key",
  getApiKey: (provider) => keys[provider],
  headers: { "x-title": "app" },
  sessionId: "1",
  temperature: 0,
  maxTokens: 100,
  thinkingBudgets: { low: 1024 },
  cacheRetention: "short",
  toolChoice: { name: "search" },
  steeringMode: "all",
  followUpMode: "one-at-a-time",
  interruptMode: "wait",
  toolExecution: "sequential",
  beforeToolCall: async ({ toolCall, args, context, assistantMessage }, signal) => {
    check<Same<typeof assistantMessage, AssistantMessage>>();
    check<Same<typeof signal, AbortSignal>>();
    return context.messages.length > 100 ? { block: true, reason: toolCall.name } : { args: { ...args } };
  },
  afterToolCall: ({ result, isError }) => (isError ? undefined : { content: result.content, isError: false, terminate: true }),
  prepareRequest: async (request, signal) => {
    check<Same<typeof request, ModelRequest>>();
    check<Same<typeof request.context, AgentContext>>();
    check<Same<typeof request.thinkingLevel, ThinkingLevel>>();
    check<Same<typeof signal, AbortSignal>>();
    if (request.context.messages.length < 10) return undefined;
    return { model: { ...request.model, id: "larger" }, context: { ...request.context, tools: [tool] }, thinkingLevel: "low" };
  },
  finishTurn: (turn, signal) => {
    check<Same<typeof turn, FinishedTurn>>();
    check<Same<typeof turn.message, AssistantMessage>>();
    check<Same<typeof turn.toolResults, ToolResultMessage[]>>();
    check<Same<typeof turn.messages, AgentMessage[]>>();
    check<Same<typeof signal, AbortSignal>>();
    return turn.messages.length > 100 ? "end" : undefined;
  },
  onPayload: (payload, { id }) => ({ ...payload, model: id }),
  onResponse: ({ status, contentType, retryAfterMs }) => void [status.toFixed(), contentType.trim(), retryAfterMs?.toFixed()],
  timeoutMs: 1000,
  idleTimeoutMs: 0,
  toolTimeoutMs: 1000,
  hookTimeoutMs: 1000,
  maxTurns: 10,
  retry: { maxAttempts: 5, baseDelayMs: 500, maxDelayMs: 10_000 },
} satisfies AgentOptions;

export const others = [
  { retry: false },
  { retry: {} },
  { retry: { baseDelayMs: 1 } satisfies RetryOptions },
  { prepareRequest: () => {} },
  { prepareRequest: ({ context }) => ({ context: { ...context, systemPrompt: "Be long." } }) },
  { finishTurn: () => {} },
  { finishTurn: async ({ toolResults }): Promise<FinishTurnResult> => (toolResults.length > 0 ? "continue" : undefined) },
  { beforeToolCall: () => ({ terminate: true }) },
] satisfies AgentOptions[];

export async function use() {
  const agent = new Agent(options);
  check<Same<typeof agent.state, AgentState>>();
  check<Same<typeof agent.signal, AbortSignal | undefined>>();
  const unsubscribe = agent.subscribe((event, signal) => {
    check<Same<typeof event, AgentEvent>>();
    check<Same<typeof signal, AbortSignal>>();
  });
  check<Same<typeof unsubscribe, () => void>>();
  const listener: AgentListener = async (event) => void event.type;
  agent.subscribe(listener);

  check<Same<ReturnType<typeof agent.prompt>, Promise<void>>>();
  await agent.prompt("Hello");
  await agent.prompt("Look", [{ type: "image", data: "", mimeType: "image/png" }]);
  await agent.prompt({ role: "user", content: "Hello", timestamp: 0 });
  await agent.prompt([{ role: "user", content: "Hello", timestamp: 0 }]);
  check<Same<ReturnType<typeof agent.continue>, Promise<void>>>();
  check<Same<ReturnType<typeof agent.retry>, Promise<void>>>();
  check<Same<ReturnType<typeof agent.waitForIdle>, Promise<void>>>();
  for await (const event of agent.events()) check<Same<typeof event, AgentEvent>>();

  check<Same<typeof agent.pendingApprovals, string[]>>();
  for (const id of agent.pendingApprovals) agent.approveToolCall(id);
  agent.subscribe((event) => {
    if (event.type === "tool_approval_request") agent.denyToolCall(event.toolCallId, `${event.toolName} is not for today.`);
  });
  check<Same<ReturnType<typeof agent.approveToolCall>, void>>();
  agent.denyToolCall("call_1", null);

  agent.steer("Stop that");
  agent.followUp({ role: "user", content: "And then", timestamp: 0 });
  check<Same<ReturnType<typeof agent.peekQueuedMessages>, QueuedMessages>>();
  check<Same<ReturnType<typeof agent.hasQueuedMessages>, boolean>>();
  agent.clearSteeringQueue();
  agent.clearFollowUpQueue();
  agent.clearAllQueues();

  agent.setSystemPrompt("");
  agent.setModel({ id: "x", api: "openai-completions" });
  agent.setThinkingLevel("off");
  agent.setTools([tool]);
  agent.setSteeringMode("all");
  agent.setFollowUpMode("all");
  agent.setInterruptMode("immediate");
  agent.replaceMessages([]);
  agent.appendMessage({ role: "user", content: "", timestamp: 0 });
  check<Same<ReturnType<typeof agent.popMessage>, AgentMessage | undefined>>();
  agent.clearMessages();
  agent.abort();
  agent.abort(new Error("enough"));
  agent.reset();
  agent.free();
  agent[Symbol.dispose]();
}

export function read({ state }: Agent) {
  check<Same<typeof state.systemPrompt, string>>();
  check<Same<typeof state.thinkingLevel, ThinkingLevel>>();
  check<Same<typeof state.messages, AgentMessage[]>>();
  check<Same<typeof state.isStreaming, boolean>>();
  check<Same<typeof state.streamMessage, AssistantMessage | null>>();
  check<Same<typeof state.error, string | undefined>>();
  state.pendingToolCalls.has("1") satisfies boolean;
  // @ts-expect-error setters change it
  state.systemPrompt = "";
}

export async function low(context: Context, signal: AbortSignal, streamFn: StreamFn) {
  const config: AgentLoopConfig = { model, reasoning: "low", getSteeringMessages: () => [], getFollowUpMessages: async () => [], retry: { maxAttempts: 1 }, hookTimeoutMs: 1000, finishTurn: () => "end" };
  const prompts: AgentMessage[] = [{ role: "user", content: "Hello", timestamp: 0 }];
  const events = agentLoop(prompts, { systemPrompt: "", messages: [], tools: [tool] }, config, signal, streamFn);
  check<Same<typeof events, AgentEventStream>>();
  for await (const event of events) check<Same<typeof event, AgentEvent>>();
  check<Same<ReturnType<typeof events.result>, Promise<AgentMessage[]>>>();
  check<Same<ReturnType<typeof agentLoopContinue>, AgentEventStream>>();

  const stream = streamSimple(model, context, { apiKey: "", signal, reasoning: "medium" });
  check<Same<typeof stream, AssistantMessageEventStream>>();
  for await (const event of stream) check<Same<typeof event, AssistantMessageEvent>>();
  check<Same<ReturnType<typeof stream.result>, Promise<AssistantMessage>>>();
  check<Same<ReturnType<typeof complete>, Promise<AssistantMessage>>>();

  const viaBackend: StreamFn = (model, context, options) =>
    streamProxy(model, context, { ...options, proxyUrl: "https://app.example.com", authToken: "token" });
  check<Same<ReturnType<typeof streamProxy>, AssistantMessageEventStream>>();
  streamProxy(model, context, { proxyUrl: "" }) satisfies ReturnType<typeof viaBackend>;
  // @ts-expect-error a backend has an address
  streamProxy(model, context, { authToken: "token" });
}

/** A source of an app's own: any async iterable of the events of a model call. */
export const own: StreamFn = async function* (asked, context, { signal }) {
  const message: AssistantMessage = {
    role: "assistant", content: [{ type: "text", text: context.systemPrompt ?? "" }], api: asked.api, provider: "own", model: asked.id,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } },
    stopReason: "stop", timestamp: 0,
  };
  if (signal?.aborted) yield { type: "error", reason: "aborted", error: message };
  yield { type: "start", partial: message };
  yield { type: "done", reason: "stop", message };
};

export const scripts: StreamFn[] = [
  createScript([{ thinking: "Hm", text: "Hello", toolCalls: [{ name: "search", arguments: { query: "x" } }, { name: "raw", arguments: "{" }] }]),
  createScript([{ error: { message: "no", status: 429, retryAfterMs: 1000 } }, { text: "cut", cut: true }], { tokensPerSecond: 50 }),
  createScript((context, call) => ({ text: `${call}: ${context.messages.length}`, stopReason: "length", usage: { input: 1, output: 1 } })),
];

// @ts-expect-error there is no such option
new Agent({ systemPrompt: "Be brief." });
// @ts-expect-error there is no such mode
new Agent({ steeringMode: "queue" });
// @ts-expect-error there is no such level
new Agent({ initialState: { thinkingLevel: "max" } });
// @ts-expect-error a turn limit is a number
new Agent({ maxTurns: "10" });
// @ts-expect-error retries are told how, or not at all
new Agent({ retry: true });
// @ts-expect-error there is no such option of retries
new Agent({ retry: { attempts: 3 } });
// @ts-expect-error a delay is a number of milliseconds
new Agent({ retry: { baseDelayMs: "2 s" } });
// @ts-expect-error a time limit is a number of milliseconds
new Agent({ hookTimeoutMs: "1 s" });
// @ts-expect-error there is nothing else to be replaced of a request
new Agent({ prepareRequest: () => ({ temperature: 1 }) });
// @ts-expect-error messages are replaced within the context
new Agent({ prepareRequest: ({ context }) => ({ context: context.messages }) });
// @ts-expect-error a turn ends or continues
new Agent({ finishTurn: () => "stop" });
// @ts-expect-error what waits are ids
new Agent({ initialState: { pendingApprovals: [{ id: "call_1" }] } });
// @ts-expect-error the agent knows what waits
new Agent().pendingApprovals = [];
// @ts-expect-error a decision is about a call
new Agent().approveToolCall();
// @ts-expect-error a reason is told, or none
new Agent().denyToolCall("call_1", false);
// @ts-expect-error a key is a string
new Agent({ getApiKey: () => 1 });
// @ts-expect-error the transcript has messages
new Agent({ initialState: { messages: ["Hello"] } });
// @ts-expect-error a prompt says something
new Agent().prompt();
// @ts-expect-error this is no message
new Agent().prompt({ text: "Hello" });
// @ts-expect-error there is no such role
new Agent().steer({ role: "system", content: "", timestamp: 0 });
// @ts-expect-error there is no such mode
new Agent().setInterruptMode("later");
// @ts-expect-error listeners get agent events
new Agent().subscribe((event: AssistantMessageEvent) => event);
// @ts-expect-error a loop needs a model
agentLoop([], { messages: [] }, {});
// @ts-expect-error there is no such stop reason
createScript([{ text: "", stopReason: "done" }]);
// @ts-expect-error a scripted call names its tool
createScript([{ toolCalls: [{ arguments: {} }] }]);

export async function hostModels(agent: Agent) {
  const models = await listModels("https://openrouter.ai/api/v1", "key", { signal: new AbortController().signal });
  check<Same<typeof models, ModelInfo[]>>();
  const [model] = models;
  if (model) agent.setModel({ api: "openai-completions", baseUrl: "https://openrouter.ai/api/v1", ...model });
  await listModels("http://localhost:11434/v1");
  // @ts-expect-error where to ask has to be said
  listModels();
  // @ts-expect-error unknown options
  listModels("/v1", undefined, { timeout: 1 });
}

export function hostFailure(error: SluiceError) {
  if (error.code === "auth" || error.code === "busy") error.status satisfies number | undefined;
  // @ts-expect-error no such code
  if (error.code === "broken") return;
}

// What an app does not have it may pass on as it is, under exactOptionalPropertyTypes too.
declare const unknown: undefined;
new Agent({
  initialState: {
    model: { id: "m", api: "openai-completions", baseUrl: unknown, headers: unknown },
    systemPrompt: unknown,
    tools: [{ name: "t", description: unknown, parameters: unknown, needsApproval: unknown, validate: unknown, prepareArguments: unknown, execute: async () => "x" }],
  },
  apiKey: unknown, sessionId: unknown, fetch: unknown, onPayload: unknown, beforeToolCall: unknown, prepareRequest: unknown, retry: unknown,
});
new Agent({
  thinkingBudgets: { low: unknown, high: 4096 },
  prepareRequest: ({ model }) => ({ model, thinkingLevel: unknown }),
  afterToolCall: async () => ({ content: unknown, details: "x" }),
});
agentLoop([], { systemPrompt: unknown, messages: [] }, { model: { id: "m", api: "a" }, apiKey: unknown }, unknown);

// What a class of the app's replaces, it can build on.
class Watched extends Agent {
  override get store(): AgentStore {
    return super.store;
  }
  override get state(): AgentState {
    return super.state;
  }
}
new Watched().store.getSnapshot().isStreaming satisfies boolean;
