// The films of a page: every run that is looked at, on one clock. Charts, the slider, numbers and lines of progress
// follow it; the page's script takes no part in it.

import { Clock, last } from "./clock.mjs";
import { Frames, Loader } from "./frames.mjs";
import { Selection } from "./selection.mjs";
import { beyond, limits, ranged, union } from "./ranges.mjs";

const EVERY = 200; // milliseconds between two questions while a run goes on, at least,
const TICK = 500; // and at most, where it says that nothing new is to be expected before
const GATHERED = 10; // milliseconds in which the questions of one moment come together
const AFTER = 20; // milliseconds after something new is expected in which it is asked for
const LEAST = 60; // between an answer and the next question, where what was expected is late,
const LATER = 4; // and a fourth of the time by which it is late: every question takes time from the training
const SOON = 30; // while it begins: until it has a second snapshot
const CROWD = 5; // pages at most that share the questions of one,
const SHARE = 250; // and milliseconds between two of these: of five pages each asks every 1.25 seconds
const SLOW = 1500; // at most, while the server is busy
const SELDOM = 5000; // while the server does not answer
const BUSY = 10000; // at most, while the browser is busy
const LATE = 40; // milliseconds by which a timer may be late in a browser that is not busy
const ROOM = 0.1; // of an axis is left free where it has grown
const OFTEN = 4; // times in a row that it is late in one that is: pictures that are drawn first make it late a few times

// Calls once, when somebody looks at this tab.
const whenSeen = (call) => globalThis.document.addEventListener("visibilitychange", call, { once: true });

const ME = Math.random().toString(36).slice(2); // the name of this page among those that follow a run

let going = 0; // jobs that are followed and go on: together they are asked for as often as one

// What is new of one job, asked for as long as somebody wants to know and the job goes on.
export class News extends EventTarget {
  constructor(address, { fetch = globalThis.fetch.bind(globalThis), wait = (call, time) => setTimeout(call, time), hidden = () => globalThis.document?.hidden, seen = whenSeen, now = Date.now } = {}) {
    super();
    Object.assign(this, { address, fetch, wait, hidden, seen, now });
    this.news = null;
    this.users = 0;
    this.turn = 0; // how often it was asked for,
    this.due = Infinity; // when it is to be asked for next,
    this.expected = 0; // when there is to be something new,
    this.late = []; // and how late that was the last few times, in milliseconds
  }

  // Follow it until the function that is returned is called.
  use() {
    if (this.users++ === 0 && !this.whole) this.ask();
    this.count();
    return () => { this.users--; this.count(); };
  }

  count() {
    const counts = this.users > 0 && this.news?.live === true;
    going += Number(counts) - Number(this.counts ?? false);
    this.counts = counts;
  }

  // Ask again though the job had ended: somebody may have let it go on.
  wake() {
    if (!this.waiting) this.ask();
  }

  async ask() {
    this.waiting = false;
    if (!this.users || this.asking) return;
    this.asking = true;
    const turn = ++this.turn, begun = this.now(), late = Math.max(begun - this.due, 0);
    this.late = [...this.late, late].slice(-OFTEN);
    const busy = this.late.length < OFTEN ? 0 : Math.min(...this.late);
    let away = false;
    try {
      const answer = await this.get(this.question());
      if (answer.status === 200) {
        const news = await this.read(answer);
        this.expected = this.now() + 1000 * (news.due ?? 0);
        this.take(news);
      } else away = answer.status !== 204;
    } catch { away = true; } // the server is away: the page itself says so
    this.asking = false;
    this.count();
    this.dispatchEvent(new Event("asked"));
    if (this.news && !this.news.live) return;
    // Many runs, and the pages of several people, are asked for together as often as one.
    const pages = this.news?.pages ?? 1, many = Math.max(1, going, Math.min(Math.max(1, going) * pages, CROWD));
    const every = pages > 1 ? SHARE : EVERY, begins = this.news?.steps?.length < 2, pause = begins ? SOON : every * many;
    this.waiting = true;
    this.due = Infinity;
    // Somebody else may have asked by then: only one of both goes on.
    const again = () => { if (turn === this.turn) this.ask(); };
    if (this.hidden() && !away) return this.seen(again);
    // A server that takes long to answer is asked less often, yet often enough to see the end. So is one whose answers
    // this browser takes too long to draw: its timers are late then, time after time. Twice as late, a quarter as often.
    // While a run begins the server is busy with its beginning, which is what is waited for.
    const now = this.now(), slow = Math.max(Math.min((begins ? 1 : 4) * (now - begun), SLOW), Math.min(busy ** 2 / LATE, BUSY));
    const due = begins || many > 1 ? 0 : Math.min(this.expected - now + AFTER, TICK);
    // All jobs of a page are asked at the same moments, so that the browser draws once what is new of them. Several
    // pages are asked one after the other: browsers that draw at the same moment take every core from the training.
    const own = every * ((this.news?.page ?? 0) % CROWD);
    const after = (moment) => moment + pause - ((moment - own) % pause);
    const next = away ? SELDOM : many > 1 && !begins ? this.meet(after(Math.max(now, begun + slow))) - now
      : due > AFTER || slow > pause ? Math.max(slow, due)
        : Math.max(after(now + LEAST) - now, Math.min(-due / LATER, TICK));
    this.due = now + next;
    this.wait(again, next);
  }

