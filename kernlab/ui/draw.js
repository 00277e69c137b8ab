// A plane to paint points into, by mouse, finger or keys. What is painted is reported after every stroke.

import { Painting } from "./brush.mjs";
import { make } from "./nodes.mjs";

const STYLE = `
.kl-draw { color: var(--st-text-color); font: .9rem var(--st-font); }
.kl-draw nav { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem; margin-bottom: .5rem; }
.kl-draw button { display: inline-flex; align-items: center; gap: .4rem; min-height: 2.2rem; padding: 0 .7rem; font: inherit;
  color: inherit; border-radius: .5rem; border: 1px solid var(--st-border-color); background: var(--st-background-color); cursor: pointer;
  touch-action: manipulation; }
.kl-draw button:hover { border-color: var(--st-primary-color); }
.kl-draw button[aria-pressed="true"] { background: var(--st-secondary-background-color); border-color: var(--st-primary-color); }
.kl-draw button:disabled { opacity: .45; cursor: default; }
.kl-draw label { display: inline-flex; align-items: center; gap: .4rem; }
.kl-draw input { width: 6rem; accent-color: var(--st-primary-color); }
.kl-draw canvas { display: block; width: 100%; max-width: max(20rem, 100vh - 21rem); box-sizing: border-box; border: 1px solid var(--st-border-color); border-radius: .5rem; cursor: crosshair;
  touch-action: none; }
.kl-draw :focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 1px; }
.kl-draw p { margin: .4rem 0 0; min-height: 1.5em; font-variant-numeric: tabular-nums; }
.kl-draw small { display: block; font-size: .8125rem; opacity: .8; }
.kl-draw [hidden] { display: none; }
@media (max-width: 640px) {
  .kl-draw button { padding: 0 .5rem; }
  .kl-draw input { width: 4rem; }
}`;

const SIZE = 4; // half a marker, in CSS pixels

// The markers of classes, as paths about the origin.
const SHAPES = {
  circle: (pen, r) => pen.arc(0, 0, r, 0, 7),
  square: (pen, r) => pen.rect(-r, -r, 2 * r, 2 * r),
  diamond: (pen, r) => polygon(pen, 4, 1.3 * r, 0),
  "triangle-up": (pen, r) => polygon(pen, 3, 1.3 * r, -Math.PI / 2),
  "triangle-down": (pen, r) => polygon(pen, 3, 1.3 * r, Math.PI / 2),
  cross: (pen, r) => { pen.rect(-r, -r / 3, 2 * r, (2 * r) / 3); pen.rect(-r / 3, -r, (2 * r) / 3, 2 * r); },
};

function polygon(pen, corners, r, turn) {
  for (let k = 0; k < corners; k++) pen.lineTo(r * Math.cos(turn + (2 * Math.PI * k) / corners), r * Math.sin(turn + (2 * Math.PI * k) / corners));
  pen.closePath();
}

// On a dark page the deep colours need more light.
const lighter = (color) => `#${[1, 3, 5].map((i) => Math.round(255 - 0.62 * (255 - parseInt(color.slice(i, i + 2), 16))).toString(16).padStart(2, "0")).join("")}`;

