// What the points of a figure are, as its traces state it in `meta` (kernlab/pictures/base.py), and how a figure shows
// those that are selected. It knows kinds of things and kinds of traces, no picture by name.

import { rows } from "./figure.mjs";

const RINGS = 400, LABELS = 6; // drawn at most in one picture
const FAINT = 0.15; // opacity of traces beside selected ones

// How a trace states a kind: by a number each point or cell, along its axes, as a whole, or not at all (null).
function form(value) {
  if (value === undefined || value === null) return null;
  if (typeof value !== "object") return "whole";
  return value.bdata || Array.isArray(value) || ArrayBuffer.isView(value) ? "points" : "axes";
}

// Every kind that a trace states: [kind, form, numbers].
function* stated(trace) {
  for (const [kind, value] of Object.entries(trace.meta ?? {})) {
    const how = form(value);
    if (how === "axes") yield [kind, how, { x: rows(value.x), y: rows(value.y) }];
    else if (how) yield [kind, how, how === "whole" ? value : rows(value)];
  }
}

// The kinds that a figure states.
export function kinds({ data }) {
  return [...new Set(data.flatMap((trace) => Object.keys(trace.meta ?? {})))];
}

// What a point of Plotly's events is: [{ kind, numbers }], its own kinds before those of its whole trace.
export function meant(trace, number) {
  const [row, column] = Array.isArray(number) ? number : [];
  const own = [], whole = [];
  for (const [kind, how, numbers] of stated(trace)) {
    if (how === "whole") whole.push({ kind, numbers: [numbers] });
    if (how === "axes") own.push({ kind, numbers: [numbers.y?.[row], numbers.x?.[column]].filter((each) => each !== undefined) });
    if (how === "points") {
      const place = row === undefined ? number : row * rows(trace.z)[0].length + column;
      if (numbers[place] !== undefined) own.push({ kind, numbers: [numbers[place]] });
    }
  }
  return [...own, ...whole].filter((each) => each.numbers.length);
}

// A coordinate of a column or row of a matrix.
const along = (trace, letter, place) => rows(trace[letter])?.[place] ?? (trace[`${letter}0`] ?? 0) + place * (trace[`d${letter}`] ?? 1);

// Every place of a figure that a key can reach: { curve, number, x, y }, one a point, one a trace that is a single thing.
export function places({ data }) {
  return data.flatMap((trace, curve) => {
    const all = [...stated(trace)];
    const point = all.find(([, how]) => how !== "whole");
    if (!point) {
      const middle = (rows(trace.x)?.length ?? 0) >> 1;
      return all.length ? [at(trace, curve, middle)] : [];
    }
    const [, how, numbers] = point;
    if (how === "axes") return Array.from(numbers.y ?? numbers.x, (_, i) => at(trace, curve, numbers.x ? [i, i] : [i, 0]));
    return Array.from(numbers, (_, i) => at(trace, curve, trace.z ? split(trace, i) : i));
  });
}

function split(trace, place) {
  const across = rows(trace.z)[0].length;
  return [Math.floor(place / across), place % across];
}

function at(trace, curve, number) {
  const [x, y] = Array.isArray(number) ? [along(trace, "x", number[1]), along(trace, "y", number[0])]
    : [rows(trace.x)[number], rows(trace.y)[number]];
  return { curve, number, x, y };
}

