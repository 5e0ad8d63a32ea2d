// The top of the page: the result and the main numbers.

const work = sum(data.jobs, (job) => job.seconds);
const spent = new Map(data.jobs.map((job) => [job.output, job]));
const chainSeconds = sum(data.critical_path, (output) => spent.get(output).seconds);

const ENDINGS = { ok: "Built in", failed: "Failed after", interrupted: "Interrupted after" };

function head() {
  const before = data.last.began
    ? `the last successful build took ${seconds(data.last.seconds)}`
    : "the first build of this tree";
  const style = data.result === "ok" ? "" : "bad";
  return [
    element("p", { class: "eyebrow" }, `${data.project} ${data.version}`),
    element("h1", { class: style }, `${ENDINGS[data.result]} ${seconds(data.seconds)}`),
    element("p", { class: "soft" }, `${moment(data.began)}; ${before}`),
    element("div", { class: "tiles" }, ...tiles()),
  ];
}

function tile(value, text) {
  return element("div", { class: "tile" }, element("b", {}, value), element("span", {}, text));
}

function tiles() {
  const compiled = `commands, ${count(data.compiled, "file")} compiled`;
  return [tile(data.jobs.length.toLocaleString("en"), compiled), ...workTiles(), ...cacheTile(), ...sizeTile()];
}

function workTiles() {
  const build = data.steps.find((step) => step.name === "build");
  if (!data.jobs.length || !build) return [];
  const slots = data.job_slots;
  return [
    tile(seconds(work), `of work in ${count(slots, "job slot")}`),
    tile(share(work, slots * build.seconds), "of the slots' time was used"),
    ...(data.critical_path.length ? [tile(seconds(chainSeconds), "on the critical path")] : []),
  ];
}

function cacheTile() {
  if (!data.compiler_cache) return [];
  const { hits, misses } = data.compiler_cache;
  const all = hits + misses;
  return [tile(share(hits, all || 1), `of ${count(all, "compilation")} from the cache`)];
}

function sizeTile() {
  const sizes = Object.values(data.sizes);
  if (!sizes.length) return [];
  return [tile(bytes(sum(sizes, (size) => size)), `in ${sizes.length} libraries and extensions`)];
}
