import assert from "node:assert/strict";
import { test } from "node:test";

import { LONGEST, MOST, joined, link, parse, read, write } from "../../../kernlab/ui/page/scenelist.mjs";

const pages = ["home", "train", "bounds"];

test("a list goes into an address and comes out of it as it was", () => {
  const scenes = ["train?dataset=moons&second=method%3DSK%26seed%3D1", "bounds", "home", "train?custom=a%7Cb"];
  const state = { present: true, scenes, place: 2 };
  const address = link(state);
  assert.match(address, /^\?present=1&scenes=/); // the first page has no name
  assert.deepEqual(read(address, pages), { ...state, trouble: "" });
  const second = link({ ...state, place: 0 });
  assert.match(second, /^train\?dataset=moons&second=method%3DSK%26seed%3D1&present=1&scenes=/);
  assert.deepEqual(read(second.slice(second.indexOf("?")), pages).scenes, scenes);
});

test("the address of a page keeps what is its own, and loses what is ours", () => {
  assert.equal(joined("?dataset=moons&present=1&place=3", { present: false, scenes: [], place: 0 }), "?dataset=moons");
  assert.equal(joined("", { present: true, scenes: [], place: 0 }), "?present=1");
});

test("garbage is left out with a sentence", () => {
  const { scenes, trouble } = parse("https:elsewhere|javascript:alert(1)|train?present=1&scenes=x&seed=2|//train|Train", pages);
  assert.deepEqual(scenes, ["train?seed=2"]);
  assert.match(trouble, /^Every scene must be a page of kernlab .* Left out: https:/);
  assert.deepEqual(parse("", pages), { scenes: [], trouble: "" });
  for (const garbage of ["|||", "%%%", "?", "\u0000", "train?%E0%A4%A"]) parse(garbage, pages);
});

test("a list has an end", () => {
  const many = parse(write(Array(MOST + 1).fill("train")), pages);
  assert.equal(many.scenes.length, MOST);
  assert.match(many.trouble, /more than 40 scenes/);
  const long = parse(write(Array(30).fill(`train?x=${"a".repeat(390)}`)), pages);
  assert.ok(write(long.scenes).length <= LONGEST && long.scenes.length > 10);
  assert.match(long.trouble, /longer than 6000 characters/);
});

test("a place that is none is the first or the last", () => {
  const at = (scene) => read(`?scenes=train|bounds&place=${scene}`, pages).place;
  assert.deepEqual(["2", "0", "-1", "9", "x", "1.9", ""].map(at), [1, 0, 0, 1, 0, 0, 0]);
});
