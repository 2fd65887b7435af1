// A server renders pages whose code imports the package: nothing may run, nothing may be needed.
for (const name of ["fetch", "WebAssembly", "Worker", "reportError"]) {
  const value = globalThis[name];
  Object.defineProperty(globalThis, name, {
    get() {
      console.log(`touched ${name}`);
      return value;
    },
  });
}
const before = Object.getOwnPropertyNames(globalThis).length;
const { Agent, defineTool, default: init } = await import("sluice-agent");
console.log([typeof init, typeof Agent, typeof defineTool({ name: "x", execute() {} }), Object.getOwnPropertyNames(globalThis).length - before].join(" "));
