// What follows the clock of a page beside its pictures: the slider over time, the line of progress, and numbers.

import { Asking } from "./asking.mjs";
import { shared } from "./film.mjs";
import { SPEEDS, last } from "./clock.mjs";
import { difference } from "./difference.mjs";
import { hide, make, say } from "./nodes.mjs";

const STYLE = `
.kl-time, .kl-way { color: var(--st-text-color); font-family: var(--st-font); font-size: .9rem; }
.kl-time { display: flex; align-items: center; gap: .6rem; flex-wrap: wrap; }
.kl-time button, .kl-time select { font: inherit; color: inherit; height: 2.2rem; border-radius: .5rem; cursor: pointer;
  border: 1px solid var(--st-border-color); background: var(--st-background-color); padding: 0 .7rem; }
.kl-time button:hover { border-color: var(--st-primary-color); }
.kl-time button[aria-pressed="true"] { background: var(--st-secondary-background-color); border-color: var(--st-primary-color); }
.kl-time :focus-visible, .kl-way :focus-visible, .kl-values:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 1px; }
.kl-time [hidden] { display: none; }
.kl-time .kl-track { position: relative; flex: 1 1 12rem; min-width: 9rem; height: 2.2rem; }
.kl-time input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; accent-color: var(--st-primary-color); }
.kl-time i { position: absolute; top: .25rem; bottom: .25rem; width: 3px; margin-left: -1.5px; pointer-events: none; opacity: .75; }
.kl-time i.kl-pointed { width: 0; border-left: 2px dotted var(--st-primary-color); opacity: 1; }
.kl-time i[hidden] { display: none; }
.kl-selected { position: fixed; left: 50%; bottom: 1rem; transform: translateX(-50%); z-index: 90; display: flex; align-items: center; gap: .6rem;
  max-width: calc(100vw - 2rem); padding: .35rem .4rem .35rem .9rem; border-radius: 2rem; font: .9rem var(--st-font); color: var(--st-text-color);
  background: var(--st-background-color); border: 1px solid var(--st-border-color); box-shadow: 0 4px 16px #0003; }
.kl-selected:not(:has(span:not(:empty))) { visibility: hidden; }
.kl-selected button { flex: none; font: inherit; color: inherit; padding: .15rem .7rem; border-radius: 1rem; cursor: pointer;
  border: 1px solid var(--st-border-color); background: var(--st-secondary-background-color); }
.kl-time output { min-width: 9.5rem; font-variant-numeric: tabular-nums; }
.kl-time output.kl-staged { min-width: 15.5rem; }
.kl-marks { display: flex; flex-wrap: wrap; gap: .3rem .5rem; max-height: 6.4rem; overflow-y: auto; }
.kl-marks button { font: inherit; font-family: var(--st-font); font-size: .8125rem; color: var(--st-text-color); cursor: pointer;
  background: var(--st-background-color); border: 1px solid var(--st-border-color); border-radius: 1rem; padding: .15rem .7rem;
  max-width: min(26rem, 100%); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; text-align: left; }
.kl-marks button[aria-pressed="true"] { white-space: normal; overflow-wrap: anywhere; max-width: 100%;
  border-color: var(--st-primary-color); background: var(--st-secondary-background-color); }
.kl-marks button:hover { border-color: var(--st-primary-color); }
.kl-marks button:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: -2px; }
.kl-marks i { display: inline-block; width: .6rem; height: .6rem; border-radius: .3rem; margin-right: .4rem; }
.kl-way progress { display: block; width: 100%; height: .35rem; appearance: none; border: 0; border-radius: .2rem; overflow: hidden;
  background: var(--st-border-color); }
.kl-way progress::-webkit-progress-bar { background: var(--st-border-color); }
.kl-way progress::-webkit-progress-value { background: var(--st-primary-color); }
.kl-way progress::-moz-progress-bar { background: var(--st-primary-color); }
/* What comes later has its place from the start, so that nothing moves when it comes. */
.kl-way p { margin: 0 0 .3rem; min-height: 1.5em; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.kl-way small { display: block; margin-top: .3rem; opacity: .8; }
.kl-way .kl-trouble { margin: .4rem 0 0; padding: .6rem .8rem; border-radius: .5rem; color: var(--st-red-text-color);
  background: var(--st-red-background-color); }
.kl-way [hidden] { display: none; }
.kl-line { display: block; min-height: 1.5em; color: var(--st-text-color); font-family: var(--st-font); opacity: .8; }
.kl-values { display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; margin: 0; min-height: 3.3rem; font-family: var(--st-font); color: var(--st-text-color); }
.kl-values dt { font-size: .8125rem; opacity: .8; }
.kl-values dd { margin: 0; font-size: 1.35rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.kl-values div { min-width: 5rem; }
.kl-against { overflow-x: auto; color: var(--st-text-color); font-family: var(--st-font); scrollbar-width: thin; }
.kl-against p { margin: 0 0 .2rem; min-height: 1.5em; font-size: 1.05rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.kl-against table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
.kl-against th, .kl-against td { text-align: right; padding: .05rem .9rem .05rem 0; white-space: nowrap; font-weight: 400; }
.kl-against th[scope=row] { text-align: left; font-weight: 600; }
.kl-against th[scope=col] { opacity: .8; font-size: .8125rem; }
.kl-against .kl-far, .kl-against .kl-trouble { text-align: left; opacity: .8; }
.kl-against .kl-trouble { color: var(--st-red-text-color); white-space: normal; opacity: 1; }
.kl-against i { display: inline-block; width: 1.1rem; height: .3rem; border-radius: .15rem; margin: 0 .5rem .2rem 0; }
@media (max-width: 640px) {
  .kl-time { gap: .4rem; }
  .kl-time .kl-track { flex-basis: 70%; }
  .kl-time output { flex: 1 1 45%; min-width: 0; font-size: .8125rem; }
  .kl-time output.kl-staged { min-width: 0; }
  .kl-time button, .kl-time select { padding: 0 .5rem; }
  .kl-way p { min-height: 4.5em; font-size: .8125rem; }
  .kl-way p.kl-trouble { min-height: 0; }
  .kl-values { flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none; }
  .kl-values div { flex: none; } /* none is narrower than its words */
  .kl-values dt { white-space: nowrap; }
}`;


