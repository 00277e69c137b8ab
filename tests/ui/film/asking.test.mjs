import assert from "node:assert/strict";
import { test } from "node:test";

import { Asking } from "../../../kernlab/ui/film/asking.mjs";

// A page whose clock is moved by hand; what it waits for is called when its time has come.
function page() {
  const made = { time: 0, asked: [], waiting: null };
  made.asking = new Asking({
    now: () => made.time,
    wait: (call, pause) => (made.waiting = { call, at: made.time + pause }),
    stop: () => (made.waiting = null),
  });
  made.tell = (phase, known, soonest) => {
    made.asking.tell(phase, known, (text) => made.asked.push([made.time, text]), () => made.tell(phase, known, soonest), soonest);
  };
  made.until = (time) => {
    while (made.waiting && made.waiting.at <= time) { made.time = made.waiting.at; made.waiting.call(); }
    made.time = time;
  };
  return made;
}

test("the script is asked once for a phase that it then knows", () => {
  const here = page();
  here.tell("finished", "running");
  here.tell("finished", "running");
  here.tell("finished", "finished");
  here.until(60000);
  assert.deepEqual(here.asked, [[0, "finished"]]);
});

test("a phase that comes again is asked for again", () => {
  const here = page();
  here.tell("paused", "running");
  here.tell("paused", "paused");
  here.tell("running", "running"); // the script knows it by itself: somebody pressed a button of the page
  here.tell("paused", "running");
  assert.deepEqual(here.asked.map(([, phase]) => phase), ["paused", "paused"]);
});

test("what was lost is asked for again, and seldom where the script never knows it", () => {
  const here = page();
  here.tell("finished", "running");
  here.until(100000);
  assert.deepEqual(here.asked.map(([time]) => time), [0, 2000, 6000, 14000, 30000, 60000, 90000]);
});

test("a comparison, whose phase changes with every cell, asks once a second", () => {
  const here = page();
  for (let cell = 0; cell < 30; cell++) {
    here.until(100 * cell);
    here.tell(`cell ${cell + 1}`, `cell ${here.asked.at(-1)?.[1].slice(5) ?? 0}`, 1000);
  }
  assert.deepEqual(here.asked.map(([time]) => time), [0, 1000, 2000]);
  here.until(60000);
  assert.equal(here.asked.at(-1)[1], "cell 30");
});
