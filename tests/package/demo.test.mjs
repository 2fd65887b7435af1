// The demo as it is built, the way a person uses it.
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, watchPage } from "./browser.mjs";
import { serveFiles } from "./files.mjs";
import { startServer } from "./server.mjs";

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
    await card.getByText("2 progress updates").click();
    assert.deepEqual(await card.getByRole("listitem").allInnerTexts(), ["Reading the expression", "Evaluating ((12 * 34) + 5)"]);
    await card.getByText("2 progress updates").click();
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
  await send(page, "Fail for good");
  await conversation(page).getByText("The run ended in an error.").waitFor();
  await shoot(page, "failed-1280");
  await conversation(page).getByRole("button", { name: "Retry" }).click();
  await conversation(page).getByText("The second try succeeded.").waitFor();
  await finished(page);
  assert.equal(await conversation(page).getByText("The provider refuses").count(), 0);
});

for (const width of [1280, 360]) {
  demoTest("a failure that may pass is tried again by itself, which is counted down and announced", width, async (page) => {
    await send(page, "Fail, so that you try again");
    const notice = conversation(page).getByRole("status");
    await notice.getByText("Trying again (1 of 3)…").waitFor();
    await conversation(page).getByText(/ in [12] s/).waitFor();
    await conversation(page).getByText("The provider is overloaded").waitFor();
    // The half of an answer is gone as soon as it is tried again.
    assert.equal(await conversation(page).getByText("This answer begins well, but").count(), 0);
    await shoot(page, `retrying-${width}`);
    await assertFits(page);
    await conversation(page).getByText("The second try succeeded.").waitFor();
    await finished(page);
    assert.equal(await notice.count(), 0);
    assert.equal(await conversation(page).getByRole("listitem").filter({ hasText: "You: " }).count(), 1);
  });

  demoTest("the wait for another try can be stopped", width, async (page) => {
    await send(page, "Fail, so that you try again");
    const stop = conversation(page).getByRole("button", { name: "Stop trying" });
    await stop.focus();
    await page.keyboard.press("Enter");
    await conversation(page).getByText("You stopped the run.").waitFor();
    await finished(page);
    assert.equal(await conversation(page).getByRole("status").count(), 0);
    assert.equal(await page.evaluate(() => document.activeElement.id), "draft");
  });

  demoTest("a tool that replaces a file asks first: approved by keyboard it runs", width, async (page) => {
    await send(page, "Save a report to my notes");
    const card = conversation(page).getByRole("region", { name: "Tool call: Notes" });
    await card.getByText("waiting for approval").waitFor();
    await page.getByRole("log", { name: "Answers" }).getByText("Notes waits for your approval").waitFor();
    await shoot(page, `approval-${width}`);
    await assertFits(page);
    await message(page).focus();
    // The decision stands in front of the message box.
    await page.keyboard.press("Shift+Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent.trim()), "Approve");
    await page.keyboard.press("Enter");
    await card.getByText("done").waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), "draft");
    assert.match(await card.getByLabel("Result").innerText(), /^Saved\. report\.txt now has/);
    assert.equal(await card.getByRole("button", { name: "Approve" }).count(), 0);
    await finished(page);
    await shoot(page, `approved-${width}`);
  });

  demoTest("a denied call does not run, and the model goes on from there", width, async (page) => {
    await send(page, "Save a report to my notes");
    const card = conversation(page).getByRole("region", { name: "Tool call: Notes" });
    await card.getByRole("button", { name: "Deny" }).click();
    await card.getByLabel("Error").getByText("The user denied this tool call.").waitFor();
    await conversation(page).getByText("You said no, so I left it as it was.").waitFor();
    await finished(page);
    await shoot(page, `denied-${width}`);
    const [whole, title] = [await card.boundingBox(), await card.getByText("failed").boundingBox()];
    assert.ok(title.y - whole.y < 20, "the title of a failed call stands on top");
    await send(page, "List my notes");
    await conversation(page).getByText("There are no notes yet.").first().waitFor();
  });

  demoTest("a call that waits is still offered after a reload, and runs once", width, async (page) => {
    await send(page, "Save a report to my notes");
    const card = conversation(page).getByRole("region", { name: "Tool call: Notes" });
    await card.getByText("waiting for approval").waitFor();
    await kept(page, /"pendingApprovals":\["[^"]+"\]/);
    await page.reload();
    await card.getByText("waiting for approval").waitFor();
    await shoot(page, `approval-reloaded-${width}`);
    await card.getByRole("button", { name: "Approve" }).click();
    await card.getByText("done").waitFor();
    await finished(page);
    assert.equal(await card.count(), 1);
    assert.equal(await conversation(page).getByRole("listitem").filter({ hasText: "You: " }).count(), 1);
    assert.match(await conversation(page).getByRole("listitem").last().innerText(), /Saved\. report\.txt/);
  });
}

