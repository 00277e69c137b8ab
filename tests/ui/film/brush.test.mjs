import assert from "node:assert/strict";
import { test } from "node:test";

import { MOST, Painting, random } from "../../../kernlab/ui/brush.mjs";

const painted = (...ways) => {
  const painting = new Painting(random(1));
  for (const [first, ...rest] of ways) {
    painting.press(...first);
    for (const at of rest) painting.move(...at);
    painting.lift();
  }
  return painting;
};

test("a dab has points of its class within the radius, and none outside the square", () => {
  const painting = painted([[0.5, -0.5]]);
  assert.equal(painting.points.length, painting.count);
  for (const [x, y, kind] of painting.points) {
    assert.ok(Math.hypot(x - 0.5, y + 0.5) <= painting.radius + 1e-4);
    assert.equal(kind, 0);
  }
  const edge = painted(...Array.from({ length: 50 }, () => [[1, 1]]));
  assert.ok(edge.points.length > 0 && edge.points.length < 50 * edge.count);
  assert.ok(edge.points.every(([x, y]) => Math.abs(x) <= 1 && Math.abs(y) <= 1));
});

test("a stroke is as dense whether the hand is fast or slow", () => {
  const slow = Array.from({ length: 101 }, (_, i) => [-0.5 + i / 100, 0]);
  const [fast, fine] = [painted([[-0.5, 0], [0.5, 0]]), painted([[...slow[0]], ...slow.slice(1)])];
  assert.ok(Math.abs(fast.points.length - fine.points.length) <= 0.15 * fast.points.length, `${fast.points.length} ${fine.points.length}`);
});

test("undo and redo go stroke by stroke, and a new stroke ends redo", () => {
  const painting = painted([[0, 0]], [[0.5, 0]]);
  const two = painting.points;
  painting.undo();
  assert.equal(painting.points.length, painting.count);
  painting.redo();
  assert.deepEqual(painting.points, two);
  painting.undo();
  painting.undo();
  painting.undo();
  assert.deepEqual(painting.points, []);
  painting.press(0, 0);
  painting.lift();
  painting.redo();
  assert.equal(painting.points.length, painting.count);
  painting.clear();
  painting.undo();
  assert.equal(painting.points.length, painting.count);
});

test("the eraser takes what is within its radius, and what takes nothing is no stroke", () => {
  const painting = painted([[0, 0]], [[0.8, 0.8]]);
  painting.choose("erase");
  painting.press(0, 0);
  painting.lift();
  assert.equal(painting.points.length, painting.count);
  const strokes = painting.before.length;
  painting.press(-0.8, -0.8);
  painting.lift();
  assert.equal(painting.before.length, strokes);
});

test("keys lead the brush, spray, erase, choose a class and undo", () => {
  const painting = new Painting(random(2));
  const press = (key, more = {}) => painting.key({ key, ...more });
  for (let n = 0; n < 4; n++) press("ArrowRight");
  press("ArrowUp", { shiftKey: true });
  assert.deepEqual(painting.at.map((each) => Math.round(100 * each)), [20, 20]);
  press("2");
  press(" ");
  assert.deepEqual(painting.counts, [0, painting.count]);
  press("Delete");
  assert.deepEqual(painting.points, []);
  assert.equal(painting.tool, 1);
  press("z", { ctrlKey: true });
  assert.equal(painting.points.length, painting.count);
  press("e");
  assert.equal(painting.tool, "erase");
  assert.equal(press("q"), false);
  assert.equal(press("9"), false);
  for (let n = 0; n < 99; n++) press("ArrowDown");
  assert.equal(painting.at[1], -1);
});

test("points that are loaded bring their classes, and there are never too many", () => {
  const painting = new Painting(random(3));
  painting.load(Array.from({ length: MOST + 5 }, (_, i) => [0, 0, i % 3]));
  assert.equal(painting.points.length, MOST);
  assert.equal(painting.classes, 3);
  painting.press(0, 0);
  painting.lift();
  assert.equal(painting.points.length, MOST);
  painting.add(4);
  assert.equal(painting.tool, 3);
  painting.add(4);
  assert.equal(painting.classes, 4);
});

test("listeners hear of a stroke once, when it ends", () => {
  const painting = new Painting(random(4));
  let strokes = 0;
  painting.addEventListener("stroke", () => strokes++);
  painting.press(0, 0);
  painting.move(0.5, 0);
  assert.equal(strokes, 0);
  painting.lift();
  painting.lift();
  assert.equal(strokes, 1);
});
