// Loads the scripts from their texts: an expression, since there is no module yet that could do it.
async (texts) => {
  const address = (name, text) => URL.createObjectURL(new Blob([text, `\n//# sourceURL=tests/web/${name}.js`], { type: "text/javascript" }));
  const helpers = address("helpers", texts.helpers);
  const modules = {};
  for (const [name, text] of Object.entries(texts)) {
    const url = name === "helpers" ? helpers : address(name, text.replaceAll('"./helpers.js"', JSON.stringify(helpers)));
    modules[name] = await import(url);
  }
  return modules;
};
