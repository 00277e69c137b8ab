import assert from "node:assert/strict";
import { test } from "node:test";

import { Film, Reel, sampled } from "../../../kernlab/ui/film/film.mjs";

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));
const json = (body, status = 200) => ({ status, ok: status < 400, json: async () => body, text: async () => JSON.stringify(body) });

// A server whose run grows by a snapshot at every question.
function server(total) {
  const run = { count: 1, layouts: [], frames: [], questions: 0, more: (count) => { total = count; } };
  run.fetch = async (address) => {
    const parts = address.split("?")[0].split("film/")[1].split("/");
    if (parts.length === 1) {
      run.questions++;
      const news = { version: `v${run.count}`, live: run.count < total, metrics: run.count, steps: [], epochs: [] };
      for (let i = 0; i < run.count; i++) { news.steps.push(10 * i); news.epochs.push(i); }
      run.count = Math.min(run.count + 1, total);
      return json(news);
    }
    if (parts.length === 2) {
      run.layouts.push(Number(new URLSearchParams(address.split("?")[1]).get("of")));
      return json({ traces: {}, layout: { of: run.layouts.at(-1) } });
    }
    const steps = parts[2].split(",").map(Number);
    run.frames.push(...steps);
    return { ...json(), text: async () => steps.map((step) => JSON.stringify({ traces: {}, layout: { step } })).join("\n") };
  };
  return run;
}

test("a layout is made for few counts of snapshots, the last of them never above the count", () => {
  const found = [...new Set(Array.from({ length: 200 }, (_, i) => sampled(i + 1)))];
  assert.deepEqual(found, [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192]);
  for (let count = 1; count < 300; count++) assert.ok(sampled(count) <= count && sampled(count) > count / 2);
});

test("a run is followed to its end and then left alone", async () => {
  const there = server(9);
  const calls = [];
  const film = new Film("/", "r", { fetch: there.fetch, wait: (call) => calls.push(call), hidden: () => false });
  film.use();
  for (let i = 0; i < 40; i++) { await settled(); calls.shift()?.(); }
  assert.equal(film.news.steps.length, 9);
  assert.equal(there.questions, 9);
  assert.equal(film.place(null), 8);
  assert.equal(film.place(3.7), 3);
});

test("of a run whose news are all known nothing but pictures is asked for", async () => {
  const there = server(1);
  const film = new Film("/", "r", { fetch: there.fetch, hidden: () => false });
  const picture = film.picture("density", "", false);
  film.end({ version: "r", live: false, metrics: 0, steps: [0], epochs: [0] });
  film.use();
  await settled();
  await settled();
  assert.equal(there.questions, 0);
  assert.deepEqual(there.layouts, [1]);
  assert.equal(film.place(null), 0);
  assert.deepEqual(picture.frames.steps, [0]);
});

test("a run that goes on after its end is followed again once somebody knows", async () => {
  const there = server(3);
  const calls = [];
  const film = new Film("/", "r", { fetch: there.fetch, wait: (call) => calls.push(call), hidden: () => false });
  film.use();
  for (let i = 0; i < 9; i++) { await settled(); calls.shift()?.(); }
  assert.equal(there.questions, 3);
  there.more(5);
  film.wake();
  film.wake();
  for (let i = 0; i < 9; i++) { await settled(); calls.shift()?.(); }
  assert.equal(film.news.steps.length, 5);
});

test("nobody is asked for a run that no element follows any more", async () => {
  const there = server(100);
  const calls = [];
  const film = new Film("/", "r", { fetch: there.fetch, wait: (call) => calls.push(call), hidden: () => false });
  const leave = film.use();
  await settled();
  leave();
  calls.shift()();
  await settled();
  assert.equal(there.questions, 1);
});

