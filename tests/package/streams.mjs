// Responses as bytes: recorded ones, the repository's own fixtures, and chat completions made up by a test.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const fixtures = fileURLToPath(new URL("fixtures", import.meta.url));
const recorded = process.env.RECORDED_STREAMS ?? fileURLToPath(new URL("../../../shared/recorded", import.meta.url));

/** The responses of a recording as SSE bytes. A file of the Responses protocol may hold several, one behind the other. */
function toBodies(api, text) {
  const responses = [];
  for (const line of text.split("\n").filter((line) => line.trim() !== "")) {
    if (responses.length === 0 || (api === "openai-responses" && JSON.parse(line).type === "response.created")) responses.push([]);
    responses.at(-1).push(line);
  }
  return responses.map((lines) => toSse(api, lines));
}

function toSse(api, lines) {
  const isNamed = api === "anthropic-messages" || api === "openai-responses";
  const frames = lines.map((line) => (isNamed ? `event: ${JSON.parse(line).type}\ndata: ${line}\n\n` : `data: ${line}\n\n`));
  if (api === "openai-completions") frames.push("data: [DONE]\n\n");
  return frames.join("");
}

/** Every recording of a folder with what a correct client makes of it; undefined where there is no such folder. */
function load(folder) {
  if (!existsSync(join(folder, "expected.json"))) return undefined;
  const expected = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8"));
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: api }) =>
      readdirSync(join(folder, api)).sort().map((file) => {
        const name = file.replace(/\.jsonl$/, "");
        return { name, api, bodies: toBodies(api, readFileSync(join(folder, api, file), "utf8")), expected: expected[name] };
      }),
    )
    .filter((recording) => recording.expected !== undefined);
}

export const ownRecordings = load(fixtures);
export const sharedRecordings = load(recorded);

// ---- chat completions

const frame = (choices, rest = {}) =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 0, model: "test", choices, ...rest })}\n\n`;

export const delta = (delta) => frame([{ index: 0, delta, finish_reason: null }]);
export const text = (content) => delta({ content });
export const thinking = (reasoning_content) => delta({ reasoning_content });
/** A piece of a tool call. */
export const call = (index, { id, name, args }) =>
  delta({ tool_calls: [{ index, id, type: id && "function", function: { name, arguments: args } }] });
export const finish = (finish_reason) => frame([{ index: 0, delta: {}, finish_reason }]);
export const usage = (prompt_tokens, completion_tokens) =>
  frame([], { usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens } });
export const done = "data: [DONE]\n\n";

/** A whole answer of text, one delta a piece. */
export const answer = (...pieces) => [...pieces.map(text), finish("stop"), done].join("");
/** A whole answer that calls one tool. */
export const toolAnswer = (id, name, args) =>
  [call(0, { id, name, args: "" }), call(0, { args: JSON.stringify(args) }), finish("tool_calls"), done].join("");