// Base of the elements: one run, followed from the first update to the last.
class Element {
  constructor(parent, home) {
    this.home = home;
    this.reel = shared(home);
    if (!document.getElementById("kl-film-style")) document.head.append(make("style", { id: "kl-film-style", textContent: STYLE }));
    this.root = this.build();
    parent.append(this.root);
  }

  update(data, { setStateValue, setTriggerValue }) {
    this.data = data;
    this.report = setStateValue;
    this.trigger = setTriggerValue;
    const followed = data.runs ?? [data.run ?? data.address];
    if (this.followed !== followed.join()) {
      this.leave?.();
      this.followed = followed.join();
      this.asking = new Asking();
      this.films = followed.map((each) => (data.address ? this.reel.news(each) : this.reel.film(each)));
      const done = this.films.map((film) => film.use());
      const draw = () => this.draw();
      const follow = () => { this.draw(); this.news?.(); };
      for (const film of this.films) film.addEventListener("news", follow);
      for (const film of this.films) film.addEventListener("numbers", draw);
      this.reel.clock.addEventListener("change", draw);
      const films = this.films;
      this.leave = () => {
        for (const film of films) film.removeEventListener("news", follow);
        for (const film of films) film.removeEventListener("numbers", draw);
        this.reel.clock.removeEventListener("change", draw);
        done.forEach((leave) => leave());
      };
    }
    for (const film of this.films) film.wake();
    this.draw();
  }

  // The script decides what is offered and what stands in tables: it runs again when the phase is not the one it knows.
  tell(phase, known, soonest) {
    const later = () => this.root.isConnected && this.draw();
    this.asking.tell(JSON.stringify(phase), JSON.stringify(known), (text) => this.trigger("phase", text), later, soonest);
  }

  // The run that is followed, of several the first.
  get film() {
    return this.films[0];
  }
}

