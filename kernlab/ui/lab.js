// The Kernel lab: a density that is painted, points that are dragged, and everything that follows from them, at once.

import { random } from "./brush.mjs";
import { Ascent, LEAST } from "./ascent.mjs";
import { reused } from "./cholesky.mjs";
import { DENSITIES, GRID, HALF, KINDS, LATTICE, NODES, RANGES, beyond, cell, place } from "./density.mjs";
import { lettered, make, say } from "./nodes.mjs";
import { Plot, theme } from "./plot.mjs";
import { condition, normals, predict, rootMeanSquare } from "./process.mjs";
import { FIELDS, GIVEN, LEVELS, MOST, SETS, TOP, drawn, fine, level, made, nearest, owned, peaked, ranged, read, tidy, values, write } from "./scene.mjs";

const STYLE = `
.kl-lab { color: var(--st-text-color); font: .9rem var(--st-font); }
.kl-lab-row { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem .5rem; margin-bottom: .4rem; }
.kl-lab button, .kl-lab select, .kl-lab input[type=text] { min-height: 2.2rem; padding: 0 .7rem; font: inherit; color: inherit; border-radius: .5rem;
  border: 1px solid var(--st-border-color); background: var(--st-background-color); max-width: 100%; }
.kl-lab button { cursor: pointer; touch-action: manipulation; }
.kl-lab button:hover, .kl-lab select:hover { border-color: var(--st-primary-color); }
.kl-lab button[aria-pressed="true"] { background: var(--st-secondary-background-color); border-color: var(--st-primary-color); }
.kl-lab button:disabled { opacity: .45; cursor: default; }
.kl-lab label { display: inline-flex; align-items: center; gap: .4rem; }
.kl-lab label output { min-width: 2.6rem; font-variant-numeric: tabular-nums; }
.kl-lab input[type=range] { width: 4.9rem; accent-color: var(--st-primary-color); }
.kl-lab :focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 1px; }
.kl-lab [hidden] { display: none !important; }
.kl-lab-panels { display: grid; grid-template-columns: 1.25fr 1fr 1fr; gap: .3rem 1rem; }
.kl-lab figure { margin: 0; min-width: 0; display: flex; flex-direction: column; }
.kl-lab figcaption { margin-bottom: .25rem; font-size: 1.05rem; font-weight: 600; display: flex; flex-wrap: wrap; align-items: center; gap: .2rem .6rem; min-height: 2.3rem; }
.kl-lab figcaption button { font-size: .875rem; min-height: 1.9rem; }
.kl-lab figcaption small { font-weight: 400; font-size: .8125rem; }
.kl-lab canvas { display: block; width: 100%; height: 16rem; box-sizing: border-box; border-radius: .4rem; }
.kl-lab canvas[tabindex] { touch-action: none; cursor: crosshair; }
.kl-lab .kl-lab-fit { grid-column: 1 / -1; }
.kl-lab .kl-lab-fit canvas { height: max(16rem, min(24rem, 100vh - 38rem)); }
.kl-lab dl { contain: layout; display: flex; flex-wrap: wrap; gap: .1rem 1.6rem; margin: 0; }
.kl-lab dt { font-size: .8125rem; opacity: .8; font-weight: 400; }
.kl-lab dd { margin: 0; font-size: 1.3rem; font-variant-numeric: tabular-nums; font-weight: 400; min-width: 5.5rem; }
.kl-lab p { margin: .2rem 0; min-height: 1.4em; }
.kl-lab .kl-lab-says { flex: 1 1 18rem; font-size: .9rem; font-weight: 400; font-variant-numeric: tabular-nums; }
.kl-lab .kl-lab-trouble { padding: .6rem .8rem; border-radius: .5rem; color: var(--st-red-text-color); background: var(--st-red-background-color); }
.kl-lab .kl-lab-box { padding: .6rem .8rem; margin-bottom: .5rem; border: 1px solid var(--st-border-color); border-radius: .5rem; }
.kl-lab .kl-lab-box input { flex: 1 1 14rem; min-width: 0; }
.kl-lab .kl-lab-help { display: block; font-size: .8125rem; opacity: .8; grid-column: 1 / -1; }
@media (max-width: 900px) {
  /* Each line of controls scrolls, so that the pictures come early. */
  .kl-lab-row { flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none; padding: 3px; }
  .kl-lab-row > * { flex: 0 0 auto; }
  .kl-lab-panels { grid-template-columns: minmax(0, 1fr); }
  .kl-lab .kl-lab-fit { order: 2; }
  .kl-lab .kl-lab-density { order: 1; }
  .kl-lab .kl-lab-rest { order: 3; }
  .kl-lab .kl-lab-help { order: 4; }
  .kl-lab .kl-lab-fit canvas, .kl-lab canvas { height: 15rem; }
  .kl-lab canvas[tabindex] { width: calc(100% - 1.5rem); } /* a finger needs room to scroll the page by */
  .kl-lab dd { min-width: 4rem; font-size: 1.1rem; }
  .kl-lab dl { gap: .1rem 1rem; }
}`;

