// Failures, retries, what changed since the last build, and what that cost.

function failure() {
  const { failure } = data;
  if (!failure) return null;
  return section("failure", `What failed: ${failure.message}`, "",
    failure.cause && element("pre", {}, failure.cause),
    failure.hint && element("p", { class: "more" }, element("b", {}, "What to do: "), failure.hint),
    failure.log && element("p", { class: "soft more" }, "Complete output: ", span("path", failure.log)));
}

function retries() {
  if (!(data.retries || []).length) return null;
  const retried = data.retries.map((retry) => fact(retry.name, `${retry.cause}; built ${retry.how}`));
  return section("retries", "Failed, then succeeded",
    "These commands failed at first; the package contains the results of the retries.", ...rows(retried));
}

function changes() {
  const since = data.last.began;
  if (!since && data.causes.length <= 1) return null; // a first build builds everything
  const lead = since
    ? `Compared with the last successful build, of ${moment(since)}.`
    : "No earlier build of this tree succeeded, so everything that was missing had to be built.";
  const changed = since ? changedThings() : [];
  const shown = changed.length || !since ? rows(changed) : [element("p", {}, "No option and no input changed.")];
  return section("changes", "What changed, and what it cost", lead, ...shown, ...causes());
}

function changedThings() {
  const { options, inputs, more_inputs: more, configured } = data.changes;
  const value = (text) => text || "empty";
  return [
    ...options.map(({ name, before, now, origin }) => fact(name, `${value(before)} → ${value(now)} (${origin})`)),
    ...(configured ? [fact("configuration", configured)] : []),
    ...data.stages.filter((stage) => stage.reason).map(generated),
    ...inputs.map((input) => fact(input.path, `${input.change} ${moment(input.time)}${growth(input)}`)),
    ...(more ? [fact(`${more} more inputs`, "")] : []),
  ];
}

function generated({ name, reason, changed }) {
  return fact(`code generation: ${name}`, `${reason}; ${count(changed, "file")} written`);
}

function growth({ change, sizes: [before, now] }) {
  return change === "edited" && before !== now ? `, ${signed(now - before, bytes)}` : "";
}

function causes() {
  if (!data.causes.length) return [];
  const whole = largest(data.causes, (cause) => cause.seconds);
  const made = data.causes.map((cause) => row({
    label: path(cause.text),
    part: cause.seconds,
    whole,
    fill: "var(--accent)",
    value: `${seconds(cause.seconds)} · ${count(cause.commands, "command")}`,
  }));
  return [element("h3", {}, "Why commands ran"), ...rows(made)];
}
