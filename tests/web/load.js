// Loads the scripts from their texts: an expression, since there is no module yet that could do it.
async (texts) => {
  const address = (name, text) => URL.createObjectURL(new Blob([text, `\n//# sourceURL=tests/web/${name}.js`], { type: "text/javascript" }));
  const shared = { '"./helpers.js"': address("helpers", texts.helpers), '"../values.js"': address("values", texts.values) };
  const modules = { helpers: await import(shared['"./helpers.js"']) };
  for (const [name, text] of Object.entries(texts)) {
    const found = Object.keys(shared).reduce((text, path) => text.replaceAll(path, JSON.stringify(shared[path])), text);
    modules[name] ??= await import(address(name, found));
  }
  return modules;
};
