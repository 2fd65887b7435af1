// The schemas of libraries, in the versions that people install: what a model is told, what a tool gets, what is refused.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { Agent, initSync } from "sluice-agent";
import Type from "typebox";
import Value from "typebox/value";
import * as v from "valibot";
import * as z from "zod";
import * as mini from "zod/mini";
import { answer, toolAnswer } from "./streams.mjs";

initSync({ module: readFileSync(fileURLToPath(import.meta.resolve("sluice-agent/sluice_agent_bg.wasm"))) });

/** Lets a model call a tool with these arguments; returns what came of it. */
async function callTool(tool, args) {
  const ran = [];
  const execute = (_id, params) => (ran.push(params), "ran");
  const answers = [toolAnswer("call_1", "trip", args), answer("Fine.")];
  let told;
  const fetch = async (_url, { body }) => {
    told = JSON.parse(body).tools[0].function.parameters;
    return new Response(answers.shift(), { headers: { "content-type": "text/event-stream" } });
  };
  const agent = new Agent({ initialState: { model: { id: "demo", api: "openai-completions" }, tools: [{ name: "trip", ...tool, execute }] }, fetch });
  await agent.prompt("Go");
  const { content, isError } = agent.state.messages[2];
  return { params: ran[0], runs: ran.length, text: content[0].text, isError, told };
}

/** One tool in the words of each library: a city, whole days from 1 on, perhaps stops, a date as text, a limit with a default. */
const tools = {
  ArkType: {
    parameters: type({ city: "string", days: "number.integer >= 1", "stops?": type({ at: "string" }).array(), "when?": "string.date.parse", limit: "number = 10" })
      .narrow((trip, context) => trip.city !== "Atlantis" || context.reject({ path: ["city"], expected: "a place that exists" })),
  },
  Zod: {
    parameters: z.object({
      city: z.string().refine((city) => city !== "Atlantis", "must be a place that exists"), days: z.int().min(1), stops: z.array(z.object({ at: z.string() })).optional(),
      when: z.string().transform((text) => new Date(text)).optional(), limit: z.number().default(10),
    }),
  },
  Valibot: {
    parameters: toStandardJsonSchema(v.object({
      city: v.pipe(v.string(), v.check((city) => city !== "Atlantis", "must be a place that exists")), days: v.pipe(v.number(), v.integer(), v.minValue(1)), stops: v.optional(v.array(v.object({ at: v.string() }))),
      when: v.optional(v.pipe(v.string(), v.transform((text) => new Date(text)))), limit: v.optional(v.number(), 10),
    })),
  },
};

// Zod Mini leaves out what gives the JSON Schema. A function that anybody may call has it.
const small = mini.object({
  city: mini.string().check(mini.refine((city) => city !== "Atlantis", "must be a place that exists")), days: mini.int().check(mini.minimum(1)), stops: mini.optional(mini.array(mini.object({ at: mini.string() }))),
  when: mini.optional(mini.pipe(mini.string(), mini.transform((text) => new Date(text)))), limit: mini._default(mini.number(), 10),
});
tools["Zod Mini"] = {
  parameters: mini.toJSONSchema(small, { io: "input" }),
  validate(args) {
    const { success, data, error } = small.safeParse(args);
    if (!success) throw new Error(error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("\n"));
    return data;
  },
};

// TypeBox makes plain JSON Schema. What it decodes and fills in besides is the tool's last word.
const typebox = Type.Object({
  city: Type.String(), days: Type.Integer({ minimum: 1 }), stops: Type.Optional(Type.Array(Type.Object({ at: Type.String() }))),
  when: Type.Optional(Type.Codec(Type.String()).Decode((text) => new Date(text)).Encode((date) => date.toISOString())),
  limit: Type.Optional(Type.Number({ default: 10 })),
});
tools.TypeBox = {
  parameters: typebox,
  validate(args) {
    if (args.city === "Atlantis") throw new Error("city: must be a place that exists");
    return Value.Decode(typebox, Value.Default(typebox, args));
  },
};

for (const [library, tool] of Object.entries(tools)) {
  test(`${library}: the model is told what may be written, and the tool gets what the library makes of it`, async () => {
    const { params, told } = await callTool(tool, { city: "Paris", days: 3, when: "2026-01-02T00:00:00Z" });
    const { city, days, stops, when, limit } = told.properties;
    assert.deepEqual([told.type, city.type, days.type, days.minimum, stops.items.properties.at.type, when.type, limit.type], ["object", "string", "integer", 1, "string", "string", "number"]);
    assert.deepEqual([...told.required].sort(), ["city", "days"]);
    assert.deepEqual(params, { city: "Paris", days: 3, when: new Date("2026-01-02T00:00:00Z"), limit: 10 });
    assert.ok(params.when instanceof Date);
  });

  test(`${library}: arguments that are nearly right are put right before it sees them`, async () => {
    const { params } = await callTool(tool, { city: "Paris", days: "3", stops: { at: "Lyon" }, when: null, limit: "5" });
    assert.deepEqual(params, { city: "Paris", days: 3, stops: [{ at: "Lyon" }], limit: 5 });
  });

  test(`${library}: a mismatch is an error that names the path, and the tool does not run`, async () => {
    for (const [args, path] of [
      [{ city: "Paris", days: "some" }, /^- days: expected integer, got string "some"/m],
      [{ city: "Paris", days: 0 }, /^- days: .*1/m],
      [{ city: "Paris", days: 1, stops: [{ at: "Lyon" }, {}] }, /^- stops\[1\]: missing required property "at"/m],
      [{ days: 1 }, /^- missing required property "city"/m],
      // Only the library knows this rule.
      [{ city: "Atlantis", days: 1 }, /^- city:? must be a place that exists/m],
    ]) {
      const { runs, isError, text } = await callTool(tool, args);
      assert.deepEqual([runs, isError], [0, true], text);
      assert.match(text, path);
    }
  });
}

for (const [what, parameters, message] of [
  ["a date of Zod", z.object({ when: z.date() }), /^tools\[0\]\.parameters: its JSON Schema cannot be made: Date cannot be represented in JSON Schema/],
  ["a bigint of Zod", z.object({ count: z.bigint() }), /^tools\[0\]\.parameters: its JSON Schema cannot be made: BigInt cannot be represented/],
  ["a date of Valibot", toStandardJsonSchema(v.object({ when: v.date() })), /^tools\[0\]\.parameters: its JSON Schema cannot be made: The "date" schema cannot be converted/],
  ["Zod Mini", mini.object({ city: mini.string() }), /^tools\[0\]\.parameters: this schema \(zod\) cannot give its JSON Schema\. .*Zod Mini: z\.toJSONSchema\(schema, \{ io: "input" \}\)/],
  ["Valibot without its converter", v.object({ city: v.string() }), /^tools\[0\]\.parameters: this schema \(valibot\) cannot give its JSON Schema\. .*toStandardJsonSchema of @valibot\/to-json-schema/],
]) {
  test(`what no model can be told is refused when the tool is set: ${what}`, () => {
    const set = () => new Agent({ initialState: { tools: [{ name: "trip", parameters, execute: () => "ran" }] } });
    assert.throws(set, (error) => error.name === "SluiceError" && error.code === "invalid_argument" && message.test(error.message) || assert.fail(error.message));
  });
}

test("ArkType tells a model that a Date may be anything, so what was written is refused by its path", async () => {
  const { told, runs, text } = await callTool({ parameters: type({ when: "Date" }) }, { when: "2026-01-02" });
  assert.deepEqual([told.properties.when, runs], [{}, 0]);
  assert.match(text, /^- when must be a Date \(was string\)/m);
});
