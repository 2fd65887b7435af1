// Lets the module trap: imported before the package is loaded. A trap is a real one, of an `unreachable` instruction in
// another module, in an import that the package's module calls, and unwinds its functions as one of its own would.
const TRAP = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 116, 0, 0, 10, 5, 1, 3, 0, 0, 11];
const { instantiate, instantiateStreaming, Instance } = WebAssembly;
const { t: trap } = new Instance(new WebAssembly.Module(new Uint8Array(TRAP))).exports;

/** How often the module may call out before it traps. */
let left = Infinity;

/** The next time that the module calls out, or so many times later, it traps. */
export const arm = (later = 0) => {
  left = later;
};

/** Takes that back. Returns whether it has trapped. */
export const disarm = () => {
  const hasTrapped = left === Infinity;
  left = Infinity;
  return hasTrapped;
};

/** The memory of the last instance. Of one that nobody holds the browser makes room for others. */
export let memory;

const armed = (imports) => {
  const wrap = (call) => (...args) => {
    if (left-- === 0) {
      left = Infinity;
      trap();
    }
    return call(...args);
  };
  return Object.fromEntries(Object.entries(imports).map(([module, members]) => [module, Object.fromEntries(Object.entries(members).map(([name, call]) => [name, wrap(call)]))]));
};
const noted = (made) => {
  memory = Object.values((made.instance ?? made).exports).find((value) => value instanceof WebAssembly.Memory);
  return made;
};

WebAssembly.instantiate = async (source, imports) => noted(await instantiate(source, armed(imports)));
WebAssembly.instantiateStreaming = async (source, imports) => noted(await instantiateStreaming(source, armed(imports)));
WebAssembly.Instance = function (module, imports) {
  if (WebAssembly.Instance.isRefused) throw new RangeError("WebAssembly.Instance is disallowed on the main thread");
  return noted(new Instance(module, armed(imports)));
};
WebAssembly.Instance.prototype = Instance.prototype;
