// Scripted turns as the responses that a provider of chat completions would send: `createScript`. What plays them is
// the built-in protocol, so they go through the same decoder, the same events and the same failures as any other.

import { describe, invalid, isPlainObject, kind, misuse } from "../values.js";

/** Tokens that come together when no pace is given: about what a network chunk holds. */
const TOKENS_PER_CHUNK = 8;

/** Pieces of about a word: a token ends before white space and when it has eight characters. */
const TOKEN = /.\S{0,7}/gsu;

/** What a turn may have. */
const TURN = { thinking: "string", text: "string", toolCalls: "array", stopReason: "string", usage: "object", error: "object", cut: "boolean" };

const STOP_REASONS = { stop: "stop", length: "length", toolUse: "tool_calls" };

/** A `streamFn` that plays turns with `play`, which is `streamSimple`. */
export function script(turns, options, play) {
  const pace = options?.tokensPerSecond;
  if (pace !== undefined && !(typeof pace === "number" && pace > 0)) throw invalid("tokensPerSecond", "a positive number", pace);
  const isAsked = typeof turns === "function";
  if (!isAsked && !Array.isArray(turns)) throw invalid("turns", "an array of turns or a function", turns);
  const list = isAsked ? [] : Array.from(turns, (turn, index) => {
    try {
      return read(turn);
    } catch (error) {
      throw misuse("invalid_argument", `turns[${index}]: ${describe(error)}`);
    }
  });
  const turnOf = async (call, context) => {
    if (isAsked) return read(await turns(context, call));
    if (call >= list.length) throw new Error(`The script has ${list.length} turns, and this is model call ${call + 1}.`);
    return list[call];
  };
  let calls = 0;
  return (model, context, options) => {
    const call = calls++;
    const fetch = async () => {
      const turn = await turnOf(call, context).catch((error) => ({ error: { message: `The script failed: ${describe(error)}`, status: 400 } }));
      return respond(turn, pace);
    };
    // Turns are written for this wire; messages keep the names of the app's own.
    const wire = { ...model, provider: model?.provider ?? model?.api, api: "openai-completions" };
    return named(play(wire, context, { fetch, signal: options?.signal, timeoutMs: 0, idleTimeoutMs: 0 }), { api: model?.api });
  };
}

/** The same stream, of messages with these names. */
function named(stream, names) {
  const renamed = (event) => {
    const key = ["partial", "message", "error"].find((key) => key in event);
    return { ...event, [key]: { ...event[key], ...names } };
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: async () => {
      const step = await stream.next();
      return step.done ? step : { ...step, value: renamed(step.value) };
    },
    return: (value) => stream.return(value),
    result: async () => ({ ...(await stream.result()), ...names }),
  };
}

// ---- reading

/** A copy of a turn, or an error that says why it is none. */
function read(given) {
  if (!isPlainObject(given)) throw new Error(`a turn is an object such as { text: "Hi" }, but this is ${kind(given)}`);
  const turn = JSON.parse(JSON.stringify(given));
  const unknown = Object.keys(turn).find((key) => !Object.hasOwn(TURN, key));
  if (unknown !== undefined) throw new Error(`a turn has no "${unknown}". It has ${Object.keys(TURN).join(", ")}`);
  check(turn, "", TURN);
  if (turn.stopReason && !Object.hasOwn(STOP_REASONS, turn.stopReason)) mismatch("stopReason", '"stop", "length" or "toolUse"', turn.stopReason);
  for (const [index, call] of (turn.toolCalls ?? []).entries()) check(call, `toolCalls[${index}]`, { id: "string", name: "string" }, "name");
  if (turn.usage) check(turn.usage, "usage", { input: "number", output: "number", cacheRead: "number", cacheWrite: "number" });
  if (turn.error) check(turn.error, "error", { message: "string", status: "number", retryAfterMs: "number" }, "message");
  return turn;
}

