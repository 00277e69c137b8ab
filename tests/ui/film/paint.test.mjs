import assert from "node:assert/strict";
import { test } from "node:test";

import { changes, paint, rest, roomy } from "../../../kernlab/ui/film/paint.mjs";
import { curve } from "../../../kernlab/ui/film/sketch.mjs";

const axis = (range, type = "linear") => ({ range, type, d2p: (number) => number, _length: 100, _offset: 10 });
const line = (x, y, more = {}) => ({ type: "scatter", mode: "lines", name: "loss", x, y, ...more });
const figure = (data, x = [0, 10], y = [0, 1]) => ({ data, layout: { title: { text: "A" }, xaxis: { range: x }, yaxis: { range: y } } });
const drawn = (whole) => ({ ...whole, rest: rest(whole.layout) });
const layer = { append(canvas) { canvas.parentNode = layer; } };
const plot = (whole, y = axis([0, 1]), found = {}, x = axis([0, 10])) => ({
  _fullLayout: { xaxis: x, yaxis: y },
  _fullData: whole.data.map((trace, i) => ({ ...trace, uid: i, opacity: 1, visible: true, line: { color: "red" } })),
  querySelector: (name) => ({ ".gl-container": layer, ...found })[name] ?? null,
});

test("an axis of time has room for what comes, and seldom changes", () => {
  const timed = (high, type) => ({ data: [], layout: { meta: { time: true }, xaxis: { range: [1, high], type } } });
  const range = (high, end, type) => roomy(timed(high, type), end).layout.xaxis.range;
  const ends = new Set();
  for (let high = 2; high <= 1001; high++) {
    const [low, end] = range(high);
    assert.equal(low, 1);
    assert.ok(end >= high - 1e-9 && end - 1 <= 1.3 * (high - 1) + 1e-9, `${high}: ${end}`);
    ends.add(end.toFixed(6));
  }
  assert.ok(ends.size < 40); // of a thousand
  assert.deepEqual(range(10, 10.5), [1, 10.5]); // no later than the run's end
  assert.deepEqual(range(10, 5), [1, 10]);
  assert.deepEqual(range(2, 150, "log"), [1, 2]);
  const other = { data: [], layout: { xaxis: { range: [0, 1] } } };
  assert.deepEqual(roomy(other), other);
});

test("more points of the same curves within the axes are painted", () => {
  const before = figure([line([0, 1], [0, 0.5])]);
  const fits = (now) => changes(now, drawn(before), plot(before));
  assert.deepEqual(fits(figure([line([0, 1, 2], [0, 0.5, 1])])), {});
  assert.deepEqual(fits(figure([line([0, 1, 99], [0, 0.5, 1])])), {}); // beyond an axis that is fixed
  assert.deepEqual(fits(figure([line([0, 9], [0, 1])], [0, 9])), {});
  assert.deepEqual(fits(figure([line([0, NaN], [0, null])], [0, 9])), {});
});

test("of points beyond the axes Plotly draws these alone, where nobody has zoomed", () => {
  const before = figure([line([0, 1], [0, 0.5])]);
  const fits = (now, node = plot(before)) => changes(now, drawn(before), node);
  assert.deepEqual(fits(figure([line([0, 11], [0, 1])], [0, 11])), { "xaxis.range": [0, 11] });
  assert.deepEqual(fits(figure([line([0, 1], [0, 2])], [0, 10], [0, 2])), { "yaxis.range": [0, 2] });
  assert.deepEqual(fits(figure([line([0, 12], [0, 2])], [0, 12], [0, 2])), { "xaxis.range": [0, 12], "yaxis.range": [0, 2] });
  assert.deepEqual(fits(figure([line([0, 9], [0, 2])], [0, 12], [0, 2])), { "xaxis.range": [0, 12], "yaxis.range": [0, 2] });
  assert.equal(fits(figure([line([0, 11], [0, 1])], [0, 11]), plot(before, axis([0, 1]), {}, axis([2, 3]))), null);
  assert.equal(fits(figure([line([0, 1], [0, 2])], [0, 10], null)), null); // Plotly is to find the axis
});

