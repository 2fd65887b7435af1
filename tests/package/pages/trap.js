// Lets the module trap: imported before the package is loaded. A trap is a real one, of an `unreachable` instruction in
// another module, in an import that the package's module calls, and unwinds its functions as one of its own would.
const TRAP = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 116, 0, 0, 10, 5, 1, 3, 0, 0, 11];
const { instantiate, instantiateStreaming, Instance } = WebAssembly;
const { t: trap } = new Instance(new WebAssembly.Module(new Uint8Array(TRAP))).exports;

let isArmed = false;

/** The next time that the module calls out, it traps. */
export const arm = () => {
  isArmed = true;
};

/** The memories of all instances. */
export const memories = [];

const armed = (imports) => {
  const wrap = (call) => (...args) => {
    if (isArmed) {
      isArmed = false;
      trap();
    }
    return call(...args);
  };
  return Object.fromEntries(Object.entries(imports).map(([module, members]) => [module, Object.fromEntries(Object.entries(members).map(([name, call]) => [name, wrap(call)]))]));
};
const noted = (made) => {
  memories.push(Object.values((made.instance ?? made).exports).find((value) => value instanceof WebAssembly.Memory));
  return made;
};

WebAssembly.instantiate = async (source, imports) => noted(await instantiate(source, armed(imports)));
WebAssembly.instantiateStreaming = async (source, imports) => noted(await instantiateStreaming(source, armed(imports)));
WebAssembly.Instance = function (module, imports) {
  if (WebAssembly.Instance.isRefused) throw new RangeError("WebAssembly.Instance is disallowed on the main thread");
  return noted(new Instance(module, armed(imports)));
};
WebAssembly.Instance.prototype = Instance.prototype;
