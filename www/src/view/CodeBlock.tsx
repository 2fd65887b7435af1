import { useState } from "preact/hooks";
import { Icon } from "./icons";

const COPIED_FOR_MS = 1500;

export function CodeBlock({ code, language }: { code: string; language: string | undefined }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(code);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_FOR_MS);
  };
  return (
    <figure class="code">
      <figcaption>
        <span>{language || "text"}</span>
        <button type="button" class="plain" onClick={copy}>
          <Icon name={isCopied ? "check" : "copy"} />
          {isCopied ? "Copied" : "Copy"}
        </button>
      </figcaption>
      <pre role="group" tabIndex={0} aria-label={`Code, ${language || "text"}`}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
