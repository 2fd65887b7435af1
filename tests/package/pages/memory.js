// The memory of the wasm module, which the package keeps to itself: imported before the module is loaded.

export let memory;

const instantiate = WebAssembly.instantiateStreaming;
WebAssembly.instantiateStreaming = async (...args) => {
  WebAssembly.instantiateStreaming = instantiate;
  const made = await instantiate.apply(WebAssembly, args);
  memory = Object.values(made.instance.exports).find((value) => value instanceof WebAssembly.Memory);
  return made;
};