  get(question) {
    return this.fetch(this.address + question);
  }

  // When it is asked for next, where it may be at some moment.
  meet(moment) {
    return moment;
  }

  // What is asked, as a query.
  question() {
    return this.news ? `?version=${encodeURIComponent(this.news.version)}` : "";
  }

  read(answer) {
    return answer.json();
  }

  take(news) {
    this.news = news;
    this.dispatchEvent(new Event("news"));
  }

  // These are all the news that there will be: nobody need ask.
  end(news) {
    if (this.whole) return;
    this.whole = true;
    this.take(news);
  }
}

// One run: its news, the numbers beside its pictures, and the pictures of it that are on the page.
export class Film extends News {
  constructor(home, run, options = {}) {
    super(`${home}film/${run}`, options);
    this.run = run;
    this.round = options.round;
    this.layouts = options.layouts && ((rest) => options.layouts.ask(`${run}/${rest}`).then((answer) => answer.status === 200 ? answer.text() : Promise.reject(answer)));
    this.pictures = new Map(); // address of a picture -> Picture
    this.values = new Frames(async ([step]) => [await text(this.fetch, `${this.address}/values/${step}`)]);
  }

  get(question) {
    return this.round && this.counts && going > 1 ? this.round.ask(this.run + question) : super.get(question);
  }

  meet(moment) {
    return this.round?.meet(moment, this.now()) ?? moment;
  }

  // What is new of the pictures that are looked at comes with the news: every answer takes time from the training.
  question() {
    const shown = [...this.pictures.values()].filter((picture) => picture.looks && picture.layout);
    if (!this.news?.live || !this.news.steps.length || !shown.length) return super.question();
    const { version, metrics, steps } = this.news;
    const query = new URLSearchParams({ version, metrics, step: steps.at(-1), by: ME });
    for (const { key, view } of shown) query.append("draw", `${key}?${view}`);
    return `?${query}`;
  }

  async read(answer) {
    const [first, ...lines] = (await answer.text()).split("\n"), news = JSON.parse(first);
    (news.drawn ?? []).forEach((name, i) => {
      const picture = this.pictures.get(`${this.address}/${name}`);
      if (name === "values") this.values.keep(news.steps.at(-1), lines[i]);
      else picture?.frames.keep(picture.overTime ? news.metrics : news.steps.at(-1), lines[i]);
    });
    return news;
  }

  take(news) {
    const ends = this.news?.live && !news.live;
    this.news = news;
    this.values.steps = news.steps;
    for (const picture of this.pictures.values()) picture.grow(news);
    this.dispatchEvent(new Event("news"));
    if (ends) this.have(this.values.renew(news.steps.length - 1)); // of a run that is over it has more numbers
  }

  // The numbers at a place, or the nearest that are there, as { frame, place }; those that are missing are asked for.
  numbers(place) {
    if (place >= 0 && !this.values.has(place)) this.have(this.values.get(place));
    return this.values.nearest(place);
  }

  // Say when numbers are there; where they could not be had, whoever looks at them asks again after a while.
  have(numbers) {
    const say = () => this.dispatchEvent(new Event("numbers"));
    numbers.then(say, () => this.wait(say, SELDOM));
  }

  // The place of the snapshot at an epoch; null: the newest.
  place(epoch) {
    const epochs = this.news?.epochs ?? [];
    return epoch === null ? epochs.length - 1 : last(epochs, epoch);
  }

  picture(key, view, overTime) {
    const address = `${this.address}/${key}`;
    const name = `${address}?${view}`;
    if (!this.pictures.has(name)) {
      const picture = new Picture(address, view, overTime, this.fetch, key, this.layouts);
      if (this.news) picture.grow(this.news);
      this.pictures.set(name, picture);
    }
    return this.pictures.get(name);
  }
}

