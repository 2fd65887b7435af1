// A backend that holds the key: it takes the requests of `streamProxy`, calls the provider with the package itself,
// and passes the events on. Node alone, no framework. `node proxy-server.mjs` serves the models below.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { initSync, streamSimple } from "sluice-agent";

initSync({ module: readFileSync(createRequire(import.meta.url).resolve("sluice-agent/sluice_agent_bg.wasm")) });

const LARGEST_BODY = 32 * 1024 * 1024;

/**
 * A listener for `createServer`.
 *
 * - `findModel(asked)`: the model to call and its key, `{ model, apiKey }`, or undefined. Take only the id of what the
 *   page asks for: a `baseUrl` of the page's would send your key to wherever it likes.
 * - `isAllowed(token, request)`: whether this user may make calls.
 * - `origin`: the page's, when it is another one than the server's.
 */
export function proxy({ findModel, isAllowed, origin }) {
  return (request, response) => {
    serve({ findModel, isAllowed, origin }, request, response).catch((error) => {
      console.error(error);
      if (response.headersSent) response.destroy();
      else refuse(response, 500, "The server failed.");
    });
  };
}

async function serve({ findModel, isAllowed, origin }, request, response) {
  if (origin !== undefined) {
    response.setHeader("access-control-allow-origin", origin);
    response.setHeader("access-control-allow-headers", "authorization, content-type");
  }
  if (request.method === "OPTIONS") return response.writeHead(204).end();
  if (request.method !== "POST" || new URL(request.url, "http://host").pathname !== "/api/stream") {
    return refuse(response, 404, "Requests go to POST /api/stream.");
  }
  const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
  if (!(await isAllowed(token, request))) return refuse(response, 401, "The token is not valid.");
  let asked;
  try {
    asked = JSON.parse(await readBody(request));
  } catch (error) {
    return refuse(response, 400, `The body cannot be read: ${error.message}`);
  }
  const found = await findModel(asked.model ?? {});
  if (found === undefined) return refuse(response, 400, "This server does not offer the model.");

  // When the page goes away, the call ends too.
  const controller = new AbortController();
  response.on("close", () => controller.abort());
  let events;
  try {
    events = streamSimple(found.model, asked.context, { ...pick(asked.options), apiKey: found.apiKey, signal: controller.signal });
  } catch (error) {
    return refuse(response, 400, error.message);
  }
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for await (const event of events) {
    const isRead = response.write(`data: ${JSON.stringify(withoutPartial(event))}\n\n`);
    if (!isRead && !controller.signal.aborted) await drained(response);
  }
  response.end();
}

/** The options that a page may set. */
function pick({ reasoning, temperature, maxTokens, toolChoice, cacheRetention, sessionId, thinkingBudgets } = {}) {
  return { reasoning, temperature, maxTokens, toolChoice, cacheRetention, sessionId, thinkingBudgets };
}

/** An event as it goes over the wire: without the message so far, with what only that says. */
function withoutPartial(event) {
  const { type, contentIndex } = event;
  const block = event.partial?.content[contentIndex];
  switch (type) {
    case "text_delta":
    case "thinking_delta":
    case "toolcall_delta":
      return { type, contentIndex, delta: event.delta };
    case "text_end":
      return { type, contentIndex, contentSignature: block.textSignature };
    case "thinking_end":
      return { type, contentIndex, contentSignature: block.thinkingSignature, redacted: block.redacted };
    case "toolcall_start":
      return { type, contentIndex, id: block.id, toolName: block.name };
    case "toolcall_end":
      return { type, contentIndex, contentSignature: event.toolCall.thoughtSignature };
    case "image_end":
      return { type, contentIndex, content: event.content };
    case "done":
      return { type, reason: event.reason, usage: event.message.usage, responseId: event.message.responseId };
    case "error": {
      const { errorMessage, error, usage, responseId } = event.error;
      return { type, reason: event.reason, errorMessage, error, usage, responseId };
    }
    default:
      return { type, contentIndex };
  }
}

function refuse(response, status, error) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error }));
}

async function readBody(request) {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
    if (text.length > LARGEST_BODY) throw new Error("it is too long");
  }
  return text;
}

/** Resolves when the page has read what was written, or is gone. */
function drained(response) {
  return new Promise((resolve) => {
    response.once("drain", resolve);
    response.once("close", resolve);
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { PROXY_TOKEN, OPENAI_API_KEY, PORT = "8787", ORIGIN } = process.env;
  if (!PROXY_TOKEN || !OPENAI_API_KEY) throw new Error("Set PROXY_TOKEN and OPENAI_API_KEY.");
  const models = { "gpt-4o-mini": { id: "gpt-4o-mini", api: "openai-completions" } };
  const server = createServer(proxy({
    origin: ORIGIN,
    isAllowed: (token) => token === PROXY_TOKEN,
    findModel: ({ id }) => (Object.hasOwn(models, id) ? { model: models[id], apiKey: OPENAI_API_KEY } : undefined),
  }));
  server.listen(Number(PORT), () => console.log(`http://localhost:${PORT}/api/stream`));
}
