import assert from "node:assert/strict";
import { test } from "node:test";

import { LYING, axes } from "../../../kernlab/ui/film/sketch.mjs";

const figure = (layout, ...data) => ({ data, layout: { xaxis: { range: [0, 10] }, yaxis: { range: [-1, 1] }, ...layout } });

test("numbers lie between the ends of their axes, the small ones below", () => {
  const place = axes(figure({}), 600, 380);
  const { left, right, top, bottom } = place.box;
  assert.deepEqual([place.x(0), place.x(10), place.y(-1), place.y(1)], [left, right, bottom, top]);
  assert.ok(top < place.y(0.5) && place.y(0.5) < place.y(-0.5));
});

test("a logarithmic axis has powers of ten as its range, and a reversed one begins at its end", () => {
  const place = axes(figure({ xaxis: { type: "log", range: [0, 2] }, yaxis: { range: [1, -1] } }), 600, 380);
  assert.ok(Math.abs(place.x(10) - (place.box.left + place.box.right) / 2) < 1e-9);
  assert.ok(place.y(1) > place.y(-1));
});

test("axes of one scale have units of one length", () => {
  const place = axes(figure({ yaxis: { range: [-1, 1], scaleanchor: "x" } }), 600, 380);
  assert.ok(Math.abs((place.x(1) - place.x(0)) - (place.y(0) - place.y(1))) < 1e-9);
});

test("a colour bar has its room, and without ranges there is no sketch", () => {
  const narrow = axes(figure({}, { type: "heatmap" }), 600, 380).box.right;
  assert.ok(narrow < axes(figure({}, { type: "heatmap", showscale: false }), 600, 380).box.right);
  assert.equal(axes(figure({ xaxis: {} }), 600, 380), null);
});

test("where height is left, the colour bar of what is as wide as high lies above it", () => {
  const matrix = figure({ xaxis: { range: [0, 2] }, yaxis: { range: [-1, 1], scaleanchor: "x" } }, { type: "heatmap" });
  const { left, right, top, bottom } = axes(matrix, 326, 480).box;
  const bare = axes({ ...matrix, data: [] }, 326, 480).box;
  assert.deepEqual([left, right], [bare.left, bare.right]);
  assert.ok(Math.abs((bottom - top) - (right - left)) < 1e-9);
  assert.equal(top, 40 + LYING);
  const wide = axes(matrix, 600, 380).box;
  assert.equal(wide.top, 40);
  assert.ok(wide.right < axes({ ...matrix, data: [] }, 600, 380).box.right);
});
