// Markdown to safe HTML, block by block, so that a growing text costs only its last block.

import DOMPurify from "dompurify";
import { Marked, type Token, type Tokens } from "marked";

const marked = new Marked({
  gfm: true,
  // Models write HTML to show it: it stays text.
  tokenizer: { html: () => undefined, tag: () => undefined },
  // An image from elsewhere would tell its server what the model wrote into the address.
  renderer: { image: ({ href, text }) => `<a href="${encodeURI(href)}">${text || href}</a>` },
});

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A") {
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer");
  }
});

export interface Blocks {
  text: string;
  tokens: readonly Token[];
}

/** The blocks of a text. Those of `before`, of which it is a continuation, keep their identity. */
export function blocksOf(text: string, before?: Blocks): Blocks {
  const kept = before !== undefined && text.startsWith(before.text) ? withoutLast(before.tokens) : [];
  const done = kept.reduce((length, token) => length + token.raw.length, 0);
  return { text, tokens: [...kept, ...marked.lexer(text.slice(done))] };
}

/** What comes next may belong to the last block: a row of its table, an item of its list. */
function withoutLast(tokens: readonly Token[]): readonly Token[] {
  return tokens.slice(0, Math.max(0, tokens.findLastIndex(({ type }) => type !== "space")));
}

export function htmlOf(token: Token): string {
  return DOMPurify.sanitize(marked.parser([token]), { USE_PROFILES: { html: true }, FORBID_ATTR: ["style"] });
}

export function isCode(token: Token): token is Tokens.Code {
  return token.type === "code";
}

/** The text as it is read out. */
export function plainText(text: string): string {
  const html = DOMPurify.sanitize(marked.parse(text, { async: false }), { USE_PROFILES: { html: true } });
  return new DOMParser().parseFromString(html, "text/html").body.textContent ?? "";
}
