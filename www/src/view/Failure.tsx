/** In place of the page, when the WebAssembly module cannot be loaded. */
export function Failure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <main class="boot">
      <h1>Sluice could not start</h1>
      <p role="alert">
        Its WebAssembly module could not be loaded. It must come from a web server (not from a file), and the page's
        content security policy must allow <code>'wasm-unsafe-eval'</code>.
      </p>
      <pre>{String(error)}</pre>
      <button type="button" class="primary" onClick={onRetry}>
        Try again
      </button>
    </main>
  );
}
