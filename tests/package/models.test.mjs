// The list of a host's models, through the page's own fetch.
import assert from "node:assert/strict";
import { browserTests } from "./browser.mjs";

const pageTest = browserTests();

const KEY = "sk-secret-0123456789";

/** Lists the models, and returns what came of it as data. `abortAt` aborts as soon as a request is there. */
const list = (page, { baseUrl, key = KEY, headers, aborted }) =>
  page.evaluate(async ([baseUrl, key, headers, aborted]) => {
    globalThis.controller = new AbortController();
    if (aborted) controller.abort("not now");
    try {
      return { models: await sluice.listModels(baseUrl, key ?? undefined, { headers: headers ?? undefined, signal: controller.signal }) };
    } catch (error) {
      const { name, code, status, retryable, message } = error;
      return { isError: error instanceof Error, name, code, status, retryable, message };
    }
  }, [baseUrl, key, headers, aborted]);

const json = (body, rest) => ({ type: "application/json", body: JSON.stringify(body), ...rest });

pageTest("the key goes into the header, and the path behind the root", async ({ page, provider }) => {
  for (const [root, path] of [["/v1", "/v1/models"], ["/v1/", "/v1/models"], ["/v1?api-version=7", "/v1/models?api-version=7"]]) {
    provider.answer(json({ object: "list", data: [{ id: "a" }, { id: "b" }] }));
    const result = await list(page, { baseUrl: provider.url + root, headers: { "x-title": "chat" } });
    assert.deepEqual(result, { models: [{ id: "a" }, { id: "b" }] });
    const request = provider.requests.at(-1);
    assert.deepEqual([request.method, request.path, request.headers.authorization, request.headers["x-title"]], ["GET", path, `Bearer ${KEY}`, "chat"]);
  }
  provider.answer(json({ data: [] }));
  assert.deepEqual(await list(page, { baseUrl: `${provider.url}/v1`, key: null }), { models: [] });
  assert.equal(provider.requests.at(-1).headers.authorization, undefined);
});

const entries = [
  ["OpenAI and Ollama", { id: "gpt", object: "model", created: 1, owned_by: "x" }, { id: "gpt" }],
  ["Groq", { id: "llama", context_window: 131072, max_completion_tokens: 8192 }, { id: "llama", contextWindow: 131072 }],
  [
    "OpenRouter",
    {
      id: "a/b", name: "A: B", context_length: 200000, architecture: { input_modalities: ["file", "image", "text", "audio"] },
      pricing: { prompt: "0.000003", completion: "0.000015", input_cache_read: "0.0000003", input_cache_write: "0.00000375", request: "0" },
      supported_parameters: ["tools", "reasoning"],
    },
    {
      id: "a/b", name: "A: B", contextWindow: 200000, input: ["text", "image"], reasoning: true,
      cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    },
  ],
  [
    "a router that chooses",
    { id: "auto", name: "Auto", context_length: 0, pricing: { prompt: "-1", completion: "-1" }, supported_parameters: [] },
    { id: "auto", name: "Auto", reasoning: false },
  ],
  ["Mistral", { id: "m", name: "m-latest", max_context_length: 32768 }, { id: "m", name: "m-latest", contextWindow: 32768 }],
  ["vLLM", { id: "q", max_model_len: 40960 }, { id: "q", contextWindow: 40960 }],
  ["llama.cpp", { id: "g.gguf", meta: { n_ctx_train: 8192 } }, { id: "g.gguf", contextWindow: 8192 }],
  ["Google", { id: "models/gemini", display_name: "Gemini" }, { id: "models/gemini", name: "Gemini" }],
  ["nobody we know", { id: "x", name: 7, context_length: "many", architecture: null, pricing: { prompt: 1 }, meta: null }, { id: "x" }],
];

pageTest("every host's own words for a model are understood, and what it does not say is absent", async ({ page, provider }) => {
  const noise = [null, 7, "id", {}, { id: "" }, { id: 7 }];
  for (const wrap of [(data) => ({ data }), (data) => data]) {
    provider.answer(json(wrap([...noise, ...entries.map(([, entry]) => entry)])));
    const { models } = await list(page, { baseUrl: `${provider.url}/v1` });
    for (const [index, [host, , expected]] of entries.entries()) assert.deepEqual(models[index], expected, host);
    assert.equal(models.length, entries.length);
  }
});

pageTest("a listed model can be called", async ({ page, provider }) => {
  provider.answer(json({ data: [{ id: "m", context_length: 9000 }] }), 'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n');
  const said = await page.evaluate(async (baseUrl) => {
    const [model] = await sluice.listModels(baseUrl);
    const agent = newAgent({ api: "openai-completions", baseUrl, ...model });
    await agent.prompt("Go");
    return agent.state.messages.at(-1).content[0].text;
  }, `${provider.url}/v1`);
  assert.equal(said, "Hi");
  assert.equal(provider.requests[1].body.model, "m");
});

