// The schemas of libraries, as they are: `params` is what their check returns.
import { type } from "arktype";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { Agent, type AnyTool, defineTool, type Infer } from "sluice-agent";
import Type from "typebox";
import * as v from "valibot";
import * as z from "zod";
import { check, type Same } from "../app/expect.js";

interface Trip {
  city: string;
  days: number;
  unit?: "c" | "f";
}

const ark = defineTool({
  name: "ark",
  parameters: type({ city: "string", days: "number.integer >= 1", "unit?": "'c' | 'f'", when: "string.date.parse", limit: "number = 10" }),
  needsApproval: (params) => params.days > 3,
  execute: (_id, { when, limit, ...trip }) => {
    check<Same<typeof when, Date>>();
    check<Same<typeof limit, number>>();
    check<Same<typeof trip, Trip>>();
    // @ts-expect-error the schema has no such member
    trip.country;
    return trip.city;
  },
});

const zod = defineTool({
  name: "zod",
  parameters: z.object({
    city: z.string(), days: z.int().min(1), unit: z.enum(["c", "f"]).exactOptional(),
    when: z.string().transform((text) => new Date(text)), limit: z.number().default(10),
  }),
  needsApproval: async (params) => params.days > 3,
  execute: (_id, { when, limit, ...trip }) => {
    check<Same<typeof when, Date>>();
    check<Same<typeof limit, number>>();
    check<Same<typeof trip, Trip>>();
    // @ts-expect-error the schema has no such member
    trip.country;
    return trip.city;
  },
});

const valibot = defineTool({
  name: "valibot",
  parameters: toStandardJsonSchema(
    v.object({
      city: v.string(), days: v.pipe(v.number(), v.integer(), v.minValue(1)), unit: v.exactOptional(v.picklist(["c", "f"])),
      when: v.pipe(v.string(), v.transform((text) => new Date(text))), limit: v.optional(v.number(), 10),
    }),
  ),
  needsApproval: (params) => params.days > 3,
  execute: (_id, { when, limit, ...trip }) => {
    check<Same<typeof when, Date>>();
    check<Same<typeof limit, number>>();
    check<Same<typeof trip, Trip>>();
    // @ts-expect-error the schema has no such member
    trip.country;
    return trip.city;
  },
});

const typebox = defineTool({
  name: "typebox",
  parameters: Type.Object({
    city: Type.String(), days: Type.Integer({ minimum: 1 }), unit: Type.Optional(Type.Union([Type.Literal("c"), Type.Literal("f")])),
    tags: Type.Array(Type.String()), range: Type.Object({ from: Type.Number(), to: Type.Optional(Type.Number()) }), kind: Type.Enum(["a", "b"]),
  }),
  needsApproval: (params) => params.days > 3,
  execute: (_id, { tags, range, kind, ...trip }) => {
    check<Same<typeof tags, string[]>>();
    check<Same<typeof range, { from: number; to?: number }>>();
    check<Same<typeof kind, "a" | "b">>();
    check<Same<typeof trip, Trip>>();
    // @ts-expect-error the schema has no such member
    trip.country;
    return trip.city;
  },
});

const union = z.discriminatedUnion("action", [z.object({ action: z.literal("list") }), z.object({ action: z.literal("read"), name: z.string() })]);
check<Same<Infer<typeof union>, { action: "list" } | { action: "read"; name: string }>>();

export const list: AnyTool[] = [ark, zod, valibot, typebox];
new Agent({ initialState: { tools: [ark, zod, valibot, typebox] } });

defineTool({
  name: "wrong",
  parameters: z.object({ n: z.string().transform(Number) }),
  // @ts-expect-error the tool gets what the schema returns, not what the model wrote
  execute: (_id, params: { n: string }) => params.n,
});