class Plane {
  constructor(parent) {
    if (!document.getElementById("kl-draw-style")) document.head.append(make("style", { id: "kl-draw-style", textContent: STYLE }));
    this.parent = parent;
    this.canvas = make("canvas", { tabIndex: 0 });
    this.canvas.setAttribute("role", "application");
    this.tools = make("span", { style: "display: contents" });
    const act = (label, title, onclick) => make("button", { type: "button", textContent: label, title, onclick });
    this.more = act("+", "One more class", () => this.painting.add(this.data.looks.length));
    this.more.setAttribute("aria-label", "One more class");
    this.erase = act("Erase", "Erase points (e)", () => this.painting.choose("erase"));
    this.undo = act("Undo", "Take the last stroke back (Ctrl+Z)", () => this.painting.undo());
    this.redo = act("Redo", "Paint it again (Ctrl+Y)", () => this.painting.redo());
    this.clear = act("Clear", "Remove all points", () => this.painting.clear());
    const slider = (name, min, max, step, of) => {
      const input = make("input", { type: "range", min, max, step, oninput: () => { this.painting[of] = Number(input.value); this.paint(); } });
      return [input, make("label", {}, name, input)];
    };
    const [spread, width] = slider("Width", 0.02, 0.4, 0.01, "radius");
    const [dense, density] = slider("Points", 1, 12, 1, "count");
    this.sliders = [[spread, "radius"], [dense, "count"]];
    this.words = make("p");
    this.words.setAttribute("aria-live", "polite");
    this.help = make("small", { id: "kl-draw-help" });
    this.canvas.setAttribute("aria-describedby", "kl-draw-help");
    this.root = make("div", { className: "kl-draw" },
      make("nav", {}, this.tools, this.more, this.erase, this.undo, this.redo, this.clear, width, density), this.canvas, this.words, this.help);
    parent.append(this.root);
    this.listen();
    this.sizes = new ResizeObserver(() => this.paint());
    this.sizes.observe(this.canvas);
  }

  listen() {
    const at = (event) => {
      const box = this.canvas.getBoundingClientRect();
      return [2 * (event.clientX - box.left) / box.width - 1, 1 - 2 * (event.clientY - box.top) / box.height];
    };
    this.canvas.onpointerdown = (event) => {
      if (event.button) return;
      this.canvas.setPointerCapture(event.pointerId);
      this.over = true;
      this.painting.press(...at(event));
    };
    this.canvas.onpointermove = (event) => {
      this.over = true;
      for (const each of event.getCoalescedEvents?.().length ? event.getCoalescedEvents() : [event]) this.painting.move(...at(each));
    };
    this.canvas.onpointerup = this.canvas.onpointercancel = () => this.painting.lift();
    this.canvas.onpointerleave = () => { this.over = document.activeElement === this.canvas; this.paint(); };
    this.canvas.onfocus = this.canvas.onblur = (event) => { this.over = event.type === "focus"; this.paint(); };
    this.canvas.onkeydown = (event) => { if (this.painting.key(event)) { this.over = true; event.preventDefault(); } };
  }

  // A painting for each kind, so that neither is lost while the other is looked at.
  update(data, send) {
    this.data = data;
    this.send = send;
    this.paintings ??= {};
    this.painting = this.paintings[data.kind] ??= this.begun(data.kind);
    if (data.begun !== this.begun_with) { // the script opens a set, or this page for the first time
      this.begun_with = data.begun;
      this.painting.load(data.points);
    }
    const curve = data.kind === "curve";
    this.canvas.style.aspectRatio = curve ? "3 / 2" : "1";
    this.canvas.style.maxWidth = curve ? "none" : "";
    this.canvas.setAttribute("aria-label", `Plane to paint points into: ${curve ? "a curve over one input" : "classes of two inputs"}`);
    this.help.textContent = `Mouse or finger: paint. Keys, with the plane in focus: arrows move the brush (Shift: further), Space sprays, `
      + `Delete erases${curve ? "" : ", 1 to 6 choose a class"}, Ctrl+Z takes back.`;
    this.paint();
    this.draw();
  }

  begun(kind) {
    const painting = new Painting();
    painting.addEventListener("change", () => { this.paint(); this.draw(); });
    painting.addEventListener("brush", () => this.paint());
    painting.addEventListener("stroke", () => this.send("painting", { kind, points: painting.points.flat(), count: painting.points.length }));
    return painting;
  }