test("an inspector that has room beside the conversation goes when the window loses it", { timeout: 60_000 }, async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  try {
    await page.goto(files.url);
    const inspector = page.getByRole("complementary", { name: "Inspector" });
    await inspector.waitFor();
    await page.setViewportSize({ width: 700, height: 800 });
    await inspector.waitFor({ state: "detached" });
    await message(page).fill("It is not covered.");
    await page.getByRole("button", { name: "Inspector", exact: true }).click();
    await inspector.waitFor();
    await page.keyboard.press("Escape");
    await inspector.waitFor({ state: "detached" });
  } finally {
    await page.close();
  }
});

for (const width of [1280, 360]) {
  demoTest("a reload brings the conversation back, tools and all, and it goes on", width, async (page) => {
    await send(page, "What is 12*34+5?");
    await conversation(page).getByText("413").last().waitFor();
    await finished(page);
    // Progress is not part of a conversation.
    const before = (await conversation(page).innerText()).replace(/\d+ progress updates\n/, "");
    await keptWhole(page);
    await page.reload();
    await conversation(page).getByText("413").last().waitFor();
    assert.equal(await conversation(page).innerText(), before);
    await send(page, "Write a long answer");
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await finished(page);
    assert.equal(await conversation(page).getByRole("listitem").filter({ hasText: "You: " }).count(), 2);
  });

  demoTest("a reload in the middle of an answer keeps what had come, and a retry makes it whole", width, async (page) => {
    await send(page, "Write a long answer");
    await conversation(page).getByRole("heading").nth(1).waitFor();
    await kept(page, "streamMessage");
    await page.reload();
    await conversation(page).getByText("The page was left before the run was over.").waitFor();
    await conversation(page).getByText("The run was cut off before the answer was complete.").waitFor();
    assert.ok(await conversation(page).getByRole("heading").count() > 0);
    await shoot(page, `reloaded-${width}`);
    await assertFits(page);
    await conversation(page).getByRole("button", { name: "Retry" }).click();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await finished(page);
    assert.equal(await conversation(page).getByText("The page was").count(), 0);
    assert.equal(await conversation(page).getByRole("listitem").filter({ hasText: "You: " }).count(), 1);
  });

  demoTest("chats are kept in a list, gone back to, and deleted", width, async (page) => {
    const chats = page.getByRole("dialog", { name: "Chats" });
    const openChats = () => page.getByRole("button", { name: "Chats" }).click();
    await openChats();
    await chats.getByText("Chats are kept in this browser").waitFor();
    await chats.getByRole("button", { name: "Close" }).click();
    await send(page, "What is 12*34+5?");
    await conversation(page).getByText("413").last().waitFor();
    await finished(page);
    await page.getByRole("button", { name: "New chat" }).click();
    await page.getByText("An agent loop that runs in this tab").waitFor();
    await send(page, "What is 17% of 2300? Save the result in my notes. And please choose a title that is rather long");
    await conversation(page).getByText("391").last().waitFor();
    await finished(page);
    await openChats();
    await chats.getByRole("listitem").nth(1).waitFor();
    assert.deepEqual(await chats.getByRole("listitem").count(), 2);
    await shoot(page, `chats-${width}`);
    await assertFits(page);
    await chats.getByRole("button", { name: /^What is 12/ }).click();
    await conversation(page).getByText("391").first().waitFor({ state: "detached" });
    await conversation(page).getByText("413").last().waitFor();
    await openChats();
    await chats.getByRole("button", { name: /^Delete the chat “What is 12/ }).click();
    await page.waitForFunction(() => document.querySelectorAll("dialog li").length === 1);
    await chats.getByRole("button", { name: "Close" }).click();
    await page.getByText("An agent loop that runs in this tab").waitFor();
    await page.reload();
    await openChats();
    await chats.getByRole("listitem").first().waitFor();
    assert.match(await chats.getByRole("listitem").innerText(), /17% of 2300/);
  });
}

