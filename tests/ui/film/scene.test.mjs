import assert from "node:assert/strict";
import { test } from "node:test";

import { random } from "../../../kernlab/ui/brush.mjs";
import { LATTICE, NODES, PAIRS } from "../../../kernlab/ui/lab/density.mjs";
import { FIELDS, LEVELS, MOST, fine, owned, packed, ranged, read, unpacked, values, write } from "../../../kernlab/ui/lab/scene.mjs";

const scene = (text) => read(new URLSearchParams(text), random);

test("an address without parameters is the default scene, and is written as nothing", () => {
  const { scene: found, sentences } = scene("");
  assert.deepEqual(sentences, []);
  assert.equal(found.points.length, 40);
  assert.equal(write(found).toString(), "");
});

test("whatever is painted and placed comes back the same from its address", () => {
  const draw = random(3);
  for (const [view, count] of [["line", NODES], ["pairs", PAIRS.length]]) {
    for (const n of [0, 1, MOST]) {
      const { scene: found } = scene(`view=${view}&noise=0.05&amplitude=1.25`);
      found.density = "own";
      found[view] = Float64Array.from({ length: count }, () => fine(draw()));
      found.data = "own";
      found.points = Array.from({ length: n }, () => [Math.floor(draw() * (LATTICE + 1)), Math.floor(draw() * (LEVELS + 1))]);
      const back = scene(write(found).toString());
      assert.deepEqual(back.sentences, []);
      assert.deepEqual(back.scene, found);
      assert.ok(write(found).toString().length < 1500);
    }
  }
});

test("numbers are packed into letters and come back", () => {
  const all = Array.from({ length: 4096 }, (_, i) => i);
  assert.deepEqual(unpacked(packed(all)), all);
  assert.equal(unpacked("a"), null);
  assert.equal(unpacked("a!"), null);
});

test("every part of an address that stands for nothing is a sentence, and the rest counts", () => {
  const { scene: found, sentences } = scene("view=pairs&noise=loud&n=1e9&seed=0.5&scale=-3&range=80&points=abc&correlation=7&density=own&data=draw");
  assert.equal(found.view, "pairs");
  assert.equal(found.noise, FIELDS.noise.fallback);
  assert.equal(found.range, 20);
  for (const key of ["noise", "n", "seed", "scale", "range", "points", "correlation", "density"]) {
    assert.ok(sentences.some((each) => each.startsWith(`${key} must be `)), key);
  }
});

test("no text of an address leads to an error or to a scene that cannot be computed", () => {
  const draw = random(5), letters = "abz019-_.,=%&é∞ ";
  const noise = () => Array.from({ length: Math.floor(40 * draw()) }, () => letters[Math.floor(letters.length * draw())]).join("");
  for (let turn = 0; turn < 500; turn++) {
    const parameters = new URLSearchParams(Object.keys(FIELDS).filter(() => draw() < 0.5).map((key) => [key, noise()]));
    const { scene: found } = read(parameters, random);
    assert.ok(values(found).every((each) => each >= 0 && each <= 1));
    assert.ok(found.points.every(([x, y]) => x >= 0 && x <= LATTICE && y >= 0 && y <= LEVELS));
  }
});

test("a painted density stays where it is when the range changes", () => {
  const { scene: found } = scene("scale=5");
  found.line = owned(found);
  found.density = "own";
  const before = [...found.line];
  ranged(found, 80);
  for (let j = 0; j < NODES / 2; j++) assert.ok(Math.abs(found.line[j] - before[2 * j]) < 1e-3);
  assert.ok(found.line.slice(NODES / 2).every((each) => each === 0));
});
