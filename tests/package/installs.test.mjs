// The archive in projects as people have them: installed by npm, bundled by Vite, run in Node.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build, createServer } from "vite";
import { browserTests, watchPage } from "./browser.mjs";
import { serveFiles } from "./files.mjs";

const run = promisify(execFile);
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const archive = path("../../target/sluice-agent.tgz");
const installs = path("../../target/package-installs");
const pageTest = browserTests();

/** A project with these files, in which npm installed the archive. Nothing is downloaded: it has no dependencies. */
async function install(name) {
  const folder = join(installs, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, private: true, type: "module" }));
  cpSync(path(`apps/${name}`), folder, { recursive: true });
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", archive], { cwd: folder });
  return folder;
}

let node;
let vite;
before(async () => {
  [node, vite] = [await install("node"), await install("vite")];
});

const runNode = async (script) => (await run(process.execPath, [script], { cwd: node })).stdout.trim();

test("in Node, initSync() with the bytes of the exported wasm file runs a prompt", async () => {
  assert.equal(await runNode("init-sync.mjs"), "Hello from Node.");
});

test("in Node, the inline entry runs a prompt", async () => {
  assert.equal(await runNode("inline.mjs"), "Hello from one file.");
});

test("in Node without a page, importing the package touches nothing", async () => {
  assert.equal(await runNode("server-render.mjs"), "function function object 0");
});

test("every path of the exports is in the archive, and so is what it imports", () => {
  const root = join(node, "node_modules/sluice-agent");
  const { exports, files, main, types } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const targets = Object.values(exports).flatMap((target) => (typeof target === "string" ? target : Object.values(target)));
  assert.deepEqual([...targets, ...files, main, types].filter((file) => !existsSync(join(root, file))), []);
  const scripts = readdirSync(root, { recursive: true }).filter((file) => /\.(js|d\.ts)$/.test(file));
  for (const script of scripts) {
    const text = readFileSync(join(root, script), "utf8");
    const imported = [...text.matchAll(/^(?:import|export)\b[^;'"]*?from\s*["'](\.[^"']+)["']/gm), ...text.matchAll(/new URL\(["']([^"']+)["'], import\.meta\.url\)/g)];
    // In declarations, the name of a script stands for its declarations.
    const named = script.endsWith(".d.ts") ? (file) => file.replace(/\.js$/, ".d.ts") : (file) => file;
    assert.deepEqual(imported.map(([, file]) => named(file)).filter((file) => !existsSync(join(root, script, "..", file))), [], script);
  }
});

test("the shipped scripts make no code from text", () => {
  const root = join(node, "node_modules/sluice-agent");
  for (const script of readdirSync(root, { recursive: true }).filter((file) => file.endsWith(".js"))) {
    assert.doesNotMatch(readFileSync(join(root, script), "utf8"), /\beval\s*\(|\bnew Function\b|\bFunction\s*\(\s*["'`]/, script);
  }
});

pageTest("the inline entry runs on a page with a strict policy", async ({ page }) => {
  const text = await page.evaluate(async () => {
    const { default: init, Agent, createScript } = await import("/sluice-agent/inline.js");
    await init();
    const agent = new Agent({ initialState: { model: { id: "scripted", api: "script" } }, streamFn: createScript([{ text: "Hello." }]) });
    await agent.prompt("Hello");
    return agent.state.messages.at(-1).content[0].text;
  });
  assert.equal(text, "Hello.");
}, { start: "bare.html" });

/** Opens an app and returns what its agent said. */
async function answersAt(browser, url) {
  const page = await browser.newPage();
  const problems = watchPage(page);
  try {
    await page.goto(url);
    await page.waitForFunction(() => globalThis.answers).catch((error) => problems.push(error.message));
    assert.deepEqual(problems, []);
    return await page.evaluate(() => answers);
  } finally {
    await page.close();
  }
}

const answers = ["user: 2 + 3?", "assistant: add", "toolResult: 5", "assistant: Five."];

pageTest("a Vite app without configuration runs in development", async ({ browser }) => {
  const server = await createServer({ root: vite, configFile: false, logLevel: "error", server: { host: "127.0.0.1", port: 0, strictPort: false } });
  try {
    await server.listen();
    assert.deepEqual(await answersAt(browser, server.resolvedUrls.local[0]), answers);
  } finally {
    await server.close();
  }
});

pageTest("a Vite app without configuration runs when it is built", async ({ browser }) => {
  await build({ root: vite, configFile: false, logLevel: "error" });
  const files = await serveFiles({ "/": join(vite, "dist") });
  try {
    assert.deepEqual(await answersAt(browser, files.url), answers);
  } finally {
    files.close();
  }
});

after(() => rmSync(installs, { recursive: true, force: true }));
