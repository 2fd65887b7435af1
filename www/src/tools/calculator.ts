import { Parser } from "expr-eval-fork";
import { defineTool } from "sluice-agent";
import { report } from "./progress";

const parser = new Parser({
  allowMemberAccess: false,
  operators: { assignment: false, fndef: false, random: false, concatenate: false, length: false, in: false },
});

/** Digits that a double holds; what is behind them is rounding noise, as in 0.1 + 0.2. */
const DIGITS = 15;

export const calculator = defineTool({
  name: "calculator",
  label: "Calculator",
  description:
    "Evaluates an arithmetic expression and returns its value. Knows + - * / ^ % (remainder) ! and parentheses, " +
    "comparisons, the constants PI and E, and functions such as sqrt, abs, round, floor, min, max, sin, ln, log10 " +
    "(angles in radians). Write 17% of 2300 as 17/100*2300.",
  parameters: {
    type: "object",
    properties: {
      expression: { type: "string", description: "The expression, for example (12*34+5)/7", minLength: 1 },
    },
    required: ["expression"],
    additionalProperties: false,
  },
  execute: (_id, { expression }, _signal, onUpdate) => {
    onUpdate(report("Reading the expression", { done: 0, total: 2 }));
    const parsed = parser.parse(expression);
    onUpdate(report(`Evaluating ${parsed.toString()}`, { done: 1, total: 2 }));
    const value: unknown = parsed.evaluate();
    if (typeof value !== "number" && typeof value !== "boolean") throw new Error("The value is not a number.");
    if (typeof value === "number" && !Number.isFinite(value)) throw new Error(`The value is ${value}.`);
    const shown = typeof value === "number" ? Number(value.toPrecision(DIGITS)) : value;
    return { content: [{ type: "text", text: `${expression} = ${shown}` }], details: { expression, value: shown } };
  },
});
