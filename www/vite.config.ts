import { defineConfig } from "vite";

export default defineConfig({
  // The built page works in any folder of any server.
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  // Its module finds the wasm file beside itself: bundling it for development would part the two.
  optimizeDeps: { exclude: ["sluice-agent"] },
  build: { target: "es2023", chunkSizeWarningLimit: 300 },
});
