// A scripted response: chunks of text as the body of a real Response, at a given pace.

/** Tokens that come together when no pace is given: about what a network chunk holds. */
const TOKENS_PER_CHUNK = 8;

export function respond(chunks, status, contentType, retryAfterMs, tokensPerSecond) {
  const headers = { "content-type": contentType };
  if (retryAfterMs !== undefined) headers["retry-after-ms"] = String(retryAfterMs);
  const encoder = new TextEncoder();
  const began = performance.now();
  let sent = 0;
  const body = new ReadableStream({
    async pull(controller) {
      let due = sent + TOKENS_PER_CHUNK;
      if (tokensPerSecond > 0) {
        const isDueAt = began + ((sent + 1) * 1000) / tokensPerSecond;
        await new Promise((resolve) => setTimeout(resolve, isDueAt - performance.now()));
        due = Math.max(sent + 1, Math.floor(((performance.now() - began) * tokensPerSecond) / 1000));
      }
      if (sent < chunks.length) controller.enqueue(encoder.encode(chunks.slice(sent, due).join("")));
      sent = due;
      if (sent >= chunks.length) controller.close();
    },
  });
  return new Response(body, { status, headers });
}
