import assert from "node:assert/strict";
import { test } from "node:test";

import { GAP, Glossary, letters } from "../../../kernlab/ui/page/glossary.mjs";

const glossary = new Glossary([
  { name: "norm", also: [], labels: ["norm"], formulas: [], words: "a" },
  { name: "trace norm", also: ["trace norm", "‖W‖⁎"], labels: [], formulas: [], words: "b" },
  { name: "features D", also: ["features D", "D"], labels: [], formulas: ["D₀"], words: "c" },
  { name: "landmark", also: ["landmark"], labels: [], formulas: [], words: "d" },
  { name: "stationary kernel", also: ["stationary"], labels: [], formulas: [], words: "e" },
  { name: "training rows", also: ["training rows"], labels: ["train"], formulas: [], words: "f" },
]);
const found = (text) => glossary.find(text).map(({ name, start, end }) => [name, text.slice(start, end)]);

test("words are found in any case and number, symbols as they are written", () => {
  assert.deepEqual(found("Landmarks of the TRACE NORM"), [["landmark", "Landmarks"], ["trace norm", "TRACE NORM"]]);
  assert.deepEqual(found("D, not d"), [["features D", "D"]]);
  assert.deepEqual(found("‖W‖⁎ = 3"), [["trace norm", "‖W‖⁎"]]);
});

test("a hyphen makes another word, and a part of a word is none", () => {
  assert.deepEqual(found("2-D, D-dimensional, non-stationary, stationarity, IDs"), []);
  assert.deepEqual(found("a stationary one"), [["stationary kernel", "stationary"]]);
});

test("the first letter of a person's name is no symbol", () => {
  assert.deepEqual(found("D. Li, D. Liu and D. D. Wang, D.-D. Zhou (D. Fu)"), []);
  assert.deepEqual(found("The larger D. It grows with D, D and D."), Array(4).fill(["features D", "D"]));
});

test("a label counts only as a whole", () => {
  assert.deepEqual(found(" train "), [["training rows", "train"]]);
  assert.deepEqual(found("we train"), []);
  assert.deepEqual(found("a norm"), []);
});

test("a heading may break its lines within a term", () => {
  assert.deepEqual(found("the trace\nnorm"), [["trace norm", "trace\nnorm"]]);
});

test("the letters of a formula are found beside one another, with their indices and exponents", () => {
  const formula = (...parts) => glossary.symbol(parts.join(GAP)).map(({ name }) => name);
  assert.deepEqual(formula("2", "D"), ["features D"]);
  assert.deepEqual(formula("D", letters("0", "low")), ["features D"]);
  assert.deepEqual(formula(letters("∥", ""), "W", letters("∥", ""), letters("∗", "low")), ["trace norm"]);
  assert.deepEqual(formula("W", letters("D", "low")), []); // an index that texts cannot write is no symbol of its own
});
