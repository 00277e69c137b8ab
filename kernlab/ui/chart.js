// One Plotly picture that stays mounted: Streamlit calls the default function at every change of the
// data or of the theme, and the same node is updated with Plotly.react, so a zoom survives.
//
// Its data are a figure, or a picture of a film: then it follows the page's clock by itself.

import { common, overlaid } from "./common.mjs";
import { figure as assembled, marked, rows } from "./figure.mjs";
import { headed } from "./heading.mjs";
import { last } from "./clock.mjs";
import { decades, enlarged } from "./enlarged.mjs";
import { shared } from "./film.mjs";
import { highlighted, kinds, meant, places } from "./links.mjs";
import { hide } from "./nodes.mjs";
import { load } from "./plotly.mjs";
import { changes, paint, rest, roomy } from "./paint.mjs";
import { alike } from "./ranges.mjs";
import { LYING, lies, sketch } from "./sketch.mjs";
import { toward } from "./walk.mjs";

const SKETCHED = 200; // milliseconds in which the other pictures of a page are sketched too, before Plotly's code runs

const charts = new WeakMap();

const STYLE = `
.kl-chart { position: relative; width: 100%; color: var(--st-text-color); font-family: var(--st-font); }
.kl-chart .js-plotly-plot { width: 100%; height: 100%; }
.kl-chart canvas.kl-sketch { position: absolute; inset: 0; width: 100%; height: 100%; }
.kl-chart canvas.kl-paint { position: absolute; pointer-events: none; }
.kl-chart:not(.kl-painted) canvas.kl-paint { display: none; }
.kl-chart.kl-painted .scatterlayer { visibility: hidden; }
.kl-chart .kl-late { position: absolute; right: .25rem; bottom: .25rem; z-index: 4; padding: 0 .375rem;
  border-radius: .3rem; font-size: .8125rem; background: var(--st-secondary-background-color); }
.kl-chart .kl-late[hidden] { display: none; }
.kl-chart .kl-wait { position: absolute; inset: 0; display: grid; place-items: center; align-content: center;
  text-align: center; padding: 1rem; opacity: .7; }
/* What will be here, where it takes longer than a glance. */
.kl-chart .kl-wait[data-what]:not(:empty)::before { content: attr(data-what); animation: kl-wait 0s 0.8s both; }
@keyframes kl-wait { from { visibility: hidden; } }
.kl-chart details { position: absolute; top: 0; right: 0; z-index: 5; font-size: .875rem; }
.kl-chart summary { list-style: none; cursor: pointer; width: 2rem; height: 2rem; display: grid; place-items: center;
  border-radius: .4rem; opacity: .55; }
.kl-chart summary::-webkit-details-marker { display: none; }
.kl-chart summary:hover, .kl-chart summary:focus-visible, .kl-chart details[open] summary { opacity: 1;
  background: var(--st-secondary-background-color); }
.kl-chart details div { position: absolute; right: 0; min-width: 10.5rem; padding: .25rem; border-radius: .5rem;
  background: var(--st-background-color); border: 1px solid var(--st-border-color); box-shadow: 0 4px 16px #0003; }
.kl-chart button { display: block; width: 100%; padding: .4rem .6rem; text-align: left; font: inherit; color: inherit;
  background: none; border: 0; border-radius: .3rem; cursor: pointer; }
.kl-chart button:hover, .kl-chart button:focus-visible { background: var(--st-secondary-background-color); }
.kl-chart .kl-cursor { position: absolute; left: -9px; top: -9px; width: 18px; height: 18px; border-radius: 50%; pointer-events: none;
  border: 2px dashed var(--st-primary-color); }
.kl-chart .kl-cursor[hidden] { display: none; }
.kl-chart .kl-spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.kl-chart :focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: -2px; }`;

const LARGER = 10 / 7, LEAST = 20; // for a lecture: letters of 14 pixels have 20 then, and none has less

const RING = ["#D55E00", "#F5803A"]; // round what is selected, on light and on dark
const ROOM = 80; // pixels below the heading: of less Plotly makes axes of negative length, and fails
const MENU = 48; // pixels beside a heading: the camera, and what is free on its left
const CAMERA = `<svg width="18" height="18" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8"
  stroke-linejoin="round" aria-hidden="true"><path d="M3 8h4l2-3h6l2 3h4v11H3z"/><circle cx="12" cy="13" r="3.6"/></svg>`;

