// The compile-time profile, if one was requested: phases, headers, templates.

function profile() {
  const { profile } = data;
  if (!profile || !profile.files.length) return null;
  return section("profile", "Compile-time profile",
    `The slowest files, compiled again with the profiling of ${profile.compiler}.`,
    ...phases(profile.files),
    element("h3", {}, "Headers"),
    element("p", { class: "soft" },
      "Seconds to parse a header with everything it includes, times the files that include it. These costs overlap."),
    ...headers(profile.headers),
    element("h3", {}, "Templates and inline functions"),
    element("p", { class: "soft" }, "All instances of a name together; each object holds a copy of every instance it uses."),
    ...templates(profile.templates));
}

function phases(files) {
  const names = [...new Set(files.flatMap((file) => Object.keys(file.phases)))];
  const fills = new Map(names.map((name, index) => [name, `var(--c${index})`]));
  const bar = (file) => (_, size) => element("div", { class: "parts", style: size },
    ...names.map((name) => filled(fills.get(name), `flex:${1000 * (file.phases[name] || 0)} 1 0`)));
  const made = files.map((file) => row({
    label: path(short(file.output)),
    part: file.seconds,
    whole: files[0].seconds,
    value: seconds(file.seconds),
    note: target(file.output),
    bar: bar(file),
  }));
  const legend = names.map((name) => element("span", {}, key(fills.get(name)), name));
  return [element("div", { class: "tools soft" }, ...legend), ...rows(made)];
}

function headers(found) {
  const whole = largest(found, (header) => header.total);
  return rows(found.map((header) => row({
    label: path(header.path),
    part: header.total,
    whole,
    fill: "var(--c0)",
    value: seconds(header.total),
    note: `${seconds(header.seconds)} to parse, in ${count(header.files, "file")}`,
  })));
}

function templates(found) {
  const cost = (template) => template.seconds || template.bytes;
  const whole = largest(found, cost);
  return rows(found.map((template) => row({
    label: path(template.name),
    part: cost(template),
    whole,
    fill: "var(--c3)",
    value: template.seconds ? seconds(template.seconds) : bytes(template.bytes),
    note: template.copies ? copies(template) : "",
  })));
}

function copies(template) {
  const held = count(template.copies, "copy", "copies");
  return `${held} in the objects, ${bytes(template.bytes)} discarded by the linker`;
}
