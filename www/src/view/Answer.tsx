import { memo } from "preact/compat";
import type { AssistantContentBlock } from "sluice-agent";
import type { AssistantEntry } from "../chat";
import { Icon } from "./icons";
import { Markdown } from "./Markdown";
import { Thinking } from "./Thinking";
import { ToolCard } from "./ToolCard";
import { UsageLine } from "./UsageLine";

export const Answer = memo(({ entry }: { entry: AssistantEntry }) => {
  const { message, isStreaming, openBlock, tools } = entry;
  return (
    <li class="entry answer" aria-busy={isStreaming}>
      <span class="unseen">Assistant: </span>
      {message.content.map((block, index) => (
        <Block key={index} block={block} isOpen={index === openBlock} run={runOf(block, tools)} />
      ))}
      {isStreaming && message.content.length === 0 && <p class="waiting">Waiting for the model</p>}
      {message.errorMessage !== undefined && (
        <p class={message.stopReason === "aborted" ? "stopped" : "error"}>
          <Icon name={message.stopReason === "aborted" ? "stop" : "alert"} />
          <span>
            {message.errorMessage}{" "}
            {message.error && message.stopReason === "error" && <code>{errorCode(message.error)}</code>}
          </span>
        </p>
      )}
      {message.stopReason === "length" && <p class="stopped">The answer reached its limit of tokens and is cut.</p>}
      {!isStreaming && <UsageLine message={message} />}
    </li>
  );
});

function runOf(block: AssistantContentBlock, tools: AssistantEntry["tools"]) {
  return block.type === "toolCall" ? tools[block.id] : undefined;
}

function errorCode({ code, status }: { code: string; status?: number }): string {
  return status === undefined ? code : `${code} ${status}`;
}

interface BlockProps {
  block: AssistantContentBlock;
  /** It is being received. */
  isOpen: boolean;
  run: AssistantEntry["tools"][string] | undefined;
}

/** Snapshots share every block that did not change, so that only the one that grows is drawn. */
const Block = memo(({ block, isOpen, run }: BlockProps) => {
  switch (block.type) {
    case "text":
      return <Markdown text={block.text} isGrowing={isOpen} />;
    case "thinking":
      return <Thinking block={block} isOpen={isOpen} />;
    case "toolCall":
      return <ToolCard call={block} isOpen={isOpen} run={run} />;
    case "image":
      return <img class="picture" src={`data:${block.mimeType};base64,${block.data}`} alt="From the model" />;
  }
});
