// Records what an agent reports, and checks that its snapshots are snapshots.

/** Records every event of an agent from now on, as a listener with these options gets it. */
export function record(agent, options) {
  const events = [];
  const texts = [];
  const faults = [];
  let last;
  const unsubscribe = agent.subscribe((event) => {
    events.push(event);
    texts.push(JSON.stringify(event));
    if (event.type === "message_update") faults.push(...checkUpdate(last, event));
    last = event.type === "message_update" ? event : undefined;
  }, options);
  return {
    events,
    unsubscribe,
    /** One line per event. */
    get lines() {
      return events.map(outline);
    },
    /** What no event may do: change later, or copy what it did not touch. */
    get faults() {
      const changed = events.flatMap((event, index) => (JSON.stringify(event) === texts[index] ? [] : [`event ${index} changed later: ${texts[index]}`]));
      return [...faults, ...changed];
    },
    /** All of it so far, as a test wants to see it. */
    get all() {
      return { events: events.slice(), lines: this.lines, faults: this.faults };
    },
  };
}

function* checkUpdate(last, { message, assistantMessageEvent: { type, partial, contentIndex } }) {
  if (message !== partial) yield `${type}: message is not partial`;
  if (last === undefined) return;
  if (message === last.message) yield `${type}: the message is the old object`;
  if (message.content === last.message.content) yield `${type}: the content is the old array`;
  for (const [index, block] of last.message.content.entries()) {
    if (index !== contentIndex && message.content[index] !== block) yield `${type}: block ${index} is a copy, ${contentIndex} was touched`;
    if (index === contentIndex && type.endsWith("_delta") && message.content[index] === block) yield `${type}: block ${index} is the old object`;
  }
}

/** An event in one line: what tests assert, without times and ids of the library's own. */
export function outline(event) {
  switch (event.type) {
    case "agent_end":
      return `agent_end ${event.reason}: ${event.messages.map((message) => message.role).join(", ")}`;
    case "turn_end":
      return `turn_end ${event.message.stopReason}, ${event.toolResults.length} results`;
    case "message_start":
      return `message_start ${event.message.role}`;
    case "message_end":
      return `message_end ${describe(event.message)}`;
    case "message_update":
      return outline(event.assistantMessageEvent);
    case "tool_execution_start":
      return `tool_execution_start ${event.toolCallId} ${event.toolName} ${JSON.stringify(event.args)}`;
    case "tool_execution_update":
      return `tool_execution_update ${event.toolCallId} ${contentText(event.partialResult.content)}`;
    case "tool_execution_end":
      return `tool_execution_end ${event.toolCallId} ${event.isError ? "failed: " : ""}${contentText(event.result.content)}`;
    case "tool_approval_request":
      return `tool_approval_request ${event.toolCallId} ${event.toolName} ${JSON.stringify(event.args)}`;
    case "auto_retry_start":
      return `auto_retry_start ${event.attempt} of ${event.maxAttempts}`;
    case "auto_retry_end":
      return `auto_retry_end ${event.attempt} ${event.success ? "succeeded" : "failed"}`;
    case "text_delta":
    case "thinking_delta":
    case "toolcall_delta":
      return `${event.type} ${event.contentIndex} ${event.delta}`;
    case "text_end":
    case "thinking_end":
      return `${event.type} ${event.contentIndex} ${event.content}`;
    case "toolcall_end":
      return `toolcall_end ${event.contentIndex} ${event.toolCall.name} ${JSON.stringify(event.toolCall.arguments)}`;
    case "text_start":
    case "thinking_start":
    case "toolcall_start":
    case "image_end":
      return `${event.type} ${event.contentIndex}`;
    case "done":
    case "error":
      return `${event.type} ${event.reason}`;
    default:
      return event.type;
  }
}

function describe(message) {
  switch (message.role) {
    case "assistant":
      return `assistant ${message.stopReason}${message.error ? ` (${message.error.code})` : ""}`;
    case "toolResult":
      return `toolResult ${message.toolCallId} ${message.isError ? "failed: " : ""}${contentText(message.content)}`;
    default:
      return message.role;
  }
}

const contentText = (content) => content.map((block) => block.text ?? `[${block.type}]`).join("");