// ---- theme: Streamlit's colours laid over the figure's own template ---------------------------------

const themes = new Map(); // by what they say

// The same object as long as the colours are the same: for other arrays Plotly would calculate everything anew.
function theme(node) {
  const style = getComputedStyle(node);
  const css = (name) => style.getPropertyValue(`--st-${name}`).trim();
  const colors = (name) => css(name).match(/#[0-9a-f]{3,8}|rgba?\([^)]*\)/gi) ?? [];
  const scale = (name) => colors(name).map((color, i, all) => [i / Math.max(1, all.length - 1), color]);
  const [text, back, line] = [css("text-color"), css("background-color"), css("border-color")];
  const axis = { gridcolor: line, linecolor: line, tickcolor: line, automargin: true };
  const solid = { ...axis, backgroundcolor: back, showbackground: true };
  const found = {
    back, line,
    layout: {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: css("font") || "sans-serif", color: text },
      colorway: colors("chart-categorical-colors"),
      colorscale: { sequential: scale("chart-sequential-colors"), diverging: scale("chart-diverging-colors") },
      xaxis: axis, yaxis: axis, scene: { xaxis: solid, yaxis: solid, zaxis: solid },
      hoverlabel: { bgcolor: back, bordercolor: line, font: { color: text } },
    },
  };
  const key = JSON.stringify(found);
  if (!themes.has(key)) themes.set(key, found);
  return themes.get(key);
}

// The figures' colours are made for paper and screen alike; on a dark screen their deep ones need more light.
const LIFTED = {
  "0072B2": "4AA3E3", D55E00: "F5803A", "009E73": "27C296", "767676": "A9A9A9", CC79A7: "DD93BC",
  "332288": "9A8CF0", "882255": "D9689F",
};
const parts = (hex) => [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16)).join(",");
const PHONE = "(max-width: 640px)", PHONE_HEIGHT = 350; // its legends have more lines, and leave a plot no room
const presenting = () => document.documentElement.classList.contains("kl-present");
const dark = (color) => /^#/.test(color) && parts(color.slice(1)).split(",").reduce((a, b) => a + Number(b), 0) < 384;

function lifted(json, back) {
  for (const [deep, light] of Object.entries({ ...LIFTED, FFFFFF: back.slice(1) })) {
    json = json.replaceAll(`"#${deep}"`, `"#${light}"`).replaceAll(`rgba(${parts(deep)},`, `rgba(${parts(light)},`);
  }
  return json;
}

const lit = new WeakMap(); // parts of films -> the same on a dark screen

function shone(part, back) {
  if (!dark(back)) return part;
  if (!lit.has(part)) lit.set(part, JSON.parse(lifted(JSON.stringify(part), back)));
  return lit.get(part);
}

// What a trace of a frame states, whose paths are flat: "meta.row", "meta.row.x".
function named(trace) {
  return Object.fromEntries(Object.keys(trace).filter((path) => path.startsWith("meta.")).map((path) => [path.split(".")[1], true]));
}

function over(below, above) {
  const out = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const inner = value && typeof value === "object" && !Array.isArray(value);
    out[key] = inner ? over(below?.[key] ?? {}, value) : value;
  }
  return out;
}

// ---- data as CSV ---------------------------------------------------------------------------------

const at = (value, i) => (value && typeof value === "object" ? value[i] : value) ?? "";