class Timeline extends Element {
  build() {
    const { clock } = this.reel;
    this.play = make("button", { type: "button", onclick: () => clock.playing ? clock.hold() : clock.play(performance.now()) });
    this.input = make("input", { type: "range", min: 0, step: "any", oninput: () => this.moved() });
    this.input.setAttribute("aria-label", "Time");
    this.input.onkeydown = (event) => {
      const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
      if (by) { event.preventDefault(); clock.step(by); }
      if (event.key === "Home") { event.preventDefault(); clock.seek(0); }
      if (event.key === "End") { event.preventDefault(); clock.seek(null); }
      if (event.key === " ") { event.preventDefault(); this.play.click(); }
    };
    this.ghost = make("i", { className: "kl-pointed", hidden: true });
    this.marks = make("span");
    this.track = make("div", { className: "kl-track" }, this.marks, this.ghost, this.input);
    clock.addEventListener("point", () => {
      this.ghost.hidden = clock.pointed === null;
      this.ghost.style.left = `${100 * Math.min(1, Math.max(0, (clock.pointed ?? 0) / this.length))}%`;
    });
    this.words = make("output");
    this.speed = make("select", { title: "Speed", onchange: () => { clock.speed = Number(this.speed.value); clock.tell(); } },
      ...SPEEDS.map((each) => make("option", { value: each, textContent: `${{ 0.25: "¼", 0.5: "½" }[each] ?? each}×` })));
    this.speed.setAttribute("aria-label", "Speed");
    this.loop = make("button", { type: "button", textContent: "Loop", title: "Begin again at the end",
      onclick: () => { clock.loop = !clock.loop; clock.tell(); } });
    this.sides = make("span", { hidden: true });
    return make("div", { className: "kl-time" }, this.sides, this.play, this.track, this.words, this.speed, this.loop);
  }

  moved() {
    const value = Number(this.input.value);
    this.reel.clock.seek(value >= this.length * (1 - 1e-6) ? null : value);
  }

  // The script decides about the moment on arrival and when it opens a run; otherwise the person does, here.
  update(data, calls) {
    const { reel } = this;
    reel.lead(data.runs, data.at, data.equal);
    if (data.decided !== reel.decided) {
      reel.decided = data.decided;
      reel.rested = data.at;
      reel.clock.seek(data.at);
    }
    super.update(data, calls);
  }

  // The run that reaches furthest, of several.
  get film() {
    return this.reel.leader;
  }

  get live() {
    return this.films.some((film) => film.news?.live);
  }

  draw() {
    const { clock } = this.reel;
    const news = this.film.news;
    const visibility = news?.epochs.length > 1 ? "" : "hidden"; // its place is kept: nothing may jump
    if (this.root.style.visibility !== visibility) this.root.style.visibility = visibility;
    if (!news) return;
    this.length = Math.max(news.length ?? 0, news.epochs.at(-1) ?? 0, 1e-3);
    this.input.max = this.length;
    const at = clock.at === null && !this.live ? this.length : clock.epoch;
    if (document.activeElement !== this.input || Number(this.input.value) !== at) this.input.value = at;
    // A run with held-out rows counts its epochs twice: while it chooses how many to train, and when it trains them on all rows.
    const [, begun, stage] = news.stages.findLast(([from]) => from <= clock.epoch) ?? [0, 0, ""];
    const epoch = (clock.epoch - begun).toFixed(news.unit === "epoch" ? 2 : 0);
    const seconds = this.data.equal === "seconds" && news.pace ? `${(clock.epoch * news.pace).toFixed(2)} s` : "";
    say(this.words, [stage, `${news.unit} ${epoch}`, seconds, clock.at === null ? "newest" : ""].filter(Boolean).join(" · "));
    this.words.classList.toggle("kl-staged", news.stages.length > 0);
    this.input.setAttribute("aria-valuetext", this.words.textContent);
    say(this.play, clock.playing ? "Hold" : "Play");
    this.speed.value = clock.speed;
    this.loop.setAttribute("aria-pressed", clock.loop);
    this.mark();
    this.two();
    this.rest();
  }

  mark() {
    const given = [...this.data.marks, ...(this.film.news.marks ?? []).map(({ at, color, words }) => [at, color, words])];
    const name = JSON.stringify([given, this.length]);
    if (name === this.marked) return;
    this.marked = name;
    // Beside the slider, which stays: it may have the focus, or be dragged.
    this.marks.replaceChildren(...given.map(([place, color, title]) =>
      make("i", { title, style: `left: ${100 * Math.min(1, place / this.length)}%; background: ${color}` })));
  }

  // A run that is solved in one step has two moments, and a button for each.
  two() {
    const { clock } = this.reel;
    const few = this.data.words.length > 0;
    for (const node of [this.play, this.track, this.words, this.speed, this.loop]) hide(node, few);
    hide(this.sides, !few);
    if (!few) return;
    if (!this.sides.childElementCount) {
      this.sides.append(...this.data.words.map((words, place) =>
        make("button", { type: "button", textContent: words, onclick: () => clock.seek(place ? null : clock.epochs[0] ?? 0) })));
    }
    [...this.sides.children].forEach((button, place) => button.setAttribute("aria-pressed", (clock.at === null) === (place === 1)));
  }