  // The buttons, and what they say.
  draw() {
    const { painting, data } = this;
    const curve = data.kind === "curve";
    const names = curve ? ["Spray"] : painting.counts.map((_, k) => `Class ${k + 1}`);
    if (this.tools.childElementCount !== names.length || this.tools.firstChild?.textContent !== names[0]) {
      this.tools.replaceChildren(...names.map((name, k) => make("button", { type: "button", textContent: name })));
    }
    [...this.tools.children].forEach((button, k) => {
      // Chromium makes no click of a tap soon after a finger has left the plane in full motion.
      button.onclick = button.onpointerup = () => painting.choose(k);
      button.setAttribute("aria-pressed", painting.tool === k);
      button.style.borderLeft = `.45rem solid ${this.color(k)}`;
    });
    this.more.hidden = curve || painting.classes >= data.looks.length;
    this.erase.setAttribute("aria-pressed", painting.tool === "erase");
    this.undo.disabled = !painting.before.length;
    this.redo.disabled = !painting.after.length;
    this.clear.disabled = !painting.points.length;
    for (const [input, of] of this.sliders) if (document.activeElement !== input) input.value = painting[of];
    const each = curve ? [] : painting.counts.map((count, k) => `${count} of class ${k + 1}`);
    this.words.textContent = [`${painting.points.length} points`, ...each].join(" · ");
  }

  color(kind) {
    return this.dark ? lighter(this.data.looks[kind][0]) : this.data.looks[kind][0];
  }

  paint() {
    if (!this.painting || this.waits) return;
    this.waits = requestAnimationFrame(() => { this.waits = 0; this.stroke(); });
  }

  stroke() {
    const { width, height } = this.canvas.getBoundingClientRect();
    if (!width) return;
    const { painting, canvas } = this;
    const sharp = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * sharp) || canvas.height !== Math.round(height * sharp)) {
      canvas.width = Math.round(width * sharp);
      canvas.height = Math.round(height * sharp);
    }
    const css = getComputedStyle(this.parent);
    const back = css.getPropertyValue("--st-background-color").trim();
    const dark = /^#/.test(back) && parseInt(back.slice(1, 3), 16) < 128;
    if (dark !== this.dark) { this.dark = dark; this.draw(); }
    const pen = canvas.getContext("2d");
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.strokeStyle = css.getPropertyValue("--st-border-color").trim();
    pen.lineWidth = 1;
    for (let line = 1; line < 8; line++) {
      pen.globalAlpha = line === 4 ? 1 : 0.45;
      pen.beginPath();
      pen.moveTo((line * width) / 8, 0);
      pen.lineTo((line * width) / 8, height);
      pen.moveTo(0, (line * height) / 8);
      pen.lineTo(width, (line * height) / 8);
      pen.stroke();
    }
    pen.globalAlpha = 0.8;
    for (const [x, y, kind] of painting.points) {
      pen.save();
      pen.translate(((x + 1) / 2) * width, ((1 - y) / 2) * height);
      pen.beginPath();
      pen.fillStyle = this.color(kind);
      (SHAPES[this.data.looks[kind][1]] ?? SHAPES.circle)(pen, SIZE);
      pen.fill();
      pen.restore();
    }
    pen.globalAlpha = 1;
    if (this.over) {
      const [x, y] = painting.at;
      pen.beginPath();
      pen.strokeStyle = css.getPropertyValue("--st-text-color").trim();
      if (painting.tool === "erase") pen.setLineDash([4, 3]);
      pen.ellipse(((x + 1) / 2) * width, ((1 - y) / 2) * height, (painting.radius / 2) * width, (painting.radius / 2) * height, 0, 0, 7);
      pen.stroke();
      pen.setLineDash([]);
    }
    canvas.dataset.points = painting.points.length;
  }
}

const planes = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  let plane = planes.get(parentElement);
  if (!plane) planes.set(parentElement, (plane = new Plane(parentElement)));
  plane.update(data, setStateValue);
  return () => setTimeout(() => parentElement.isConnected || (plane.sizes.disconnect(), planes.delete(parentElement)));
}