const DRAWS = 4; // functions of the prior
const EVERY = GRID.map((_, i) => GRID[2 * i]).slice(0, 81); // places of the image of k(x, x')
const XS = Array.from(GRID, place);
const FIND = { mouse: 12, touch: 24, pen: 16 }; // pixels within which a point is meant
const KEPT = 100; // changes that can be undone
const RADIUS = 1.6; // of the brush for pairs, in cells
const MEMORY = "kernlab.lab";

const words = (value) => String(value).replace("-", "−");
const short = (value) => words(Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(3));

// What this tab showed when it left the page, or what it shows now; a browser may refuse to keep anything.
function remembered(text) {
  try {
    if (text === undefined) return sessionStorage.getItem(MEMORY) ?? "";
    sessionStorage.setItem(MEMORY, text);
  } catch { /* then a visit without parameters begins anew */ }
  return "";
}

// A line of controls.
function row(label, ...controls) {
  const group = make("div", { className: "kl-lab-row" }, ...controls);
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", label);
  return group;
}

class Lab {
  constructor(parent, home) {
    Object.assign(this, { parent, home, undone: [], before: [], chosen: -1, node: 0, brush: [4, 4], tool: "paint", removes: false, room: reused(), path: location.pathname });
    if (!document.getElementById("kl-lab-style")) document.head.append(make("style", { id: "kl-lab-style", textContent: STYLE }));
    this.numbers = Object.fromEntries(Object.entries({ line: 2 * NODES, pairs: 2 * (HALF + 1) ** 2 }).map(
      ([view, count]) => [view, Array.from({ length: DRAWS }, (_, i) => normals(random(17 + i), count))]));
    this.build();
    parent.append(this.root);
    this.sizes = new ResizeObserver(() => {
      for (const plot of Object.values(this.plots)) plot.fits = false;
      this.want();
    });
    for (const { canvas } of Object.values(this.plots)) this.sizes.observe(canvas);
    lettered(this.root, () => this.repaint());
    this.open(new URLSearchParams(location.search.length > 1 ? location.search : remembered()));
    this.keep();
  }

  // -- what is on the page ---------------------------------------------------------------------------------------