  // The script gets the moment when time has rested there for a while.
  rest() {
    const { reel } = this;
    clearTimeout(this.later);
    if (!this.data.tells || reel.clock.playing || reel.clock.at === reel.rested) return;
    this.later = setTimeout(() => {
      if (!this.root.isConnected || reel.clock.playing || reel.clock.at === reel.rested) return;
      reel.rested = reel.clock.at;
      this.report("at", reel.clock.at ?? "newest"); // null would be no change where nothing was reported before
    }, 400);
  }

  // A film that plays by itself does so once a visit, as soon as somebody can see it.
  begin() {
    const { reel, film, data } = this;
    if (!data.plays || film.news?.live !== false || reel.played === this.followed || !this.root.isConnected) return;
    if (!document.querySelector("[data-drawn]")) return document.addEventListener("kl-drawn", () => this.begin(), { once: true });
    reel.played = this.followed;
    reel.clock.play(performance.now());
  }

  // Texts beside the pictures follow a run that goes on now and then.
  news() {
    this.begin();
    const { every } = this.data;
    if (!every || !this.live || this.reel.clock.at !== null || document.hidden) return;
    const count = this.film.news.steps.length;
    if (count === this.counted || performance.now() - (this.ticked ?? -Infinity) < 1000 * every) return;
    this.counted = count;
    this.ticked = performance.now();
    this.trigger("tick", count);
  }
}

// The moments of a run that have words: each is a button that goes there.
class Marks extends Element {
  build() {
    return make("div", { className: "kl-marks", role: "group", ariaLabel: "Marked moments" });
  }

  draw() {
    const { clock } = this.reel;
    const { root } = this, marks = this.film.news?.marks ?? [], names = marks.map((mark) => JSON.stringify(mark));
    // One that comes or goes leaves the others where they are: a person may be pressing one of them.
    for (const button of [...root.children]) if (!names.includes(button.mark)) button.remove();
    marks.forEach(({ at, color, words }, place) => {
      if (root.children[place]?.mark !== names[place]) {
        const button = make("button", { type: "button", title: words, mark: names[place], onclick: () => clock.seek(at) },
          make("i", { style: `background: ${color}` }), `${this.film.news.unit} ${+at.toFixed(2)}: ${words}`);
        root.insertBefore(button, root.children[place] ?? null);
      }
      root.children[place].setAttribute("aria-pressed", clock.at !== null && clock.index === last(clock.epochs, at));
    });
    while (root.childElementCount > marks.length) root.lastChild.remove();
  }
}

class Progress extends Element {
  build() {
    this.words = make("p");
    this.bar = make("progress", { max: 1 });
    this.bar.setAttribute("aria-label", "How far it is");
    this.beside = make("small", { hidden: true });
    this.trouble = make("p", { className: "kl-trouble", hidden: true });
    this.trouble.setAttribute("role", "alert");
    return make("div", { className: "kl-way" }, this.words, this.bar, this.beside, this.trouble);
  }

  draw() {
    const news = this.film.news;
    if (!news) return;
    say(this.words, news.words);
    if (news.done === null) this.bar.removeAttribute("value");
    else this.bar.value = news.done;
    for (const [node, text] of [[this.beside, news.beside], [this.trouble, news.error]]) {
      hide(node, !text);
      say(node, text ?? "");
    }
    // A comparison is in another phase after every cell; a run changes its phase only a few times.
    const { phase, before } = this.data;
    const yet = before.some((each) => JSON.stringify(each) === JSON.stringify(news.phase));
    this.tell(news.phase, yet ? news.phase : phase, this.data.run ? 0 : 1000);
  }
}

class Values extends Element {
  build() {
    return make("dl", { className: "kl-values", tabIndex: 0 }); // on a phone it scrolls
  }

  draw() {
    if (!this.film.news) return;
    const shown = this.film.numbers(this.reel.place(this.film));
    if (!shown || shown.frame === this.shown) return;
    this.shown = shown.frame;
    const { numbers } = shown.frame, labels = [...this.root.querySelectorAll("dt")];
    if (labels.length === numbers.length && labels.every((label, i) => label.textContent === numbers[i][0])) { // whose words are linked
      return this.root.querySelectorAll("dd").forEach((cell, i) => say(cell, numbers[i][1]));
    }
    this.root.replaceChildren(...numbers.map(([label, value]) => make("div", {}, make("dt", { textContent: label }), make("dd", { textContent: value }))));
  }
}

// The numbers of several runs at the moment that is shown and how far each is, a row each; what differs in a sentence.
class Against extends Element {
  build() {
    this.table = make("table");
    this.words = make("p");
    return make("div", { className: "kl-against", tabIndex: 0 }, this.words, this.table);
  }

