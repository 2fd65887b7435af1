// Compiles the programs of this folder as strict apps do that check their libraries' declarations too.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const here = fileURLToPath(new URL(".", import.meta.url));
const run = promisify(execFile);

// Declarations may need what the newest library brings, or clash with it: both ends are checked.
const PROGRAMS = [
  { lib: "es2022,dom,dom.iterable", module: "esnext", moduleResolution: "bundler" },
  { lib: "esnext,dom,dom.iterable", module: "nodenext", moduleResolution: "nodenext" },
];

/** The folders. Declarations of schema libraries are checked by them, not here: ArkType's name types of Node. */
const FOLDERS = { app: false, custom: false, libraries: true };

async function compile(compiler, folder, program) {
  const flags = {
    noEmit: true, strict: true, skipLibCheck: FOLDERS[folder], exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true,
    noUnusedLocals: true, target: "es2022", ...program,
  };
  const files = readdirSync(`${here}/${folder}`).filter((name) => name.endsWith(".ts"));
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
  try {
    await run(process.execPath, [`${here}/node_modules/${compiler}/bin/tsc`, ...args, ...files], { cwd: `${here}/${folder}` });
  } catch (error) {
    assert.fail(`\n${error.stdout || error}`);
  }
}

for (const compiler of ["typescript", "typescript-5"]) {
  for (const folder of Object.keys(FOLDERS)) {
    for (const program of PROGRAMS) {
      test(`${folder}/ compiles with ${compiler}, lib ${program.lib}`, () => compile(compiler, folder, program));
    }
  }
}
