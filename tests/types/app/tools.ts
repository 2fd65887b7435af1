// `params` has the type that the schema describes.
import { Agent, type AgentTool, type AgentToolResult, type AgentToolUpdateCallback, type AnyTool, defineTool, type Infer } from "sluice-agent";
import { check, type Same } from "./expect.js";

const search = defineTool({
  name: "search",
  label: "Search",
  description: "Searches.",
  parameters: {
    type: "object",
    properties: {
      query: { type: "string", minLength: 1 },
      limit: { type: "integer", default: 10 },
      exact: { type: "boolean" },
      sort: { enum: ["date", "rank"] },
      order: { type: "string", enum: ["up", "down"] },
      version: { const: 2 },
      tags: { type: "array", items: { type: "string" } },
      range: {
        type: "object",
        properties: { from: { type: "number" }, to: { type: ["number", "null"] } },
        required: ["from"],
      },
      places: { type: "array", items: { type: "object", properties: { id: { type: "string" } }, required: ["id"] } },
      either: { anyOf: [{ type: "string" }, { type: "number" }] },
      free: { type: "object" },
    },
    required: ["query", "sort", "tags"],
  },
  execute: async (toolCallId, params, signal, onUpdate) => {
    check<Same<typeof toolCallId, string>>();
    check<Same<typeof signal, AbortSignal>>();
    check<Same<typeof onUpdate, AgentToolUpdateCallback>>();
    check<Same<typeof params.query, string>>();
    check<Same<typeof params.limit, number | undefined>>();
    check<Same<typeof params.exact, boolean | undefined>>();
    check<Same<typeof params.sort, "date" | "rank">>();
    check<Same<typeof params.order, "up" | "down" | undefined>>();
    check<Same<typeof params.version, 2 | undefined>>();
    check<Same<typeof params.tags, string[]>>();
    check<Same<typeof params.range, { from: number; to?: number | null } | undefined>>();
    check<Same<typeof params.places, { id: string }[] | undefined>>();
    check<Same<typeof params.either, string | number | undefined>>();
    check<Same<typeof params.free, Record<string, any> | undefined>>();
    // @ts-expect-error the schema has no such member
    params.nothing;
    // @ts-expect-error a string is no number
    params.query satisfies number;
    onUpdate?.({ content: [{ type: "text", text: "Searching…" }], details: { found: 1 } });
    // @ts-expect-error progress has content
    onUpdate?.({ text: "Searching…" });
    return { content: [{ type: "text", text: params.query }], details: { found: 1 } };
  },
});

export const plain = defineTool({ name: "now", execute: () => new Date().toISOString() });
export const silent = defineTool({ name: "beep", parameters: { type: "object", properties: {} }, execute: () => {} });
export const last = defineTool({ name: "finish", execute: () => ({ content: [], terminate: true }) });
export const whole = defineTool({
  name: "whole", executionMode: "sequential", timeoutMs: 1000, prepareArguments: (args) => ({ ...args }),
  parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  execute: (_id, { n }) => ({ content: [{ type: "text", text: n.toFixed() }] }),
});

export const asking = defineTool({
  name: "asking",
  parameters: { type: "object", properties: { path: { type: "string" }, size: { type: "integer" } }, required: ["path"] },
  needsApproval: (params) => {
    check<Same<typeof params, { path: string; size?: number }>>();
    return params.path.startsWith("/");
  },
  validate: (args) => {
    check<Same<typeof args, Record<string, any>>>();
    if (args["path"] === "/") throw new Error("path: is everything");
    return { ...args, path: args["path"].trim() };
  },
  execute: (_id, { path }) => path,
});
export const asks = [
  defineTool({ name: "always", needsApproval: true, execute: () => "" }),
  defineTool({ name: "later", needsApproval: async () => false, execute: () => "" }),
  defineTool({ name: "strict", validate: () => {}, execute: () => "" }),
];

// Schemas as values.
const point = { type: "object", properties: { x: { type: "number" }, label: { type: "string" } }, required: ["x"] } as const;
check<Same<Infer<typeof point>, { x: number; label?: string }>>();
check<Same<Infer<{ type: "array"; items: { type: "array"; items: { type: "null" } } }>, null[][]>>();
check<Same<Infer<{ oneOf: [{ const: "a" }, { const: 1 }] }>, "a" | 1>>();
check<Same<Infer<{ type: "array" }>, any[]>>();

// Whatever library makes a Standard Schema says what it gives.
interface StandardSchema<Output> {
  readonly "~standard": { readonly version: 1; readonly vendor: string; readonly types?: { readonly input: unknown; readonly output: Output } | undefined };
}
declare const standard: StandardSchema<{ city: string }>;
export const weather = defineTool({
  name: "weather",
  parameters: standard,
  execute: (_id, params) => {
    check<Same<typeof params, { city: string }>>();
    return params.city;
  },
});
// TypeBox keeps the type beside the JSON Schema.
declare const typebox: { type: "object"; static: { id: number } };
export const boxed = defineTool({ name: "boxed", parameters: typebox, execute: (_id, params) => params.id.toFixed() });

// Tools of any parameters go into one list.
export const list: AnyTool[] = [search, plain, silent, last, whole, weather, boxed];
new Agent({ initialState: { tools: [search, plain, weather] } });
new Agent().setTools([search, plain]);

export const typed: AgentTool<typeof point, { at: number }> = {
  name: "typed",
  parameters: point,
  execute(_id, params, _signal, onUpdate): AgentToolResult<{ at: number }> {
    onUpdate({ content: [], details: { at: params.x } });
    // @ts-expect-error the details of this tool have another shape
    onUpdate({ content: [], details: { from: params.x } });
    return { content: [], details: { at: params.x } };
  },
};

// @ts-expect-error a tool can be run
defineTool({ name: "idle" });
// @ts-expect-error a tool has a name
defineTool({ execute: () => "" });
// @ts-expect-error the result has content
defineTool({ name: "wrong", execute: () => ({ text: "" }) });
// @ts-expect-error content has a known type
defineTool({ name: "wrong", execute: () => ({ content: [{ type: "video", url: "" }] }) });
// @ts-expect-error there is no such mode
defineTool({ name: "wrong", executionMode: "serial", execute: () => "" });
// @ts-expect-error a need is a yes, a no or a function
defineTool({ name: "wrong", needsApproval: "always", execute: () => "" });
// @ts-expect-error a need is a yes or a no
defineTool({ name: "wrong", needsApproval: () => "yes", execute: () => "" });
// @ts-expect-error the last word is a function
defineTool({ name: "wrong", validate: true, execute: () => "" });
defineTool({
  name: "wrong",
  parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  // @ts-expect-error the schema has no such member
  needsApproval: ({ m }) => m > 1,
  execute: (_id, { n }) => n.toFixed(),
});
defineTool({
  name: "wrong",
  parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  // @ts-expect-error the schema says number
  execute: (_id, params: { n: string }) => params.n,
});
