import assert from "node:assert/strict";
import { test } from "node:test";

import { highlighted, kinds, meant, places } from "../../../kernlab/ui/film/links.mjs";

const packed = (numbers) => ({ dtype: "i4", bdata: Buffer.from(Int32Array.from(numbers).buffer).toString("base64") });
const look = { color: "red", back: "white" };
const words = (kind, number) => `${kind} ${number}`;
const marked = (data, chosen, layout = {}) => highlighted({ data, layout }, (kind) => (chosen[kind] ?? []).map(String), words, look);

const points = { type: "scatter", x: [1, 2, 3], y: [4, 5, 6], meta: { row: packed([30, 10, 20]), class: 1 } };
const gram = { type: "heatmap", z: [[1, 0], [0, 1]], meta: { row: { x: [30, 10], y: packed([30, 10]) } } };
const pixels = { type: "heatmap", z: [[1, 2, 3], [4, 5, 6]], meta: { input: [0, 1, 2, 3, 4, 5] } };
const bars = { type: "bar", x: ["a", "b"], y: [1, 2], marker: { color: "blue" }, meta: { class: [0, 1] } };
const curve = (code) => ({ type: "scatter", x: [0, 1, 2], y: [code, code, code], line: { color: "blue", width: 2 }, meta: { class: code } });

test("a point is what its trace states, its own kind before that of the whole trace", () => {
  assert.deepEqual(meant(points, 1), [{ kind: "row", numbers: [10] }, { kind: "class", numbers: [1] }]);
  assert.deepEqual(meant(gram, [1, 0]), [{ kind: "row", numbers: [10, 30] }]);
  assert.deepEqual(meant(pixels, [1, 2]), [{ kind: "input", numbers: [5] }]);
  assert.deepEqual(meant(curve(2), 0), [{ kind: "class", numbers: [2] }]);
  assert.deepEqual(meant(points, -1), [{ kind: "class", numbers: [1] }]); // of its legend
  assert.deepEqual(meant({ x: [1], y: [2] }, 0), []);
  assert.deepEqual(kinds({ data: [points, gram, pixels] }), ["row", "class", "input"]);
});

test("a figure in which nothing is selected stays the same object", () => {
  const figure = { data: [points], layout: {} };
  assert.equal(highlighted(figure, () => [], words, look), figure);
  assert.equal(highlighted(figure, (kind) => (kind === "input" ? ["3"] : []), words, look), figure);
  assert.equal(marked([points], { row: [999] }).data.length, 1); // a row that does not occur: nothing is drawn of it
});

test("rings and labels stand at the points, once for a point that is drawn twice", () => {
  const { data, layout } = marked([points, { ...points, meta: { row: [20, 5, 30] } }], { row: [20, 30] }, { annotations: [{ text: "a class" }] });
  const ring = data.at(-1);
  assert.deepEqual([ring.x, ring.y], [[1, 3, 1, 3], [4, 6, 4, 6]]);
  assert.deepEqual([ring.hoverinfo, ring.showlegend], ["skip", false]); // what lies beneath is still pointed at
  assert.deepEqual(layout.annotations.map(({ text }) => text), ["a class", "row 30", "row 20"]);
});

test("labels stand at logarithms of a logarithmic axis and lean inwards at its ends", () => {
  const axes = { xaxis: { type: "log", range: [0, 3] }, yaxis: {} };
  const [label] = marked([{ type: "scatter", x: [1000], y: [2], meta: { frequency: [5] } }], { frequency: [5] }, axes).layout.annotations;
  assert.deepEqual([label.x, label.y, label.xanchor], [3, 2, "right"]);
});

test("a matrix has lines along the rows and columns, a picture rings at its pixels", () => {
  const { layout } = marked([gram], { row: [10] });
  assert.deepEqual(layout.shapes.map(({ x0, x1, y0, y1 }) => [x0, x1, y0, y1]), [[0.5, 1.5, 0, 1], [0, 1, 0.5, 1.5]]);
  assert.deepEqual(layout.shapes.map(({ xref, yref }) => [xref, yref]), [["x", "y domain"], ["x domain", "y"]]);
  assert.deepEqual(layout.annotations.map(({ text, x }) => [text, x]), [["row 10", 1]]);
  const ring = marked([pixels], { input: [4] }).data.at(-1);
  assert.deepEqual([ring.x, ring.y], [[1], [1]]);
});

test("the curve and the bar of what is selected stand out, the others are faint", () => {
  const data = [curve(0), curve(1), { type: "scatter", x: [0], y: [0] }];
  const [faint, strong, other] = marked(data, { class: [1] }).data;
  assert.ok(faint.opacity < 0.5 && strong.opacity === undefined && other.opacity === undefined);
  assert.ok(strong.line.width > 2);
  assert.deepEqual(marked([bars], { class: [1] }).data[0].marker, { color: "blue", opacity: [0.3, 1] });
  assert.deepEqual(marked(data, { class: [7] }).data, data); // a class that no curve is of
  assert.deepEqual(marked(data, { class: [0, 1] }).data, data); // all of them
});

test("many are ringed without labels", () => {
  const many = Array.from({ length: 30 }, (_, i) => i);
  const { data, layout } = marked([{ type: "scatter", x: many, y: many, meta: { row: many } }], { row: many });
  assert.deepEqual([data.at(-1).x.length, layout.annotations.length], [30, 0]);
});

test("keys reach every point, a matrix along its diagonal, and a curve that is one thing once", () => {
  assert.deepEqual(places({ data: [points] }).map(({ x, y }) => [x, y]), [[1, 4], [2, 5], [3, 6]]);
  assert.deepEqual(places({ data: [gram] }).map(({ number, x, y }) => [number, x, y]), [[[0, 0], 0, 0], [[1, 1], 1, 1]]);
  assert.deepEqual(places({ data: [{ x: [1], y: [1] }, curve(3)] }), [{ curve: 1, number: 1, x: 1, y: 3 }]);
  assert.equal(places({ data: [pixels] }).length, 6);
});
