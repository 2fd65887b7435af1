// Tests in the installed browser, on a plain page that imports the unpacked archive under a strict policy.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { serveFiles } from "./files.mjs";
import { startServer } from "./server.mjs";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

export const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROME ?? "/usr/bin/chromium",
    args: [
      "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync",
    ],
  });

export const servePages = (headers) => serveFiles({ "/": path("pages/"), "/sluice-agent/": path("node_modules/sluice-agent/") }, headers);

/** What went wrong on a page without anybody catching it. */
export function watchPage(page) {
  const problems = [];
  page.on("pageerror", (error) => problems.push(`pageerror: ${error?.message ?? error}`));
  page.on("crash", () => problems.push("the page crashed"));
  page.on("console", (message) => {
    if (/Content Security Policy|Uncaught/i.test(message.text())) problems.push(`console: ${message.text()}`);
  });
  return problems;
}

/** Keeps the events of whole runs, each for itself, for `written-events.test.mjs`, which checks their laws. */
export function keepEvents(name, events) {
  const folder = path("../../target/package-events/");
  mkdirSync(folder, { recursive: true });
  const runs = [[]];
  for (const event of events) {
    if (runs.at(-1).at(-1)?.type === "agent_end" && event.type === "agent_start") runs.push([]);
    runs.at(-1).push(event);
  }
  for (const [index, run] of runs.entries()) writeFileSync(`${folder}${name}${index === 0 ? "" : `-${index}`}.json`, JSON.stringify(run));
}

/**
 * Declares tests that share a browser. `pageTest(sentence, async ({ page, provider, server, files }) => …)` gets a page
 * whose `lab.js` is loaded, and fails when anything on the page went uncaught.
 */
export function browserTests() {
  const shared = {};
  before(async () => {
    [shared.browser, shared.files, shared.server] = await Promise.all([launch(), servePages(), startServer()]);
  });
  after(async () => {
    await shared.browser?.close();
    shared.files?.close();
    shared.server?.close();
  });
  return (sentence, body, { start = "lab.html", expects = [] } = {}) =>
    test(sentence, { timeout: 120_000 }, async (t) => {
      const page = await shared.browser.newPage();
      const problems = watchPage(page);
      try {
        await page.goto(`${shared.files.url}/${start}`);
        await page.waitForFunction(() => globalThis.isLoaded);
        await body({ ...shared, page, provider: shared.server.provider(), t });
        problems.push(...(await page.evaluate(() => globalThis.problems)));
        assert.deepEqual(problems, expects);
      } finally {
        await page.close();
      }
    });
}
