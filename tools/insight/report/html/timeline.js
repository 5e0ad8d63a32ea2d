// The run on one clock: one row for the steps, one for code generation, one per job slot.

const LANE = 18, GAP = 4, LEFT = 62, AXIS = 22;
const CRITICAL = Symbol("critical path");

function timelineRows() {
  const lanes = 1 + Math.max(-1, ...data.jobs.map((job) => job.lane));
  const stages = data.stages.filter((stage) => stage.reason);
  const named = (span, category) => ({ ...span, output: span.name, category });
  const others = data.steps.filter((step) => step.name !== "build"); // its jobs are shown instead
  const all = [{ name: "steps", spans: others.map((step) => named(step, step.name)) }];
  if (stages.length) all.push({ name: "codegen", spans: stages.map((stage) => named(stage, "codegen")) });
  for (let lane = 0; lane < lanes; lane++) {
    all.push({ name: `slot ${lane + 1}`, spans: data.jobs.filter((job) => job.lane === lane) });
  }
  return all;
}

// A tick every 1, 2 or 5 times a power of ten, or a round number of minutes.
function tickStep(whole, ticks) {
  const steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30];
  const minutes = [1, 2, 5, 10, 20, 30, 60, 120].map((minute) => 60 * minute);
  return [...steps, ...minutes].find((step) => whole / step <= ticks) || 4 * 3600;
}

const tickText = (at) => at < 60 ? `${Number(at.toFixed(2))} s` : seconds(at);

function readout(span) {
  const facts = [seconds(span.seconds), `from ${seconds(span.start)}`, target(span.output) || span.category];
  if (span.failed) facts.unshift("failed");
  if (span.memory_mb) facts.push(`${span.memory_mb} MiB`);
  const cause = span.cause >= 0 ? data.causes[span.cause].text : span.reason;
  const about = cause ? `because ${cause}` : span.note || "";
  const lines = [facts.join(" · "), about].filter(Boolean);
  return [path(short(span.output)), ...lines.map((text) => element("div", { class: "soft" }, text))];
}

function timeline() {
  if (!data.jobs.length) return null;
  const failed = data.jobs.some((job) => job.failed) ? " Failed commands are red." : "";
  const about = `One row per job slot. Click a legend entry to highlight its category.${failed}`;
  return section("timeline", "Timeline", about, ...timelineParts());
}

function timelineParts() {
  const critical = new Set(data.critical_path);
  const lanes = timelineRows();
  const state = { zoom: 1, only: null, chosen: null };
  const shown = element("div", { class: "readout soft", "aria-live": "polite" }, "Hover over or tap a command.");
  const frame = element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "timeline" });
  const marked = (span) => state.only === CRITICAL && critical.has(span.output);
  const dimmed = (span) => state.only !== null && !marked(span) && span.category !== state.only;

  function draw() {
    const width = Math.max(frame.clientWidth, 280) * state.zoom;
    const height = lanes.length * (LANE + GAP) + AXIS;
    const scale = (width - LEFT - 8) / data.seconds;
    const viewBox = `0 0 ${width} ${height}`;
    const picture = drawn("svg", { width, height, viewBox, role: "img", "aria-label": "commands over time" });
    const step = tickStep(data.seconds, (width - LEFT) / 80);
    for (let at = 0; at <= data.seconds; at += step) {
      const x = LEFT + at * scale;
      picture.append(drawn("line", { class: "grid", x1: x, x2: x, y1: 0, y2: height - AXIS }),
        drawn("text", { x: x + 3, y: height - 7 }, tickText(at)));
    }
    lanes.forEach((lane, index) => {
      const y = index * (LANE + GAP);
      picture.append(drawn("text", { x: 0, y: y + 13 }, lane.name),
        drawn("rect", { class: "lane", x: LEFT, y, width: width - LEFT - 8, height: LANE, rx: 3 }));
      for (const span of lane.spans) picture.append(box(span, y, scale));
    });
    frame.replaceChildren(picture);
  }

  function box(span, y, scale) {
    const styles = {
      job: true, dim: dimmed(span), critical: marked(span), chosen: state.chosen === span, failed: span.failed,
    };
    const made = drawn("rect", {
      class: Object.keys(styles).filter((style) => styles[style]).join(" "),
      x: LEFT + span.start * scale,
      y,
      width: Math.max(span.seconds * scale - 0.6, 0.8),
      height: LANE,
      rx: 2,
      fill: colour(span.category),
    });
    const show = () => shown.replaceChildren(...readout(span));
    made.addEventListener("pointerenter", show);
    made.addEventListener("click", () => { state.chosen = span; show(); draw(); });
    return made;
  }

  function press(text, only) {
    const button = element("button", { type: "button", "aria-pressed": "false" }, ...text);
    button.addEventListener("click", () => {
      state.only = state.only === only ? null : only;
      for (const other of buttons) {
        other.setAttribute("aria-pressed", String(other === button && state.only !== null));
      }
      draw();
    });
    return button;
  }

  function zoom(text, label, factor) {
    const button = element("button", { type: "button", "aria-label": label }, text);
    button.addEventListener("click", () => {
      const middle = (frame.scrollLeft + frame.clientWidth / 2) / state.zoom;
      state.zoom = Math.min(64, Math.max(1, state.zoom * factor));
      draw();
      frame.scrollLeft = middle * state.zoom - frame.clientWidth / 2;
    });
    return button;
  }

  const kinds = new Set(data.jobs.map((job) => job.category));
  const legend = [...colours.keys()].filter((kind) => kinds.has(kind));
  const buttons = [press(["critical path"], CRITICAL), ...legend.map((kind) => press([key(colour(kind)), kind], kind))];
  new ResizeObserver(draw).observe(frame);
  const tools = [...buttons, zoom("−", "zoom out", 0.5), zoom("+", "zoom in", 2)];
  return [element("div", { class: "tools" }, ...tools), frame, shown];
}
