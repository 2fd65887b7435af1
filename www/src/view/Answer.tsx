import { memo } from "preact/compat";
import type { AssistantContentBlock, AssistantMessage } from "sluice-agent";
import { Icon } from "./icons";
import { Markdown } from "./Markdown";
import { Thinking } from "./Thinking";
import { runOf, ToolCard, type ToolRun, type Tools } from "./ToolCard";
import { UsageLine } from "./UsageLine";

interface Props {
  message: AssistantMessage;
  isStreaming: boolean;
  /** Index of the block that is being received. */
  openBlock: number | undefined;
  tools: Tools;
}

export const Answer = memo(({ message, isStreaming, openBlock, tools }: Props) => {
  return (
    <li class="entry answer" aria-busy={isStreaming}>
      <span class="unseen">Assistant: </span>
      {message.content.map((block, index) => (
        <Block key={index} block={block} isOpen={index === openBlock} {...runOf(block, tools)} />
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

function errorCode({ code, status }: { code: string; status?: number }): string {
  return status === undefined ? code : `${code} ${status}`;
}

interface BlockProps extends ToolRun {
  block: AssistantContentBlock;
  /** It is being received. */
  isOpen: boolean;
}

/** Snapshots share every block that did not change, so that only the one that grows is drawn. */
const Block = memo(({ block, isOpen, ...run }: BlockProps) => {
  switch (block.type) {
    case "text":
      return <Markdown text={block.text} isGrowing={isOpen} />;
    case "thinking":
      return <Thinking block={block} isOpen={isOpen} />;
    case "toolCall":
      return <ToolCard call={block} isOpen={isOpen} {...run} />;
    case "image":
      return <img class="picture" src={`data:${block.mimeType};base64,${block.data}`} alt="From the model" />;
  }
});
