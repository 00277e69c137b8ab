import assert from "node:assert/strict";
import { test } from "node:test";

import { Selection } from "../../../kernlab/ui/film/selection.mjs";

const selected = (chosen) => Object.fromEntries(chosen.chosen);

test("a point that is selected again is let go, and a cell's two rows come and go together", () => {
  const chosen = new Selection();
  chosen.toggle("d", "row", [7]);
  chosen.toggle("d", "row", [4, 9]);
  assert.deepEqual(selected(chosen), { row: ["7", "4", "9"] });
  chosen.toggle("d", "row", [7]);
  chosen.toggle("d", "row", [9, 11]);
  assert.deepEqual(selected(chosen), { row: ["4", "9", "11"] });
  chosen.toggle("d", "row", [9, 11]);
  chosen.toggle("d", "row", [4, 4]);
  assert.ok(chosen.empty);
});

test("numbers of other data are other things", () => {
  const chosen = new Selection();
  chosen.toggle("digits", "row", [7]);
  assert.deepEqual(chosen.of("digits", "row"), ["7"]);
  assert.deepEqual(chosen.of("moons", "row"), []);
  assert.deepEqual(chosen.written("moons"), {});
  chosen.toggle("moons", "class", [1]);
  assert.deepEqual(selected(chosen), { class: ["1"] });
});

test("what the address says is selected, and written as it was", () => {
  const chosen = new Selection();
  chosen.read("d", { row: "12,3,3", frequency: "", class: "none" });
  assert.deepEqual(chosen.written("d"), { row: "12,3" });
  assert.equal(chosen.key("d", ["row", "class"]), "row 12,3");
  assert.equal(chosen.key("d", ["frequency"]), "");
  assert.equal(chosen.key("other", ["row"]), "");
});

test("it is put in words, many of a kind by their number", () => {
  const chosen = new Selection();
  chosen.names = { class: ["no", "yes"] };
  chosen.replace("d", "class", [1]);
  chosen.replace("d", "frequency", [1, 2, 3, 4]);
  assert.equal(chosen.sentence, "class yes · 4 frequencies");
  let changes = 0;
  chosen.addEventListener("change", () => changes++);
  chosen.clear();
  chosen.clear(); // nothing is left to let go of
  assert.deepEqual([chosen.sentence, changes], ["", 1]);
});
