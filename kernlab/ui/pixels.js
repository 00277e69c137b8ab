// A picture to paint, of as many pixels as the inputs of a model have. It is reported after every stroke.

import { make } from "./nodes.mjs";
import { Sketch } from "./pixels.mjs";

const LEVELS = 15; // of ink, in what is reported

const STYLE = `
.kl-pixels { color: var(--st-text-color); font: .9rem var(--st-font); }
.kl-pixels nav { display: flex; flex-wrap: wrap; gap: .4rem; margin-bottom: .5rem; }
.kl-pixels button { min-height: 2.2rem; padding: 0 .7rem; font: inherit; color: inherit; border-radius: .5rem; cursor: pointer;
  border: 1px solid var(--st-border-color); background: var(--st-background-color); touch-action: manipulation; }
.kl-pixels button:hover { border-color: var(--st-primary-color); }
.kl-pixels button[aria-pressed="true"] { background: var(--st-secondary-background-color); border-color: var(--st-primary-color); }
.kl-pixels canvas { display: block; width: 100%; max-width: 20rem; box-sizing: border-box; background: #fff; cursor: crosshair;
  border: 1px solid var(--st-border-color); border-radius: .5rem; touch-action: none; }
.kl-pixels :focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 1px; }
.kl-pixels small { display: block; margin-top: .4rem; font-size: .8125rem; opacity: .8; }`;

class Pad {
  constructor(parent, [height, width]) {
    if (!document.getElementById("kl-pixels-style")) document.head.append(make("style", { id: "kl-pixels-style", textContent: STYLE }));
    this.sketch = new Sketch(height, width);
    this.canvas = make("canvas", { tabIndex: 0, width: 20 * width, height: 20 * height });
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", `Picture of ${height} × ${width} pixels to draw into`);
    this.canvas.setAttribute("aria-describedby", "kl-pixels-help");
    this.canvas.style.aspectRatio = `${width} / ${height}`;
    const act = (label, title, onclick) => make("button", { type: "button", textContent: label, title, onclick });
    this.eraser = act("Erase", "Take ink away", () => { this.sketch.erasing = !this.sketch.erasing; this.paint(); });
    const help = make("small", { id: "kl-pixels-help", textContent:
      "Mouse or finger: draw. Keys, with the picture in focus: arrows move the brush (Shift: further), Space draws, Delete erases, Ctrl+Z takes back." });
    parent.append(make("div", { className: "kl-pixels" },
      make("nav", {}, this.eraser, act("Undo", "Take the last stroke back (Ctrl+Z)", () => this.sketch.undo()),
        act("Clear", "Remove all ink", () => this.sketch.clear())), this.canvas, help));
    this.listen();
  }

  listen() {
    const { canvas, sketch } = this;
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return [((event.clientX - box.left) / box.width) * sketch.width, ((event.clientY - box.top) / box.height) * sketch.height];
    };
    canvas.onpointerdown = (event) => {
      if (event.button) return;
      canvas.setPointerCapture(event.pointerId);
      sketch.press(...at(event));
    };
    canvas.onpointermove = (event) => sketch.move(...at(event));
    canvas.onpointerup = canvas.onpointercancel = () => sketch.lift();
    canvas.onfocus = canvas.onblur = () => this.paint();
    canvas.onkeydown = (event) => { if (sketch.key(event)) event.preventDefault(); };
    sketch.addEventListener("change", () => this.paint());
    sketch.addEventListener("stroke", () => this.send("pixels", { levels: sketch.values.map((value) => Math.round(LEVELS * value)) }));
  }

  update(data, send) {
    this.send = send;
    if (data.begun !== this.begun) { // the script opens another picture, or the page for the first time
      this.begun = data.begun;
      this.sketch.load(data.levels.map((level) => level / LEVELS));
    }
    this.paint();
  }

  paint() {
    const { canvas, sketch } = this, pen = canvas.getContext("2d"), side = canvas.width / sketch.width;
    this.eraser.setAttribute("aria-pressed", sketch.erasing);
    sketch.values.forEach((value, place) => {
      const shade = Math.round(255 * (1 - value));
      pen.fillStyle = `rgb(${shade},${shade},${shade})`;
      pen.fillRect((place % sketch.width) * side, Math.floor(place / sketch.width) * side, side, side);
    });
    if (document.activeElement === canvas) { // the brush, for those who draw with keys
      pen.beginPath();
      pen.strokeStyle = "#0072B2";
      pen.lineWidth = 3;
      pen.arc(sketch.at[0] * side, sketch.at[1] * side, sketch.radius * side, 0, 7);
      pen.stroke();
    }
    canvas.dataset.ink = sketch.values.reduce((sum, value) => sum + value, 0).toFixed(1);
  }
}

const pads = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  let pad = pads.get(parentElement);
  if (!pad || String([pad.sketch.height, pad.sketch.width]) !== String(data.shape)) {
    parentElement.replaceChildren();
    pads.set(parentElement, (pad = new Pad(parentElement, data.shape)));
  }
  pad.update(data, setStateValue);
}