test("everything else is drawn by Plotly", () => {
  const before = figure([line([0, 1], [0, 0.5])]);
  const fits = (now, then = before) => changes(now, drawn(then), plot(then));
  const titled = { ...before, layout: { ...before.layout, title: { text: "B" } } };
  assert.ok(!fits(titled));
  assert.ok(!fits(figure([line([0], [0]), line([0], [0])])));
  assert.ok(!fits(figure([line([0], [0], { name: "total" })])));
  for (const more of [{ mode: "lines+markers" }, { type: "heatmap" }, { fill: "tonexty" }, { stackgroup: "a" }, { yaxis: "y2" }, { line: { shape: "hv" } }]) {
    const one = figure([line([0], [0], more)]);
    assert.ok(!fits(one, one), JSON.stringify(more));
  }
  const dots = figure([line([0], [0], { mode: "markers" })]);
  assert.ok(!fits(before, dots)); // a curve of one point is a dot
  const filled = figure([line([0], [0], { fill: "tozeroy" })]);
  assert.ok(fits(filled, filled));
  assert.ok(!changes(before, drawn(before), plot(before, axis([0, 1], "category"))));
});

test("what Plotly adds to a layout is no difference", () => {
  const before = figure([line([0], [0])]), kept = drawn(before);
  before.layout.xaxis.type = "linear";
  assert.ok(changes(figure([line([0], [0])]), kept, plot(before)));
});

test("curves are painted over the plot, in the look of Plotly's, and none that is hidden", () => {
  const whole = figure([line([0, 1], [0, 0.5]), line([0, 1], [1, 1])]), node = plot(whole), strokes = [];
  node._fullData[1].visible = "legendonly";
  const pen = { setTransform() {}, clearRect: (...box) => strokes.push(box), beginPath() {}, setLineDash() {}, moveTo: (x, y) => strokes.push([x, y]), lineTo: (x, y) => strokes.push([x, y]), stroke() { strokes.push(this.strokeStyle); } };
  const sizes = [], canvas = { style: {}, getContext: () => pen };
  for (const side of ["width", "height"]) Object.defineProperty(canvas, side, { get: () => canvas[`_${side}`], set(size) { canvas[`_${side}`] = size; sizes.push(size); } });
  paint(canvas, whole, node);
  assert.deepEqual(strokes, [[0, 0, 100, 100], [0, 0], [1, 0.5], "red"]);
  paint(canvas, whole, node);
  assert.deepEqual(strokes.slice(4), strokes.slice(0, 4)); // what was painted before is gone
  assert.deepEqual(sizes, [100, 100]); // another size would have the browser lay it out anew
  assert.deepEqual(canvas.style, { left: "10px", top: "10px", width: "100px", height: "100px" });
});

test("a broken line is broken as Plotly's is", () => {
  const dashed = [], pen = { beginPath() {}, moveTo() {}, lineTo() {}, stroke() {}, setLineDash: (pattern) => dashed.push(pattern) };
  const lines = [{ dash: "dashdot", width: 1 }, { dash: "longdash", width: 4 }, { dash: "dot" }, { dash: "solid" }, {}];
  for (const line of lines) curve(pen, { x: [0, 1], y: [0, 1], line }, { x: Number, y: Number }, "red");
  assert.deepEqual(dashed, [[9, 3, 3, 3], [20, 20], [3, 3], [], []]);
});

const points = (x, y, more = {}) => ({ ...line(x, y), mode: "markers", marker: { color: "blue", symbol: "square", line: { width: 1 } }, ...more });

