// A curve that is drawn over evenly spread places.
import test from "node:test";
import assert from "node:assert/strict";
import { Drawing, written } from "../../../kernlab/ui/curve.mjs";

test("a stroke sets every place on its way, however fast the hand is", () => {
  const drawing = new Drawing(11);
  assert.equal(drawing.whole, null);
  drawing.press(0.1, 0.2);
  drawing.move(0.5, 0.6);
  drawing.lift();
  assert.deepEqual(drawing.levels.slice(1, 6).map((each) => Math.round(10 * each)), [2, 3, 4, 5, 6]);
  assert.equal(drawing.drawn, 5);
  // Another stroke does not join the first, and goes back as well.
  drawing.press(1, 0);
  drawing.move(0.8, 0.2);
  assert.deepEqual(drawing.levels.slice(6), [null, null, 0.2, 0.1, 0]);
});

test("between drawn places the curve is straight, outside it is level", () => {
  const drawing = new Drawing(5);
  drawing.press(0.25, 0.2);
  drawing.press(0.75, 0.8);
  assert.deepEqual(drawing.whole.map((each) => Math.round(10 * each)), [2, 2, 5, 8, 8]);
  assert.equal(written(drawing.whole), "20.20.50.80.80");
});

test("nothing leaves the sheet", () => {
  const drawing = new Drawing(3);
  drawing.press(-1, 2);
  drawing.move(2, -1);
  assert.deepEqual(drawing.levels, [1, 0.5, 0]);
});

test("keys move a cursor and change its height; others are left to the page", () => {
  const drawing = new Drawing(11);
  let heard = 0;
  drawing.addEventListener("change", () => heard++);
  assert.equal(drawing.at, 5);
  assert.ok(drawing.key({ key: "ArrowUp" }));
  assert.equal(drawing.levels[5], 0.52);
  drawing.key({ key: "ArrowRight", shiftKey: true });
  assert.equal(drawing.at, 10);
  drawing.key({ key: "ArrowDown", shiftKey: true }); // begins where the curve already is
  assert.ok(Math.abs(drawing.levels[10] - 0.42) < 1e-9);
  drawing.key({ key: "Home" });
  assert.equal(drawing.at, 0);
  drawing.key({ key: "End" });
  drawing.key({ key: "Delete" });
  assert.equal(drawing.levels[10], null);
  assert.equal(heard, 6);
  assert.equal(drawing.key({ key: "Tab" }), false);
  assert.equal(drawing.key({ key: "ArrowUp", ctrlKey: true }), false);
  drawing.clear();
  assert.equal(drawing.drawn, 0);
});
