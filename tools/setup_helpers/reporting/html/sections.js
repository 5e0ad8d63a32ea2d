// The page, from top to bottom. A section without facts is left out.

const work = sum(data.jobs, (job) => job.seconds);
const slots = data.job_slots;
const spent = new Map(data.jobs.map((job) => [job.output, job]));
const buildStep = data.steps.find((step) => step.name === "build");
for (const category of data.categories) colour(category.name);

function head() {
  const verb = { ok: "Built in", failed: "Failed after", interrupted: "Interrupted after" }[data.result];
  const style = data.result === "ok" ? "" : "bad";
  return [
    element("p", { class: "eyebrow" }, `${data.project} ${data.version}`),
    element("h1", { class: style }, `${verb} ${seconds(data.seconds)}`),
    element("p", { class: "soft" }, moment(data.began) + (data.last.began ? `; the last that ended well took ${seconds(data.last.seconds)}` : "; the first build of this tree")),
    element("div", { class: "tiles" }, ...tiles()),
  ];
}

function tiles() {
  const tile = (value, text) => element("div", { class: "tile" }, element("b", {}, value), element("span", {}, text));
  const made = [tile(data.jobs.length.toLocaleString("en"), `commands, ${count(data.compiled, "file")} compiled`)];
  if (data.jobs.length) {
    made.push(tile(seconds(work), `of work in ${count(slots, "job slot")}`));
    if (buildStep) made.push(tile(share(work, slots * buildStep.seconds), "of the slots' time was used"));
    made.push(tile(seconds(chainSeconds()), "on the critical path"));
  }
  if (data.compiler_cache) {
    const { hits, misses } = data.compiler_cache;
    made.push(tile(share(hits, hits + misses || 1), `of ${count(hits + misses, "compilation")} from the cache`));
  }
  const size = sum(Object.values(data.sizes), (value) => value);
  if (size) made.push(tile(bytes(size), `in ${Object.keys(data.sizes).length} libraries and extensions`));
  return made;
}

function failure() {
  const { failure } = data;
  if (!failure) return null;
  return section("failure", `What failed: ${failure.message}`, "", failure.cause && element("pre", {}, failure.cause),
    failure.hint && element("p", { class: "more" }, element("b", {}, "What to do: "), failure.hint),
    failure.log && element("p", { class: "soft more" }, "Everything that was printed: ", span("path", failure.log)));
}

function retries() {
  if (!(data.retries || []).length) return null;
  return section("retries", "What failed and was helped", "These commands failed once; the package holds what the later attempt made.",
    ...rows(data.retries.map((retry) => line(retry.name, `${retry.cause}; made ${retry.how}`))));
}

function steps() {
  const ran = data.steps.filter((step) => step.seconds > 0);
  const strip = element("div", { class: "strip", "aria-hidden": "true" },
    ...ran.map((step) => element("i", { style: `flex:${1000 * step.seconds} 1 0;background:${colour(step.name)}`, title: step.name })));
  const whole = Math.max(...ran.map((step) => step.seconds));
  return section("steps", "Steps", "One after the other; the commands of the build run inside one of them.", strip,
    ...rows(ran.map((step) => row(keyed(colour(step.name), step.name), step.seconds, whole, colour(step.name), seconds(step.seconds), step.note)), 20));
}

function changes() {
  const { options, inputs, more_inputs: more, configured } = data.changes, since = data.last.began;
  if (!since && data.causes.length <= 1) return null; // a first build makes everything
  const lead = since ? `Compared with the last build that ended well, of ${moment(since)}.` : "The first build of this tree that got so far: everything had to be made.";
  const lines = !since ? [] : [
    ...options.map((option) => line(option.name, `${option.before || "empty"} → ${option.now || "empty"} (${option.origin})`)),
    configured && line("configuration", configured),
    ...data.stages.filter((stage) => stage.reason).map((stage) => line(`code generation: ${stage.name}`, `${stage.reason}; ${count(stage.changed, "file")} written`)),
    ...inputs.map((input) => line(input.path, `${input.change} ${moment(input.time)}${sizes(input)}`)),
    more && line(`${more} further inputs`, ""),
  ].filter(Boolean);
  const whole = Math.max(...data.causes.map((cause) => cause.seconds), 0);
  const costs = data.causes.map((cause) => row(path(cause.text), cause.seconds, whole, "var(--accent)", `${seconds(cause.seconds)} · ${count(cause.commands, "command")}`));
  return section("changes", "What changed, and what that cost", lead,
    ...(lines.length ? rows(lines) : since ? [element("p", {}, "No option and no input changed.")] : []),
    ...(costs.length ? [element("h3", {}, "Why commands ran"), ...rows(costs)] : []));
}

const line = (name, what) => element("div", { class: "fact" }, path(name), span("soft", what));
const sizes = ({ change, sizes: [before, now] }) => change === "edited" && before !== now ? `, ${signed(now - before, bytes)}` : "";

const chainSeconds = () => sum(data.critical_path, (output) => spent.get(output).seconds);

