// Axes on a canvas, in the colours of the page: little enough for a frame in a few milliseconds.

import { AxisNames } from "./axis_names.mjs";

// On a light and on a dark page; those of kernlab/pictures/theme.py, the second of each with more light.
export const COLOURS = {
  blue: ["#0072B2", "#4AA3E3"],
  vermillion: ["#D55E00", "#F5803A"],
  green: ["#009E73", "#27C296"],
  purple: ["#CC79A7", "#DD93BC"],
};
const ZERO = [232, 232, 232]; // of values of either sign

const parts = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

// The colours of the page that an element stands on.
export function theme(element) {
  const css = getComputedStyle(element), of = (name) => css.getPropertyValue(name).trim();
  const back = of("--st-background-color") || "#ffffff";
  const dark = /^#/.test(back) && parseInt(back.slice(1, 3), 16) < 128;
  const colours = Object.fromEntries(Object.entries(COLOURS).map(([name, both]) => [name, both[Number(dark)]]));
  return { dark, back, text: of("--st-text-color") || "#000000", line: of("--st-border-color") || "#888888", font: of("--st-font") || "sans-serif", ...colours };
}

// Round numbers within an interval.
export function ticks([low, high], count) {
  const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((each) => each * power >= rough) ?? 10);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) found.push(Number((i * step).toPrecision(6)));
  return found;
}

const LETTERS = 13; // pixels of the numbers at the axes

export class Plot {
  constructor(canvas, { x, y, xName, yName, square = false }) {
    Object.assign(this, { canvas, x, y, xName, yName, square, pen: canvas.getContext("2d"), width: 0, height: 0 });
  }

  // Take the size that the canvas has on the page; false where it has none. Plots may take turns on a canvas.
  resize() {
    if (this.fits && this.canvas.plot === this) return true;
    const { clientWidth: width, clientHeight: height } = this.canvas, sharp = Math.min(2, window.devicePixelRatio || 1);
    if (!width) return false;
    if (this.canvas.width !== Math.round(width * sharp) || this.canvas.height !== Math.round(height * sharp)) {
      this.canvas.width = Math.round(width * sharp);
      this.canvas.height = Math.round(height * sharp);
    }
    this.pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    this.by = document.documentElement.classList.contains("kl-present") ? 20 / LETTERS : 1; // for a lecture
    Object.assign(this, { width, height, left: 48 * this.by, right: width - 12, top: 10, bottom: height - 40 * this.by });
    if (this.square) {
      const side = Math.min(this.right - this.left, this.bottom - this.top);
      this.left += (this.right - this.left - side) / 2;
      this.right = this.left + side;
      this.bottom = this.top + side;
    }
    this.canvas.names ??= new AxisNames(this.canvas);
    const across = (this.left + this.right) / 2, up = (this.top + this.bottom) / 2;
    this.canvas.names.put([this.xName, across, this.bottom + 31 * this.by], [this.yName, this.left - 37 * this.by, up], LETTERS * this.by);
    this.canvas.plot = this;
    return (this.fits = true);
  }

  px(x) {
    return this.left + ((x - this.x[0]) / (this.x[1] - this.x[0])) * (this.right - this.left);
  }

  py(y) {
    return this.bottom - ((y - this.y[0]) / (this.y[1] - this.y[0])) * (this.bottom - this.top);
  }

  // The values at a place of the screen, from a pointer's event.
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const across = (event.clientX - box.left - this.left) / (this.right - this.left);
    const up = (this.bottom - (event.clientY - box.top)) / (this.bottom - this.top);
    return [this.x[0] + across * (this.x[1] - this.x[0]), this.y[0] + up * (this.y[1] - this.y[0])];
  }

  begin(colours) {
    this.colours = colours;
    const { pen, by } = this;
    pen.globalAlpha = 1;
    pen.setLineDash([]);
    pen.clearRect(0, 0, this.width, this.height);
    pen.font = `${LETTERS * by}px ${colours.font}`;
    pen.fillStyle = colours.text;
    pen.strokeStyle = colours.line;
    pen.lineWidth = 1;
    pen.textBaseline = "middle";
    pen.beginPath();
    for (const x of ticks(this.x, Math.max(3, (this.right - this.left) / (90 * by)))) {
      const at = Math.round(this.px(x)) + 0.5;
      pen.moveTo(at, this.top);
      pen.lineTo(at, this.bottom + 4);
      pen.textAlign = "center";
      pen.fillText(String(x).replace("-", "−"), at, this.bottom + 13 * by);
    }
    for (const y of ticks(this.y, Math.max(3, (this.bottom - this.top) / (55 * by)))) {
      const at = Math.round(this.py(y)) + 0.5;
      pen.moveTo(this.left - 4, at);
      pen.lineTo(this.right, at);
      pen.textAlign = "right";
      pen.fillText(String(y).replace("-", "−"), this.left - 7 * by, at);
    }
    pen.stroke();
  }

  // What follows is cut at the edges of the axes.
  inside(draw) {
    const { pen } = this;
    pen.save();
    pen.beginPath();
    pen.rect(this.left, this.top - 1, this.right - this.left, this.bottom - this.top + 2);
    pen.clip();
    draw(pen);
    pen.restore();
  }

  trace(xs, ys) {
    const { pen } = this;
    for (let i = 0; i < xs.length; i++) i ? pen.lineTo(this.px(xs[i]), this.py(ys[i])) : pen.moveTo(this.px(xs[i]), this.py(ys[i]));
  }

  curve(xs, ys, colour, width = 2, dash = []) {
    this.inside((pen) => {
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      pen.lineJoin = "round";
      pen.setLineDash(dash);
      pen.beginPath();
      this.trace(xs, ys);
      pen.stroke();
    });
  }

  // The area between two curves.
  band(xs, low, high, colour, opacity = 0.2) {
    this.inside((pen) => {
      pen.fillStyle = colour;
      pen.globalAlpha = opacity;
      pen.beginPath();
      this.trace(xs, high);
      for (let i = xs.length - 1; i >= 0; i--) pen.lineTo(this.px(xs[i]), this.py(low[i]));
      pen.closePath();
      pen.fill();
    });
  }

  // A matrix [n n] over the whole of the axes, its first row at the bottom; colours of values from −1 to 1, or from 0 to 1.
  image(values, n, signed) {
    this.tile ??= document.createElement("canvas");
    if (this.tile.width !== n) this.tile.width = this.tile.height = n;
    const pen = this.tile.getContext("2d"), pixels = pen.createImageData(n, n), { blue, vermillion, back } = this.colours;
    const [high, low, zero] = [parts(blue), parts(vermillion), signed ? ZERO : parts(/^#\w{6}/.test(back) ? back : "#ffffff")];
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        const value = Math.min(1, Math.max(-1, values[i * n + j])), end = value < 0 ? low : high, at = 4 * ((n - 1 - i) * n + j);
        for (let c = 0; c < 3; c++) pixels.data[at + c] = zero[c] + Math.abs(value) * (end[c] - zero[c]);
        pixels.data[at + 3] = 255;
      }
    }
    pen.putImageData(pixels, 0, 0);
    this.pen.imageSmoothingEnabled = false;
    this.pen.drawImage(this.tile, this.left, this.top, this.right - this.left, this.bottom - this.top);
  }
}
