import assert from "node:assert/strict";
import { test } from "node:test";

import { broken, headed } from "../../../kernlab/ui/film/heading.mjs";

const letters = (text) => text.length;

test("lines are broken between words, and as few as needed", () => {
  assert.deepEqual(broken("a line of words", 20, letters), ["a line of words"]);
  assert.deepEqual(broken("a line of words", 9, letters), ["a line of", "words"]);
  assert.deepEqual(broken("one<br>two three", 6, letters), ["one", "two", "three"]);
  assert.deepEqual(broken("indivisible", 3, letters), ["indivisible"]);
  assert.deepEqual(broken("<b>four</b> four", 9, letters), ["<b>four</b> four"]); // a tag has no width
});

test("a heading has the room that its lines need, and nothing else changes", () => {
  const layout = { title: { text: "one two", subtitle: { text: "three four", font: { size: 10 } } }, margin: { t: 60, l: 8 }, x: 1 };
  assert.deepEqual(headed(layout, 99, letters), layout);
  const narrow = headed(layout, 5, letters);
  assert.equal(narrow.title.text, "one<br>two");
  assert.equal(narrow.title.subtitle.text, "three<br>four");
  assert.deepEqual(narrow.margin, { t: 60 + Math.ceil(1.3 * (17 + 10)), l: 8 });
  assert.equal(narrow.x, 1);
  const plain = { title: { text: "one two" }, margin: { t: 44 } };
  assert.deepEqual(headed(plain, 4, letters), { title: { text: "one<br>two" }, margin: { t: 44 + Math.ceil(1.3 * 17) } });
  assert.deepEqual(headed({ margin: {} }, 4, letters), { margin: {} });
});
