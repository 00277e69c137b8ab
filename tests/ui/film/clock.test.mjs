import assert from "node:assert/strict";
import { test } from "node:test";

import { Clock, last } from "../../../kernlab/ui/film/clock.mjs";

const clock = (n = 5) => {
  const made = new Clock();
  made.moments(Array.from({ length: n }, (_, i) => i / 2));
  return made;
};

test("the last place that is not above, by a plain search", () => {
  for (let round = 0; round < 200; round++) {
    const numbers = Array.from({ length: Math.floor(Math.random() * 9) }, () => Math.floor(Math.random() * 10)).sort((a, b) => a - b);
    const x = Math.floor(Math.random() * 12) - 1;
    const expected = numbers.length ? Math.max(numbers.filter((each) => each <= x).length - 1, 0) : -1;
    assert.equal(last(numbers, x), expected);
  }
});

test("the newest moment is followed, a chosen one stays", () => {
  const made = clock();
  assert.equal(made.epoch, 2);
  made.moments([0, 0.5, 1, 1.5, 2, 2.5]);
  assert.equal(made.epoch, 2.5);
  made.seek(1.2);
  made.moments([0, 0.5, 1, 1.5, 2, 2.5, 3]);
  assert.deepEqual([made.index, made.epoch], [2, 1]);
});

test("playing reaches the end from the start and stops there", () => {
  const made = clock();
  const seen = [];
  made.play(0);
  made.addEventListener("change", () => seen.push(made.epoch));
  for (let now = 0; now < 3000 && made.playing; now += 16) made.tick(now);
  assert.deepEqual([...new Set(seen)], [0.5, 1, 1.5, 2]);
  assert.equal(made.playing, false);
  assert.equal(made.at, null);
});

test("ten moments a second, and a slow browser skips", () => {
  const made = clock(100);
  made.play(0);
  for (let now = 0; now <= 1000; now += 10) made.tick(now);
  assert.ok(Math.abs(made.index - 10) <= 1, `${made.index}`);
  for (let now = 1000; now <= 3000; now += 37) made.tick(now);
  assert.ok(Math.abs(made.index - 30) <= 1, `${made.index}`);
  made.tick(5000); // nothing was drawn for two seconds
  assert.ok(Math.abs(made.index - 50) <= 1, `${made.index}`);
});

test("it waits for a frame, and goes on when it is there", () => {
  const made = clock();
  let there = 1;
  made.play(0);
  for (let now = 0; now < 2000; now += 10) made.tick(now, (place) => place <= there);
  assert.deepEqual([made.index, made.playing], [1, true]);
  there = 4;
  for (let now = 2000; now < 4000; now += 10) made.tick(now, (place) => place <= there);
  assert.equal(made.playing, false);
});

test("a loop begins again", () => {
  const made = clock(3);
  made.loop = true;
  made.play(0);
  const seen = new Set();
  for (let now = 0; now < 3000; now += 10) { made.tick(now); seen.add(made.index); }
  assert.deepEqual([made.playing, seen.size], [true, 3]);
});

test("steps end at the first moment", () => {
  const made = clock();
  made.step(-1);
  assert.equal(made.at, 1.5);
  for (let i = 0; i < 9; i++) made.step(-1);
  assert.equal(made.at, 0);
});
