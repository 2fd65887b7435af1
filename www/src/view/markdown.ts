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

/** The blocks of a text. Those of `before`, when the text continues it, keep their identity. */
export function blocksOf(text: string, isGrowing: boolean, before?: Blocks): Blocks {
  if (before?.text === text && isGrowing) return before;
  const kept = before !== undefined && text.startsWith(before.text) ? withoutLast(before.tokens) : [];
  const done = kept.reduce((length, token) => length + token.raw.length, 0);
  const tokens = [...kept, ...marked.lexer(text.slice(done))];
  // A link above may have its address below: then the complete text is read once more as a whole.
  const isLinked = !isGrowing && kept.length > 0 && tokens.some(({ type }) => type === "def");
  return { text, tokens: isLinked ? marked.lexer(text) : tokens };
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

/** What is read out of a longer text: its beginning. */
const READ_CHARACTERS = 4000;

/** The text as it is read out. */
export function plainText(markdown: string): string {
  const text = markdown.length > READ_CHARACTERS ? `${markdown.slice(0, READ_CHARACTERS)}…` : markdown;
  const html = DOMPurify.sanitize(marked.parse(text, { async: false }), { USE_PROFILES: { html: true } });
  return new DOMParser().parseFromString(html, "text/html").body.textContent ?? "";
}