test("a server that is away is asked again later, and the run goes on", async () => {
  const there = server(3);
  let away = true;
  const waits = [];
  const fetch = async (address) => { if (away) throw new TypeError("away"); return there.fetch(address); };
  const film = new Film("/", "r", { fetch, wait: (call, time) => waits.push([call, time]), hidden: () => false });
  film.use();
  await settled();
  assert.ok(waits[0][1] >= 5000);
  away = false;
  for (let i = 0; i < 9; i++) { waits.shift()?.[0](); await settled(); }
  assert.equal(film.news.steps.length, 3);
});

test("a picture takes the layout of the count it has, and keeps its frames", async () => {
  const there = server(9);
  const calls = [];
  const film = new Film("/", "r", { fetch: there.fetch, wait: (call) => calls.push(call), hidden: () => false });
  const picture = film.picture("density", "look=a", false);
  assert.equal(film.picture("density", "look=a", false), picture);
  film.use();
  for (let i = 0; i < 40; i++) { await settled(); calls.shift()?.(); }
  assert.deepEqual(there.layouts, [1, 2, 3, 4, 6, 8, 9]);
  assert.equal(picture.layout.layout.of, 9);
  await picture.frames.get(4);
  await picture.frames.get(4);
  assert.deepEqual(there.frames, [40]);
});

test("the axes of a picture grow for a moment that reaches beyond them, and not for one within", () => {
  const picture = new Film("/", "r").picture("density", "", false);
  let renewed = 0;
  picture.addEventListener("layout", () => renewed++);
  const axes = { xaxis: { range: [5, -5], title: "x" }, yaxis: { range: [0, 10] } }, ends = () => ["xaxis", "yaxis"].map((name) => picture.layout.layout[name].range);
  picture.begin(1, 0, JSON.stringify({ traces: {}, layout: axes }), "{}");
  picture.contain({});
  picture.contain({ reach: { xaxis: [-5, 5], yaxis: [1, 10] } });
  assert.deepEqual([renewed, ends()], [0, [[5, -5], [0, 10]]]);
  const written = picture.written;
  picture.contain({ reach: { xaxis: [-5, 15], yaxis: [2, 3], zaxis: [0, 1] } });
  assert.deepEqual([renewed, ends()], [1, [[17, -5], [0, 10]]]); // a tenth is left free where it has grown
  assert.equal(picture.layout.layout.xaxis.title, "x");
  assert.notEqual(picture.written, written);
  picture.contain({ reach: { xaxis: [-5, 16], yaxis: [-10, 3] } });
  assert.deepEqual([renewed, ends()], [2, [[17, -5], [-12, 10]]]);
});

test("the heights of a surface grow as axes do", () => {
  const picture = new Film("/", "r").picture("joint", "", false);
  picture.begin(1, 0, JSON.stringify({ traces: {}, layout: { scene: { camera: "above", zaxis: { title: "s", range: [0, 1] } } } }), "{}");
  picture.contain({ reach: { scene: [0.2, 3] } });
  assert.deepEqual(picture.layout.layout.scene.zaxis.range.map((end) => +end.toFixed(6)), [0, 3.3]);
  assert.deepEqual([picture.layout.layout.scene.camera, picture.layout.layout.scene.zaxis.title], ["above", "s"]);
});

test("the colours of a picture grow for a moment that reaches beyond them", () => {
  const picture = new Film("/", "r").picture("gram", "", false);
  let renewed = 0;
  picture.addEventListener("layout", () => renewed++);
  const traces = { "heatmap:k:1": { zmin: -0.1, zmax: 1, showscale: true }, "contour:k:1": { "contours.start": 0, "contours.size": 0.1 }, "scatter:s:1": {} };
  picture.begin(1, 0, JSON.stringify({ traces, layout: {} }), "{}");
  const look = (key) => picture.layout.traces[key];
  picture.contain({ limits: { "heatmap:k:1": { zmin: 0, zmax: 1 }, "scatter:s:1": { "marker.cmax": 2 }, "heatmap:other:1": { zmin: -9 } } });
  assert.deepEqual([renewed, picture.layout.traces], [0, traces]); // and a trace without limits gets none
  const written = picture.written;
  picture.contain({ limits: { "heatmap:k:1": { zmin: -0.3, zmax: 0.5 }, "contour:k:1": { "contours.start": -0.2, "contours.size": 0.05 } } });
  assert.deepEqual(look("heatmap:k:1"), { zmin: -0.3, zmax: 1, showscale: true });
  assert.deepEqual(look("contour:k:1"), { "contours.start": -0.2, "contours.size": 0.1 });
  assert.deepEqual([renewed, look("scatter:s:1")], [1, {}]);
  assert.notEqual(picture.written, written);
});

