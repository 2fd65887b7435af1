// Makes target/pkg (wasm-bindgen's output) small: the module by wasm-opt, and what wasm-opt cannot know.
// `scripts/package` runs it. WASM_OPT replaces the optimisation flags, to measure others.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import binaryen from "binaryen";
import { ordered } from "./order.mjs";
import { section } from "./section.mjs";

const scripts = dirname(fileURLToPath(import.meta.url));
const built = join(scripts, "../target/pkg");
const wasmPath = join(built, "sluice_agent_bg.wasm");
const gluePath = join(built, "sluice_agent.js");

// Flattening gives the passes behind it more to merge, and what LLVM left out of line compresses better there. The
// lowest kilobyte of memory is the end of a stack of 1 MB.
const DEFAULT_FLAGS =
  "--low-memory-unused --one-caller-inline-max-function-size=16 -Os --flatten --rereloop -Os --flatten --rereloop -Os -Os --strip-debug --strip-producers";

// The features that browsers have and rustc uses. Not --all-features: browsers refuse such a module.
const FEATURES = {
  BulkMemory: "bulk-memory",
  BulkMemoryOpt: "bulk-memory-opt",
  SignExt: "sign-ext",
  MutableGlobals: "mutable-globals",
  NontrappingFPToInt: "nontrapping-float-to-int",
  ReferenceTypes: "reference-types",
  Multivalue: "multivalue",
};

const featureBits = Object.keys(FEATURES).reduce((all, name) => all | binaryen.Features[name], 0);

/** Where the standard library reports a panic before it aborts. */
const PANIC = /^<?(core|std|alloc|hashbrown|__rustc)\b.*(panic|_fail(ed)?$|_fail(ed)?::|handle_error|capacity_overflow|alloc_error|__rust_end_short_backtrace)/;

/**
 * A panic is a trap in any case: the browser has no standard error to write to. Trapping at once
 * leaves out what would make a text that nobody gets to see.
 */
function trapAtOnce(bytes) {
  const module = binaryen.readBinary(bytes);
  module.setFeatures(featureBits);
  let found = 0;
  for (let index = 0; index < module.getNumFunctions(); index++) {
    const func = module.getFunctionByIndex(index);
    const { name, module: importedFrom } = binaryen.getFunctionInfo(func);
    if (importedFrom || !PANIC.test(name)) continue;
    binaryen.Function.setBody(func, module.unreachable());
    found++;
  }
  if (found === 0) throw new Error("no function of the module reports a panic: did their names change?");
  return module.emitBinary();
}

/** The active data segments of a module: their addresses, and where their bytes are. */
function dataSegments(bytes) {
  const reader = section(bytes, 11);
  return Array.from({ length: reader.number() }, () => {
    const opcode = (reader.number(), reader.byte());
    const start = reader.number();
    if (opcode !== 0x41 || reader.byte() !== 0x0b) throw new Error("a data segment is not at a constant address");
    const size = reader.number();
    reader.take(size);
    return { start, end: start + size, offset: reader.at - size };
  });
}

/** A file of Rust code, as a place in the source has it. */
const SOURCE = /^[\w./-]+\/[\w./-]+\.rs\0?$/;

/**
 * The places of panics in the source, which nothing reads any more: names of files, and for each place a pointer to
 * one, its length, a line and a column. Zeros in their place are left out of the module.
 */
function forgetPlaces(bytes) {
  const data = dataSegments(bytes);
  const at = (address, length) => {
    const segment = data.find(({ start, end }) => start <= address && address + length <= end);
    return segment && bytes.subarray(segment.offset + address - segment.start, segment.offset + address - segment.start + length);
  };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const names = new Map();
  let found = 0;
  for (const { start, end, offset } of data) {
    for (let address = (start + 3) & ~3; address + 16 <= end; address += 4) {
      const [pointer, length, line, column] = [0, 4, 8, 12].map((word) => view.getUint32(offset + address - start + word, true));
      if (length < 4 || length > 300 || line === 0 || line > 100_000 || column === 0 || column > 1000) continue;
      const file = at(pointer, length);
      if (!file || !SOURCE.test(Buffer.from(file).toString("latin1"))) continue;
      at(address, 16).fill(0);
      address += 12;
      found++;
      // Places share names, so those are cleared last.
      names.set(pointer, file);
    }
  }
  for (const file of names.values()) file.fill(0);
  if (found === 0) throw new Error("the module has no places of panics: did their form change?");
}

/** Runs wasm-opt. Returns the short names that imports and exports now have. */
function optimise() {
  const flags = (process.env.WASM_OPT ?? DEFAULT_FLAGS).split(" ").filter((flag) => flag !== "");
  const features = Object.values(FEATURES).map((name) => `--enable-${name}`);
  const args = [...flags, "--minify-imports-and-exports-and-modules", ...features, wasmPath, "-o", wasmPath];
  return JSON.parse(execFileSync(join(scripts, "node_modules/.bin/wasm-opt"), args, { encoding: "utf8" }));
}

/** The glue under the module's short names. A name that is not there exactly once is an error. */
function renamed(glue, { imports, exports }) {
  const shortExports = new Map(exports);
  let text = glue.replace(/(?<![\w$.])wasm\.([\w$]+)/g, (_, name) => {
    if (!shortExports.has(name)) throw new Error(`the glue uses ${name}, which the module does not export`);
    return `wasm.${shortExports.get(name)}`;
  });
  const once = (before, after) => {
    const parts = text.split(before);
    if (parts.length !== 2) throw new Error(`the glue has ${parts.length - 1} times ${before.trim()}, expected 1`);
    text = parts.join(after);
  };
  once(`\n        "./sluice_agent_bg.js": import0,`, `\n        a: import0,`);
  for (const [module, name, short] of imports) {
    if (module === "./sluice_agent_bg.js") {
      once(`\n        ${name}: `, `\n        ${short}: `);
    } else {
      // A function of a script that needs no glue: it comes with the others now.
      const [, script] = text.match(new RegExp(`"${module}": (import\\d+),`)) ?? [];
      if (script === undefined) throw new Error(`the glue does not import ${module}`);
      once("const import0 = {", `const import0 = {\n        ${short}: ${script}.${name},`);
    }
  }
  return text.replace(/\n {8}"\.\/snippets\/[^"]+": import\d+,/g, "");
}

const wasm = trapAtOnce(readFileSync(wasmPath));
forgetPlaces(wasm);
writeFileSync(wasmPath, wasm);
writeFileSync(gluePath, renamed(readFileSync(gluePath, "utf8"), optimise()));
writeFileSync(wasmPath, ordered(readFileSync(wasmPath), featureBits));
