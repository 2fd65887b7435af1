// What the tests use inside the page: the loaded package, and recordings of runs.
import init, * as sluice from "/sluice-agent/index.js";
import { outline, record } from "./record.js";

globalThis.problems = [];
addEventListener("securitypolicyviolation", (event) => problems.push(`policy: ${event.violatedDirective} ${event.blockedURI}`));
addEventListener("unhandledrejection", (event) => problems.push(`unhandledrejection: ${event.reason}`));

await init();
Object.assign(globalThis, { sluice: { ...sluice, init }, outline, record, isLoaded: true });
