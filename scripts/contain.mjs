// Makes the glue in target/pkg (what `shrink.mjs` left of it) a function of the instance that it is for, so that there can
// be a second instance of the module that shares nothing with the first. `scripts/package` runs it.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const path = join(dirname(fileURLToPath(import.meta.url)), "../target/pkg/sluice_agent.js");

/** The glue as a function. `owner` guards what goes into the module and out of it: see `src/js/package/instance.js`. */
function contained(glue) {
  const imports = [];
  const names = [];
  let text = glue
    .replace(/^import .*\n/gm, (line) => {
      imports.push(line);
      return "";
    })
    .replace(/^export (class|function) (\w+)/gm, (_, kind, name) => {
      names.push(name);
      return `${kind} ${name}`;
    });
  const once = (before, after) => {
    const parts = text.split(before);
    if (parts.length !== 2) throw new Error(`the glue has ${parts.length - 1} times ${before}, expected 1`);
    text = parts.join(after);
  };
  once("        a: import0,\n", "        a: owner.guardImports(import0),\n");
  once("wasm = instance.exports;", "wasm = owner.guardExports(instance.exports, module);");
  // Character by character is quicker for short texts only, and a transcript is a long one.
  once("if (realloc === undefined) {", "if (realloc === undefined || arg.length > 1000) {");
  once("export { initSync, __wbg_init as default };", `return { initSync, init: __wbg_init, ${names.join(", ")} };`);
  if (/^(import|export) /m.test(text)) throw new Error("the glue has an import or export that is not known");
  return `${imports.join("")}export default function (owner) {\n${text}}\n`;
}

writeFileSync(path, contained(readFileSync(path, "utf8")));
