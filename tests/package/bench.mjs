// Prints how fast the package is. It asserts nothing: the figures are for people, and machines differ.
import { cpus } from "node:os";
import { launch, servePages } from "./browser.mjs";

const sorted = (values) => [...values].sort((a, b) => a - b);
const quantile = (values, q) => {
  const at = (values.length - 1) * q;
  const [low, high] = [sorted(values)[Math.floor(at)], sorted(values)[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
};
const figure = (values, digits = 2) =>
  `${quantile(values, 0.5).toFixed(digits)} (quartiles ${quantile(values, 0.25).toFixed(digits)} to ${quantile(values, 0.75).toFixed(digits)}, best ${Math.min(...values).toFixed(digits)})`;
const repeat = async (times, run) => {
  const results = [];
  for (let i = 0; i < times; i++) results.push(await run(i));
  return results;
};

const files = await servePages({ "cache-control": "max-age=3600" });
const browser = await launch();
const open = async (context) => {
  const page = await context.newPage();
  page.on("pageerror", (error) => console.log(`! ${error.message}`));
  await page.goto(`${files.url}/bench.html`);
  await page.waitForFunction(() => globalThis.isLoaded);
  return page;
};

console.log(`${browser.browserType().name()} ${browser.version()}, ${cpus().length} cores of ${cpus()[0]?.model}\n`);
const context = await browser.newContext();
const page = await open(context);
await page.evaluate(() => bench.init());
await page.evaluate(() => bench.warmUp());

console.log("Cost of a delta: 8 events per network chunk, one listener, chat completions, against a bare loop that reads, decodes,");
console.log("splits, parses and calls once, on the same bytes, in turns. Microseconds per delta; the ratio is of neighbours.");
for (const [count, rounds] of [[500, 41], [2_000, 31], [10_000, 21], [50_000, 11]]) {
  const times = await page.evaluate(([count, rounds]) => bench.compare(count, rounds), [count, rounds]);
  const perDelta = (ms) => (ms * 1000) / count;
  console.log(`  ${String(count).padStart(6)} deltas   bare ${figure(times.bare.map(perDelta))}   sluice ${figure(times.sluice.map(perDelta))}   ratio ${figure(times.sluice.map((ms, i) => ms / times.bare[i]))}`);
}

console.log("\nA message of 200,000 deltas: microseconds per delta in the first and the last tenth.");
const long = await repeat(5, () => page.evaluate(() => bench.tenths(200_000)));
const tenth = (index) => long.map((tenths) => tenths.at(index) / 20);
console.log(`  first ${figure(tenth(0))}   last ${figure(tenth(-1))}   last/first ${figure(long.map((tenths) => tenths.at(-1) / tenths[0]))}`);

console.log("\nArguments of a tool call in deltas of 20 characters: milliseconds, microseconds per delta.");
for (const shape of ["string", "objects"]) {
  for (const size of [500_000, 1_000_000, 2_000_000]) {
    const runs = await repeat(5, () => page.evaluate(([shape, size]) => bench.toolArguments(shape, size), [shape, size]));
    console.log(`  ${shape.padEnd(7)} ${String(runs[0].characters).padStart(7)} characters   ${figure(runs.map(({ ms }) => ms), 0)} ms   ${figure(runs.map(({ ms, deltas }) => (ms * 1000) / deltas))} µs`);
  }
}
await page.close();

console.log("\ninit() to the first delta, milliseconds. Cold: nothing cached; warm: the files and their compiled code may be.");
const cold = await repeat(7, async () => {
  const context = await browser.newContext();
  const result = await (await open(context)).evaluate(() => bench.start());
  await context.close();
  return result;
});
const warm = await repeat(12, async () => {
  const page = await open(context);
  const result = await page.evaluate(() => bench.start());
  await page.close();
  return result;
});
for (const [name, runs] of [["cold", cold], ["warm", warm.slice(5)]]) {
  console.log(`  ${name}   init ${figure(runs.map(({ init }) => init), 1)}   first delta ${figure(runs.map(({ firstEvent }) => firstEvent), 1)}`);
}

console.log("\nwasm memory over 10,000 short runs, an agent each, in KiB.");
for (const isFreed of [true, false]) {
  const page = await open(context);
  await page.evaluate(() => bench.init());
  const sizes = await page.evaluate((isFreed) => bench.memory(10_000, isFreed), isFreed);
  console.log(`  ${isFreed ? "freed  " : "dropped"}   ${sizes.map(([run, bytes]) => `after ${run}: ${bytes / 1024}`).join("   ")}`);
  await page.close();
}

await browser.close();
files.close();
