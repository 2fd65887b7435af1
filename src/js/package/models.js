// The models of an OpenAI-compatible host. One GET and a page of reading, so it needs no module.

import { checkOptions } from "../given.js";
import { invalid, misuse } from "../values.js";

/** The models that a host lists, each as far as the host describes it. */
export async function listModels(baseUrl, apiKey, options) {
  if (typeof baseUrl !== "string" || baseUrl === "") throw invalid("baseUrl", "a URL", baseUrl);
  if (apiKey !== undefined && typeof apiKey !== "string") throw invalid("apiKey", "a string", apiKey);
  checkOptions(options, "The options of listModels()", ["headers", "signal", "fetch"]);
  const { headers, signal, fetch = globalThis.fetch } = options ?? {};
  const [root, query] = baseUrl.split("?");
  const url = `${root.replace(/\/+$/, "")}/models${query === undefined ? "" : `?${query}`}`;
  const { host, secrets } = parse(baseUrl, apiKey, headers);
  const failed = (code, message, more) => Object.assign(misuse(code, hide(`${host}: ${message}`, secrets)), more);
  const broken = (error) =>
    signal?.aborted
      ? misuse("aborted", "The request was aborted.")
      : failed("network", `could not be reached: ${error?.message ?? error}. Check the network, the address, that the server allows this page (CORS), and that the page's policy allows the server (connect-src).`, { retryable: true });

  let status, ok, type, text;
  try {
    const authorization = apiKey ? { authorization: `Bearer ${apiKey}` } : {};
    const response = await fetch(url, { headers: { accept: "application/json", ...authorization, ...headers }, signal });
    ({ status, ok } = response);
    if (!status) throw new Error("the response is none of the server's");
    type = response.headers.get("content-type") ?? "no content type";
    text = await response.text();
  } catch (error) {
    throw broken(error);
  }
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    // Not JSON: below.
  }
  if (!ok) {
    const code = codeOf(status);
    const said = `${status} ${sentence(body) ?? wordsOf(text)}`;
    const advice = code === "auth" ? `${/[.!?]$/.test(said) ? "" : "."} ${apiKey ? "Check the key." : "Give a key."}` : "";
    throw failed(code, said + advice, { status, retryable: code === "timeout" || status === 429 || status >= 500 });
  }
  // Together sends the list itself.
  const list = Array.isArray(body) ? body : body?.data;
  if (!Array.isArray(list)) {
    const said = sentence(body?.error);
    throw failed("bad_response", `answered with status ${status} and ${said ? `"${said}"` : `content type "${type}"`} in place of a list of models. Check baseUrl.`, { status });
  }
  return list.filter((entry) => typeof entry?.id === "string" && entry.id !== "").map(describe);
}

/** An entry in our words. What the host does not say, or says as another type, is absent. */
function describe(entry) {
  const { pricing, architecture, supported_parameters } = entry;
  const found = {
    id: entry.id,
    // OpenRouter and Mistral; Together and Google.
    name: text(entry.name) ?? text(entry.display_name),
    contextWindow: tokens(
      entry.context_length, // OpenRouter, Together, Fireworks, Moonshot
      entry.context_window, // Groq
      entry.max_context_length, // Mistral, LM Studio
      entry.max_model_len, // vLLM
      entry.meta?.n_ctx_train, // llama.cpp
    ),
    input: inputs(architecture?.input_modalities),
    reasoning: Array.isArray(supported_parameters) ? supported_parameters.includes("reasoning") : undefined,
    cost: cost(pricing),
  };
  for (const key of Object.keys(found)) if (found[key] === undefined) delete found[key];
  return found;
}

const text = (value) => (typeof value === "string" && value !== "" ? value : undefined);
const tokens = (...values) => values.find((value) => Number.isFinite(value) && value > 0);

function inputs(modalities) {
  if (!Array.isArray(modalities)) return undefined;
  return ["text", "image"].filter((kind) => modalities.includes(kind));
}

/** OpenRouter's prices are dollars per token, as text. Those of a router that chooses are negative. */
function cost(pricing) {
  const perMillion = (price) => (typeof price === "string" && Number(price) >= 0 ? Number((Number(price) * 1e6).toPrecision(12)) : undefined);
  const [input, output] = [perMillion(pricing?.prompt), perMillion(pricing?.completion)];
  if (input === undefined || output === undefined) return undefined;
  return {
    input, output,
    cacheRead: perMillion(pricing.input_cache_read) ?? 0,
    cacheWrite: perMillion(pricing.input_cache_write) ?? 0,
  };
}

function codeOf(status) {
  if (status === 401 || status === 403) return "auth";
  if (status === 402 || status === 429) return "rate_limit";
  if (status === 408) return "timeout";
  if (status >= 502) return "overloaded";
  return status >= 400 && status < 500 ? "invalid_request" : "http";
}

/** The provider's sentence in the body of a failure, in the places where providers have it. */
function sentence(body) {
  if (Array.isArray(body)) return sentence(body[0]);
  if (typeof body !== "object" || body === null) return text(body);
  return sentence(body.error ?? body.message ?? body.detail);
}

function wordsOf(body) {
  const words = body.trim();
  if (words === "") return "without a message";
  if (words.startsWith("<")) return "with an HTML page in place of an error message";
  return /^[{[]/.test(words) ? "with an error of unknown form" : words;
}

/** Who is asked, for people, and what no message may hold. */
function parse(baseUrl, apiKey, headers) {
  const [, user, host] = /^(?:[a-z]+:)?\/\/(?:([^/?#]*)@)?([^/?#]*)/i.exec(baseUrl) ?? [];
  const values = Object.values(headers ?? {}).map((value) => String(value).split(" ").at(-1));
  const secrets = [apiKey, ...values].filter((secret) => secret?.length >= LONG_SECRET).map(literal);
  if (user) secrets.push(literal(`${user}@`));
  if (apiKey?.length >= SHORTEST_KEY) secrets.push(`(?<![\\w-])${literal(apiKey)}(?![\\w-])`);
  return { host: host || "The server", secrets };
}

const literal = (text) => text.replace(/[^\w\s]/g, "\\$&");

/** What is shorter may be a word or a part of one: of such only the key is hidden, where it stands by itself. */
const LONG_SECRET = 12;
const SHORTEST_KEY = 4;
const LONGEST_MESSAGE = 600;

/** One line of bounded length, without the secrets. */
function hide(message, secrets) {
  for (const secret of secrets) message = message.replace(new RegExp(secret, "g"), "[hidden]");
  const line = message.replace(/\s+/g, " ");
  return line.length > LONGEST_MESSAGE ? `${line.slice(0, LONGEST_MESSAGE)}…` : line;
}