test("a layout and a frame that came with the page are not asked for", async () => {
  const there = server(1);
  const film = new Film("/", "r", { fetch: there.fetch, hidden: () => false });
  const picture = film.picture("density", "", false);
  const frame = JSON.stringify({ traces: {}, layout: { step: 20 } });
  picture.begin(3, 20, JSON.stringify({ traces: {}, layout: { of: 3 } }), frame);
  film.end({ version: "r", live: false, metrics: 3, steps: [0, 10, 20], epochs: [0, 1, 2] });
  assert.deepEqual(await picture.frames.get(2), JSON.parse(frame));
  assert.equal(picture.layout.layout.of, 3);
  await settled();
  assert.deepEqual([there.layouts, there.frames], [[], []]);
  picture.begin(1, 0, "{}", "{}"); // what is here stays
  assert.equal(picture.layout.layout.of, 3);
});

test("the layouts of a run that grows are renewed in one request, the first of each is asked for by itself", async () => {
  const there = server(9), asked = [], waits = [];
  const fetch = async (address) => {
    if (!address.startsWith("/news/layouts")) return there.fetch(address);
    asked.push(new URL(address, "http://localhost").searchParams.getAll("ask"));
    const lines = asked.at(-1).flatMap((each) => (each.includes("gram") ? [] : [JSON.stringify({ traces: {}, layout: { of: Number(/of=(\d+)/.exec(each)[1]) } })]));
    const sizes = asked.at(-1).map((each) => (each.includes("gram") ? [404, 0] : [200, 1]));
    return { ...json(), text: async () => [JSON.stringify(sizes), ...lines].join("\n") };
  };
  const film = new Reel("/", { fetch, wait: (call) => waits.push(call), hidden: () => false }).film("r");
  const pictures = ["density", "metric", "gram"].map((key) => film.picture(key, "look=a", key === "metric"));
  film.use();
  while (film.news?.live !== false) { await settled(); await settled(); await settled(); waits.shift()?.(); }
  for (let i = 0; i < 5; i++) await settled();
  assert.deepEqual(there.layouts, [1, 1, 1]);
  assert.deepEqual(asked[0], ["r/density?of=2&look=a", "r/metric?of=2&look=a", "r/gram?of=2&look=a"]);
  assert.deepEqual(asked.filter((each) => each.length > 1).map((each) => /of=(\d+)/.exec(each[0])[1]), ["2", "3", "4", "6", "8", "9"]);
  assert.deepEqual(pictures.map((picture) => picture.layout.layout.of), [9, 9, 1]); // what cannot be had stays as it was
  assert.equal(pictures[2].of, 0); // and is asked for again with the next snapshot
});

test("the frames of what is in view are fetched ahead, and none of what is not", async () => {
  const there = server(9);
  const reel = new Reel("/", { fetch: there.fetch, wait: (call) => setTimeout(call, 1), hidden: () => false });
  const film = reel.film("r");
  const [shown, hidden] = ["density", "gram"].map((key) => ({ film, picture: film.picture(key, "", false) }));
  reel.watch(shown, true); // before anything is known of the run
  reel.watch(hidden, true);
  reel.watch(hidden, false);
  const sketch = { film, picture: shown.picture };
  reel.watch(sketch, true); // the same picture in another place, which goes
  reel.watch(sketch, false);
  film.use();
  for (let i = 0; i < 200 && shown.picture.frames.have.size < 9; i++) await settled();
  assert.equal(shown.picture.frames.have.size, 9);
  assert.equal(hidden.picture.frames.have.size, 0);
});

