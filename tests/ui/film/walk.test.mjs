import assert from "node:assert/strict";
import { test } from "node:test";

import { toward } from "../../../kernlab/ui/film/walk.mjs";

const grid = [0, 1, 2].flatMap((y) => [0, 1, 2].map((x) => ({ x: 10 * x, y: 10 * y })));

test("the first key leads to the point farthest left, an arrow to the nearest in its direction", () => {
  assert.equal(toward([{ x: 5, y: 0 }, { x: 2, y: 9 }], -1, "ArrowRight"), 1);
  assert.equal(toward(grid, 4, "ArrowRight"), 5);
  assert.equal(toward(grid, 4, "ArrowLeft"), 3);
  assert.equal(toward(grid, 4, "ArrowUp"), 1); // pixels count downwards
  assert.equal(toward(grid, 4, "ArrowDown"), 7);
});

test("at the edge it stays, and no other key moves it", () => {
  assert.equal(toward(grid, 5, "ArrowRight"), 5);
  assert.equal(toward(grid, 5, "Enter"), 5);
  assert.equal(toward([], -1, "ArrowRight"), -1);
});

test("points at one place come one after the other, and the walk goes on behind them", () => {
  const points = [{ x: 0, y: 0 }, { x: 0, y: 0 }, { x: 0, y: 0 }, { x: 9, y: 1 }];
  const seen = [0];
  for (let i = 0; i < 4; i++) seen.push(toward(points, seen.at(-1), "ArrowRight"));
  assert.deepEqual(seen, [0, 1, 2, 3, 3]);
});

test("every point of a cloud can be reached from the first", () => {
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const points = Array.from({ length: 60 }, () => ({ x: 300 * random(), y: 200 * random() }));
  const reached = new Set([toward(points, -1, "ArrowRight")]);
  for (const place of reached) for (const key of ["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"]) reached.add(toward(points, place, key));
  assert.ok(reached.size > 55, `${reached.size}`);
});
