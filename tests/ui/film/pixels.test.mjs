import assert from "node:assert/strict";
import { test } from "node:test";

import { Sketch } from "../../../kernlab/ui/pixels.mjs";

const drawn = (...ways) => {
  const sketch = new Sketch(8, 8);
  for (const [first, ...rest] of ways) {
    sketch.press(...first);
    for (const at of rest) sketch.move(...at);
    sketch.lift();
  }
  return sketch;
};

const ink = ({ values }) => values.reduce((sum, value) => sum + value, 0);

test("a dab is full in its middle, fades at its edge and stays within 0 and 1", () => {
  const sketch = drawn([[3.5, 3.5]]);
  assert.equal(sketch.values[3 * 8 + 3], 1);
  assert.ok(sketch.values[3 * 8 + 4] > 0 && sketch.values[3 * 8 + 4] < 1);
  assert.equal(sketch.values[0], 0);
  assert.ok(drawn([[0, 0], [8, 8]], [[0, 0], [8, 8]]).values.every((value) => value >= 0 && value <= 1));
});

test("a stroke is the same whether the hand is fast or slow", () => {
  const slow = Array.from({ length: 61 }, (_, i) => [1 + i / 10, 4]);
  const [fast, fine] = [drawn([[1, 4], [7, 4]]), drawn([slow[0], ...slow.slice(1)])];
  assert.ok(Math.abs(ink(fast) - ink(fine)) < 0.05 * ink(fast));
});

test("each stroke is announced once, and can be taken back", () => {
  const sketch = new Sketch(8, 8);
  let strokes = 0;
  sketch.addEventListener("stroke", () => strokes++);
  sketch.press(2, 2);
  sketch.move(5, 5);
  assert.equal(strokes, 0);
  sketch.lift();
  assert.equal(strokes, 1);
  const one = sketch.values;
  sketch.press(6, 2);
  sketch.lift();
  sketch.undo();
  assert.deepEqual(sketch.values, one);
  sketch.clear();
  assert.equal(ink(sketch), 0);
  sketch.undo();
  assert.deepEqual(sketch.values, one);
  assert.equal(strokes, 5);
  sketch.erasing = true;
  sketch.press(2, 2);
  sketch.lift();
  assert.ok(ink(sketch) < one.reduce((sum, value) => sum + value, 0));
});

test("keys move the brush, draw, erase and take back", () => {
  const sketch = new Sketch(8, 8);
  assert.ok(sketch.key({ key: "ArrowLeft" }) && sketch.key({ key: "ArrowUp", shiftKey: true }));
  assert.deepEqual(sketch.at, [3.5, 2]);
  for (let i = 0; i < 30; i++) sketch.key({ key: "ArrowLeft" });
  assert.deepEqual(sketch.at, [0, 2]);
  sketch.key({ key: " " });
  assert.ok(ink(sketch) > 0);
  sketch.key({ key: "Delete" });
  assert.ok(ink(sketch) < 0.1);
  sketch.key({ key: "z", ctrlKey: true });
  assert.ok(ink(sketch) > 0);
  assert.ok(!sketch.key({ key: "Tab" }) && !sketch.key({ key: "c", ctrlKey: true }));
});