test("all jobs of a page are asked at the same moments, a slow server less often", async () => {
  let time = 1_000_130, takes = 3;
  const there = server(9), waits = [];
  const fetch = async (address) => { time += takes; return there.fetch(address); };
  const options = { fetch, wait: (call, pause) => waits.push(time + pause), hidden: () => false, now: () => time };
  const film = new Film("/", "a", options);
  const leave = film.use();
  for (let i = 0; i < 4; i++) { await settled(); time += 37; film.ask(); }
  await settled();
  assert.equal(film.news.steps.length, 5);
  assert.equal(waits[0] % 60, 0); // while it begins
  assert.ok(waits.slice(2).every((moment) => moment % 200 === 0));
  takes = 360;
  film.ask();
  await settled();
  assert.equal(waits.at(-1), time + 4 * 360);
  leave();
});

test("a browser that takes long to draw asks less often, and as often as before once it has caught up", async () => {
  let time = 1_000_000, late = 10;
  const there = server(99), pauses = [];
  let call;
  const wait = (next, pause) => { pauses.push(pause); call = () => { time += pause + late; next(); }; };
  const film = new Film("/", "a", { fetch: there.fetch, wait, hidden: () => false, now: () => time });
  const leave = film.use();
  const turn = async () => { await settled(); call(); await settled(); return pauses.at(-1); };
  for (let i = 0; i < 4; i++) assert.ok((await turn()) <= 200);
  late = 300; // a few times may be pictures that are drawn for the first time
  for (let i = 0; i < 3; i++) assert.ok((await turn()) <= 200);
  assert.equal(await turn(), 2250);
  late = 9000;
  for (let i = 0; i < 3; i++) assert.equal(await turn(), 2250);
  assert.equal(await turn(), 10000);
  late = 0;
  assert.ok((await turn()) <= 200);
  leave();
});

test("while nobody sees the tab nothing is asked for, and once somebody does it is at once", async () => {
  const there = server(99), calls = [], seen = [];
  let hidden = true;
  const options = { fetch: there.fetch, wait: (call) => calls.push(call), hidden: () => hidden, seen: (call) => seen.push(call) };
  const film = new Film("/", "a", options);
  const leave = film.use();
  await settled();
  assert.deepEqual([there.questions, calls.length, seen.length], [1, 0, 1]);
  hidden = false;
  seen.shift()();
  await settled();
  assert.deepEqual([there.questions, calls.length, seen.length], [2, 1, 0]);
  leave();
});

test("who leaves a run and comes back does not ask twice as often", async () => {
  const there = server(99), calls = [];
  const film = new Film("/", "a", { fetch: there.fetch, wait: (call) => calls.push(call), hidden: () => false });
  film.use()();
  await settled();
  const leave = film.use();
  await settled();
  for (let i = 0; i < 5; i++) for (const call of calls.splice(0)) { call(); await settled(); }
  assert.equal(there.questions, 7); // two at first, then one at each turn
  leave();
});

test("playing waits for the frames of the pictures in view", async () => {
  const reel = new Reel("/", { fetch: server(4).fetch, wait: (call) => setTimeout(call, 1), hidden: () => false });
  reel.lead(["r"]);
  const film = reel.film("r");
  film.use();
  while ((film.news?.steps.length ?? 0) < 4) await settled();
  const picture = film.picture("density", "", false);
  reel.seen.add({ film, picture });
  assert.equal(reel.ready(2), false);
  await settled();
  assert.equal(reel.ready(2), true);
  reel.clock.speed = 8;
  reel.clock.play(performance.now());
  const begun = Date.now();
  while (reel.clock.playing && Date.now() - begun < 5000) await settled();
  assert.equal(reel.clock.playing, false);
});