test("points that look alike are painted in the shape and colours of the one that Plotly drew", () => {
  const whole = figure([points([1, 2], [0, 0.5])]), done = [];
  const style = { fill: "blue", fillOpacity: "0.5", opacity: "0.5", stroke: "white", strokeWidth: "1px", strokeOpacity: "" };
  const square = { style, getAttribute: () => "M-3,-3H3V3H-3Z" };
  const node = plot(whole, axis([0, 1]), { ".scatterlayer .trace0 .points path": square });
  globalThis.Path2D = class { constructor(text) { this.text = text; } };
  const at = [0, 0];
  const act = (name) => function (shape) { done.push([name, ...at, shape.text, this.globalAlpha]); };
  const pen = { setTransform() {}, clearRect() {}, setLineDash() {}, translate(x, y) { at[0] += x; at[1] += y; }, fill: act("fill"), stroke: act("stroke") };
  const canvas = { style: {}, getContext: () => pen };
  const moved = figure([points([3, NaN, 4], [0.25, 1, 1])]);
  assert.ok(changes(moved, drawn(whole), node));
  paint(canvas, moved, node);
  const shape = "M-3,-3H3V3H-3Z";
  assert.deepEqual(done, [["fill", 3, 0.25, shape, 0.25], ["stroke", 3, 0.25, shape, 0.5], ["fill", 4, 1, shape, 0.25], ["stroke", 4, 1, shape, 0.5]]);
  assert.deepEqual([pen.fillStyle, pen.strokeStyle, pen.lineWidth], ["blue", "white", 1]);
  assert.equal(canvas.parentNode, layer); // below the names among the points
  paint(canvas, figure([points([], [])]), node);
  assert.equal(done.length, 4);
});

test("points of several looks, and the first of a trace, are drawn by Plotly", () => {
  const before = figure([points([1], [0])]);
  assert.ok(!changes(before, drawn(before), plot(before)));
  const seen = (whole) => changes(whole, drawn(whole), plot(whole, axis([0, 1]), { ".scatterlayer .trace0 .points path": {} }));
  assert.ok(seen(before));
  for (const marker of [{ color: [1] }, { size: [1] }, { line: { color: ["red"] } }, { color: new Float32Array(1) }]) {
    assert.ok(!seen(figure([points([1], [0], { marker })])), JSON.stringify(marker));
  }
});

test("numbers below the title are written wherever it stands in pieces, and drawn by Plotly where it is another", () => {
  const counted = (text) => {
    const whole = figure([line([0, 1], [0, 0.5])]);
    return { ...whole, layout: { ...whole.layout, title: { text: "A", subtitle: { text, font: { size: 14 } } } } };
  };
  const piece = (text) => ({ childNodes: [], textContent: text });
  const pieces = (...childNodes) => ({ childNodes, get textContent() { return childNodes.map((each) => each.textContent).join(""); } });
  const before = counted("2 of 99 points"), node = plot(before);
  const shown = (written) => { node.querySelector = (name) => ({ ".gtitle-subtitle": written, ".gl-container": layer })[name] ?? null; };
  const pen = { setTransform() {}, clearRect() {}, beginPath() {}, setLineDash() {}, moveTo() {}, lineTo() {}, stroke() {} };
  const repaint = (whole) => paint({ style: {}, getContext: () => pen }, whole, node);
  const after = counted("13 of 100 points");
  for (const written of [pieces(piece("2 of 99 points")), pieces(pieces(piece("2 of")), pieces(piece("99 points")))]) {
    shown(written);
    assert.ok(changes(after, drawn(before), node));
    assert.ok(!changes(counted("13 of 100 rows"), drawn(before), node));
    repaint(after);
    assert.deepEqual(written.textContent.match(/\d+/g), ["13", "100"]);
    assert.ok(written.textContent.endsWith(" points"));
  }
  const fewer = pieces(piece("99 points"));
  shown(fewer);
  assert.ok(!changes(after, drawn(before), node));
  repaint(before);
  assert.equal(fewer.textContent, "99 points");
  shown(null);
  assert.ok(!changes(after, drawn(before), node));
});