// Questions that are asked at one moment: they go in one request, and are answered together.
class Round {
  constructor(address, fetch = globalThis.fetch.bind(globalThis)) {
    Object.assign(this, { address, fetch, asked: [] });
  }

  ask(question) {
    return new Promise((answer, fail) => {
      if (this.asked.push({ question, answer, fail }) === 1) setTimeout(() => this.go(), GATHERED);
    });
  }

  // When the next question is asked: the moment of the first that needs to know, until it is over.
  meet(moment, now) {
    return this.due = this.due > now ? this.due : moment;
  }

  async go() {
    const asked = this.asked.splice(0), query = new URLSearchParams(asked.map(({ question }) => ["ask", question]));
    try {
      const [first, ...lines] = (await text(this.fetch, `${this.address}?${query}`)).split("\n");
      JSON.parse(first).forEach(([status, count], i) => {
        const own = lines.splice(0, count).join("\n");
        asked[i].answer({ status, text: async () => own });
      });
    } catch (error) {
      for (const { fail } of asked) fail(error);
    }
  }
}

async function text(fetch, address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return answer.text();
}

// How many of the first snapshots a layout is made for: 1, 2, 3, 4, 6, 8, 12, 16 … so that it seldom changes.
export function sampled(count) {
  let of = 1;
  while (of < count) {
    const next = of < 3 ? of + 1 : Number.isInteger(Math.log2(of)) ? of * 1.5 : (of / 3) * 4;
    if (next > count) break;
    of = next;
  }
  return of;
}

// One picture of a run: its layout, and its frames.
export class Picture extends EventTarget {
  // renewed: the layouts that a run asks for as it grows come together; the first of each is asked for by itself.
  constructor(address, view, overTime, fetch, key, renewed) {
    super();
    Object.assign(this, { address, view, overTime, fetch, key, renewed });
    this.looks = 0; // how many places in view show it
    this.layout = null;
    this.written = ""; // the layout as it came
    this.of = 0; // snapshots of the layout that was asked for last
    this.asked = this.shown = 0; // layouts that were asked for, and which of them is here
    // Over training every new point makes another frame, and the one before is of no use any more.
    this.frames = new Frames(async (steps) => (await this.text(`/${steps.join()}?${view}`)).split("\n"), overTime ? 2 : Infinity);
  }

  // Take up the layout of a run that is over, over so many snapshots, and its frame of a step, which came with the page.
  begin(of, step, layout, frame) {
    if (this.layout) return;
    this.of = of;
    this.layout = JSON.parse(layout);
    this.written = layout;
    this.frames.keep(step, frame);
  }

  async text(rest) {
    if (!this.overTime) await new Promise((go) => setTimeout(go)); // curves are drawn fast, and asked for first
    return text(this.fetch, this.address + rest);
  }

  // A moment may reach beyond the axes and colours, which were found from a few of them: these grow, axes with room for
  // the moments to come.
  contain(frame) {
    const { traces, layout } = this.layout, grown = {}, colored = {};
    for (const [name, ends] of Object.entries(frame.reach ?? {})) {
      const axis = ranged(layout, name), range = axis?.range;
      if (!range || !beyond(range, ends)) continue;
      const wide = union([range, ends]), room = ROOM * (wide[1] - wide[0]);
      const wider = { ...axis, range: wide.map((end, k) => end === range[k] ? end : end + (k ? room : -room)) };
      grown[name] = name === "scene" ? { ...layout.scene, zaxis: wider } : wider;
    }
    for (const [key, own] of Object.entries(frame.limits ?? {})) {
      if (beyond(traces[key], own)) colored[key] = { ...traces[key], ...limits(traces[key], [own]) };
    }
    if (!Object.keys({ ...grown, ...colored }).length) return;
    this.layout = { ...this.layout, traces: { ...traces, ...colored }, layout: { ...layout, ...grown } };
    this.written = JSON.stringify(this.layout);
    this.dispatchEvent(new Event("layout"));
  }

