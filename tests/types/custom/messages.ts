// Messages of an app's own, by declaration merging. It changes types for the whole program, hence the folder.
import { Agent, type AgentEvent, type AgentMessage, type Message } from "sluice-agent";

declare module "sluice-agent" {
  interface CustomAgentMessages {
    note: { role: "note"; text: string; pinned: boolean };
    file: { role: "file"; file: File };
  }
}

export function show(message: AgentMessage): string {
  switch (message.role) {
    case "user":
    case "assistant":
    case "toolResult":
      return (message satisfies Message).role;
    case "note":
      return message.pinned ? message.text.toUpperCase() : message.text;
    case "file":
      return message.file.name;
    default:
      return message satisfies never;
  }
}

export async function use(file: File) {
  const agent = new Agent({
    initialState: { messages: [{ role: "note", text: "Remember", pinned: true }] },
    convertToLlm: (messages) =>
      messages.flatMap((message): Message[] => {
        if (message.role === "note") return [{ role: "user", content: message.text, timestamp: 0 }];
        return message.role === "file" ? [] : [message];
      }),
  });
  agent.subscribe((event: AgentEvent) => {
    if (event.type === "message_end" && event.message.role === "note") event.message.text satisfies string;
  });
  await agent.prompt({ role: "file", file });
  agent.steer({ role: "note", text: "", pinned: false });
  // @ts-expect-error a note has a text
  agent.steer({ role: "note", pinned: false });
  // @ts-expect-error models know no notes
  agent.subscribe(() => {}) satisfies Message;
  // @ts-expect-error models know no notes
  new Agent({ convertToLlm: (messages) => messages });
}
