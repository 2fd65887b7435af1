import { defineTool, type AgentToolResult } from "sluice-agent";
import { listFiles, readFile, writeFile } from "./note-files";
import { report } from "./progress";

const DEFAULT_NAME = "notes.txt";

export const notes = defineTool({
  name: "notes",
  label: "Notes",
  description:
    "Keeps the user's notes as text files that only this page can see. Actions: `list` names the files, `read` returns one, " +
    "`append` adds a line to one, `write` replaces one as a whole. Prefer `append` unless the user asks to replace.",
  parameters: {
    type: "object",
    properties: {
      action: { type: "string", enum: ["list", "read", "append", "write"] },
      name: {
        type: "string",
        description: `File name without folders; ${DEFAULT_NAME} when absent.`,
        pattern: "^[A-Za-z0-9_][A-Za-z0-9._ -]{0,63}$",
      },
      text: { type: "string", description: "What to append or write." },
    },
    required: ["action"],
    additionalProperties: false,
  },
  // What is replaced is gone: the user is asked first.
  needsApproval: ({ action }) => action === "write",
  execute: async (_id, { action, name = DEFAULT_NAME, text }, signal, onUpdate) => {
    switch (action) {
      case "list":
        return list();
      case "read":
        return answer((await readFile(name)) || "(empty)", { name });
      case "append":
      case "write": {
        if (text === undefined) throw new Error(`"${action}" needs "text".`);
        const mode = action === "append" ? "append" : "replace";
        const size = await writeFile(name, text, mode, signal, (done, total) =>
          onUpdate(report(`${name}: ${done} of ${total} bytes written`, { done, total })),
        );
        return answer(`Saved. ${name} now has ${size} ${size === 1 ? "byte" : "bytes"}.`, { name, size });
      }
    }
  },
});

async function list(): Promise<AgentToolResult> {
  const files = await listFiles();
  const lines = files.map(({ name, bytes }) => `${name} (${bytes} bytes)`);
  return answer(lines.join("\n") || "There are no notes yet.", { files });
}

function answer(text: string, details: unknown): AgentToolResult {
  return { content: [{ type: "text", text }], details };
}