  build() {
    const button = (textContent, title, onclick) => make("button", { type: "button", textContent, title, onclick });
    const menu = (name, options, onchange) => {
      const select = make("select", {}, ...Object.entries(options).map(([value, text]) => make("option", { value, textContent: text })));
      select.setAttribute("aria-label", name);
      select.onchange = () => onchange(select.value);
      return select;
    };
    // A slider over a value of the scene, logarithmic where its range is wide.
    this.sliders = [];
    const slider = (key, name, low, high, { log = true, step = 0.01, then = "points", whole = false } = {}) => {
      const input = make("input", { type: "range", min: log ? Math.log10(low) : low, max: log ? Math.log10(high) : high, step: log ? 0.005 : step });
      const shown = make("output"), label = make("label", {}, name, input, shown);
      input.setAttribute("aria-label", name);
      const show = () => {
        const wanted = log ? Math.log10(this.scene[key]) : this.scene[key];
        if (Math.abs(input.value - wanted) > input.step / 2) input.value = wanted; // else a hand may be on it
        shown.textContent = words(whole ? this.scene[key] : Number(this.scene[key].toPrecision(3)));
        input.setAttribute("aria-valuetext", shown.textContent);
      };
      input.oninput = () => {
        const value = log ? 10 ** input.value : Number(input.value);
        this.change({ [key]: whole ? Math.round(value) : Math.min(high, Math.max(low, tidy(value))) }, then);
      };
      input.onchange = () => this.settle();
      this.sliders.push(show);
      return label;
    };

    this.tabs = [["line", "Stationary: s(ω)"], ["pairs", "Non-stationary: s(ω, ω′)"]].map(([view, name]) => {
      const tab = button(name, view === "line" ? "A density over frequencies: k depends on x − x′" : "A density over pairs of frequencies: k depends on both places",
        () => this.turn(view));
      tab.dataset.view = view;
      return tab;
    });
    const titles = Object.fromEntries(Object.entries(DENSITIES).map(([name, { title }]) => [name, title]));
    this.density = menu("Density", { ...titles, own: "My own" }, (name) => this.named(name));
    this.range = menu("Highest frequency", {}, (range) => { ranged(this.scene, Number(range)); this.change({}, "density"); this.settle(); });
    this.options = {
      scale: slider("scale", "Scale", 0.5, 60, { then: "density" }),
      nu: slider("nu", "ν", 0.5, 4.5, { log: false, step: 0.5, then: "density" }),
      centre: slider("centre", "Centre", 0, 80, { log: false, step: 0.5, then: "density" }),
      share: slider("share", "Share", 0, 1, { log: false, then: "density" }),
      correlation: slider("correlation", "Correlation", -0.95, 1, { log: false, step: 0.05, then: "density" }),
    };
    this.data = menu("Points", { ...Object.fromEntries(Object.entries(SETS).map(([name, { title }]) => [name, title])), ...GIVEN }, (name) => this.take(name));
    this.count = slider("n", "How many", 2, MOST, { whole: true, then: "data" });
    this.again = button("Others", "Other points of this kind", () => { this.scene.seed = (this.scene.seed + 1) % 10000; this.take(this.scene.data); });
    this.learn = button("Fit the density to these points", "Raise the evidence, step by step", () => (this.ascent ? this.stop() : this.begin()));
    this.learn.className = "kl-lab-learn";
    this.undo = button("Undo", "Take the last change back (Ctrl+Z)", () => this.go(this.before, this.undone));
    this.redo = button("Redo", "Change it again (Ctrl+Y)", () => this.go(this.undone, this.before));
    this.runs = this.runsBox();
    this.link = this.linkBox(button);
    const opens = (name, title, box, then) => {
      const opener = button(name, title, () => { box.hidden = !box.hidden; opener.setAttribute("aria-expanded", !box.hidden); if (!box.hidden) then(); });
      opener.setAttribute("aria-expanded", false);
      return opener;
    };
    const take = opens("Take the density that a run learned", "Along one direction of a stored run", this.runs, () => this.ask());
    const share = opens("Share", "A link that restores this page in any browser", this.link, () => this.shareIt());
    this.trouble = make("p", { className: "kl-lab-trouble", hidden: true });
    this.trouble.setAttribute("role", "alert");
    this.says = make("p", { className: "kl-lab-says" });
    this.says.setAttribute("aria-live", "polite");

    const canvas = (label, keys = false) => {
      const node = make("canvas", keys ? { tabIndex: 0 } : {});
      node.setAttribute("role", keys ? "application" : "img");
      node.setAttribute("aria-label", label);
      if (keys) node.setAttribute("aria-describedby", "kl-lab-help");
      return node;
    };
    const figure = (kind, caption, node) => make("figure", { className: kind }, make("figcaption", {}, ...caption), node);
    this.paint = button("Paint", "Paint mass (Space)", () => this.choose("paint"));
    this.erase = button("Erase", "Erase mass (Delete)", () => this.choose("erase"));
    this.outside = make("small");
    this.names = { density: make("span"), kernel: make("span"), fit: make("span", { textContent: "Fit with ±2σ" }) };
    this.remove = button("Remove points", "Press points to remove them (Delete)", () => { this.removes = !this.removes; this.show(); });
    this.shown = Object.fromEntries([["evidence", "Log evidence"], ["loo", "Leave-one-out error"], ["points", "Points"], ["nu", "Non-stationarity ν"]].map(([key, name]) => {
      const value = make("dd"), entry = make("div", {}, make("dt", { textContent: name }), value);
      value.dataset.number = key;
      return [key, { value, entry }];
    }));
    const canvases = {
      density: canvas("Spectral density to paint", true),
      kernel: canvas("Kernel"),
      draws: canvas(`${DRAWS} functions drawn from the prior`),
      fit: canvas("Points to place, move and remove, and the fit to them", true),
    };
    this.plots = {
      density: new Plot(canvases.density, { x: [0, 40], y: [0, 1], xName: "ω (rad per unit)", yName: "density, relative" }),
      square: new Plot(canvases.density, { x: [-20, 20], y: [-20, 20], xName: "ω (rad per unit)", yName: "ω′", square: true }),
      kernel: new Plot(canvases.kernel, { x: [0, 2], y: [-1, 1], xName: "τ = x − x′", yName: "k(τ)" }),
      image: new Plot(canvases.kernel, { x: [-1, 1], y: [-1, 1], xName: "x", yName: "x′", square: true }),
      draws: new Plot(canvases.draws, { x: [-1, 1], y: [-2, 2], xName: "x", yName: "f(x)" }),
      fit: new Plot(canvases.fit, { x: [-1, 1], y: [-TOP, TOP], xName: "x", yName: "y" }),
    };
    this.listen(canvases);
    this.root = make("div", { className: "kl-lab" },
      row("The density", ...this.tabs, make("label", {}, "Density", this.density), ...Object.values(this.options), make("label", {}, "up to", this.range), this.undo, this.redo, share),
      row("The points and the fit", make("label", {}, "Points", this.data), this.count, this.again,
        slider("noise", "Noise σ", 0.01, 1), slider("amplitude", "Amplitude", 0.1, 3, { then: "density" }), this.learn, take),
      this.runs, this.link, this.trouble,
      make("div", { className: "kl-lab-panels" },
        figure("kl-lab-density", [this.names.density, this.paint, this.erase, this.outside], canvases.density),
        figure("kl-lab-rest", [this.names.kernel], canvases.kernel),
        figure("kl-lab-rest", ["Functions of the prior"], canvases.draws),
        figure("kl-lab-fit", [this.names.fit, this.remove, make("dl", {}, ...Object.values(this.shown).map(({ entry }) => entry)), this.says], canvases.fit),
        make("small", { id: "kl-lab-help", className: "kl-lab-help", textContent: "Density: draw with mouse or finger; keys: ← → choose the frequency, ↑ ↓ change "
          + "the density there (Shift: further), Delete sets it to 0; of pairs: arrows move the brush, Space paints, Delete erases. Points: press an empty place to add "
          + "one, drag it to move it; keys: Page ↑ and Page ↓ choose a point, arrows move it, Enter adds one, Delete removes it. Ctrl+Z takes back." })));
  }

