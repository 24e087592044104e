// A line chart in SVG: several series over iterations, from 1 on, on a logarithmic axis.

import { h, svg } from "./dom.js";

const WIDEST = 560; // the picture is drawn for the width it gets, so that its text stays readable on a phone
const HEIGHT = 280;
const LEFT = 44;
const RIGHT = 16;
const TOP = 14;
const BOTTOM = 40;

/**
 * Return a chart.
 *
 * `series`: [{kind, name, points: [[x, y], …]}]; `levels`: [{kind, name, value}], horizontal lines; `across`: what x
 * counts. Each `kind` has a colour of its own.
 */
export function lineChart(title, series, levels, across) {
  const width = Math.max(280, Math.min(WIDEST, window.innerWidth - 56));
  const points = series.flatMap((one) => one.points);
  const xs = points.map(([x]) => x);
  const low = Math.min(...points.map(([, y]) => y), ...levels.map((level) => level.value));
  const high = highest(points, levels, low);
  const [first, last] = [Math.min(...xs), Math.max(2, ...xs)];
  const along = (x) => Math.log(x / first) / (Math.log(last / first) || 1);
  const toX = (x) => LEFT + along(x) * (width - LEFT - RIGHT);
  const margin = (high - low) * 0.06 || 0.1;
  const toY = (y) => HEIGHT - BOTTOM - ((y - low + margin) / (high - low + 2 * margin)) * (HEIGHT - TOP - BOTTOM);

  const level = (kind, y) => svg("line", { class: kind, x1: LEFT, x2: width - RIGHT, y1: toY(y), y2: toY(y) });
  const text = (kind, x, y, anchor, words) => svg("text", { class: kind, x, y, "text-anchor": anchor }, words);
  const place = ([x, y]) => `${toX(x).toFixed(1)},${toY(y).toFixed(1)}`; // what is too high comes in from above

  const grid = ticks(low, high).map((value) => [
    level("grid", value),
    text("tick", LEFT - 8, toY(value) + 4, "end", value.toFixed(high - low < 1 ? 2 : 1)),
  ]);
  const decades = powers(first, last).map((value) =>
    text("tick", toX(value), HEIGHT - BOTTOM + 18, "middle", value.toLocaleString("en")),
  );
  const lines = series.map((one) =>
    svg("polyline", { class: `line line-${one.kind}`, points: one.points.map(place).join(" ") }),
  );
  const flat = levels.map(({ kind, value }) => level(`level line-${kind}`, value));

  const label = description(title, series, levels);
  const picture = svg(
    "svg",
    { class: "chart", viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": label },
    grid,
    decades,
    flat,
    lines,
    text("axis-name", (LEFT + width - RIGHT) / 2, HEIGHT - 4, "middle", across),
  );
  return h("figure", { class: "figure-chart" }, picture, legend(series, levels));
}

/** Return the top of the chart; early outliers are cut off, so that the convergence can be seen. */
function highest(points, levels, low) {
  const sorted = points.map(([, y]) => y).sort((one, other) => one - other);
  const most = sorted.at(-1);
  const usual = sorted[Math.floor(sorted.length * 0.9)];
  const cut = low + (usual - low) * 3;
  return Math.max(Math.min(most, cut), ...levels.map((level) => level.value));
}

function ticks(low, high) {
  const rough = (high - low) / 5 || 0.2;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const values = [];
  for (let value = Math.ceil(low / step) * step; value <= high + 1e-9; value += step) values.push(value);
  return values;
}

function powers(first, last) {
  const values = [];
  for (let value = 1; value <= last; value *= 10) if (value >= first) values.push(value);
  if (values.length < 3) values.push(Math.round(last));
  return values;
}

function legend(series, levels) {
  return h(
    "figcaption",
    { class: "chart-legend" },
    series.map(({ kind, name }) => h("span", { class: `swatch swatch-${kind}` }, name)),
    levels.map(({ kind, name, value }) =>
      h("span", { class: `swatch swatch-${kind} swatch-level` }, `${name} ${value.toFixed(4)}`),
    ),
  );
}

function description(title, series, levels) {
  const value = ([, y]) => y.toFixed(3);
  const ends = series.map(({ name, points }) => `${name} from ${value(points[0])} to ${value(points.at(-1))}`);
  return `${title}: ${[...ends, ...levels.map((level) => `${level.name} ${level.value.toFixed(4)}`)].join("; ")}.`;
}
