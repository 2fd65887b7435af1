// The last file: every run that the others wrote down keeps the laws of the event stream (examples/check_laws.rs).
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = `${root}target/package-events/`;

test("the events of every run that was recorded keep the laws", { timeout: 1_200_000 }, async () => {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")).sort() : [];
  assert.ok(names.length > 0, "no run was recorded: run the other tests first");
  const all = `${root}target/package-events.json`;
  writeFileSync(all, `[${names.map((name) => readFileSync(folder + name, "utf8")).join(",")}]`);
  try {
    const { stdout } = await run("cargo", ["run", "--quiet", "--example", "check_laws", "--", all], { cwd: root });
    assert.match(stdout, new RegExp(`, ${names.length} runs: ok`));
  } catch (error) {
    const [, number] = /run (\d+)/.exec(error.stdout ?? "") ?? [];
    assert.fail(`${names[number] ?? ""}\n${error.stdout ?? ""}${error.stderr ?? error}`);
  }
});