  // The sliders, menus and buttons, as the scene is.
  show() {
    const { scene } = this;
    for (const each of this.sliders) each();
    for (const tab of this.tabs) tab.setAttribute("aria-pressed", tab.dataset.view === scene.view);
    this.density.value = scene.density;
    this.data.value = scene.data;
    const ranges = RANGES[scene.view].map(String);
    if ([...this.range.options].map(({ value }) => value).join() !== ranges.join()) {
      this.range.replaceChildren(...ranges.map((value) => make("option", { value, textContent: `${value} rad` })));
    }
    this.range.value = scene.range;
    const used = DENSITIES[scene.density]?.of ?? [];
    const pairs = scene.view === "pairs", own = scene.density === "own";
    for (const [key, label] of Object.entries(this.options)) label.hidden = !(used.includes(key) || (key === "correlation" && pairs && !own));
    this.count.hidden = scene.data === "own";
    this.again.hidden = scene.data === "own";
    for (const each of [this.paint, this.erase]) each.hidden = !pairs;
    this.paint.setAttribute("aria-pressed", this.tool === "paint");
    this.erase.setAttribute("aria-pressed", this.tool === "erase");
    this.remove.setAttribute("aria-pressed", this.removes);
    this.undo.disabled = !this.before.length;
    this.redo.disabled = !this.undone.length;
    this.names.density.textContent = pairs ? "Spectral density s(ω, ω′)" : "Spectral density s(ω)";
    this.names.kernel.textContent = pairs ? "Kernel k(x, x′)" : "Kernel k(τ)";
    const lost = !pairs && !own ? beyond(scene.density, scene, scene.range) : 0;
    this.outside.textContent = lost > 0.005 ? `${(100 * lost).toFixed(0)} % lies above ${scene.range} rad and is left out` : pairs ? "dashed: ω = ω′" : "";
    this.shown.nu.entry.hidden = !pairs;
    this.learn.textContent = this.ascent ? "Stop" : "Fit the density to these points";
    this.learn.disabled = !this.ascent && scene.points.length < 2;
  }

  choose(tool) {
    this.tool = tool;
    this.show();
  }

  // -- changes ---------------------------------------------------------------------------------------------------

  // Take what an address says.
  open(parameters) {
    const { scene, sentences } = read(parameters, random);
    this.scene = scene;
    this.chosen = -1;
    this.complain(sentences.length ? `${sentences.join(" ")} (In the address of this page.)` : "");
    this.stale();
    this.show();
  }

  complain(sentence) {
    this.trouble.textContent = sentence;
    this.trouble.hidden = !sentence;
  }

  // Change values; ``then``: "density", "data" or "points", what has to be computed anew.
  change(parts, then) {
    if (this.ascent) this.stop(false);
    Object.assign(this.scene, parts);
    if (then === "data") return this.take(this.scene.data, false);
    if (then === "density") this.stale();
    this.show();
    this.want();
  }

  // What follows from the density has to be computed anew.
  stale() {
    this.model = null;
    this.want();
  }

  // A change is complete: it can be undone, and the address says it.
  settle() {
    const text = write(this.scene).toString();
    if (text === this.now) return;
    if (this.now !== undefined) this.before.push(this.now);
    this.before.splice(0, this.before.length - KEPT);
    this.undone = [];
    this.keep(text);
    this.show();
  }

  keep(text = write(this.scene).toString()) {
    this.now = text;
    delete this.root.dataset.kept; // until the address says it
    clearTimeout(this.writes);
    // Browsers refuse more than a hundred changes in half a minute.
    this.writes = setTimeout(() => {
      if (!this.root.isConnected || location.pathname !== this.path) return; // another page has come
      history.replaceState(history.state, "", location.pathname + (text ? `?${text}` : ""));
      remembered(text);
      this.root.dataset.kept = text;
      if (!this.link.hidden) this.shareIt();
    }, 150);
  }

  go(from, to) {
    if (!from.length) return;
    if (this.ascent) this.stop(false);
    to.push(this.now);
    const text = from.pop();
    this.open(new URLSearchParams(text));
    this.keep(text);
  }

  turn(view) {
    if (view === this.scene.view) return;
    if (this.ascent) this.stop(false);
    const { scene } = this;
    scene.view = view;
    if (!RANGES[view].includes(scene.range)) scene.range = view === "line" ? 40 : 20;
    if (scene.density === "own" && !scene[view]) scene.density = FIELDS.density.fallback;
    this.change({}, "density");
    this.settle();
  }

  named(name) {
    const painted = name === "own" ? { [this.scene.view]: owned(this.scene) } : {};
    this.change({ ...painted, density: name }, "density");
    this.settle();
  }

  take(name, whole = true) {
    if (this.ascent) this.stop(false);
    const { scene } = this;
    scene.data = name;
    this.chosen = -1;
    if (name in SETS) scene.points = made(name, scene.n, scene.seed, random);
    if (name === "draw") scene.points = drawn(this.kernel(), scene.amplitude, scene.n, scene.seed, random);
    this.show();
    this.want();
    if (whole) this.settle();
  }

