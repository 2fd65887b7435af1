// The store in React, whose development build says what it does not like.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { browserTests, watchPage } from "./browser.mjs";
import { serveFiles } from "./files.mjs";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const pageTest = browserTests();

pageTest("useSyncExternalStore draws a run and its replay, without tearing and without a warning", async ({ browser }) => {
  const outDir = path("../../target/package-react");
  await build({ root: path("apps/react"), configFile: false, logLevel: "error", mode: "development", define: { "process.env.NODE_ENV": '"development"' }, build: { outDir, emptyOutDir: true, minify: false } });
  const files = await serveFiles({ "/": outDir });
  const page = await browser.newPage();
  const problems = watchPage(page);
  try {
    await page.goto(files.url);
    await page.waitForFunction(() => globalThis.report).catch((error) => problems.push(error.message));
    assert.deepEqual(problems, []);
    const { warnings, torn, commits, renders, live, replayed, freed } = await page.evaluate(() => report);
    assert.deepEqual([warnings, torn], [[], 0]);
    assert.match(live, /^user: 2 \+ 3\?assistant: word-0 .* word-59 addtoolResult: 5assistant: Five\.idle done$/);
    assert.equal(replayed, live);
    assert.deepEqual(freed, ["1 0 0 true", "2 0 0 false"]);
    assert.ok(commits > 20, `${commits} commits`);
    // Messages that did not change are not drawn again: StrictMode draws twice, the run and its replay make it four.
    assert.equal(renders.user, 4);
  } finally {
    await page.close();
    files.close();
    rmSync(outDir, { recursive: true, force: true });
  }
});
