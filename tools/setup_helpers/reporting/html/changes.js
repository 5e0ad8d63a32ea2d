// What failed, what was helped, what changed since the last build, and what that cost.

function failure() {
  const { failure } = data;
  if (!failure) return null;
  return section("failure", `What failed: ${failure.message}`, "",
    failure.cause && element("pre", {}, failure.cause),
    failure.hint && element("p", { class: "more" }, element("b", {}, "What to do: "), failure.hint),
    failure.log && element("p", { class: "soft more" }, "All that was printed: ", span("path", failure.log)));
}

function retries() {
  if (!(data.retries || []).length) return null;
  const helped = data.retries.map((retry) => fact(retry.name, `${retry.cause}; made ${retry.how}`));
  return section("retries", "What failed and was helped",
    "These commands failed once; the package holds what the later attempt made.", ...rows(helped));
}

function changes() {
  const since = data.last.began;
  if (!since && data.causes.length <= 1) return null; // a first build makes everything
  const lead = since
    ? `Compared with the last build that ended well, of ${moment(since)}.`
    : "No build of this tree ended well before: everything that was missing had to be made.";
  const changed = since ? changedThings() : [];
  const shown = changed.length || !since ? rows(changed) : [element("p", {}, "No option and no input changed.")];
  return section("changes", "What changed, and what that cost", lead, ...shown, ...causes());
}

function changedThings() {
  const { options, inputs, more_inputs: more, configured } = data.changes;
  const value = (text) => text || "empty";
  return [
    ...options.map(({ name, before, now, origin }) => fact(name, `${value(before)} → ${value(now)} (${origin})`)),
    ...(configured ? [fact("configuration", configured)] : []),
    ...data.stages.filter((stage) => stage.reason).map(generated),
    ...inputs.map((input) => fact(input.path, `${input.change} ${moment(input.time)}${growth(input)}`)),
    ...(more ? [fact(`${more} further inputs`, "")] : []),
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