  // Take up new snapshots or, over training, new points.
  grow(news) {
    const steps = this.overTime && news.steps.length ? [news.metrics] : news.steps; // nothing is measured before the first
    this.frames.steps = steps;
    const of = news.live ? sampled(news.steps.length) : news.steps.length;
    if (news.steps.length && of !== this.of) {
      if (this.overTime && !this.of) this.frames.get(0).catch(() => {}); // with its layout: neither is seen alone
      this.of = of;
      const asked = ++this.asked;
      const rest = `?of=${of}&${this.view}`;
      (this.layout && this.renewed ? this.renewed(this.key + rest) : this.text(rest)).then((text) => {
        if (asked < this.shown) return; // a newer one was faster
        this.shown = asked;
        this.layout = JSON.parse(text);
        this.written = text;
        this.dispatchEvent(new Event("layout"));
      }, () => { if (of === this.of) this.of = 0; });
    }
    this.dispatchEvent(new Event("grown"));
  }
}

// What one page shares: its runs, their clock, what is selected in their pictures, and what is drawn at the moment.
export class Reel {
  constructor(home, options = {}) {
    this.home = home;
    const round = (name) => new Round(`${home}news/${name}`, options.fetch);
    this.options = { ...options, round: round("runs"), layouts: round("layouts") };
    this.clock = new Clock();
    this.selection = new Selection();
    this.loader = new Loader();
    this.films = new Map();
    this.others = new Map();
    this.seen = new Set(); // pictures in view: playing waits for their frames
    this.clock.addEventListener("change", () => this.clock.playing && this.roll());
  }

  film(run) {
    if (!this.films.has(run)) this.films.set(run, new Film(this.home, run, this.options));
    return this.films.get(run);
  }

  // The news of a job of another kind.
  news(address) {
    if (!this.others.has(address)) this.others.set(address, new News(this.home + address, this.options));
    return this.others.get(address);
  }

  // The runs that the slider steps through; at: where new ones are shown first, in epochs of the one that leads.
  lead(runs, at = null, equal = "epochs") {
    this.equal = equal;
    if (this.leading?.join() === runs.join()) return;
    this.follows?.();
    this.leading = runs;
    this.clock.epochs = [];
    this.clock.seek(at);
    const films = runs.map((run) => this.film(run));
    const follow = () => this.clock.moments(this.leader.news?.epochs ?? []);
    for (const film of films) film.addEventListener("news", follow);
    this.follows = () => films.forEach((film) => film.removeEventListener("news", follow));
    follow();
  }

  // The run that reaches furthest, by what is equal among them: the clock's epochs are those of this one.
  get leader() {
    const reach = (film) => (film.news?.epochs.at(-1) ?? -1) * (this.equal === "seconds" ? film.news?.pace ?? 1 : 1);
    return (this.leading ?? []).map((run) => this.film(run)).reduce((a, b) => (reach(b) > reach(a) ? b : a));
  }

  // The place of a run's snapshot at an epoch of the run that leads, or after as many seconds as that had worked.
  place(film, epoch = this.clock.at) {
    if (epoch === null || this.equal !== "seconds" || !film.news?.pace || !this.leader.news?.pace) return film.place(epoch);
    return film.place((epoch * this.leader.news.pace) / film.news.pace);
  }

  // A picture is in view, or no longer: while it is, its frames are fetched ahead, those that come later too.
  watch(shot, inView) {
    if (inView === this.seen.has(shot)) return;
    const { picture } = shot;
    if (inView) {
      this.seen.add(shot);
      picture.looks++;
      shot.plan ??= () => this.loader.plan(picture.frames);
      picture.addEventListener("grown", shot.plan);
      this.loader.add(picture.frames);
    } else {
      this.seen.delete(shot);
      picture.looks--;
      picture.removeEventListener("grown", shot.plan);
      if (!picture.looks) this.loader.remove(picture.frames); // the page's own picture may be in view already
    }
  }

  // Whether every picture in view has its frame at the clock's place, which is asked for where it has not.
  ready(place) {
    const epoch = this.clock.epochs[place];
    let whole = true;
    for (const { film, picture } of this.seen) {
      if (picture.overTime) continue;
      const own = this.place(film, epoch);
      if (own >= 0 && !picture.frames.has(own)) {
        whole = false;
        picture.frames.get(own).catch(() => {});
      }
    }
    return whole;
  }

  roll() {
    if (this.rolling) return;
    this.rolling = true;
    const next = globalThis.requestAnimationFrame ?? ((call) => setTimeout(() => call(performance.now()), 16));
    const turn = () => {
      this.clock.tick(performance.now(), (place) => this.ready(place));
      if (this.clock.playing) next(turn);
      else this.rolling = false;
    };
    next(turn);
  }
}

let reel;

// The reel of this tab; benchmarks read in it which frames are there.
export function shared(home) {
  return globalThis.kernlabReel = reel ??= new Reel(home);
}
