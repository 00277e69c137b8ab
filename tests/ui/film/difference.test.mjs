import assert from "node:assert/strict";
import { test } from "node:test";

import { difference } from "../../../kernlab/ui/film/difference.mjs";

const side = (result, epoch, more = [], seconds = 1) => ({ compared: [["", result], ...more], epoch, seconds, unit: "epoch" });

test("results after the same time, then the numbers that differ", () => {
  const both = [side("97.9 %", 10, [["ν", "0.44"], ["rank of W", "9"]]), side("81.2 %", 10, [["ν", "0"], ["rank of W", "9"]])];
  assert.equal(difference(both, ["ASKL", "SK"]), "ASKL 97.9 %, SK 81.2 % after the same 10 epochs; ν 0.44 against 0");
});

test("one epoch is one, and names with numbers are set apart from results", () => {
  const both = [side("97.9 %", 1), side("81.2 %", 1)];
  assert.equal(difference(both, ["D = 50", "D = 10"]), "D = 50: 97.9 %, D = 10: 81.2 % after the same 1 epoch");
});

test("a run that ended earlier says so", () => {
  assert.equal(difference([side("97.9 %", 10), side("81.2 %", 2.5)], ["A", "B"]), "A 97.9 % after 10 epochs, B 81.2 % after 2.5 epochs");
});

test("equal seconds", () => {
  const both = [side("97.9 %", 10, [], 2.04), side("81.2 %", 33, [], 2.04)];
  assert.equal(difference(both, ["A", "B"], "seconds"), "A 97.9 %, B 81.2 % after the same 2.04 s");
});

test("a number that not every run has is no difference, and one run alone has none", () => {
  assert.equal(difference([side("1 %", 1, [["ν", "1"]]), side("2 %", 1)], ["A", "B"]), "A 1 %, B 2 % after the same 1 epoch");
  assert.equal(difference([side("1 %", 1), null], ["A", "B"]), "");
});
