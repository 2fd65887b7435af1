// The package as it is imported, not loaded: what importing does is seen, and tests load it themselves.
import "./watch.js";

const before = { globals: Object.getOwnPropertyNames(globalThis), requests: performance.getEntriesByType("resource").length };
const { default: init, ...sluice } = await import("/sluice-agent/index.js");
const { outline, record } = await import("./record.js");
const requested = performance.getEntriesByType("resource").slice(before.requests).map(({ name }) => new URL(name).pathname);

Object.assign(globalThis, {
  importing: {
    newGlobals: Object.getOwnPropertyNames(globalThis).filter((name) => !before.globals.includes(name)),
    requestedWasm: requested.filter((path) => path.endsWith(".wasm")),
  },
  init, sluice, outline, record, isLoaded: true,
});