test("numbers are had once, again where that failed, and anew when the run is over", async () => {
  const [calls, asked] = [[], []];
  let broken = true;
  const fetch = async (address) => {
    asked.push(Number(address.split("values/")[1]));
    return broken ? json({ error: "no" }, 404) : json({ over: !film.news.live });
  };
  const film = new Film("/", "r", { fetch, wait: (call) => calls.push(call) });
  const seen = [];
  film.addEventListener("numbers", () => seen.push(film.numbers(1)));
  film.take({ live: true, steps: [0, 10], epochs: [0, 1] });
  assert.equal(film.numbers(1), null);
  await settled();
  assert.deepEqual([asked, seen], [[10], []]);
  broken = false;
  calls.pop()(); // later
  await settled();
  assert.deepEqual(seen.at(-1), { frame: { over: false }, text: "{\"over\":false}", place: 1 });
  film.numbers(1);
  assert.deepEqual(asked, [10, 10]);
  film.take({ live: false, steps: [0, 10], epochs: [0, 1] });
  assert.deepEqual(film.numbers(1), { frame: { over: false }, text: "{\"over\":false}", place: 1 }); // until the others are there
  await settled();
  assert.deepEqual(seen.at(-1), { frame: { over: true }, text: "{\"over\":true}", place: 1 });
  assert.deepEqual(asked, [10, 10, 10]);
});

test("what is new of the pictures in view comes with the news, and is not asked for", async () => {
  const asked = [], calls = [];
  let count = 2;
  const fetch = async (address) => {
    const [path, query] = address.split("?"), parts = path.split("film/")[1].split("/");
    asked.push(address);
    if (parts.length > 1) return json({ traces: {}, layout: {} });
    const wanted = new URLSearchParams(query), drawn = wanted.getAll("draw");
    const steps = Array.from({ length: count }, (_, i) => 10 * i);
    const news = { version: `v${count}`, live: true, metrics: 5 * count, steps, epochs: steps.map((step) => step / 10), drawn: drawn.length ? ["values", ...drawn] : [] };
    const lines = [news, { numbers: [count] }, ...drawn.map((name) => ({ traces: {}, layout: { name, count } }))];
    count++;
    return { ...json(), text: async () => lines.slice(0, 1 + news.drawn.length).map((line) => JSON.stringify(line)).join("\n") };
  };
  const reel = new Reel("/", { fetch, wait: (call) => calls.push(call), hidden: () => false });
  const film = reel.film("r");
  const [curves, density, away] = [["objective", "", true], ["density", "look=a b", false], ["gram", "", false]].map((each) => film.picture(...each));
  for (const picture of [curves, density]) reel.watch({ film, picture }, true);
  const leave = film.use();
  while (!(curves.layout && density.layout)) await settled(); // a picture without one asks for itself
  for (let i = 0; i < 1000 && count < 5; i++) { await settled(); calls.shift()?.(); }
  await settled();
  const query = new URLSearchParams(asked.findLast((address) => address.startsWith("/film/r?")).split("?")[1]);
  assert.deepEqual(query.getAll("draw"), ["objective?", "density?look=a b"]);
  assert.deepEqual([query.get("metrics"), query.get("step")], ["15", "20"]);
  const newest = film.news.steps.length;
  assert.deepEqual(curves.frames.nearest(0).frame.layout, { name: "objective?", count: newest });
  assert.deepEqual(density.frames.nearest(newest - 1).frame.layout, { name: "density?look=a b", count: newest });
  assert.deepEqual(film.numbers(newest - 1).frame, { numbers: [newest] });
  assert.equal(away.frames.have.size, 0);
  const newer = film.news.steps.slice(2).some((step) => asked.some((address) => address.includes(`density/${step}?`)));
  assert.equal(newer, false);
  leave();
});

