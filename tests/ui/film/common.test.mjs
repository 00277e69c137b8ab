import assert from "node:assert/strict";
import { test } from "node:test";

import { common, overlaid, shared } from "../../../kernlab/ui/film/common.mjs";
import { union } from "../../../kernlab/ui/film/ranges.mjs";

test("a common range contains every range, in their direction, and is none where one has no numbers", () => {
  assert.deepEqual(union([[0, 1], [-2, 0.5]]), [-2, 1]);
  assert.deepEqual(union([[5, 0], [3, -1]]), [5, -1]);
  assert.equal(union([[0, 1], undefined]), undefined);
  assert.equal(union([[0, 1], ["a", "b"]]), undefined);
  assert.equal(union([]), undefined);
});

test("axes and limits of colours are those of all runs, words and look those of one", () => {
  const one = { layout: { title: "A", xaxis: { range: [0, 1] }, yaxis: { type: "log" } }, traces: { h: { zmin: -1, zmax: 2 }, l: { color: "red" } } };
  const other = { layout: { title: "B", xaxis: { range: [-1, 0.5] }, yaxis: { range: [0, 3] } }, traces: { h: { zmin: -3, zmax: 1 } } };
  const found = common(one, [other]);
  assert.deepEqual(found.layout, { title: "A", xaxis: { range: [-1, 1] }, yaxis: { type: "log" } });
  assert.deepEqual(found.traces, { h: { zmin: -3, zmax: 2 }, l: { color: "red" } });
  assert.deepEqual(one.layout.xaxis.range, [0, 1]); // what the film has stays
  assert.equal(common(one, []), one);
});

test("axes that only some have are left as they are", () => {
  assert.deepEqual(shared({ xaxis: { range: [0, 1] } }, [{}]), { xaxis: { range: [0, 1] } });
});

const figure = (high) => ({
  data: [
    { type: "scatter", name: "train", x: [0, 1, 2], y: [0, 1, high], line: { dash: "dash", color: "x" }, hovertemplate: "train: %{y}" },
    { type: "scatter", name: "test", x: [0, 1, 2], y: [0, 1, high], line: { color: "y" } },
    { type: "scatter", name: "test (raw)", x: [0, 1], y: [0, 1], line: { color: "y" } },
    { type: "scatter", name: "constant predictor", x: [0, 2], y: [1, 1] },
  ],
  layout: { title: { text: "Accuracy", subtitle: { text: "all of them" } }, shapes: [1], xaxis: { range: [0, 2], title: { text: "epoch" } }, yaxis: { range: [0, high] } },
});
const parts = () => [{ figure: figure(3), name: "A", color: "blue" }, { figure: figure(5), name: "B", color: "red" }];

test("curves of several runs: colour by run, dash by what they are, one entry of the legend each", () => {
  const { data, layout } = overlaid(parts(), ["test", "train"]);
  assert.deepEqual(data.map((trace) => [trace.name, trace.line.color, trace.line.dash, trace.showlegend]), [
    ["A", "blue", "dash", false], ["A", "blue", "solid", true], ["A", "blue", "solid", false],
    ["B", "red", "dash", false], ["B", "red", "solid", true], ["B", "red", "solid", false],
  ]);
  assert.equal(layout.title.subtitle.text, "unbroken: test, dashed: train");
  assert.deepEqual(layout.yaxis.range, [0, 5]);
  assert.equal(layout.shapes, undefined); // what one run marks
  assert.equal(data[0].hovertemplate, "A, train: %{y}");
});

test("a curve alone names the picture", () => {
  const { layout } = overlaid(parts(), ["train", "never"]);
  assert.equal(layout.title.text, "Train");
  assert.equal(layout.title.subtitle, undefined);
});

test("equal seconds: every run's epochs are multiplied by its own pace", () => {
  const [one, other] = parts();
  const { data, layout } = overlaid([{ ...one, scale: 0.5 }, { ...other, scale: 2 }], ["test"], "seconds");
  assert.deepEqual(data.filter(({ x }) => x.length === 3).map(({ x }) => x), [[0, 0.5, 1], [0, 2, 4]]);
  assert.deepEqual(layout.xaxis.range, [0, 4]);
  assert.equal(layout.xaxis.title.text, "seconds");
});
