// The size gate: the .wasm and the glue JS as shipped, each file compressed on its own as a server does.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

// What is wanted, and what is allowed until it is reached. See "Budgets" in DESIGN.md.
const BUDGET = 70_000;
const LIMIT = 136_400;

const out = join(dirname(fileURLToPath(import.meta.url)), "../target/package");
const files = readdirSync(out, { recursive: true })
  .filter((name) => /\.(js|wasm)$/.test(name) && name !== "inline.js")
  .sort();

const brotli = (bytes) =>
  brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });

const rows = files.map((name) => {
  const bytes = readFileSync(join(out, name));
  return [name, bytes.length, gzipSync(bytes, { level: 9 }).length, brotli(bytes).length];
});
const sum = (column) => rows.reduce((total, row) => total + row[column], 0);
const total = ["total", sum(1), sum(2), sum(3)];

const width = Math.max(...rows.map(([name]) => name.length));
const line = ([name, ...sizes]) => [name.padEnd(width), ...sizes.map((size) => String(size).padStart(9))].join(" ");
console.log(line(["file", "raw", "gzip", "brotli"]));
for (const row of [...rows, total]) console.log(line(row));

if (total[3] > LIMIT) {
  console.error(`error: ${total[3]} bytes (brotli) are over the limit of ${LIMIT}`);
  process.exit(1);
}
const left = BUDGET - total[3];
console.log(left < 0 ? `${-left} bytes (brotli) over the budget of ${BUDGET}, within the limit of ${LIMIT}` : `${left} bytes (brotli) below the budget`);
