import assert from "node:assert/strict";
import { test } from "node:test";

import { figure, rows } from "../../../kernlab/ui/film/figure.mjs";

// As Plotly writes arrays.
function written(array, shape) {
  const bdata = btoa(String.fromCharCode(...new Uint8Array(array.buffer)));
  return { dtype: { Float32Array: "f4", Float64Array: "f8", Int16Array: "i2" }[array.constructor.name], bdata, ...(shape && { shape }) };
}

const layout = { traces: { "scatter:a:1": { "line.color": "red" } }, layout: { title: "A" } };

test("a figure is the look of a layout with the arrays of a frame, which are the same objects each time", () => {
  const x = new Float64Array([0, 1, 2.5]);
  const frame = { traces: { "scatter:a:1": { x: written(x), y: [3, 4, 5], "marker.size": written(new Int16Array([6, 7, 8])) } }, layout: { title: "B" } };
  const found = figure(layout, frame);
  assert.deepEqual(found, {
    data: [{ type: "scatter", line: { color: "red" }, x, y: [3, 4, 5], marker: { size: new Int16Array([6, 7, 8]) } }], layout: { title: "B" },
  });
  const again = figure(layout, frame);
  assert.equal(again.data[0].x, found.data[0].x);
  assert.equal(again.data[0].marker.size, found.data[0].marker.size);
});

test("arrays of two and three dimensions are nested rows", () => {
  const numbers = Float64Array.from({ length: 12 }, (_, i) => i);
  assert.deepEqual(rows(written(numbers, "3, 4")).map((row) => [...row]), [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]);
  assert.deepEqual(rows(written(numbers, "2,3,2"))[1].map((row) => [...row]), [[6, 7], [8, 9], [10, 11]]);
});

test("rows of single precision have no digits that single precision does not have", () => {
  assert.deepEqual(rows(written(new Float32Array([0.1, 1 / 3]))), [0.1, 0.3333333]);
  assert.deepEqual(rows(figure(layout, { traces: { "scatter:a:1": { x: written(new Float32Array([0.1])) } } }).data[0].x), [0.1]);
  assert.deepEqual(rows([1, 2]), [1, 2]);
  assert.equal(rows(undefined), undefined);
});