function chain() {
  if (!data.critical_path.length) return null;
  const long = data.critical_path.map((output) => spent.get(output));
  return section("critical", "Critical path", `The longest chain of commands that wait for each other: with any number of cores this build takes ${seconds(chainSeconds())} at least.`,
    element("ol", { class: "chain" }, ...long.map((job) => element("li", { style: `--dot:${colour(job.category)}` },
      element("div", {}, path(short(job.output)), span("number", seconds(job.seconds))), span("soft", job.category)))));
}

function categories() {
  const whole = Math.max(...data.categories.map((category) => category.seconds));
  const total = sum(data.categories, (category) => category.seconds);
  return section("categories", "Where the time went", "Seconds of work: of all job slots together for commands, of the clock for steps.",
    ...rows(data.categories.map((category) => row(keyed(colour(category.name), category.name), category.seconds, whole, colour(category.name),
      `${seconds(category.seconds)} · ${share(category.seconds, total || 1)}`)), 20));
}

function slowest() {
  if (!(data.slowest || []).length) return null;
  const whole = data.slowest[0].seconds;
  return section("slowest", "Slowest files of the tree", "Each as it was made last, in this build or an earlier one.",
    ...rows(data.slowest.map((file) => row(path(short(file.output)), file.seconds, whole, colour(file.category), seconds(file.seconds),
      [target(file.output), file.memory_mb ? `${file.memory_mb} MiB in this build` : ""].filter(Boolean).join(" · ")))));
}

function sizesOfPackage() {
  const files = Object.entries(data.sizes).sort((a, b) => b[1] - a[1]);
  if (!files.length) return null;
  const before = data.last.sizes;
  const change = (name, size) => name in before && before[name] !== size ? signed(size - before[name], bytes) : "";
  return section("sizes", "Sizes", "What the build graph made for the package, beside the last build that ended well.",
    ...rows(files.map(([name, size]) => row(path(name), size, files[0][1], "var(--c9)", bytes(size), change(name, size)))));
}

function profile() {
  const { profile } = data;
  if (!profile || !profile.files.length) return null;
  const phases = [...new Set(profile.files.flatMap((file) => Object.keys(file.phases)))];
  const slow = profile.files[0].seconds;
  const files = profile.files.map((file) => element("div", { class: "row" }, path(short(file.output)),
    element("div", { class: "bar" }, element("div", { class: "parts", style: `width:${100 * file.seconds / (slow || 1)}%` },
      ...phases.map((phase, index) => element("i", { style: `flex:${1000 * (file.phases[phase] || 0)} 1 0;background:var(--c${index})` })))),
    span("number", seconds(file.seconds)), span("note", target(file.output))));
  const legend = element("div", { class: "tools soft" }, ...phases.map((phase, index) => element("span", {}, element("span", { class: "key", style: `background:var(--c${index})` }), phase)));
  const dear = Math.max(...profile.headers.map((header) => header.total), 0);
  const headers = profile.headers.map((header) => row(path(header.path), header.total, dear, "var(--c0)", seconds(header.total),
    `${seconds(header.seconds)} to parse, in ${count(header.files, "file")}`));
  const cost = (template) => template.seconds || template.bytes;
  const worst = Math.max(...profile.templates.map(cost), 0);
  const templates = profile.templates.map((template) => row(path(template.name), cost(template), worst, "var(--c3)",
    template.seconds ? seconds(template.seconds) : bytes(template.bytes), template.copies ? `${count(template.copies, "copy", "copies")} in the objects, ${bytes(template.bytes)} thrown away by the linker` : ""));
  return section("profile", "What compiling costs", `The files that took longest, compiled once more with the accounting of ${profile.compiler}.`, legend, ...rows(files),
    element("h3", {}, "Headers"), element("p", { class: "soft" }, "Seconds to parse one with all it includes, times the files that include it: costs of headers overlap."), ...rows(headers),
    element("h3", {}, "Templates and inline functions"), element("p", { class: "soft" }, "All instances of a name together; an object holds a copy of each that it uses."), ...rows(templates));
}

function options() {
  const all = Object.entries(data.options);
  const chosen = all.filter(([, option]) => option.origin !== "default" && !option.origin.startsWith("forced"));
  const text = ([name, option]) => line(`${name}=${option.value}`, [option.origin, option.detail].filter(Boolean).join(": "));
  return section("options", "Options", "Those that were asked for or detected, then all.",
    element("div", { class: "rows" }, ...chosen.map(text)),
    element("details", { class: "more" }, element("summary", {}, `all ${all.length}`), element("div", { class: "rows" }, ...all.map(text))));
}

document.getElementById("head").append(...head());
const timelineSection = data.jobs.length ? [section("timeline", "Timeline", "One row for each job slot. A legend entry shows its kind alone.", ...timeline())] : [];
document.getElementById("sections").append(...[failure(), retries(), changes(), ...timelineSection, chain(), categories(), slowest(), profile(), sizesOfPackage(), steps(), options()].filter(Boolean));
