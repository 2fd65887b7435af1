// What the scripted model says at length.

export const HELP = `I am a script, not a language model: this page works without a network. I can

- **calculate**: “What is 12*34+5?”
- **keep notes** in this browser: “Save a note: buy milk”, “Show my notes”
- **do both at once**: “What is 2^32? And save a note: water the plants”
- **go step by step**: “What is 17% of 2300? Save the result in my notes.”
- **answer at length**: “Write a long answer”
- **fail**, so that the agent tries again by itself: “fail”; or so that you have to: “fail for good”

For real answers, set an OpenAI-compatible endpoint in the settings.`;

export const LONG_ANSWER = `# How an agent loop works

An agent is a model in a loop. The model reads the conversation and answers; if the answer asks for tools, the loop runs them, adds the results, and asks again. It ends when the model has nothing more to do.

## One turn

1. **Ask.** The transcript goes to the model, with the tools it may call.
2. **Receive.** Text, thinking and tool calls arrive in pieces. Each piece is an event, and the message so far is a *snapshot* that never changes again.
3. **Run.** Calls of one message run side by side; their results are added in the order of the calls.
4. **Steer.** Messages that you typed meanwhile are delivered, and the next turn begins.

## In code

\`\`\`ts
import init, { Agent } from "sluice-agent";

await init();
const agent = new Agent({
  initialState: { model: { api: "openai-completions", id: "gpt-4o-mini" }, tools },
});
agent.subscribe((event) => {
  if (event.type === "message_update") render(event.message);
});
await agent.prompt("What is 12*34+5?");
\`\`\`

## The events

| Level | Begins with | Grows with | Ends with |
|---|---|---|---|
| Run | \`agent_start\` | | \`agent_end\` |
| Turn | \`turn_start\` | | \`turn_end\` |
| Message | \`message_start\` | \`message_update\` | \`message_end\` |
| Tool | \`tool_execution_start\` | \`tool_execution_update\` | \`tool_execution_end\` |

> Every start has exactly one end, on errors and aborts too. A page can rely on that: no spinner stays behind.

## What it means for a page

- Draw **once per frame**, however many pieces arrived.
- Skip every block that is the *same object* as before: only the one that grows is new.
- Follow the text only while the reader is at its end.
- Never guess from the text what is going on. The type of the event says it:
  - \`thinking_start\` opens the fold, \`thinking_end\` closes it;
  - \`tool_execution_update\` moves the progress bar;
  - \`agent_end\` says why it is over.

## And when it fails

A model call that fails ends its message with \`stopReason: "error"\`, a sentence for people and a code for programs. The transcript stays valid: every call has its result, so that \`agent.retry()\` can drop the failed answer and go on. Stopping works the same way, and it is prompt: a tool that ignores its signal is left behind, not waited for.

That is all there is to it. The inspector beside this text shows the very events that drew it.`;

const LINES = [
  "The gate opens and water comes in, piece by piece.",
  "Nothing is lost on the way, and nothing comes twice.",
  "What has arrived can be seen at once, as far as it goes.",
  "When the gate closes, the basin holds what was sent.",
];

/** Long enough that its progress can be watched. */
export const REPORT = Array.from({ length: 24 }, (_, index) => `${index + 1}. ${LINES[index % LINES.length]}`).join("\n");
