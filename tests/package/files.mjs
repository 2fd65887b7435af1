// Files over HTTP, as a strict site serves them.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

/** A policy as strict as one that runs WebAssembly can be. */
const STRICT = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src *";

const TYPES = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css",
  ".json": "application/json", ".wasm": "application/wasm", ".svg": "image/svg+xml",
};

/** Serves folders: `{ "/": folder, "/sluice-agent/": another }`; the longest prefix counts. */
export async function serveFiles(folders, headers = {}) {
  const prefixes = Object.keys(folders).sort((a, b) => b.length - a.length);
  /** Paths that fail with a status, for as long as they are here. */
  const failing = new Map();
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const prefix = prefixes.find((prefix) => path.startsWith(prefix));
    const name = normalize(`/${path.slice(prefix.length)}`);
    const file = join(folders[prefix], name.endsWith("/") ? `${name}index.html` : name);
    const status = failing.get(path);
    const bytes = status === undefined ? await readFile(file).catch(() => undefined) : undefined;
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    response.writeHead(bytes === undefined ? (status ?? 404) : 200, {
      "content-type": type, "cache-control": "no-store", "content-security-policy": STRICT, ...headers,
    });
    response.end(bytes ?? "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    failing,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