const failures = [
  ["the key is wrong", json({ error: { message: `Incorrect API key: ${KEY}.`, code: "invalid_api_key" } }, { status: 401 }), { code: "auth", status: 401, retryable: false }, /401 Incorrect API key: \[hidden\]\. Check the key\.$/],
  ["there are too many requests", json({ error: "Slow down" }, { status: 429 }), { code: "rate_limit", status: 429, retryable: true }, /429 Slow down$/],
  ["the credit is used up", json({ message: "No credit." }, { status: 402 }), { code: "rate_limit", status: 402, retryable: false }, /402 No credit\.$/],
  ["there is no such path", { status: 404, type: "text/html", body: "<!doctype html>" }, { code: "invalid_request", status: 404, retryable: false }, /404 with an HTML page in place of an error message$/],
  ["the error is a list", json([{ error: { code: 400, message: "bad" } }], { status: 400 }), { code: "invalid_request", status: 400, retryable: false }, /400 bad$/],
  ["the host is down", { status: 503, type: "text/plain", body: "" }, { code: "overloaded", status: 503, retryable: true }, /503 without a message$/],
  ["the error is unreadable", json({ a: { b: 1 } }, { status: 500 }), { code: "http", status: 500, retryable: true }, /500 with an error of unknown form$/],
  ["the error is long", { status: 500, type: "text/plain", body: "é".repeat(5000) }, { code: "http", status: 500, retryable: true }, /^.{601}$/],
  ["a page comes", { type: "text/html", body: "<!doctype html><title>Log in</title>" }, { code: "bad_response", status: 200 }, /status 200 and content type "text\/html" in place of a list of models\. Check baseUrl\.$/],
  ["an error comes as a success", json({ error: { message: "Log in first." } }), { code: "bad_response", status: 200 }, /status 200 and "Log in first\." in place of a list of models\. Check baseUrl\.$/],
  ["other JSON comes", json({ models: [] }), { code: "bad_response", status: 200 }, /in place of a list of models/],
  ["the body breaks", { type: "application/json", body: '{"data":[{"id":"a"}]}', breakAt: 9, headers: { "content-length": "21" } }, { code: "network", retryable: true }, /could not be reached: /],
];

pageTest("a short key is hidden where it stands by itself", async ({ page, provider }) => {
  provider.answer(json({ error: { message: "Key k.y+ of k.y+s is not kxy+." } }, { status: 401 }));
  const failure = await page.evaluate((url) => failureOf(() => sluice.listModels(url, "k.y+")), `${provider.url}/v1`);
  assert.match(failure.message, /Key \[hidden\] of k\.y\+s is not kxy\+\./);
});

for (const [when, answer, expected, message] of failures) {
  pageTest(`when ${when}, the promise rejects with a code, the host's sentence and no key`, async ({ page, provider }) => {
    provider.answer(answer);
    const result = await list(page, { baseUrl: `${provider.url}/v1` });
    const { isError, name, code, status, retryable } = result;
    assert.deepEqual({ isError, name, code, status, retryable }, { isError: true, name: "SluiceError", status: undefined, retryable: undefined, ...expected });
    assert.match(result.message, message);
    assert.ok(result.message.startsWith(`${new URL(provider.url).host}: `) && !result.message.includes(KEY), result.message);
  });
}

pageTest("when nobody listens, or the URL has a password, it is a network error without the password", async ({ page }) => {
  const gone = await list(page, { baseUrl: "http://127.0.0.1:9/v1" });
  assert.deepEqual([gone.code, gone.retryable], ["network", true]);
  assert.match(gone.message, /^127\.0\.0\.1:9: could not be reached: .+\(CORS\), .+\(connect-src\)\.$/);
  const told = await list(page, { baseUrl: "http://me:hunter2@127.0.0.1:9/v1" });
  assert.equal(told.code, "network");
  assert.ok(!told.message.includes("hunter2"), told.message);
});

pageTest("an abort rejects at once, before the request and while it hangs", async ({ page, provider }) => {
  const before = await list(page, { baseUrl: `${provider.url}/v1`, aborted: true });
  assert.deepEqual([before.name, before.code, provider.requests.length], ["SluiceError", "aborted", 0]);
  for (const answer of [{ noHeaders: true }, { type: "application/json", body: '{"data":[', stallAt: 5 }]) {
    provider.answer(answer);
    const pending = list(page, { baseUrl: `${provider.url}/v1` });
    const request = await provider.request(provider.requests.length);
    await page.evaluate(() => controller.abort(new Error("not now")));
    assert.equal((await pending).code, "aborted");
    assert.equal(await request.outcome, "cancelled");
  }
});

pageTest("calls that cannot be right are refused by name", async ({ page }) => {
  const said = await page.evaluate(async () => {
    const calls = [[], [""], [7], ["https://h", 7], ["https://h", "k", 7], ["https://h", "k", { header: {} }]];
    return Promise.all(calls.map((call) => failureOf(() => sluice.listModels(...call))));
  });
  for (const { name, code } of said) assert.deepEqual([name, code], ["SluiceError", "invalid_argument"]);
  assert.match(said[3].message, /apiKey must be a string/);
  assert.match(said[5].message, /have no "header". The name is headers/);
});