  // The density becomes a painted one.
  own() {
    const { scene } = this;
    if (scene.density !== "own") {
      scene[scene.view] = owned(scene);
      scene.density = "own";
      this.show();
    }
    return scene[scene.view];
  }

  // -- painting --------------------------------------------------------------------------------------------------

  listen({ density, fit }) {
    density.onpointerdown = (event) => {
      if (event.button) return;
      this.hold(density, event);
      this.last = null;
      this.stroke(event);
    };
    density.onpointermove = (event) => {
      if (this.held === density) for (const each of event.getCoalescedEvents?.().length ? event.getCoalescedEvents() : [event]) this.stroke(each);
    };
    fit.onpointerdown = (event) => {
      if (event.button) return;
      this.hold(fit, event);
      this.pick(event);
    };
    fit.onpointermove = (event) => {
      if (this.held !== fit) return;
      if (this.removes) this.pick(event);
      else if (this.chosen >= 0) this.move(this.chosen, this.plots.fit.at(event));
    };
    for (const node of [density, fit]) {
      node.onpointerup = node.onpointercancel = () => {
        if (this.held !== node) return;
        this.held = null;
        this.settle();
        this.tell();
      };
      node.onfocus = node.onblur = () => this.want();
    }
    density.onkeydown = (event) => this.key(event, () => this.densityKey(event));
    fit.onkeydown = (event) => this.key(event, () => this.pointKey(event));
  }

  hold(node, event) {
    if (this.ascent) this.stop(false);
    this.held = node;
    node.focus({ preventScroll: true });
    node.setPointerCapture(event.pointerId);
  }

  key(event, act) {
    const { key, ctrlKey, metaKey, shiftKey } = event;
    if (ctrlKey || metaKey) {
      if (key.toLowerCase() === "z") shiftKey ? this.redo.click() : this.undo.click();
      else if (key.toLowerCase() === "y") this.redo.click();
      else return;
    } else if (!act()) return;
    event.preventDefault();
    this.want();
  }

  // The hand draws: over one frequency a curve from where it was, over pairs a brush.
  stroke(event) {
    if (this.scene.view === "pairs") {
      const [x, y] = this.plots.square.at(event), step = this.scene.range / HALF;
      this.brush = [x / step, y / step].map((each) => Math.min(HALF, Math.max(-HALF, each)));
      this.dab(this.tool === "erase" ? -0.3 : event.type === "pointerdown" ? 0.2 : 0.08);
      return;
    }
    const [x, y] = this.plots.density.at(event), painted = this.own();
    const here = [Math.min(NODES - 1, Math.max(0, x / (this.scene.range / NODES))), Math.min(1, Math.max(0, y))];
    const [[a, low], [b, high]] = [this.last ?? here, here].sort(([p], [q]) => p - q);
    for (let j = Math.max(0, Math.round(a)); j <= Math.min(NODES - 1, Math.round(b)); j++) {
      const part = b > a ? Math.min(1, Math.max(0, (j - a) / (b - a))) : 1;
      painted[j] = fine(b > a ? low + part * (high - low) : here[1]);
    }
    this.last = here;
    this.node = Math.round(here[0]);
    this.stale();
  }

  // More, or less, at the pairs around the brush.
  dab(by) {
    const painted = this.own(), [x, y] = this.brush, done = new Set();
    for (let a = Math.ceil(x - 2 * RADIUS); a <= x + 2 * RADIUS; a++) {
      for (let b = Math.ceil(y - 2 * RADIUS); b <= y + 2 * RADIUS; b++) {
        const far = Math.hypot(a - x, b - y), j = cell(a, b);
        if (Math.abs(a) > HALF || Math.abs(b) > HALF || far > 2 * RADIUS || done.has(j)) continue;
        done.add(j);
        painted[j] = fine(painted[j] + by * Math.exp(-0.5 * (far / (0.7 * RADIUS)) ** 2));
      }
    }
    this.stale();
  }