test("a run is asked when it is to have another point, and at times where that is long or over: the later, the less often", async () => {
  let time = 1_000_000, due = 0.35;
  const steps = [0, 10], waits = [];
  const fetch = async () => json({ version: "v", live: true, metrics: 1, steps, epochs: [0, 1], due });
  const film = new Film("/", "a", { fetch, wait: (_, pause) => waits.push(pause), hidden: () => false, now: () => time });
  const leave = film.use();
  await settled();
  for (due of [60, 0.05, 0, -1, -3]) { film.ask(); await settled(); }
  assert.deepEqual(waits, [370, 500, 70, 200, 245, 500]);
  leave();
});

test("the pages that follow a run are asked for one after the other, the less often the more they are", async () => {
  let page = 0, pages = 1;
  const waits = [], fetch = async () => json({ version: "v", live: true, metrics: 1, steps: [0, 10], epochs: [0, 1], due: 0.35, page, pages });
  const film = new Film("/", "a", { fetch, wait: (_, pause) => waits.push(pause), hidden: () => false, now: () => 1_000_050 });
  const leave = film.use();
  await settled();
  for ([page, pages] of [[0, 2], [1, 2], [0, 5], [1, 5], [4, 5], [4, 40], [5, 40]]) { film.ask(); await settled(); }
  assert.deepEqual(waits, [370, 450, 200, 1200, 200, 950, 950, 1200]);
  leave();
});

test("who follows several runs learns when one has answered, also where nothing was new", async () => {
  const film = new Film("/", "a", { fetch: async () => ({ status: 204 }), wait: () => {}, hidden: () => false });
  const seen = [];
  film.addEventListener("asked", () => seen.push(film.asking));
  const leave = film.use();
  await settled();
  assert.deepEqual(seen, [false]);
  leave();
});

test("runs side by side are asked for together, and at the moments of the first that has answered", async () => {
  let time = 1_000_000;
  const asked = [], calls = [];
  const fetch = async (address) => {
    asked.push(address);
    const { searchParams } = new URL(address, "http://localhost");
    const answers = searchParams.getAll("ask").map((question) => {
      const [run, query] = question.split("?"), old = new URLSearchParams(query).get("version");
      if (run === "gone") return [404, { error: "There is no such run." }];
      return run === "still" ? [204] : [200, { version: `${run}, after ${old}`, live: true, steps: [0, 10], epochs: [0, 1] }];
    });
    const [run] = /film\/(\w+)/.exec(address)?.slice(1) ?? [];
    if (run) return json({ version: run, live: true, steps: [0, 10], epochs: [0, 1] });
    const lines = [answers.map((each) => [each[0], each.length - 1]), ...answers.flatMap(([, line]) => (line ? [line] : []))];
    return { ...json(), text: async () => lines.map((line) => JSON.stringify(line)).join("\n") };
  };
  const wait = (call, pause) => calls.push({ call, at: time + pause });
  const reel = new Reel("/", { fetch, wait, hidden: () => false, now: () => time });
  const films = ["a", "still", "gone", "b"].map((run) => reel.film(run));
  const leave = films.map((film) => film.use());
  await settled();
  assert.deepEqual(asked.splice(0), ["/film/a", "/film/still", "/film/gone", "/film/b"]); // what begins is not waited for
  time += 900;
  for (const { call } of calls.splice(0)) call();
  for (let i = 0; i < 8 && films.some((film) => film.asking); i++) await settled();
  assert.equal(asked.length, 1);
  assert.match(asked[0], /^\/news\/runs\?ask=a%3Fversion%3Da&ask=still/);
  assert.deepEqual(films.map((film) => film.news.version), ["a, after a", "still", "gone", "b, after b"]);
  // What failed is asked for later, the others at one moment.
  assert.deepEqual(calls.map(({ at }) => at).sort(), [1_001_600, 1_001_600, 1_001_600, time + 5000]);
  leave.forEach((each) => each());
});
