import { memo } from "preact/compat";
import { useRef } from "preact/hooks";
import type { Token } from "marked";
import { CodeBlock } from "./CodeBlock";
import { blocksOf, htmlOf, isCode, type Blocks } from "./markdown";

export const Markdown = memo(({ text, isGrowing }: { text: string; isGrowing: boolean }) => {
  const blocks = useRef<Blocks>(undefined);
  blocks.current = blocksOf(text, isGrowing, blocks.current);
  return (
    <div class="markdown">
      {blocks.current.tokens.map((token, index) => (
        <Block key={index} token={token} />
      ))}
    </div>
  );
});

const Block = memo(({ token }: { token: Token }) => {
  if (token.type === "space") return null;
  if (isCode(token)) return <CodeBlock code={token.text} language={token.lang} />;
  const html = { __html: htmlOf(token) };
  return token.type === "table" ? (
    <div class="table" tabIndex={0} role="region" aria-label="Table" dangerouslySetInnerHTML={html} />
  ) : (
    <div dangerouslySetInnerHTML={html} />
  );
});
