"use strict";
// Building blocks of all sections: elements, numbers as text, rows with bars.
// Text is inserted as text, never as markup.

const data = JSON.parse(document.getElementById("data").textContent);

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null && child !== ""));
  return made;
}

function drawn(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const span = (style, ...text) => element("span", { class: style }, ...text);

function seconds(value) {
  if (value < 0.0995) return `${Math.round(value * 1000)} ms`;
  if (value < 60) return `${value.toFixed(value < 10 ? 2 : 1)} s`;
  const whole = Math.round(value);
  const [hours, minutes, rest] = [whole / 3600, (whole / 60) % 60, whole % 60].map(Math.floor);
  if (hours) return `${hours} h ${minutes} min`;
  return rest ? `${minutes} min ${rest} s` : `${minutes} min`;
}

function bytes(value) {
  if (value < 1e3) return `${value} B`;
  return value < 1e6 ? `${(value / 1e3).toFixed(1)} kB` : `${(value / 1e6).toFixed(2)} MB`;
}

const signed = (value, text) => (value < 0 ? "−" : "+") + text(Math.abs(value));
const count = (number, noun, nouns = `${noun}s`) =>
  `${number.toLocaleString("en")} ${number === 1 ? noun : nouns}`;
const share = (part, whole) => `${(100 * part / whole).toFixed(part / whole < 0.1 ? 1 : 0)} %`;
const moment = (epoch) =>
  new Date(epoch * 1000).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const sum = (rows, value) => rows.reduce((total, row) => total + value(row), 0);

// CMake's object paths contain the target; without it, the source file is left.
const short = (output) => output.replace(/^CMakeFiles\/[^/]+\.dir\//, "").replace(/\.o$/, "");
const target = (output) => (/^CMakeFiles\/([^/]+)\.dir\//.exec(output) || [, ""])[1];

// Categories get colours in the order of their cost, so that the largest ones differ most.
const colours = new Map();
function colour(category) {
  if (!colours.has(category)) colours.set(category, `var(--c${Math.min(colours.size, 9)})`);
  return colours.get(category);
}

const filled = (fill, size) => element("i", { style: `${size};background:${fill}` });
const key = (fill) => element("span", { class: "key", style: `background:${fill}` });
const keyed = (fill, text) => element("div", {}, key(fill), text);
const largest = (rows, value) => Math.max(...rows.map(value), 0);

// Paths break preferably after a slash or an underscore.
function path(text) {
  const parts = text.split(/(?<=[/_])/).flatMap((part) => [part, element("wbr")]);
  return element("div", { class: "path" }, ...parts);
}

// A label, a bar whose length is the share of the whole, the value as text, and a note below.
function row({ label, part, whole, fill, value, note = "", bar = filled }) {
  const size = `width:${100 * part / (whole || 1)}%`;
  return element("div", { class: "row" }, label, element("div", { class: "bar" }, bar(fill, size)),
    span("number", value), note && span("note", note));
}

const fact = (name, what) => element("div", { class: "fact" }, path(name), span("soft", what));

// The first rows are visible, the others are folded.
function rows(all, shown = 12) {
  const first = element("div", { class: "rows" }, ...all.slice(0, shown));
  if (all.length <= shown) return [first];
  const others = element("div", { class: "rows" }, ...all.slice(shown));
  return [first, folded(`${all.length - shown} more`, others)];
}

const folded = (title, content) =>
  element("details", { class: "more" }, element("summary", {}, title), content);

function section(id, title, lead, ...content) {
  const heading = [element("h2", {}, title), element("p", { class: "soft" }, lead)];
  return element("section", { id }, ...heading, ...content);
}
