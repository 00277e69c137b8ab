// What a room has predicted: bars of choices or of numbers, or the bands of drawn curves. It asks the server by itself,
// every second and only while its tab is visible; with the room's key it has a button that resets it.

import { make } from "./nodes.mjs";

const STYLE = `
.kl-room { color: var(--st-text-color); font: 1rem var(--st-font); }
.kl-room header { display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; align-items: center; margin-bottom: .5rem; }
.kl-room header b { font-size: 1.35rem; letter-spacing: .12em; }
.kl-room header output { font-variant-numeric: tabular-nums; }
.kl-room button { min-height: 2.4rem; padding: 0 .9rem; font: inherit; color: inherit; border-radius: .5rem; cursor: pointer;
  border: 1px solid var(--st-border-color); background: var(--st-background-color); touch-action: manipulation; }
.kl-room table { width: 100%; border-collapse: collapse; }
.kl-room td { padding: .12rem .3rem; border: 0; }
.kl-room td:first-child { width: 42%; }
.kl-room .kl-numbers td:first-child { width: 8.5rem; font-variant-numeric: tabular-nums; text-align: right; }
.kl-room td i { display: inline-block; height: 1.15rem; min-width: 2px; vertical-align: middle; background: light-dark(#CC79A7, #DD93BC); border-radius: .2rem; margin-right: .4rem; }
.kl-room tr.kl-true td:first-child { font-weight: 700; }
.kl-room tr.kl-true td i { background: light-dark(#D55E00, #F5803A); }
.kl-room svg { width: 100%; height: 14rem; border: 1px solid var(--st-border-color); border-radius: .5rem; box-sizing: border-box; }
.kl-room :focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; }`;

const EVERY = 1000; // milliseconds

const SVG = "http://www.w3.org/2000/svg";

class Room {
  constructor(parent, home) {
    if (!document.getElementById("kl-room-style")) document.head.append(make("style", { id: "kl-room-style", textContent: STYLE }));
    this.parent = parent;
    this.home = home;
    this.code = make("b");
    this.count = make("output");
    this.reset = make("button", { type: "button", textContent: "Reset", title: "Forget all predictions of this lesson", onclick: () => this.forget() });
    this.place = make("div");
    this.root = make("section", { className: "kl-room kl-picture" }, make("header", {}, make("span", {}, "Room ", this.code), this.count, this.reset), this.place);
    parent.append(this.root);
    this.timer = setInterval(() => document.hidden || this.ask(), EVERY);
  }

  update(data) {
    this.data = data;
    this.code.textContent = data.code;
    this.reset.hidden = !data.key;
    this.root.setAttribute("aria-label", `Predictions of room ${data.code}`);
    this.shown = null;
    this.ask();
  }

  get address() {
    return `${this.home}rooms/${this.data.code}/${this.data.lesson}`;
  }

  async ask() {
    try {
      const answer = await fetch(this.address, { cache: "no-store" });
      const found = await answer.json();
      if (answer.ok) this.draw(found);
      else this.count.textContent = found.error;
    } catch {
      this.count.textContent = "The server cannot be reached.";
    }
  }

  async forget() {
    await fetch(`${this.address}/reset`, {
      method: "POST", headers: { "x-kernlab": "1", "content-type": "application/json" }, body: JSON.stringify({ key: this.data.key }),
    }).catch(() => null);
    this.ask();
  }

  draw(found) {
    const stamp = JSON.stringify(found);
    if (stamp === this.shown) return;
    this.shown = stamp;
    this.count.textContent = `${found.count} ${found.count === 1 ? "prediction" : "predictions"}`;
    this.root.dataset.count = found.count;
    this.place.replaceChildren(found.counts ? this.bars(found.counts) : this.bands(found.bands));
  }

  bars(counts) {
    const { labels, truth } = this.data, most = Math.max(1, ...counts);
    return make("table", { className: this.data.kind === "number" ? "kl-numbers" : "" }, make("tbody", {}, ...counts.map((count, place) => {
      const bar = make("i");
      bar.style.width = `${(80 * count) / most}%`;
      const row = make("tr", {}, make("td", { textContent: labels[place] + (place === truth ? " ✓" : "") }), make("td", {}, bar, String(count)));
      row.classList.toggle("kl-true", place === truth);
      return row;
    })));
  }

  // Quantiles of all curves: a wide band, a narrow one, and the median.
  bands(rows) {
    const picture = document.createElementNS(SVG, "svg");
    picture.setAttribute("viewBox", "0 0 100 100");
    picture.setAttribute("preserveAspectRatio", "none");
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", "Where the drawn curves lie: most of them, half of them, and the middle one");
    const add = (name, fields) => {
      const node = document.createElementNS(SVG, name);
      for (const [key, value] of Object.entries(fields)) node.setAttribute(key, value);
      node.setAttribute("vector-effect", "non-scaling-stroke");
      picture.append(node);
    };
    const spots = (levels) => levels.map((level, place) => `${(100 * place) / (levels.length - 1)},${100 - level}`);
    const mine = "light-dark(#AA4499, #DD93BC)", found = "light-dark(#D55E00, #F5803A)", known = "light-dark(#0072B2, #4AA3E3)";
    if (rows.length) {
      for (const [low, high, opacity] of [[0, 4, 0.2], [1, 3, 0.35]]) {
        add("polygon", { points: [...spots(rows[low]), ...spots(rows[high]).reverse()].join(" "), style: `fill: ${mine}; opacity: ${opacity}` });
      }
      add("polyline", { points: spots(rows[2]).join(" "), style: `fill: none; stroke: ${mine}; stroke-width: 3` });
    }
    if (this.data.known) add("polyline", { points: spots(this.data.known).join(" "), style: `fill: none; stroke: ${known}; stroke-width: 2; stroke-dasharray: 8 5` });
    if (this.data.truth) add("polyline", { points: spots(this.data.truth).join(" "), style: `fill: none; stroke: ${found}; stroke-width: 3` });
    return picture;
  }
}

const rooms = new WeakMap();

export default function ({ data, parentElement }, home) {
  let room = rooms.get(parentElement);
  if (!room) rooms.set(parentElement, (room = new Room(parentElement, home)));
  room.update(data);
  return () => setTimeout(() => parentElement.isConnected || (clearInterval(room.timer), rooms.delete(parentElement)));
}
