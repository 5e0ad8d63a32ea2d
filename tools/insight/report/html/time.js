// Where the time went: critical path, categories, files, steps.

function chain() {
  if (!data.critical_path.length) return null;
  const links = data.critical_path.map((output) => spent.get(output)).map((job) =>
    element("li", { style: `--dot:${colour(job.category)}` },
      element("div", {}, path(short(job.output)), span("number", seconds(job.seconds))),
      span("soft", job.category)));
  const least = `with any number of cores this build takes at least ${seconds(chainSeconds)}`;
  return section("critical", "Critical path",
    `The longest chain of commands that wait for each other: ${least}.`,
    element("ol", { class: "chain" }, ...links));
}

function categories() {
  const whole = largest(data.categories, (category) => category.seconds);
  const total = sum(data.categories, (category) => category.seconds) || 1;
  const made = data.categories.map(({ name, seconds: taken }) => row({
    label: keyed(colour(name), name),
    part: taken,
    whole,
    fill: colour(name),
    value: `${seconds(taken)} · ${share(taken, total)}`,
  }));
  return section("categories", "Where the time went",
    "Seconds of work: summed over all job slots for commands, elapsed time for steps.", ...rows(made, 20));
}

function slowest() {
  const files = data.slowest_of_tree || [];
  if (!files.length) return null;
  const made = files.map((file) => row({
    label: path(short(file.output)),
    part: file.seconds,
    whole: files[0].seconds,
    fill: colour(file.category),
    value: seconds(file.seconds),
    note: [target(file.output), file.memory_mb && `${file.memory_mb} MiB in this build`].filter(Boolean).join(" · "),
  }));
  return section("slowest", "Slowest files of the tree",
    "Times of the last compilation of each file, in this build or an earlier one.", ...rows(made));
}

function steps() {
  const ran = data.steps.filter((step) => step.seconds > 0);
  const parts = ran.map((step) => filled(colour(step.name), `flex:${1000 * step.seconds} 1 0`));
  const whole = largest(ran, (step) => step.seconds);
  const made = ran.map((step) => row({
    label: keyed(colour(step.name), step.name),
    part: step.seconds,
    whole,
    fill: colour(step.name),
    value: seconds(step.seconds),
    note: step.note,
  }));
  return section("steps", "Steps", "The steps run one after the other; the commands run inside the build step.",
    element("div", { class: "strip", "aria-hidden": "true" }, ...parts), ...rows(made, 20));
}
