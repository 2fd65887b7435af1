// Puts the files of the npm package together: target/pkg (what `shrink.mjs` and `contain.mjs` made of it) and the hand-owned
// entry files become target/package. `scripts/package` runs it.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { minify } from "terser";

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

/** The module's scripts lie in a folder that wasm-bindgen names: one copy of them serves all that import them. */
function besideSnippets(text) {
  const folders = readdirSync(join(built, "snippets"));
  if (folders.length !== 1) throw new Error(`snippets/ has ${folders.length} folders, expected 1`);
  return text.replace(/(from ")\.\.\/(\w+\.js")/g, `$1./snippets/${folders[0]}/src/js/$2`);
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
  text = withGetters(withUndefined(text));
  // `Symbol.dispose` is newer than the `lib` of many projects.
  return text.includes("Symbol.dispose") ? `/// <reference lib="esnext.disposable" />\n${text}` : text;
}

/**
 * Members that may be absent may be undefined too, as they are at run time: under `exactOptionalPropertyTypes` an app
 * could not pass on what it does not have.
 */
function withUndefined(declarations) {
  const MEMBER = /^( +(?:readonly )?\w+\?: )((?:[^;{}]|\{[^{}]*\})+);/gm;
  return declarations.replace(MEMBER, (_, head, type) => `${head}${type.includes("=>") ? `(${type})` : type} | undefined;`);
}

/** The agent's properties are getters, which a subclass can only replace by getters where they are declared so. */
function withGetters(declarations) {
  return declarations.replace(/^export class Agent \{\n[^]*?^\}/m, (agent) => agent.replace(/readonly (\w+): (.+);/g, "get $1(): $2;"));
}

/** The entry file and all that it imports as one small script. What terser finds behind esbuild is 3 percent. */
async function bundle(entry) {
  const { outputFiles } = buildSync({
    stdin: { contents: entry, resolveDir: built, sourcefile: "index.js" },
    bundle: true,
    format: "esm",
    target: "esnext",
    minify: true,
    write: false,
    logLevel: "warning",
  });
  const { code } = await minify(outputFiles[0].text, { module: true, ecma: 2022, compress: { passes: 3 } });
  return code;
}

const WASM_URL = /new URL\((["'])sluice_agent_bg\.wasm\1, ?import\.meta\.url\)/;

/** The script as bundlers know it: by this expression they find the .wasm file. */
async function mainScript(entry) {
  const text = await bundle(entry);
  if (!WASM_URL.test(text)) throw new Error("index.js does not name the .wasm file as bundlers expect it");
  return text;
}

/** The script with the module's bytes inside, for hosts that cannot serve a .wasm file. */
async function inlineScript(entry) {
  const bytes = readFileSync(join(built, "sluice_agent_bg.wasm")).toString("base64");
  const glue = read(join(built, "sluice_agent.js"));
  const inlined = replaceOnce(
    glue,
    /new URL\('sluice_agent_bg\.wasm', import\.meta\.url\)/,
    `Uint8Array.from(atob("${bytes}"), (character) => character.charCodeAt(0))`,
    "sluice_agent.js",
  );
  writeFileSync(join(built, "sluice_agent_inline.js"), inlined);
  const text = await bundle(replaceOnce(entry, '"./sluice_agent.js"', '"./sluice_agent_inline.js"', "index.js"));
  if (text.includes("_bg.wasm")) throw new Error("inline.js names the .wasm file, which it must not");
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
cpSync(join(built, "sluice_agent_bg.wasm"), join(out, "sluice_agent_bg.wasm"));
write("index.d.ts", withUndefined(read(join(root, "src/js/package/index.d.ts"))));
for (const name of ["README.md", "LICENSE", "CHANGELOG.md", "docs/protocols.md"]) cpSync(join(root, name), join(out, name));

const scripts = join(root, "src/js/package");
for (const name of readdirSync(scripts).filter((name) => name.endsWith(".js"))) {
  writeFileSync(join(built, name), besideSnippets(read(join(scripts, name))));
}
const entry = read(join(built, "index.js"));
write("index.js", await mainScript(entry));
write("inline.js", await inlineScript(entry));
write("sluice_agent.d.ts", declarations());
// What the module exports is between it and index.js, under names that change with every build.
write("sluice_agent_bg.wasm.d.ts", "export {};\n");
write("inline.d.ts", 'export * from "./index.js";\nexport { default } from "./index.js";\n');

const manifest = replaceOnce(read(join(root, "pkg.json.tmpl")), "{{version}}", crateVersion(), "pkg.json.tmpl");
write("package.json", manifest);
checkFiles(JSON.parse(manifest));