// The figure with what is selected: rings and labels round points, lines along columns and rows, the other bars and
// curves faint. The same figure where nothing of it is selected.
// chosen: (kind) => numbers as texts; words: (kind, number) => label; look: { color, back } of rings, and behind labels.
export function highlighted(figure, chosen, words, look) {
  const sets = new Map(kinds(figure).map((kind) => [kind, new Set(chosen(kind))]).filter(([, set]) => set.size));
  if (!sets.size) return figure;
  const whole = (trace) => [...stated(trace)].filter(([kind, how]) => how === "whole" && sets.has(kind));
  const strong = (trace) => whole(trace).some(([kind, , number]) => sets.get(kind).has(String(number)));
  // Some curve is selected and another is not, which is faint.
  const one = figure.data.some(strong) && figure.data.some((trace) => whole(trace).length && !strong(trace));
  const [rings, shapes, labels] = [[], [], []];
  const data = figure.data.map((trace) => {
    let shown = trace;
    for (const [kind, how, numbers] of stated(trace)) {
      const set = sets.get(kind);
      if (!set || how === "whole") continue;
      if (how === "axes") lines(trace, kind, numbers, set, { shapes, labels, words, color: look.color });
      else if (trace.type === "bar") shown = bars(shown, numbers, set);
      else Array.from(numbers).forEach((number, i) => {
        if (!set.has(String(number))) return;
        const place = at(trace, 0, trace.z ? split(trace, i) : i);
        rings.push({ ...place, label: words(kind, number) });
      });
    }
    if (one && whole(trace).length) shown = strong(trace) ? bold(shown) : { ...shown, opacity: FAINT };
    return shown;
  });
  if (rings.length) data.push(ringed(rings.slice(0, RINGS), look.color));
  const { layout } = figure;
  // The same point may be drawn twice, and has one label.
  const names = new Set(rings.map(({ label }) => label));
  if (names.size <= LABELS) labels.push(...[...names].map((name) => rings.find(({ label }) => label === name)).map((ring) => above(ring, layout)));
  return { data, layout: {
    ...layout, shapes: [...(layout.shapes ?? []), ...shapes],
    annotations: [...(layout.annotations ?? []), ...labels.map((label) => ({ ...label, showarrow: false, borderpad: 1, bgcolor: look.back, font: { size: 13, color: look.color } }))],
  } };
}

const bold = (trace) => (trace.line ? { ...trace, line: { ...trace.line, width: (trace.line.width ?? 2) + 2 } } : trace);

function bars(trace, numbers, set) {
  const inside = Array.from(numbers, (number) => set.has(String(number)));
  return inside.some(Boolean) ? { ...trace, marker: { ...trace.marker, opacity: inside.map((is) => (is ? 1 : 0.3)) } } : trace;
}

function ringed(rings, color) {
  return {
    type: "scatter", name: "selected", mode: "markers", x: rings.map(({ x }) => x), y: rings.map(({ y }) => y),
    marker: { symbol: "circle-open", size: 15, color, line: { width: 2.5, color } }, hoverinfo: "skip", showlegend: false,
  };
}

// The label of a ring; beside an end of the axis it leans inwards. Words along a logarithmic axis stand at logarithms.
function above({ x, y, label }, { xaxis = {}, yaxis = {} }) {
  const on = (axis, value) => (axis.type === "log" && typeof value === "number" ? Math.log10(value) : value);
  const place = on(xaxis, x);
  const share = xaxis.range && typeof place === "number" ? (place - xaxis.range[0]) / (xaxis.range[1] - xaxis.range[0]) : 0.5;
  return { x: place, y: on(yaxis, y), text: label, yshift: 17, xanchor: share < 0.15 ? "left" : share > 0.85 ? "right" : "center" };
}

function lines(trace, kind, numbers, set, { shapes, labels, words, color }) {
  const line = { color, width: 1.5 };
  for (const letter of ["x", "y"]) {
    const other = letter === "x" ? "y" : "x";
    const column = letter === "x" ? numbers.x : numbers.y;
    Array.from(column ?? []).forEach((number, place) => {
      if (!set.has(String(number)) || shapes.length >= RINGS) return;
      const where = typeof along(trace, letter, place) === "number" ? along(trace, letter, place) : place; // of categories the place
      shapes.push({
        type: "rect", line, [`${letter}ref`]: letter, [`${other}ref`]: `${other} domain`,
        [`${letter}0`]: where - 0.5, [`${letter}1`]: where + 0.5, [`${other}0`]: 0, [`${other}1`]: 1,
      });
      if (letter === "x" && set.size <= LABELS) labels.push({ x: where, xref: "x", y: 1, yref: "y domain", yanchor: "top", text: words(kind, number) });
    });
  }
}
