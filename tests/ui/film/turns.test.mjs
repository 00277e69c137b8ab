import assert from "node:assert/strict";
import { test } from "node:test";

import { Turns } from "../../../kernlab/ui/page/turns.mjs";

function turned() {
  const made = { opened: 0, calls: [] };
  made.turns = new Turns(() => made.opened++, { wait: (call) => made.calls.push(call), stop: () => (made.calls.length = 0) });
  return made;
}

test("a page is opened at once where no script runs", () => {
  const made = turned();
  made.turns.ask();
  assert.deepEqual([made.opened, made.calls.length], [1, 0]);
});

test("who turns faster than pages come opens two pages: the first, and the last once the first has come", () => {
  const made = turned();
  for (let i = 0; i < 4; i++) made.turns.ask(); // the first script has not begun yet
  assert.equal(made.opened, 1);
  made.turns.script(true);
  made.turns.ask();
  assert.equal(made.opened, 1);
  made.turns.script(false);
  assert.equal(made.opened, 2);
  made.turns.script(true);
  made.turns.script(false);
  assert.equal(made.opened, 2);
  made.turns.ask();
  assert.equal(made.opened, 3);
});

test("a page whose script does not end is left after a while", () => {
  const made = turned();
  made.turns.script(true);
  made.turns.ask();
  made.turns.ask();
  assert.deepEqual([made.opened, made.calls.length], [0, 1]);
  made.calls[0]();
  assert.equal(made.opened, 1);
});