demoTest("what is kept of a conversation has no key in it", 1280, async (page) => {
  await page.getByRole("button", { name: "Settings", exact: true }).click();
  await page.getByLabel("A provider").check();
  await page.getByLabel("Base URL").fill(`${files.url}/v1`);
  await page.getByLabel("Model id").fill("gpt-4o-mini");
  await page.getByLabel("API key").fill("sk-secret-0123456789");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await send(page, "Hello");
  await conversation(page).getByText("The run ended in an error.").waitFor();
  await kept(page, "Hello");
  assert.doesNotMatch(await keptText(page), /sk-secret/);
});

const sse = (...payloads) => payloads.map((payload) => `data: ${JSON.stringify(payload)}\n\n`).join("");
/** The protocols by the name in the form: what stands in the empty fields, where requests go, and an answer. */
const protocols = {
  "OpenAI chat completions": [
    ["https://api.openai.com/v1", "gpt-4o-mini"], "/chat/completions",
    sse({ choices: [{ delta: { content: "Hello from chat." }, finish_reason: "stop" }] }),
  ],
  "OpenAI Responses": [
    ["https://api.openai.com/v1", "gpt-5-mini"], "/responses",
    sse(
      { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "m", content: [] } },
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Hello from responses." },
      { type: "response.completed", response: { status: "completed" } },
    ),
  ],
  "Anthropic Messages": [
    ["https://api.anthropic.com", "claude-sonnet-4-5"], "/v1/messages",
    sse(
      { type: "message_start", message: { id: "m" } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello from messages." } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
      { type: "message_stop" },
    ),
  ],
  "Google Gemini": [
    ["https://generativelanguage.googleapis.com/v1beta", "gemini-2.5-flash"], "/models/my-model:streamGenerateContent?alt=sse",
    sse({ candidates: [{ content: { parts: [{ text: "Hello from Gemini." }] }, finishReason: "STOP" }] }),
  ],
};

for (const width of [1280, 360]) {
  demoTest("any of the four protocols can be chosen, and answers", width, async (page) => {
    const server = await startServer();
    try {
      for (const [label, [placeholders, path, body]] of Object.entries(protocols)) {
        const provider = server.provider().answer(body);
        // On a narrow page the model's name opens them.
        await page.getByRole("button", { name: /Settings$/ }).first().click();
        await page.getByLabel("A provider").check();
        await page.getByLabel("Protocol").selectOption({ label });
        const fields = ["Base URL", "Model id", "API key"].map((name) => page.getByLabel(name));
        const shown = await Promise.all(fields.map((field) => field.getAttribute("placeholder")));
        assert.deepEqual(shown.slice(0, 2), placeholders);
        await assertFits(page);
        await shoot(page, `settings-${label.replaceAll(" ", "-").toLowerCase()}-${width}`);
        for (const [index, text] of [provider.url, "my-model", "key-0123456789"].entries()) await fields[index].fill(text);
        await page.getByRole("button", { name: "Save", exact: true }).click();
        await send(page, label);
        await conversation(page).getByText(body.match(/Hello from [\w]+\./)[0]).waitFor();
        await finished(page);
        assert.equal(provider.requests[0].path, path);
        assert.ok(JSON.stringify(provider.requests[0].headers).includes("key-0123456789"));
      }
    } finally {
      server.close();
    }
  });
}

demoTest("a key does not follow to another protocol", 1280, async (page) => {
  await page.getByRole("button", { name: "Settings", exact: true }).click();
  await page.getByLabel("A provider").check();
  await page.getByLabel("API key").fill("sk-secret-0123456789");
  await page.getByLabel("Protocol").selectOption({ label: "Anthropic Messages" });
  assert.equal(await page.getByLabel("API key").inputValue(), "");
});

/** Everything that is kept in the browser's database. */
const keptText = (page) => page.evaluate(() => new Promise((resolve, reject) => {
  const opening = indexedDB.open("sluice-demo");
  opening.onerror = reject;
  opening.onsuccess = () => {
    const reading = opening.result.transaction("sessions").objectStore("sessions").getAll();
    reading.onsuccess = () => {
      opening.result.close();
      resolve(JSON.stringify(reading.result));
    };
    reading.onerror = reject;
  };
}));

/** Waits until the answer that the page shows is kept to its end. */
const keptWhole = (page) => kept(page, /"stopReason":"stop"[^[]*"durationMs":\d+}],"pendingApprovals":\[\],"startedToolCalls":\[\],"steering"/);

/** Waits until a text is kept. */
async function kept(page, text) {
  for (let tries = 0; tries < 100; tries++) {
    if ((await keptText(page)).search(text) >= 0) return;
    await page.waitForTimeout(50);
  }
  assert.fail(`${text} is not kept: ${await keptText(page)}`);
}
