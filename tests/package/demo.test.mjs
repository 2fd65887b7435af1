// The demo as it is built, the way a person uses it.
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, watchPage } from "./browser.mjs";
import { serveFiles } from "./files.mjs";

const dist = fileURLToPath(new URL("../../www/dist", import.meta.url));
const screenshots = fileURLToPath(new URL("../../target/screenshots", import.meta.url));
let browser;
let files;

before(async () => {
  assert.ok(existsSync(`${dist}/index.html`), "www/dist is not there: run scripts/build-demo");
  mkdirSync(screenshots, { recursive: true });
  [browser, files] = await Promise.all([launch(), serveFiles({ "/": dist })]);
});
after(async () => {
  await browser?.close();
  files?.close();
});

/** Declares a test of the demo at a width; nothing on the page may go uncaught. */
function demoTest(sentence, width, body) {
  test(`${sentence} (${width} px)`, { timeout: 120_000 }, async () => {
    const page = await browser.newPage({ viewport: { width, height: width < 500 ? 740 : 800 } });
    page.setDefaultTimeout(30_000);
    const problems = watchPage(page);
    try {
      await page.goto(files.url);
      await body(page);
      assert.deepEqual(problems, []);
    } finally {
      await page.close();
    }
  });
}

const message = (page) => page.getByRole("textbox", { name: "Message" });
const send = async (page, text) => {
  await message(page).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
};
const conversation = (page) => page.getByRole("region", { name: "Conversation" });
const finished = (page) => page.getByRole("button", { name: "Send" }).waitFor();
const shoot = (page, name) => page.screenshot({ path: `${screenshots}/${name}.png` });
const assertFits = async (page) => {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(overflow, 0, "the page scrolls sideways");
};

for (const width of [1280, 360]) {
  demoTest("a typed prompt brings a tool card and then the answer", width, async (page) => {
    await message(page).waitFor();
    await shoot(page, `welcome-${width}`);
    await assertFits(page);
    await send(page, "What is 12*34+5?");
    const card = conversation(page).getByRole("region", { name: "Tool call: Calculator" });
    await card.getByText("done").waitFor();
    assert.match(await card.getByLabel("Result").innerText(), /413/);
    await finished(page);
    assert.match(await conversation(page).getByRole("listitem").last().innerText(), /413/);
    await shoot(page, `answer-${width}`);
    await assertFits(page);
  });

  demoTest("a run is stopped, and retried to its end", width, async (page) => {
    await send(page, "Write a long answer");
    await conversation(page).getByRole("heading").first().waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await conversation(page).getByText("You stopped the run.").waitFor();
    await finished(page);
    await shoot(page, `stopped-${width}`);
    await conversation(page).getByRole("button", { name: "Retry" }).click();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await finished(page);
    assert.equal(await conversation(page).getByText("You stopped the run.").count(), 0);
    assert.equal(await conversation(page).getByRole("listitem").filter({ hasText: "You: " }).count(), 1);
    await shoot(page, `retried-${width}`);
    await assertFits(page);
  });
}

demoTest("a failed answer shows what failed, and the second try succeeds", 1280, async (page) => {
  await send(page, "Fail, so that I can retry");
  await conversation(page).getByText("The run ended in an error.").waitFor();
  await shoot(page, "failed-1280");
  await conversation(page).getByRole("button", { name: "Retry" }).click();
  await conversation(page).getByText("The second try succeeded.").waitFor();
  await finished(page);
  assert.equal(await conversation(page).getByText("This answer begins well, but").count(), 0);
});
