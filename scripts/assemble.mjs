// Puts the files of the npm package together: target/pkg (wasm-pack's output) and the hand-owned
// entry files become target/package. `scripts/package` runs it.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const built = join(root, "target/pkg");
const out = join(root, "target/package");

const read = (path) => readFileSync(path, "utf8");
const write = (name, text) => writeFileSync(join(out, name), text);

/** Replaces what must be there exactly once, so that a new wasm-bindgen cannot slip by. */
function replaceOnce(text, pattern, replacement, what) {
  const parts = text.split(pattern);
  if (parts.length !== 2) throw new Error(`${what}: ${parts.length - 1} matches of ${pattern}, expected 1`);
  return parts.join(replacement);
}

function crateVersion() {
  const metadata = execFileSync("cargo", ["metadata", "--format-version", "1", "--no-deps"], {
    cwd: root,
    maxBuffer: 1 << 26,
  });
  return JSON.parse(metadata).packages.find((p) => p.name === "sluice-agent").version;
}

/** The generated declarations, without the exports of the raw module (they change with every build). */
function declarations() {
  let text = read(join(built, "sluice_agent.d.ts"));
  text = replaceOnce(
    text,
    /export interface InitOutput \{\n[^}]*\}\n/,
    "export interface InitOutput {\n    readonly memory: WebAssembly.Memory;\n}\n",
    "sluice_agent.d.ts",
  );
  // `Symbol.dispose` is newer than the `lib` of many projects.
  return text.includes("Symbol.dispose") ? `/// <reference lib="esnext.disposable" />\n${text}` : text;
}

/** The glue with the module's bytes inside, for hosts that cannot serve a .wasm file. */
function inlineGlue() {
  const bytes = readFileSync(join(built, "sluice_agent_bg.wasm")).toString("base64");
  const glue = replaceOnce(
    read(join(built, "sluice_agent.js")).replace(/^\/\* @ts-self-types=.*\n/, ""),
    "new URL('sluice_agent_bg.wasm', import.meta.url)",
    "inlinedBytes()",
    "sluice_agent.js",
  );
  return `${glue}
function inlinedBytes() {
    return Uint8Array.from(atob(INLINED), (character) => character.charCodeAt(0));
}

const INLINED = "${bytes}";
`;
}

/** The entry file, on top of the glue with the bytes inside. */
function inlineEntry(entry) {
  if (!entry.includes('"./sluice_agent.js"')) throw new Error('index.js does not import "./sluice_agent.js"');
  const text = entry.replaceAll('"./sluice_agent.js"', '"./sluice_agent_inline.js"');
  if (text.includes("_bg.wasm")) throw new Error("index.js names the .wasm file, the inline entry must not");
  return text;
}

/** Every file of the package has to be in `files`, and the other way round. */
function checkFiles(manifest) {
  const always = ["package.json", "README.md", "LICENSE"];
  const expected = new Set([...manifest.files, ...always]);
  for (const name of readdirSync(out)) {
    if (!expected.delete(name)) throw new Error(`pkg.json.tmpl does not list ${name}`);
  }
  if (expected.size > 0) throw new Error(`not in the package: ${[...expected].join(", ")}`);
}

mkdirSync(out, { recursive: true });
for (const name of ["sluice_agent.js", "sluice_agent_bg.wasm", "sluice_agent_bg.wasm.d.ts", "snippets"]) {
  cpSync(join(built, name), join(out, name), { recursive: true });
}
for (const name of ["index.js", "index.d.ts"]) cpSync(join(root, "src/js/package", name), join(out, name));
for (const name of ["README.md", "LICENSE", "CHANGELOG.md"]) cpSync(join(root, name), join(out, name));

write("sluice_agent.d.ts", declarations());
write("sluice_agent_inline.js", inlineGlue());
write("inline.js", inlineEntry(read(join(out, "index.js"))));
write("inline.d.ts", 'export * from "./index.js";\nexport { default } from "./index.js";\n');

const manifest = replaceOnce(read(join(root, "pkg.json.tmpl")), "{{version}}", crateVersion(), "pkg.json.tmpl");
write("package.json", manifest);
checkFiles(JSON.parse(manifest));