/** Checks the types of what is there; `required` must be. */
function check(object, place, types, required) {
  if (!isPlainObject(object)) mismatch(place, "an object", object);
  for (const [key, type] of Object.entries(types)) {
    const value = object[key] ?? undefined;
    const found = Array.isArray(value) ? "array" : typeof value;
    if (found !== type && (value !== undefined || key === required)) {
      mismatch(place ? `${place}.${key}` : key, `${type === "array" || type === "object" ? "an" : "a"} ${type}`, value);
    }
  }
}

function mismatch(place, expected, found) {
  throw new Error(`${place} must be ${expected}, but is ${kind(found)}`);
}

// ---- writing

/** The response that a provider would send for a turn, at a given pace. */
function respond(turn, tokensPerSecond) {
  const { error } = turn;
  if (error?.status == null) return streamed(frames(turn), tokensPerSecond);
  const headers = { "content-type": "application/json" };
  if (error.retryAfterMs != null) headers["retry-after-ms"] = String(error.retryAfterMs);
  return new Response(JSON.stringify(failure(error)), { status: error.status, headers });
}

/** The body of a turn: one frame per token, in order. */
function frames({ thinking, text, toolCalls, stopReason, usage, error, cut }) {
  const list = [choice({ role: "assistant", content: "" })];
  for (const token of tokens(thinking)) list.push(choice({ reasoning_content: token }));
  for (const token of tokens(text)) list.push(choice({ content: token }));
  const calls = toolCalls ?? [];
  calls.forEach((call, index) => {
    const more = (members) => list.push(choice({ tool_calls: [{ index, ...members }] }));
    more({ id: call.id ?? undefined, type: "function", function: { name: call.name, arguments: "" } });
    // A string is JSON text, right or wrong.
    const json = typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments ?? {});
    for (const token of tokens(json)) more({ function: { arguments: token } });
  });
  if (error) {
    list.push(frame(failure(error)));
  } else if (!cut) {
    list.push(choice({}, stopReason ? STOP_REASONS[stopReason] : calls.length > 0 ? "tool_calls" : "stop"));
    if (usage) list.push(chunk({ choices: [], usage: counts(usage) }));
    list.push("data: [DONE]\n\n");
  }
  return list;
}

const tokens = (text) => text?.match(TOKEN) ?? [];
const frame = (data) => `data: ${JSON.stringify(data)}\n\n`;
const chunk = (members) => frame({ id: "chatcmpl-script", object: "chat.completion.chunk", ...members });
const choice = (delta, finish_reason) => chunk({ choices: [{ index: 0, delta, finish_reason }] });
const failure = ({ message }) => ({ error: { message, type: "server_error" } });

function counts(usage) {
  const [input, output, read, write] = ["input", "output", "cacheRead", "cacheWrite"].map((key) => Math.max(0, Math.round(usage[key] ?? 0)));
  const prompt_tokens = input + read + write;
  return {
    prompt_tokens, completion_tokens: output, total_tokens: prompt_tokens + output,
    prompt_tokens_details: { cached_tokens: read, cache_write_tokens: write },
  };
}

/** A response that streams chunks of text, several at once or at a pace. */
function streamed(chunks, tokensPerSecond) {
  const encoder = new TextEncoder();
  const began = performance.now();
  let sent = 0;
  const body = new ReadableStream({
    async pull(controller) {
      let due = sent + TOKENS_PER_CHUNK;
      if (tokensPerSecond) {
        const isDueAt = began + ((sent + 1) * 1000) / tokensPerSecond;
        await new Promise((resolve) => setTimeout(resolve, isDueAt - performance.now()));
        due = Math.max(sent + 1, Math.floor(((performance.now() - began) * tokensPerSecond) / 1000));
      }
      if (sent < chunks.length) controller.enqueue(encoder.encode(chunks.slice(sent, due).join("")));
      sent = due;
      if (sent >= chunks.length) controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}
