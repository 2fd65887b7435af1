// A model provider on loopback that answers as it is told, faults included, and remembers what it saw.
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Starts the server. Every test takes a `provider()` of its own: an address, answers, and the requests that came.
 *
 * An answer is `{ body, status, type, headers }` and, for faults, one of
 * - `noHeaders`: the request is taken and never answered,
 * - `stallAt`: silence behind so many bytes of the body,
 * - `breakAt`: the connection breaks behind so many bytes.
 * `pieces` is the largest size of a chunk (24 when absent): bodies are cut at arbitrary bytes, so in
 * the middle of characters too.
 */
export async function startServer() {
  const providers = [];
  const server = createServer((request, response) => {
    serve(providers, request, response).catch((error) => response.destroy(error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  return {
    provider() {
      const provider = new Provider(`${url}/${providers.length}`);
      providers.push(provider);
      return provider;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

class Provider {
  requests = [];
  #answers = [];
  #waiting = [];

  constructor(url) {
    this.url = url;
  }

  /** A model that is served here. */
  get model() {
    return { id: "test", api: "openai-completions", provider: "test", baseUrl: `${this.url}/v1` };
  }

  /** The answers to the next requests, in order. A string is a stream of these bytes. */
  answer(...answers) {
    this.#answers.push(...answers.map((answer) => (typeof answer === "string" ? { body: answer } : answer)));
    return this;
  }

  /** Resolves with the request of this number, as soon as it is there. */
  async request(number) {
    while (this.requests.length <= number) await new Promise((resolve) => this.#waiting.push(resolve));
    return this.requests[number];
  }

  take(request) {
    this.requests.push(request);
    for (const resolve of this.#waiting.splice(0)) resolve();
    return this.#answers.shift() ?? { status: 500, type: "text/plain", body: "The test gave no answer for this request." };
  }
}

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "*",
  "access-control-expose-headers": "retry-after, retry-after-ms",
};

async function serve(providers, request, response) {
  if (request.method === "OPTIONS") {
    response.writeHead(204, { ...CORS, "access-control-allow-headers": request.headers["access-control-request-headers"] ?? "*" });
    response.end();
    return;
  }
  const provider = providers[Number(request.url.split("/")[1])];
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  const seen = { method: request.method, path: request.url.replace(/^\/\d+/, ""), headers: request.headers, text, body: text === "" ? undefined : JSON.parse(text) };
  let isOurs = false;
  /** "complete" or "broken" when the server was done, "cancelled" when the client went before. */
  seen.outcome = once(response, "close").then(() => (isOurs ? "broken" : response.writableFinished ? "complete" : "cancelled"));
  const answer = provider.take(seen);
  if (answer.noHeaders) return;

  response.writeHead(answer.status ?? 200, { ...CORS, "content-type": answer.type ?? "text/event-stream", ...answer.headers });
  response.flushHeaders();
  response.socket.setNoDelay();
  const body = Buffer.from(answer.body ?? "");
  const end = answer.breakAt ?? answer.stallAt ?? body.length;
  await send(response, body.subarray(0, end), answer.pieces ?? 24);
  if (answer.stallAt !== undefined) return;
  if (answer.breakAt !== undefined) {
    // A browser throws away what it has not handed to the page when the connection breaks.
    await sleep(READ_MS);
    isOurs = true;
    response.destroy();
  } else {
    response.end();
  }
}

/** Time for a page on a busy machine to read what was written, in milliseconds. */
const READ_MS = 500;

/** Writes the bytes in chunks of 1 to `largest`: the same sizes every time. */
async function send(response, bytes, largest) {
  let state = 7;
  for (let sent = 0; sent < bytes.length && !response.destroyed; ) {
    state = (state * 1103515245 + 12345) % 2147483648;
    const size = 1 + (state % largest);
    response.write(bytes.subarray(sent, sent + size));
    sent += size;
    await sleep(1);
  }
}
