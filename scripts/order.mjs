// Puts functions of a module that have much in common beside each other. A compressor names what it has seen before by its
// distance, and a short one takes fewer bits: 1.5 percent of the whole, which costs nothing when the module is loaded.
import binaryen from "binaryen";
import { section } from "./section.mjs";

/** What functions are compared by: all runs of this many bytes. */
const RUN = 3;

/** The code of each function. */
function bodies(bytes) {
  const reader = section(bytes, 10);
  return Array.from({ length: reader.number() }, () => reader.take(reader.number()));
}

/** The order: behind each function the one that shares most with it, of those that are left. What is rare counts more. */
function nearest(functions) {
  const runs = functions.map((body) => new Set(Array.from({ length: Math.max(0, body.length - RUN) }, (_, at) => body.toString("latin1", at, at + RUN))));
  const owners = new Map();
  runs.forEach((set, index) => {
    for (const run of set) {
      if (!owners.has(run)) owners.set(run, []);
      owners.get(run).push(index);
    }
  });
  const left = new Set(functions.keys());
  const order = [];
  for (let index = 0; index !== undefined; ) {
    order.push(index);
    left.delete(index);
    const shared = new Map();
    for (const run of runs[index]) {
      const all = owners.get(run);
      for (const other of all) if (left.has(other)) shared.set(other, (shared.get(other) ?? 0) + all.length ** -0.25);
    }
    // A large function shares something with all others.
    const score = (other) => (shared.get(other) ?? 0) / (runs[other].size + 20);
    index = [...left].reduce((best, other) => (best === undefined || score(other) > score(best) ? other : best), undefined);
  }
  return order;
}

/** The module, of these features, with its functions in another order. */
export function ordered(bytes, features) {
  const module = binaryen.readBinary(bytes);
  module.setFeatures(features);
  const all = Array.from({ length: module.getNumFunctions() }, (_, index) => binaryen.getFunctionInfo(module.getFunctionByIndex(index)));
  const own = all.filter(({ module: importedFrom }) => !importedFrom);
  for (const index of nearest(bodies(bytes))) {
    const { name, params, results, vars, body } = own[index];
    module.removeFunction(name);
    module.addFunction(name, params, results, vars, body);
  }
  binaryen.setOptimizeStackIR(true);
  return Buffer.from(module.emitBinary());
}