function csv(figure) {
  const quote = (cell) => (/[",\n]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : cell);
  const title = (axis) => figure.layout[axis]?.title?.text?.replace(/<[^>]*>/g, "");
  const out = [["series", title("xaxis") || "x", title("yaxis") || "y", "z"]];
  figure.data.forEach((trace, k) => {
    const name = trace.name ?? trace.legendgroup ?? `series ${k + 1}`;
    const [x, y, z] = [rows(trace.x), rows(trace.y), rows(trace.z)];
    if (z && typeof z[0] === "object") {
      z.forEach((row, i) => row.forEach((cell, j) =>
        out.push([name, x ? at(x, j) : (trace.x0 ?? 0) + j * (trace.dx ?? 1), y ? at(y, i) : (trace.y0 ?? 0) + i * (trace.dy ?? 1), cell])));
    } else {
      const n = Math.max(x?.length ?? 0, y?.length ?? 0);
      for (let i = 0; i < n; i++) out.push([name, x ? at(x, i) : i, y ? at(y, i) : "", z ? at(z, i) : ""]);
    }
  });
  const wide = out.slice(1).some((row) => row[3] !== "");
  return out.map((row) => row.slice(0, wide ? 4 : 3).map(quote).join(",")).join("\n");
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Resolves when the browser has painted what was drawn; in a tab that nobody sees it paints nothing.
const painted = () => new Promise((go) => { requestAnimationFrame(() => setTimeout(go)); setTimeout(go, 100); });

// ---- one mounted chart ---------------------------------------------------------------------------

class Chart {
  constructor(parent, home, address) {
    this.parent = parent;
    this.home = home;
    this.address = address;
    this.lasts = new Map(); // the newest frame of each run whose curves are drawn together
    if (!document.getElementById("kl-chart-style")) {
      const style = Object.assign(document.createElement("style"), { id: "kl-chart-style", textContent: STYLE });
      document.head.append(style);
    }
    this.box = Object.assign(document.createElement("div"), { className: "kl-chart" });
    this.plot = document.createElement("div");
    this.plot.setAttribute("role", "img");
    this.wait = Object.assign(document.createElement("div"), { className: "kl-wait", textContent: "…" });
    this.menu = document.createElement("details");
    this.menu.innerHTML = `<summary title="Save this picture" aria-label="Save this picture">${CAMERA}</summary><div></div>`;
    this.late = Object.assign(document.createElement("div"), { className: "kl-late", hidden: true });
    this.spoken = Object.assign(document.createElement("div"), { className: "kl-spoken", ariaLive: "polite" });
    this.box.append(this.plot, this.wait, this.late, this.menu, this.spoken);
    this.plot.addEventListener("keydown", (event) => this.key(event));
    this.plot.addEventListener("blur", () => this.leaveWalk());
    parent.append(this.box);
    for (const [label, act] of [
      ["PNG picture", () => this.image("png")],
      ["SVG picture", () => this.image("svg")],
      ["Data as CSV", () => save(new Blob([csv(this.figure)], { type: "text/csv" }), `${this.data.name}.csv`)],
      ["Reset the view", () => this.reset()],
    ]) {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: label });
      button.onclick = () => { this.menu.open = false; act(); };
      this.menu.lastChild.append(button);
    }
    this.close = (event) => {
      if (event.key === "Escape" || (event.type === "pointerdown" && !this.menu.contains(event.target))) this.menu.open = false;
    };
    document.addEventListener("pointerdown", this.close);
    this.presented = () => this.draw();
    document.addEventListener("kl-present", this.presented);
    this.menu.addEventListener("keydown", this.close);
    // Who points at a picture finds points in it: those that Plotly has drawn.
    for (const name of ["pointerenter", "focusin"]) this.box.addEventListener(name, () => this.painted && this.draw());
    // A chart in a closed tab has no size: it is drawn when it gets one.
    this.sizes = new ResizeObserver(([{ contentRect }]) => {
      this.width = Math.round(contentRect.width);
      this.draw();
    });
    this.sizes.observe(this.box);
    // Of a film only what is in view is drawn.
    this.views = new IntersectionObserver((entries) => {
      this.inView = entries.at(-1).isIntersecting;
      this.box.classList.toggle("kl-seen", this.inView);
      this.watch();
      this.draw();
    }, { rootMargin: "100px" });
    this.views.observe(this.box);
  }

  measure = (text, size) => {
    const pen = Chart.pen ??= document.createElement("canvas").getContext("2d");
    pen.font = `${size}px ${getComputedStyle(this.box).fontFamily}`;
    return pen.measureText(text).width;
  };

  // Follow a picture of a film, or nothing.
  follow(asked) {
    const name = JSON.stringify(asked ?? null);
    if (name === this.followed) return;
    this.followed = name;
    this.leave?.();
    this.leave = this.shot = null;
    this.shots = [];
    if (!asked) return;
    const reel = shared(this.home);
    // The run's own picture, and those of the runs beside it: they have the same axes, or are drawn into one picture.
    const shots = [asked.run, ...(asked.beside ?? [])].map((run) => {
      const film = reel.film(run);
      return { reel, film, picture: film.picture(asked.picture, asked.view, asked.over_time) };
    });
    if (asked.news) shots[0].film.end(asked.news);
    this.before = asked.before ? reel.film(asked.before).picture(asked.picture, asked.view, asked.over_time) : null;
    const done = shots.map(({ film }) => film.use());
    const draw = () => this.draw();
    // Runs side by side are asked at the same moment: what is new of all of them is drawn once.
    const answered = () => shots.some(({ film }) => film.asking) || this.draw();
    const news = asked.together?.length ? answered : draw;
    const turns = [[reel.clock, "change", draw], [reel.selection, "change", draw], ...shots.flatMap(({ film, picture }) => (
      [[picture, "layout", news], [picture, "grown", news], ...(news === answered ? [[film, "asked", news]] : [])]))];
    for (const [source, name, act] of turns) source.addEventListener(name, act);
    this.asked = asked;
    this.shots = shots;
    this.shot = shots[0];
    this.leave = () => {
      for (const [source, name, act] of turns) source.removeEventListener(name, act);
      for (const shot of shots) reel.watch(shot, false);
      done.forEach((leave) => leave());
    };
    this.watch();
  }

  // Frames are fetched ahead for what is in view.
  watch() {
    const drawn = this.asked?.together?.length ? this.shots ?? [] : (this.shots ?? []).slice(0, 1);
    for (const shot of drawn) shot.reel.watch(shot, this.inView === true);
  }

  // The curves of all runs in one figure; null before there are any.
  together(back) {
    const { reel } = this.shot;
    const { names, colors, together } = this.asked;
    const seconds = reel.equal === "seconds";
    const parts = this.shots.flatMap(({ film, picture }, i) => {
      if (!film.news?.epochs.length) return [];
      if (!picture.frames.has(0)) picture.frames.get(0).then(() => this.draw(), () => {});
      const near = picture.frames.nearest(0);
      if (near) this.lasts.set(film, near.frame);
      const frame = near?.frame ?? this.lasts.get(film);
      if (!picture.layout || !frame) return [];
      return [{ layout: picture.layout, frame, name: names[i], color: shone({ color: colors[i] }, back).color, scale: seconds ? film.news.pace ?? 1 : 1, live: film.news.live }];
    });
    if (!parts.length) return null;
    const lead = reel.leader.news;
    const mark = reel.clock.at === null ? null : reel.clock.epoch * (seconds ? lead?.pace ?? 1 : 1);
    return { over: (figure) => figure, live: mark === null && parts.some(({ live }) => live), key: [...parts.flatMap(({ layout, frame, scale, live }) => [layout, frame, live ? +scale.toPrecision(3) : scale]), mark, this.followed], make: () => {
      const whole = overlaid(parts.map((part) => ({ ...part, figure: assembled(shone(part.layout, back), shone(part.frame, back)) })), together, seconds ? "seconds of training" : "");
      return mark === null ? whole : marked(whole, mark, "#767676");
    } };
  }

  // The figure of this moment, or the nearest that is there; null before there is any.
  moment(back) {
    if (this.asked.together?.length) return this.together(back);
    const { reel, film } = this.shot;
    const { data } = this.asked;
    let { picture } = this.shot, place = picture.overTime ? 0 : reel.place(film);
    const wanted = () => { if (place >= 0 && !picture.frames.has(place)) picture.frames.get(place).then(() => this.draw(), () => {}); };
    wanted();
    if (this.before && !(picture.layout && picture.frames.nearest(place))) {
      [picture, place] = [this.before, 0]; // until the run has this picture
      wanted();
    }
    if (place < 0) return null;
    // Of another picture in this place the last frame stays on the screen until all of this one is there: one drawing,
    // not two.
    const near = picture.frames.nearest(place) ?? (this.last?.picture === picture ? { ...this.last, place } : null);
    if (!picture.layout || !near) return null;
    this.last = { ...near, picture };
    picture.contain(near.frame);
    hide(this.late, near.place === place);
    if (!this.late.hidden) this.late.textContent = `nearest so far: ${film.news.unit} ${+film.news.epochs[near.place].toFixed(2)}`;
    const mark = picture.layout.layout.meta?.time && reel.clock.at !== null ? reel.clock.epoch : null;
    const others = this.shots.slice(1).map((each) => each.picture).filter((each) => each.layout);
    const fixed = () => common(shone(picture.layout, back), others.map((each) => shone(each.layout, back)));
    this.kinds = kinds({ data: Object.values(near.frame.traces).map((trace) => ({ meta: named(trace) })) });
    const selected = reel.selection.key(data, this.kinds);
    return {
      // By what they say: another moment, or another preview, often looks the same.
      key: [picture.written, ...others.map((each) => each.written), near.text, mark, selected],
      frame: near.frame,
      live: film.news?.live && mark === null && reel.clock.at === null && reel.selection.empty,
      end: others.length ? Infinity : film.news?.length,
      make: () => {
        const whole = assembled(fixed(), shone(near.frame, back));
        return mark === null ? whole : marked(whole, mark, "#767676");
      },
      // An outline that somebody drew round points goes as soon as they are marked.
      over: (figure) => {
        const { selection } = reel;
        const ring = { color: RING[dark(back) ? 1 : 0], back };
        const drawn = selected ? highlighted(figure, (kind) => selection.of(data, kind), (kind, number) => selection.words(kind, number), ring) : figure;
        if (!this.kinds.length) return drawn;
        return { ...drawn, layout: { ...drawn.layout, selections: [], selectionrevision: selected } };
      },
    };
  }

  update(data, send) {
    this.data = data;
    this.send = send;
    this.look = null; // it is called for another theme, too
    this.stand();
    this.plot.setAttribute("aria-label", data.alt);
    this.wait.dataset.what = data.alt;
    this.follow(data.film);
    return this.draw();
  }

  get height() {
    return matchMedia(PHONE).matches ? Math.max(this.data.height, PHONE_HEIGHT) : this.data.height;
  }

  // Take the height of this screen, which may be a phone that was turned.
  stand() {
    const height = `${this.height}px`;
    if (this.box.style.height !== height) this.box.style.height = this.plot.style.height = height;
  }

  // Drawing asks for one more turn if something changed meanwhile; it never queues up.
  async draw() {
    if (this.busy) { this.again = true; return; }
    const begins = this.shot && !this.drawn && !presenting();
    if (this.data.early || (begins && !window.Plotly)) return this.outline();
    this.busy = true;
    try {
      // Plotly takes a tenth of a second for every picture that is new: sketches of all of them are painted before.
      if (begins && this.outline()) await painted();
      const Plotly = await load(this.address);
      do {
        this.again = false;
        await this.react(Plotly);
      } while (this.again && !this.gone);
    } finally {
      this.busy = false;
    }
  }

  // Plotly's code takes a second to run, in which nothing else happens on the page: a sketch is painted before it.
  // False where there is nothing to draw yet.
  outline() {
    const { width } = this;
    if (this.gone || !width || !this.inView) return false;
    const look = this.look ??= theme(this.parent);
    const shown = this.moment(look.back);
    if (!shown) return false;
    this.sketch ??= Object.assign(document.createElement("canvas"), { className: "kl-sketch", ariaHidden: "true" });
    const style = { width, height: this.height, color: look.layout.font.color, line: look.line, font: look.layout.font.family };
    if (sketch(this.sketch, shown.over(shown.make()), style)) {
      this.wait.textContent = "";
      this.box.prepend(this.sketch);
      this.box.dataset.sketched = Number(this.box.dataset.sketched ?? 0) + 1;
    }
    if (window.Plotly) return true;
    if (this.data.early) Chart.early = true;
    else this.plotly ??= setTimeout(() => load(this.address).then(() => this.draw()), Chart.early ? 0 : SKETCHED);
    return true;
  }

  async react(Plotly) {
    this.stand();
    // Neither its width nor its colours are read from the page at each point: for an answer the browser would lay out all
    // that was written to the page since the picture before.
    const { width } = this, large = presenting(), height = large ? this.box.clientHeight : this.height;
    if (this.gone || !width || (this.shot && !this.inView)) return;
    const look = this.look ??= theme(this.parent);
    const text = this.data.figure;
    const shown = this.shot ? this.moment(look.back)
      : { key: [text], make: () => JSON.parse(dark(look.back) ? lifted(text, look.back) : text), over: (figure) => figure };
    if (!shown) return;
    const own = [width, height, large, look], key = [...shown.key, ...own];
    const light = shown.live && !large && !this.box.matches(":hover, :focus-within");
    if (alike(key, this.painted ?? this.drawn) && (light || !this.painted)) {
      if (shown.frame !== this.frame) this.count();
      this.frame = shown.frame;
      return;
    }
    this.frame = shown.frame;
    this.figure = shown.make();
    if (shown.live) this.figure = roomy(this.figure, shown.end);
    const moved = light && this.drawn && alike(own, this.drawn.slice(-own.length)) ? changes(this.figure, this.plotted, this.plot) : null;
    if (moved) {
      if (Object.keys(moved).length) {
        await Plotly.relayout(this.plot, moved);
        this.plotted = { ...this.plotted, layout: this.figure.layout };
      }
      this.painted = key;
      this.canvas ??= Object.assign(document.createElement("canvas"), { className: "kl-paint", ariaHidden: "true" });
      paint(this.canvas, this.figure, this.plot);
      this.box.classList.add("kl-painted");
      this.box.kernlabFigure = this.figure; // for tests, as Plotly's node has what Plotly draws
      return this.count();
    }
    this.drawn = null;
    this.painted = null; // what is painted over what Plotly has drawn
    this.plotted = { ...this.figure, rest: rest(this.figure.layout) };
    this.box.classList.remove("kl-painted");
    let figure = shown.over(this.figure);
    if (large) figure = enlarged({ ...figure, layout: decades(figure.layout, LEAST / LARGER) }, LARGER, LEAST);
    const touch = matchMedia("(pointer: coarse)").matches, small = !large && (width < 480 || height < 320);
    const layout = {
      uirevision: "same", // a zoom survives the next figure
      ...structuredClone(figure.layout), // Plotly writes types and zoomed ranges into what it gets
      ...(touch && !figure.layout.scene && { dragmode: false }), // a finger scrolls the page
      template: this.style(figure.layout.template?.layout, look.layout, small),
      width, height, autosize: false,
    };
    if (small) { // a legend that is as tall as the plot would leave no room for it
      layout.legend = { ...layout.legend, font: { size: 12, ...layout.legend?.font }, itemwidth: 30, tracegroupgap: 0 };
      for (const name of ["xaxis", "yaxis"]) {
        if (layout[name]?.type === "log" && !layout[name].dtick) layout[name] = { ...layout[name], nticks: 2 };
      }
    }
    if (lies(figure, width, height)) {
      const above = { orientation: "h", y: 0.999, yanchor: "bottom", title: { side: "top" } }; // at 1 Plotly moves the heading
      figure = { ...figure, data: figure.data.map((trace) => (trace.colorbar ? over(trace, { colorbar: above }) : trace)) };
      layout.margin = { ...layout.margin, t: layout.margin.t + LYING };
      layout.yaxis = { ...layout.yaxis, constraintoward: "top" };
    }
    const config = { displayModeBar: false, displaylogo: false, responsive: false, doubleClick: "reset+autosize" };
    const whole = headed(layout, width - MENU, this.measure);
    if (Math.min(width, height - (whole.margin?.t ?? 0)) < ROOM) return; // it is drawn when it gets another size
    await Plotly.react(this.plot, figure.data, whole, config);
    this.drawn = key;
    if (this.wait.parentNode) { this.wait.remove(); this.sketch?.remove(); this.listen(); }
    this.reach();
    this.count();
    this.box.dispatchEvent(new CustomEvent("kl-drawn", { bubbles: true })); // its words are linked to the glossary
  }

  // Plotly's template: the same object as long as it says the same, as of theme.
  style(...parts) {
    if (!this.styled || parts.some((part, i) => part !== this.styled.parts[i])) {
      const [own, look, small] = parts, axis = { tickfont: { size: 13 }, title: { font: { size: 14 } } };
      const layout = over(over(own, look), small ? { xaxis: axis, yaxis: axis } : {});
      this.styled = { parts, template: { layout } };
    }
    return this.styled.template;
  }

  // It shows what was asked for last.
  count() {
    this.box.dataset.drawn = Number(this.box.dataset.drawn ?? 0) + 1;
    this.box.dataset.points = this.figure.data[0]?.x?.length ?? 0;
  }

  // Whether its axis is time.
  get timed() {
    return Boolean(this.shot && this.figure?.layout.meta?.time);
  }

  // Plotly looks for the point under the pointer at most every 50 ms. A search that it has put off and that falls into a
  // press finds nothing, and the click is lost with it: the search is made before the press.
  find(event) {
    if (event.pointerType === "touch" || !event.target.closest(".draglayer, .hoverlayer")) return;
    window.Plotly.Fx.unhover(this.plot, {}); // drops what is put off
    event.target.dispatchEvent(new MouseEvent("mousemove", event));
  }

  listen() {
    this.plot.addEventListener("pointerdown", (event) => this.find(event));
    const points = (event) => (event?.points ?? []).slice(0, 1000).map((p) => (
      { curve: p.curveNumber, index: p.pointIndex ?? p.pointNumber, x: p.x, y: p.y, z: p.z, customdata: p.customdata }));
    const on = (name, plotlyName, value) => {
      if (this.data.events.includes(name)) this.plot.on(plotlyName, (event) => this.send(name, value(event)));
    };
    on("click", "plotly_click", (event) => points(event)[0] ?? null);
    if (!this.shot) return;
    const trace = (point) => this.figure.data[point.curveNumber] ?? {};
    this.plot.on("plotly_hover", ({ points: [point] }) => this.timed && this.shot.reel.clock.point(this.epoch(point.x)));
    this.plot.on("plotly_unhover", () => this.shot.reel.clock.point(null));
    this.plot.on("plotly_click", ({ points: [point], event }) => {
      this.doubled &&= event?.detail > 1; // the second click of a double-click comes after it
      if (!point || this.doubled) return;
      if (this.timed) this.go(this.epoch(point.x));
      else this.choose(meant(trace(point), point.pointNumber), event?.shiftKey);
    });
    this.plot.on("plotly_selected", (event) => {
      const found = new Map();
      for (const point of event?.points ?? []) {
        const [first] = meant(trace(point), point.pointNumber);
        if (first) found.set(first.kind, [...(found.get(first.kind) ?? []), ...first.numbers]);
      }
      // The browser reports an empty selection whenever an outline disappears.
      for (const [kind, numbers] of found) this.shot.reel.selection.replace(this.asked.data, kind, numbers);
    });
    // An entry of the legend, or a name among points, that stands for one thing selects it instead of hiding it.
    this.plot.on("plotly_legendclick", ({ curveNumber }) => !this.choose(meant(this.figure.data[curveNumber] ?? {}, -1)));
    this.plot.on("plotly_clickannotation", ({ annotation }) => {
      const [, kind, number] = /^(\w+):(-?\d+)$/.exec(annotation.name ?? "") ?? [];
      if (kind) this.choose([{ kind, numbers: [number] }]);
    });
    // Where dragging selects, Plotly reports a double-click as the end of a selection.
    for (const name of ["plotly_doubleclick", "plotly_deselect"]) {
      this.plot.on(name, () => { this.doubled = true; this.letGo(); });
    }
  }

  // Select what a point is, or with all true what its whole trace is; false where it is nothing.
  choose(found, all = false) {
    const one = all ? found.at(-1) : found[0];
    if (one) this.shot.reel.selection.toggle(this.asked.data, one.kind, one.numbers);
    return Boolean(one);
  }

  letGo() {
    const { clock, selection } = this.shot.reel;
    selection.clear();
    if (this.timed) clock.seek(null);
  }

  // How many of the clock's epochs a unit of the axis of time is: a picture may count those of its own run, or seconds.
  get each() {
    const { reel, film } = this.shot;
    const pace = reel.equal === "seconds" && reel.leader.news?.pace;
    return pace ? (this.asked.together?.length ? 1 : film.news?.pace ?? pace) / pace : 1;
  }

  epoch(x) {
    return x * this.each;
  }

  // Let the page stand at an epoch; at the last one it follows the newest.
  go(epoch) {
    const { clock } = this.shot.reel;
    clock.seek(epoch >= (clock.epochs.at(-1) ?? Infinity) ? null : epoch);
  }

  // ---- keys: arrows walk over points or moments, Enter selects, Escape lets go

  // A picture that can be asked is reached by keys; the others are pictures.
  reach() {
    const asked = Boolean(this.shot) && (this.timed || this.kinds?.length > 0);
    this.plot.setAttribute("role", asked ? "application" : "img");
    const words = this.timed ? "Arrow keys walk over its moments, Enter goes to one, Escape lets go."
      : "Arrow keys walk over its points, Enter selects one, Shift and Enter its class, Escape lets go.";
    this.plot.setAttribute("aria-label", asked ? `${this.data.alt}. ${words}` : this.data.alt);
    if (asked) this.plot.tabIndex = 0;
    else this.plot.removeAttribute("tabindex");
  }

  key(event) {
    if (!this.shot || event.target !== this.plot || !this.figure) return;
    const act = { Enter: () => this.enter(event.shiftKey), Escape: () => { this.leaveWalk(); this.letGo(); this.spoken.textContent = "Let go."; } }[event.key]
      ?? (event.key.startsWith("Arrow") && (() => (this.timed ? this.walkTime(event.key) : this.walk(event.key))));
    if (!act) return;
    event.preventDefault();
    act();
  }

  enter(all) {
    const { clock, selection } = this.shot.reel;
    if (this.timed) {
      if (clock.pointed !== null) this.go(clock.pointed);
    } else if (this.walked) {
      this.choose(meant(this.figure.data[this.walked.curve] ?? {}, this.walked.number), all);
      this.spoken.textContent = selection.empty ? "Let go." : `Selected: ${selection.sentence}.`;
    }
  }

  walkTime(key) {
    const { clock } = this.shot.reel;
    const { epochs } = clock;
    const from = clock.pointed === null ? clock.index : last(epochs, clock.pointed);
    const to = Math.min(Math.max(from + (key === "ArrowRight" || key === "ArrowUp" ? 1 : -1), 0), epochs.length - 1);
    if (to < 0) return;
    clock.point(epochs[to]);
    this.spoken.textContent = `${this.shot.film.news?.unit ?? "epoch"} ${+epochs[to].toFixed(2)}`;
    window.Plotly.Fx.hover(this.plot, { xval: epochs[to] / this.each }, "xy");
  }

  walk(key) {
    const all = places(this.figure);
    const { xaxis, yaxis } = this.plot._fullLayout;
    if (!xaxis?.d2p || !all.length) return;
    const points = all.map(({ x, y }) => ({ x: xaxis.d2p(x), y: yaxis.d2p(y) }));
    const same = (place) => this.walked && place.curve === this.walked.curve && String(place.number) === String(this.walked.number);
    const to = toward(points, all.findIndex(same), key);
    this.walked = all[to];
    const { curve, number } = this.walked;
    const trace = this.figure.data[curve];
    this.spoken.textContent = meant(trace, number).map(({ kind, numbers }) => numbers.map((each) => this.shot.reel.selection.words(kind, each)).join(", ")).join(", ");
    this.cursor ??= this.box.insertBefore(Object.assign(document.createElement("div"), { className: "kl-cursor", ariaHidden: "true" }), this.menu);
    this.cursor.hidden = false;
    this.cursor.style.transform = `translate(${xaxis._offset + points[to].x}px, ${yaxis._offset + points[to].y}px)`;
    window.Plotly.Fx.hover(this.plot, [{ curveNumber: curve, pointNumber: number }]);
  }

  leaveWalk() {
    this.walked = null;
    if (this.cursor) this.cursor.hidden = true;
    this.shot?.reel.clock.point(null);
    if (this.drawn) window.Plotly?.Fx.unhover(this.plot);
  }

  async image(format) {
    const Plotly = await load(this.address);
    const look = theme(this.parent);
    const layout = { ...this.plot.layout, paper_bgcolor: look.back };
    const size = { width: this.box.clientWidth, height: this.height, scale: format === "png" ? 2 : 1 };
    const picture = { data: this.plot.data, layout, config: this.plot._context };
    await Plotly.downloadImage(picture, { format, filename: this.data.name, ...size });
  }

  async reset() {
    const Plotly = await load(this.address);
    const layout = { ...this.plot.layout, ...structuredClone(this.figure.layout), template: this.plot.layout.template };
    layout.uirevision = performance.now(); // forget what the person zoomed
    await Plotly.react(this.plot, this.figure.data, layout);
    this.drawn = null;
    this.draw();
  }

  destroy() {
    this.gone = true;
    this.leave?.();
    this.sizes.disconnect();
    this.views.disconnect();
    document.removeEventListener("pointerdown", this.close);
    document.removeEventListener("kl-present", this.presented);
    window.Plotly?.purge(this.plot);
    charts.delete(this.parent);
  }
}

export default function ({ data, parentElement, setStateValue }, home, address) {
  let chart = charts.get(parentElement);
  if (!chart) charts.set(parentElement, (chart = new Chart(parentElement, home, address)));
  chart.update(data, setStateValue);
  // Streamlit also calls this for an update that a newer one overtook: only a node that left is done with.
  return () => setTimeout(() => parentElement.isConnected || chart.destroy());
}