  // What is known of a run's numbers at the moment that is shown; null before there are any.
  numbers(film) {
    const { epochs, pace, unit } = film.news;
    const near = film.numbers(this.reel.place(film));
    return near && { ...near.frame, epoch: epochs[near.place], seconds: epochs[near.place] * (pace ?? 0), unit };
  }

  draw() {
    const { names, colors, equal, phases } = this.data;
    this.tell(this.films.map((film, i) => film.news?.phase ?? phases[i]), phases);
    const sides = this.films.map((film) => film.news && this.numbers(film));
    const words = this.films.map(({ news }) => (news ? news.error || news.words : ""));
    say(this.words, difference(sides, names, equal));
    const labels = [...new Set(sides.flatMap((side) => side?.numbers.map(([label]) => label) ?? []))];
    const text = JSON.stringify([labels, names, colors]);
    if (text !== this.shown) { // its terms are linked: it stays as long as it can
      this.shown = text;
      this.table.replaceChildren(
        make("tr", {}, make("th"), ...labels.map((label) => make("th", { textContent: label, scope: "col" }))),
        ...sides.map((side, i) => make("tr", {},
          make("th", { scope: "row" }, make("i", { style: `background: ${colors[i]}` }), names[i]),
          ...labels.map(() => make("td")), make("td", { className: "kl-far" }))));
    }
    const number = (side, label) => side?.numbers.find(([name]) => name === label)?.[1] ?? "–";
    sides.forEach((side, i) => {
      const cells = [...this.table.rows[i + 1].cells].slice(1), far = cells.pop();
      cells.forEach((cell, k) => say(cell, number(side, labels[k])));
      say(far, words[i]);
      far.classList.toggle("kl-trouble", Boolean(this.films[i].news?.error));
    });
  }
}

// A line whose words the server may know only after a while.
class Line {
  constructor(parent, home) {
    this.home = home;
    this.root = make("small", { className: "kl-line" });
    parent.append(this.root);
  }

  async update({ address }) {
    if (address === this.address) return;
    this.address = address;
    const answer = await fetch(this.home + address);
    if (answer.ok) this.root.textContent = (await answer.json()).words;
  }
}

// What is selected in the pictures, in words, with a button that lets go of it. The script knows it when it has rested.
class Selected {
  constructor(parent, home) {
    this.selection = shared(home).selection;
    this.words = make("span");
    this.words.setAttribute("role", "status");
    const button = make("button", { type: "button", textContent: "Clear", onclick: () => this.selection.clear() });
    button.setAttribute("aria-label", "Clear the selection");
    this.root = make("div", { className: "kl-selected" }, this.words, button);
    if (!document.getElementById("kl-film-style")) document.head.append(make("style", { id: "kl-film-style", textContent: STYLE }));
    parent.append(this.root);
    const change = () => { this.draw(); this.rest(); };
    this.selection.addEventListener("change", change);
    this.leave = () => this.selection.removeEventListener("change", change);
  }

  // The script decides on arrival and when it opens a run; otherwise the person does, in the pictures.
  update(data, { setStateValue }) {
    const { selection } = this;
    Object.assign(this, { data, report: setStateValue });
    selection.names = data.names;
    if (data.decided !== selection.decided) {
      selection.decided = data.decided;
      selection.rested = JSON.stringify(data.selected);
      selection.read(data.data, data.selected);
    }
    this.draw();
  }

  draw() {
    this.words.textContent = this.selection.sentence;
  }

  rest() {
    clearTimeout(this.later);
    this.later = setTimeout(() => {
      const chosen = this.selection.written(this.data.data);
      if (!this.root.isConnected || JSON.stringify(chosen) === this.selection.rested) return;
      this.selection.rested = JSON.stringify(chosen);
      this.report("selected", chosen);
    }, 300);
  }
}

const KINDS = {
  timeline: Timeline, marks: Marks, progress: Progress, values: Values, against: Against, line: Line, selection: Selected,
};
const elements = new WeakMap();

export default function ({ data, parentElement, setStateValue, setTriggerValue }, home) {
  let element = elements.get(parentElement);
  if (!element) elements.set(parentElement, (element = new KINDS[data.kind](parentElement, home)));
  element.update(data, { setStateValue, setTriggerValue });
  return () => setTimeout(() => parentElement.isConnected || (element.leave?.(), elements.delete(parentElement)));
}