  densityKey({ key, shiftKey }) {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] }[key];
    if (this.ascent) this.stop(false);
    if (this.scene.view === "pairs") {
      if (way) this.brush = this.brush.map((each, axis) => Math.min(HALF, Math.max(-HALF, Math.round(each) + way[axis] * (shiftKey ? 4 : 1))));
      else if (key === " " || key === "Enter") this.dab(0.3);
      else if (key === "Delete" || key === "Backspace") this.dab(-1);
      else return false;
    } else if (way?.[0] || key === "Home" || key === "End") {
      const to = key === "Home" ? 0 : key === "End" ? NODES - 1 : this.node + way[0] * (shiftKey ? 5 : 1);
      this.node = Math.min(NODES - 1, Math.max(0, to));
    } else if (way || key === "Delete" || key === "Backspace") {
      const painted = this.own(), by = way ? way[1] * (shiftKey ? 0.25 : 0.05) : -painted[this.node];
      painted[this.node] = fine(painted[this.node] + by);
      this.stale();
    } else return false;
    this.settle();
    this.tell();
    return true;
  }

  // -- points ----------------------------------------------------------------------------------------------------

  // The point that a pointer means; -1: none.
  under(event) {
    const { fit } = this.plots, box = fit.canvas.getBoundingClientRect();
    let [found, least] = [-1, FIND[event.pointerType] ?? FIND.mouse];
    this.scene.points.forEach(([x, y], i) => {
      const far = Math.hypot(fit.px(place(x)) - (event.clientX - box.left), fit.py(level(y)) - (event.clientY - box.top));
      if (far <= least) [found, least] = [i, far];
    });
    return found;
  }

  pick(event) {
    const found = this.under(event);
    if (this.removes) return void (found >= 0 && this.drop(found));
    if (found >= 0) { this.chosen = found; this.want(false); } else this.add(this.plots.fit.at(event));
  }

  edit(points) {
    const { scene } = this, other = scene.data !== "own" || points.length !== scene.points.length;
    Object.assign(scene, { points, data: "own" });
    if (other) this.show();
    this.want(false);
  }

  add([x, y]) {
    if (this.scene.points.length >= MOST) return this.say(`The lab takes at most ${MOST} points: remove some before you add others.`);
    this.chosen = this.scene.points.length;
    this.edit([...this.scene.points, [nearest(x, 1, LATTICE), nearest(y, TOP, LEVELS)]]);
  }

  move(i, [x, y]) {
    this.edit(this.scene.points.map((point, k) => (k === i ? [nearest(x, 1, LATTICE), nearest(y, TOP, LEVELS)] : point)));
  }

  drop(i) {
    this.edit(this.scene.points.filter((_, k) => k !== i));
    this.chosen = -1;
  }

  pointKey({ key, shiftKey }) {
    const { points } = this.scene, way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] }[key];
    if (this.ascent) this.stop(false);
    const order = points.map((_, i) => i).sort((i, k) => points[i][0] - points[k][0]), at = order.indexOf(this.chosen);
    if ((key === "PageDown" || key === "PageUp" || (way && at < 0)) && points.length) {
      const by = key === "PageUp" ? -1 : 1;
      this.chosen = at < 0 ? order[by > 0 ? 0 : order.length - 1] : order[(at + by + order.length) % order.length];
    } else if (way && at >= 0) {
      const [x, y] = points[this.chosen], by = shiftKey ? 5 : 1;
      this.edit(points.map((point, i) => (i === this.chosen ? [Math.min(LATTICE, Math.max(0, x + 20 * by * way[0])), Math.min(LEVELS, Math.max(0, y + 40 * by * way[1]))] : point)));
    } else if (key === "Enter" || key === " ") {
      const [x, y] = at >= 0 ? points[this.chosen] : [LATTICE / 2, LEVELS / 2];
      this.add([place(Math.min(LATTICE, x + (at >= 0 ? 100 : 0))), level(y)]);
    } else if ((key === "Delete" || key === "Backspace") && at >= 0) {
      this.drop(this.chosen);
    } else if (key === "Escape") {
      this.chosen = -1;
    } else return false;
    this.settle();
    this.tell();
    return true;
  }

  // Say where the hand is, for those who do not see it.
  tell() {
    const { scene } = this;
    if (document.activeElement === this.plots.fit.canvas) {
      const point = scene.points[this.chosen];
      this.say(point ? `Point ${this.chosen + 1} of ${scene.points.length}: x = ${words(place(point[0]).toFixed(3))}, y = ${words(level(point[1]).toFixed(3))}.`
        : `${scene.points.length} points.`);
    } else if (scene.view === "line") {
      this.say(`At ω = ${((this.node * scene.range) / NODES).toFixed(1)} the density is ${values(scene)[this.node].toFixed(2)}.`);
    } else {
      const [a, b] = this.brush.map(Math.round), step = scene.range / HALF;
      this.say(`At ω = ${words((a * step).toFixed(1))}, ω′ = ${words((b * step).toFixed(1))} the density is ${values(scene)[cell(a, b)].toFixed(2)}.`);
    }
  }

  say(sentence) {
    this.says.textContent = sentence;
  }

  // -- the ascent ------------------------------------------------------------------------------------------------

  begin() {
    const { scene } = this;
    if (scene.points.length < 2) return;
    // A density that is zero somewhere stays so: a little everywhere lets the points decide.
    const start = values(scene).map((each) => Math.max(each, 0.02));
    this.ascent = new Ascent(KINDS[scene.view], start, scene.range, { ...this.seen(), amplitude: scene.amplitude, noise: scene.noise });
    this.show();
    this.want();
  }

  // Some steps of the ascent, as many as a frame has room for.
  climb() {
    const { ascent, scene } = this, end = performance.now() + 6;
    let goes = true;
    do goes = ascent.step(); while (goes && performance.now() < end);
    const { theta, amplitude, noise, evidence } = ascent.now;
    scene[scene.view] = peaked(KINDS[scene.view].of(theta));
    scene.density = "own";
    Object.assign(scene, { amplitude: tidy(Math.min(3, Math.max(0.1, amplitude))), noise: tidy(Math.min(1, Math.max(LEAST, noise))) });
    this.model = null;
    this.root.dataset.evidence = evidence;
    this.say(`Step ${ascent.steps}: the log evidence has risen from ${short(ascent.begun)} to ${short(evidence)}.`);
    if (!goes) this.stop();
    else this.show();
  }

  stop(whole = true) {
    const { ascent, scene } = this;
    this.ascent = null;
    if (ascent.steps) scene[scene.view] = Float64Array.from(scene[scene.view], fine);
    this.stale();
    if (whole) {
      this.settle();
      this.say(`After ${ascent.steps} steps the log evidence has risen from ${short(ascent.begun)} to ${short(ascent.now.evidence)}.`);
    }
    this.show();
  }

  // -- the density of a run, and the link ------------------------------------------------------------------------

  runsBox() {
    const box = make("div", { className: "kl-lab-box", hidden: true });
    this.run = make("select");
    this.run.setAttribute("aria-label", "Run");
    this.look = make("select");
    this.look.setAttribute("aria-label", "Direction");
    this.run.onchange = () => this.ask(this.run.value);
    this.look.onchange = () => this.ask(this.run.value, this.look.value);
    this.taking = make("button", { type: "button", textContent: "Take it", onclick: () => this.takeRun() });
    this.about = make("span");
    box.append(row("A run", make("label", {}, "Run", this.run), make("label", {}, "along", this.look), this.taking), this.about);
    return box;
  }

  // Ask the server for the runs, and for the density of one of them.
  async ask(run = "", look = "") {
    const ask = async (address) => {
      const answer = await fetch(this.home + address);
      const found = await answer.json().catch(() => ({}));
      if (!answer.ok) throw new Error(found.error ?? "The server has no answer.");
      return found;
    };
    this.taking.disabled = true;
    try {
      if (!run) {
        this.about.textContent = "Looking for runs …";
        const runs = await ask("densities");
        this.run.replaceChildren(...runs.map(({ id, name }) => make("option", { value: id, textContent: name })));
        if (!runs.length) throw new Error("No stored run has frequencies. Train one on the Train page, for instance ASKL.");
        run = this.run.value;
      }
      this.found = await ask(`densities/${run}?${new URLSearchParams(look ? { look } : {})}`);
      this.look.replaceChildren(...this.found.looks.map((value) => make("option", { value, textContent: value })));
      this.look.value = this.found.look;
      this.about.textContent = this.found.words;
      this.taking.disabled = false;
    } catch (error) {
      this.about.textContent = error.message;
    }
  }

  takeRun() {
    if (this.ascent) this.stop(false);
    const { scene, found } = this, view = found.pairs && scene.view === "pairs" ? "pairs" : "line";
    Object.assign(scene, { view, density: "own", range: found[view].range, [view]: Float64Array.from(peaked(found[view].values), fine) });
    this.change({}, "density");
    this.settle();
    this.say(found.words);
  }

  linkBox(button) {
    this.url = make("input", { type: "text", readOnly: true });
    this.url.setAttribute("aria-label", "Link to this page");
    const copied = make("span");
    copied.setAttribute("aria-live", "polite");
    const copy = button("Copy", "Copy the link", async () => {
      this.url.select();
      try { await navigator.clipboard.writeText(this.url.value); copied.textContent = "Copied."; } catch { copied.textContent = "Press Ctrl+C to copy it."; }
    });
    return make("div", { className: "kl-lab-box", hidden: true }, row("A link", this.url, copy, copied));
  }

  shareIt() {
    this.url.value = location.origin + location.pathname + (this.now ? `?${this.now}` : "");
  }

  // -- what follows ----------------------------------------------------------------------------------------------

  kernel() {
    return (this.model ??= new KINDS[this.scene.view](values(this.scene), this.scene.range));
  }

  seen() {
    const { points } = this.scene;
    if (this.sight?.points !== points) this.sight = { points, places: Int32Array.from(points, ([x]) => x), y: Float64Array.from(points, ([, y]) => level(y)) };
    return this.sight;
  }

  // Draw with the next frame; not ``whole``: only points have changed.
  want(whole = true) {
    this.whole ||= whole;
    this.waits ??= requestAnimationFrame(() => { this.waits = null; this.frame(); });
  }

  repaint() {
    this.colours = null;
    this.want();
  }

  frame() {
    if (!this.root.isConnected || !this.scene) return;
    const begun = performance.now();
    if (this.ascent) this.climb();
    this.colours ??= theme(this.parent);
    this.compute();
    this.draw();
    this.root.dataset.took = performance.now() - begun;
    this.root.dataset.frames = Number(this.root.dataset.frames ?? 0) + 1;
    if (this.ascent) this.want();
  }

  compute() {
    const { scene } = this, fresh = !this.model, density = this.kernel(), square = scene.amplitude ** 2;
    if (fresh || this.drawnFrom !== density) {
      this.drawnFrom = density;
      this.variances = density.own(GRID);
      this.draws = this.numbers[scene.view].map((numbers) => density.drawn(numbers, GRID));
      if (scene.view === "pairs") this.tile = density.gram(EVERY, EVERY, this.room("tile", EVERY.length ** 2));
    }
    const { places, y } = this.seen(), n = places.length, { room } = this;
    const scaled = (matrix) => { for (let i = 0; i < matrix.length; i++) matrix[i] *= square; return matrix; };
    this.known = condition(scaled(density.gram(places, places, room("gram", n * n))), y, scene.noise ** 2, room);
    const cross = scaled(density.gram(GRID, places, room("cross", GRID.length * n)));
    this.fit = predict(this.known, cross, this.variances.map((each) => each * square));
    const { evidence, residuals } = this.known, { shown } = this, set = (key, text) => say(shown[key].value, text);
    set("evidence", places.length ? short(evidence) : "–");
    set("loo", places.length > 1 ? short(rootMeanSquare(residuals)) : "–");
    set("points", String(places.length));
    if (scene.view === "pairs") set("nu", density.nonstationarity.toFixed(3));
  }

  draw() {
    const { scene, plots, colours } = this, pairs = scene.view === "pairs";
    const { draws, fit } = plots;
    if (fit.resize()) this.drawFit(fit);
    if (!this.whole) return;
    this.whole = false;
    const given = values(scene), lines = [colours.blue, colours.vermillion, colours.green, colours.purple];
    if (pairs) this.drawPairs(given, plots.square, plots.image);
    else this.drawLine(given, plots.density, plots.kernel);
    if (draws.resize()) {
      draws.y = [-3 * scene.amplitude, 3 * scene.amplitude];
      draws.begin(colours);
      this.draws.forEach((f, i) => draws.curve(XS, f.map((each) => each * scene.amplitude), lines[i], 1.6, [[], [7, 3], [2, 2], [9, 3, 2, 3]][i]));
    }
  }

  drawLine(given, density, kernel) {
    const { scene, colours } = this, step = scene.range / NODES;
    if (density.resize()) {
      density.x = [0, scene.range];
      density.begin(colours);
      const xs = Array.from({ length: NODES + 1 }, (_, j) => j * step), ys = [...given, 0];
      density.band(xs, xs.map(() => 0), ys, colours.blue);
      density.curve(xs, ys, colours.blue);
      if (document.activeElement === density.canvas) {
        const { pen } = density;
        pen.fillStyle = colours.blue;
        pen.beginPath();
        pen.arc(density.px(this.node * step), density.py(given[this.node]), 5, 0, 7);
        pen.fill();
      }
    }
    if (kernel.resize()) {
      kernel.begin(colours);
      const { table } = this.model, every = Math.round(LATTICE / 400);
      const taus = Array.from({ length: 401 }, (_, i) => (2 * i * every) / LATTICE);
      kernel.curve(taus, taus.map((_, i) => table[i * every]), colours.blue);
    }
  }

  drawPairs(given, square, image) {
    const { scene, colours } = this, side = 2 * HALF + 1, half = scene.range * (1 + 0.5 / HALF);
    if (square.resize()) {
      square.x = square.y = [-half, half];
      square.begin(colours);
      const all = new Float64Array(side * side);
      for (let b = -HALF; b <= HALF; b++) for (let a = -HALF; a <= HALF; a++) all[(b + HALF) * side + a + HALF] = given[cell(a, b)];
      square.image(all, side, false);
      square.curve([-half, half], [-half, half], colours.text, 1, [5, 4]);
      if (document.activeElement === square.canvas || this.held === square.canvas) {
        const { pen } = square, step = scene.range / HALF, [a, b] = this.brush;
        pen.strokeStyle = colours.text;
        pen.setLineDash([]);
        pen.lineWidth = 1.5;
        pen.beginPath();
        pen.arc(square.px(a * step), square.py(b * step), RADIUS * (square.px(step) - square.px(0)), 0, 7);
        pen.stroke();
      }
    }
    if (image.resize()) {
      image.begin(colours);
      image.image(this.tile, EVERY.length, true);
      image.curve([-1, 1], [-1, 1], colours.text, 1, [5, 4]);
    }
  }

  drawFit(plot) {
    const { scene, colours, fit } = this, { mean, deviation } = fit;
    plot.begin(colours);
    plot.band(XS, mean.map((m, i) => m - 2 * deviation[i]), mean.map((m, i) => m + 2 * deviation[i]), colours.blue);
    plot.curve(XS, mean, colours.blue, 2.5);
    const { pen } = plot;
    const dot = ([x, y], radius) => { pen.beginPath(); pen.arc(plot.px(place(x)), plot.py(level(y)), radius, 0, 7); };
    pen.fillStyle = colours.vermillion;
    for (const point of scene.points) { dot(point, 4); pen.fill(); }
    if (scene.points[this.chosen]) {
      pen.strokeStyle = colours.text;
      pen.lineWidth = 2;
      dot(scene.points[this.chosen], 7);
      pen.stroke();
    }
    plot.canvas.dataset.points = scene.points.length;
  }

  leave() {
    clearTimeout(this.writes);
    this.sizes.disconnect();
  }
}

const labs = new WeakMap();

export default function ({ parentElement }, home) {
  let lab = labs.get(parentElement);
  if (!lab) labs.set(parentElement, (lab = new Lab(parentElement, home)));
  lab.repaint(); // with another theme Streamlit calls again
  return () => setTimeout(() => parentElement.isConnected || (lab.leave(), labs.delete(parentElement)));
}
