const EXAMPLES = [
  { prompt: "What is 12*34+5?", shows: "thinking, then a tool call" },
  { prompt: "What is 2^32? And save a note: water the plants", shows: "two tools side by side" },
  { prompt: "What is 17% of 2300? Save the result in my notes.", shows: "one tool after another" },
  { prompt: "Save a report to my notes", shows: "a question first, then live progress" },
  { prompt: "Write a long answer", shows: "Markdown, block by block" },
  { prompt: "Fail, so that you try again", shows: "an error, and a second try by itself" },
];

export function Welcome({ onPick }: { onPick: (prompt: string) => void }) {
  return (
    <div class="welcome">
      <h2>An agent loop that runs in this tab</h2>
      <p>
        Rust, compiled to WebAssembly. Everything you see is drawn from its events. It starts offline, on a scripted
        model that really calls its tools: a calculator, and notes kept in this browser.
      </p>
      <ul class="examples" aria-label="Examples">
        {EXAMPLES.map(({ prompt, shows }) => (
          <li key={prompt}>
            <button type="button" onClick={() => onPick(prompt)}>
              <span class="prompt">{prompt}</span>
              <span class="shows">{shows}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
