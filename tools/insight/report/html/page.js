// The page, from top to bottom. Empty sections are left out.

function sizes() {
  const files = Object.entries(data.sizes).sort((a, b) => b[1] - a[1]);
  if (!files.length) return null;
  const before = data.last.sizes;
  const made = files.map(([name, size]) => row({
    label: path(name),
    part: size,
    whole: files[0][1],
    fill: "var(--c9)",
    value: bytes(size),
    note: name in before && before[name] !== size ? signed(size - before[name], bytes) : "",
  }));
  return section("sizes", "Sizes",
    "The files built for the package, compared with the last successful build.", ...rows(made));
}

function options() {
  const all = Object.entries(data.options);
  const silent = ({ origin }) => origin === "default" || origin.startsWith("forced");
  const chosen = all.filter(([, option]) => !silent(option));
  const text = ([name, { value, origin, detail }]) =>
    fact(`${name}=${value}`, [origin, detail].filter(Boolean).join(": "));
  const list = (some) => element("div", { class: "rows" }, ...some.map(text));
  return section("options", "Options", "Options that were set or detected, then all options.",
    list(chosen), folded(`all ${all.length}`, list(all)));
}

for (const category of data.categories) colour(category.name);
document.getElementById("head").append(...head());
document.getElementById("sections").append(...[
  failure(), retries(), changes(), timeline(), chain(), categories(), slowest(), profile(), sizes(), steps(), options(),
].filter(Boolean));
