import assert from "node:assert/strict";
import { test } from "node:test";

import { decades, enlarged } from "../../../kernlab/ui/page/enlarged.mjs";

test("letters, margins, lines and points grow, and none of the letters is too small", () => {
  const figure = {
    data: [{ x: [1, 2], marker: { size: 6 }, line: { width: 2 }, textfont: { size: 15 }, meta: { font: { size: 3 } }, width: 0.8 }],
    layout: { margin: { t: 44 }, annotations: [{ text: "a", x: 3, font: { size: 9 } }], xaxis: { range: [0, 1], tickfont: { size: 14 }, title: { standoff: 8 } } },
  };
  const before = JSON.stringify(figure), { data: [trace], layout } = enlarged(figure, 2, 20);
  assert.equal(JSON.stringify(figure), before);
  assert.deepEqual(trace, { x: [1, 2], marker: { size: 12 }, line: { width: 4 }, textfont: { size: 30 }, meta: { font: { size: 3 } }, width: 0.8 });
  assert.equal(layout.margin.t, 88);
  assert.deepEqual(layout.annotations, [{ text: "a", x: 3, font: { size: 20 } }]);
  assert.deepEqual(layout.xaxis, { range: [0, 1], tickfont: { size: 28 }, title: { standoff: 16 } });
});

test("arrays stay the same arrays", () => {
  const x = Float32Array.of(1, 2), z = [[1, 2], [3, 4]], size = [4, 5];
  const out = enlarged({ x, z, marker: { size } }, 2, 20);
  assert.ok(out.x === x && out.z === z && out.marker.size === size);
});

test("numbers on a logarithmic axis are whole decades, or larger where there are none", () => {
  const layout = { xaxis: { type: "log", range: [-3, 4] }, yaxis: { type: "log", range: [0.2, 0.9] }, yaxis2: { range: [0, 9] }, width: 3 };
  const out = decades(layout, 15);
  assert.equal(out.xaxis.dtick, 3);
  assert.deepEqual(out.yaxis, { ...layout.yaxis, tickfont: { size: 20 } });
  assert.equal(out.yaxis2, layout.yaxis2);
});
