import assert from "node:assert/strict";
import { test } from "node:test";

import { coarse, Frames, grouped, Loader } from "../../../kernlab/ui/film/frames.mjs";

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

test("coarse to fine: every place once, every eighth of them first", () => {
  for (const count of [0, 1, 2, 7, 8, 9, 200]) {
    const places = [...coarse(count)];
    assert.deepEqual([...places].sort((a, b) => a - b), Array.from({ length: count }, (_, i) => i));
  }
  const first = [...coarse(200)].slice(0, 26);
  assert.deepEqual(first, [199, ...Array.from({ length: 25 }, (_, i) => 8 * i)]);
});

test("a frame is fetched once, also while it is on its way", async () => {
  let calls = 0;
  const frames = new Frames(async (steps) => { calls++; return steps.map((step) => `{"step":${step}}`); });
  frames.steps = [10, 20];
  const [a, b] = await Promise.all([frames.get(1), frames.get(1)]);
  assert.equal(a, b);
  await frames.get(1);
  assert.deepEqual([calls, a.step], [1, 20]);
});

test("the nearest frame that is there", async () => {
  const frames = new Frames(async (steps) => steps.map(String));
  frames.steps = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  assert.equal(frames.nearest(3), null);
  await frames.get(0);
  await frames.get(7);
  assert.deepEqual([0, 3, 4, 9].map((place) => frames.nearest(place).place), [0, 0, 7, 7]);
});

test("what failed is asked for again", async () => {
  let broken = true;
  const frames = new Frames(async (steps) => { if (broken) throw new Error("away"); return steps.map(String); });
  frames.steps = [5];
  await assert.rejects(frames.get(0));
  broken = false;
  assert.equal(await frames.get(0), 5);
});

test("pictures become finer together, a few requests at a time", async () => {
  let [now, most] = [0, 0];
  const order = [];
  const made = (name) => {
    const frames = new Frames(async (steps) => {
      most = Math.max(most, ++now);
      order.push(name);
      await new Promise((resolve) => setTimeout(resolve, 1));
      now--;
      return steps.map(String);
    });
    frames.steps = Array.from({ length: 20 }, (_, i) => i);
    return frames;
  };
  const loader = new Loader(3);
  const [a, b] = [made("a"), made("b")];
  loader.add(a);
  loader.add(b);
  while (a.have.size + b.have.size < 40) await settled();
  assert.equal(most, 3);
  const half = order.slice(0, 6).filter((name) => name === "a").length;
  assert.ok(half >= 2 && half <= 4, `${half}`);
  assert.equal(order.length, 2 * [...grouped([...coarse(20)])].length);
});

test("groups begin with one and have eight at most", () => {
  const places = Array.from({ length: 30 }, (_, i) => i);
  assert.deepEqual([...grouped(places)].map((group) => group.length), [1, 1, 2, 4, 8, 8, 6]);
  assert.deepEqual([...grouped(places)].flat(), places);
  assert.deepEqual([...grouped([])], []);
});

test("several frames are one request, without those that are here or on their way", async () => {
  const asked = [];
  const frames = new Frames(async (steps) => { asked.push(steps); return steps.map((step) => (step === 30 ? "" : `${step}`)); });
  frames.steps = [0, 10, 20, 30];
  await frames.get(1);
  await Promise.all([frames.load([2]), frames.load([0, 1, 2, 3])]);
  assert.deepEqual(asked, [[10], [20], [0, 30]]);
  assert.deepEqual([0, 1, 2, 3].map((place) => frames.has(place)), [true, true, true, false]); // 30 cannot be drawn
  assert.equal(frames.nearest(3).frame, 20);
  await assert.rejects(frames.load([4])); // nobody is asked for a snapshot that there is not
  assert.equal(asked.length, 3);
});

test("frames are kept as text, and the same object is shown as long as it is looked at", async () => {
  const frames = new Frames(async (steps) => steps.map((step) => `{"step":${step}}`));
  frames.steps = Array.from({ length: 40 }, (_, i) => i);
  const first = await frames.get(0);
  await frames.load(frames.steps);
  assert.equal(frames.nearest(0).frame, first);
  for (const place of frames.steps) assert.equal(frames.nearest(place).frame.step, place);
  assert.equal(frames.have.size, 40);
  assert.ok(frames.parsed.size < 9);
});
