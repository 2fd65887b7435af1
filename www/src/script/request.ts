// What the user asks for, as far as a script can tell: one step per clause.

export type Step =
  | { kind: "calculate"; expression: string }
  | { kind: "notes"; arguments: { action: "list" | "read" | "append" | "write"; name?: string; text?: string } }
  | { kind: "saveResult" }
  | { kind: "saveReport" }
  | { kind: "longAnswer" }
  | { kind: "fail" }
  | { kind: "refuse" };

const VERBS = "what|how much|calculate|compute|evaluate|save|write|add|note|remember|read|list|show|store|put";

/** Where one clause ends and the next begins: behind a sentence, or before "and save …". */
const BETWEEN_CLAUSES = new RegExp(`(?<=[.?!;])\\s+|\\n+|,?\\s+(?:and|then|and then)\\s+(?=(?:also\\s+)?(?:${VERBS})\\b)`, "i");

export function steps(text: string): Step[] {
  return text
    .split(BETWEEN_CLAUSES)
    .map((clause) => step(clause.trim()))
    .filter((found) => found !== undefined);
}

function step(clause: string): Step | undefined {
  if (/\b(?:save|store|note|put|add|write)\b.*\b(?:it|that|results?|the answer)\b(?:\s+down)?(?:\s+(?:to|in|into)\s+.*)?[.!]?$/i.test(clause)) {
    return { kind: "saveResult" };
  }
  if (/\b(?:save|store|write)\s+(?:a |the )?(?:long )?(?:report|essay)\b/i.test(clause)) return { kind: "saveReport" };
  const note = noteStep(clause);
  if (note !== undefined) return note;
  const expression = expressionIn(clause);
  if (expression !== undefined) return { kind: "calculate", expression };
  if (/\bfail\w*\s+(?:for good|hard)\b|\brefuse/i.test(clause)) return { kind: "refuse" };
  if (/\bfail/i.test(clause)) return { kind: "fail" };
  if (/\blong\b/i.test(clause)) return { kind: "longAnswer" };
  return undefined;
}

function noteStep(clause: string): Step | undefined {
  if (/\b(?:list|which)\b.*\bnotes?\b/i.test(clause)) return { kind: "notes", arguments: { action: "list" } };
  if (/\b(?:read|show|open|what(?:'s| is| are) (?:in|on))\b.*\bnotes?\b/i.test(clause)) {
    return { kind: "notes", arguments: { action: "read", name: named(clause) } };
  }
  const saved =
    /\b(?:save|write|add|make|take|keep)\s+(?:a |the |this )?(?:new )?note(?:\s+(?:called|named)\s+[\w.-]+)?\s*[:,]?\s*(?:that |saying )?(.+)/is.exec(clause) ??
    /^notes?\s*:\s*(.+)/is.exec(clause) ??
    /\b(?:add|save|write|put)\s+(.+?)\s+(?:to|in|into)\s+(?:my |the )?notes\b/is.exec(clause) ??
    /^(?:please )?remember\s*:?\s*(?:that |to )?(.+)/is.exec(clause);
  const text = saved?.[1]?.replace(/^["'“]|["'”.]$/g, "").trim();
  return text ? { kind: "notes", arguments: { action: "append", name: named(clause), text } } : undefined;
}

function named(clause: string): string | undefined {
  const name = /\b(?:called|named)\s+([\w.-]*\w)/i.exec(clause)?.[1];
  return name === undefined || name.includes(".") ? name : `${name}.txt`;
}

const FUNCTIONS = "sqrt|cbrt|abs|round|floor|ceil|min|max|sin|cos|tan|ln|log10|log2|exp";
const EXPRESSION = new RegExp(`(?:(?:${FUNCTIONS})\\s*\\(|[-+(]\\s*)*[\\d.]+(?:[\\s\\d.,+\\-*/^%()!]|\\bPI\\b|\\b(?:${FUNCTIONS})\\s*\\()*`, "g");

/** The longest piece of arithmetic in a clause, for the calculator to judge. */
function expressionIn(clause: string): string | undefined {
  const symbols = clause
    .replace(/\bsquare root of\s+([\d.]+)/gi, "sqrt($1)")
    .replace(/([\d.]+)\s*(?:%|percent)\s+of\s+/gi, "$1/100*")
    .replace(/×|(?<=[\d)])\s*x\s*(?=[\d(])|\b(?:times|multiplied by)\b/gi, "*")
    .replace(/÷|\bdivided by\b|\bover\b/gi, "/")
    .replace(/−|–|\bminus\b/gi, "-")
    .replace(/\bplus\b/gi, "+")
    .replace(/\bto the power of\b|\*\*/gi, "^")
    .replace(/²/g, "^2")
    .replace(/(?<=\d),(?=\d{3}\b)/g, "");
  const found = [...symbols.matchAll(EXPRESSION)].map(([match]) => match.replace(/[\s.,]+$/, "").trim());
  const longest = found.sort((one, other) => other.length - one.length)[0];
  const isArithmetic = longest !== undefined && /\d\s*[-+*/^%!(]|\(|[)]\s*[-+*/^%]/.test(longest);
  return isArithmetic ? longest : undefined;
}
