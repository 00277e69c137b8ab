// A sketch of a picture on a canvas, for the second in which Plotly's code is not there yet: heading, heat map, lines and
// points in about their place. It knows traces and arrays, as all that plays films, and leaves out what it cannot draw.

import { rows, unpacked } from "./figure.mjs";

const LEFT = 62, RIGHT = 14, BOTTOM = 84, BAR = 78; // margins in CSS pixels; the last is that of a colour bar

// The height of a colour bar that lies above the plot, with its numbers and its name, in CSS pixels.
export const LYING = 70;

const barred = ({ data }) => data.some(({ type, showscale }) => type === "heatmap" && showscale !== false);
const square = ({ layout }) => Boolean(layout.yaxis?.scaleanchor || layout.xaxis?.scaleanchor);

// Whether the colour bar lies above the plot: beside one that is as wide as high it would take width where height is left.
export function lies(figure, width, height) {
  return width < height && square(figure) && barred(figure);
}

// The rectangle of the axes and the functions from numbers to pixels; null where an axis has no range.
export function axes(figure, width, height) {
  const { layout } = figure, { xaxis = {}, yaxis = {} } = layout;
  if (![xaxis, yaxis].every((axis) => axis.range?.every(Number.isFinite))) return null;
  const above = lies(figure, width, height), beside = barred(figure) && !above;
  const top = (layout.margin?.t ?? 40) + (above ? LYING : 0);
  const box = { left: LEFT, top, right: width - (beside ? BAR : RIGHT), bottom: height - BOTTOM };
  const span = (axis) => Math.abs(axis.range[1] - axis.range[0]);
  if (square(figure)) {
    const scale = Math.min((box.right - box.left) / span(xaxis), (box.bottom - box.top) / span(yaxis));
    const [dx, dy] = [(box.right - box.left - scale * span(xaxis)) / 2, (box.bottom - box.top - scale * span(yaxis)) / 2];
    Object.assign(box, { left: box.left + dx, right: box.right - dx, top: box.top + (above ? 0 : dy), bottom: box.bottom - (above ? 2 * dy : dy) });
  }
  const along = (axis, from, to) => {
    const [low, high] = axis.range;
    return (number) => from + (to - from) * ((axis.type === "log" ? Math.log10(number) : number) - low) / (high - low);
  };
  return { box, x: along(xaxis, box.left, box.right), y: along(yaxis, box.bottom, box.top) };
}

// Draw a figure; false where there is nothing in it that can be drawn.
export function sketch(canvas, figure, { width, height, color, line, font }) {
  const place = axes(figure, width, height);
  const drawn = figure.data.filter(({ type, visible }) => (type === "heatmap" || type === "scatter") && visible !== false);
  if (!place || !drawn.length) return false;
  const ratio = globalThis.devicePixelRatio ?? 1;
  Object.assign(canvas, { width: width * ratio, height: height * ratio });
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const { left, right, top, bottom } = place.box;
  pen.strokeStyle = line;
  pen.strokeRect(left + 0.5, top, 0, bottom - top);
  pen.strokeRect(left, bottom - 0.5, right - left, 0);
  pen.save();
  pen.beginPath();
  pen.rect(left, top, right - left, bottom - top);
  pen.clip();
  for (const trace of drawn) (trace.type === "heatmap" ? cells : curve)(pen, trace, place, color);
  pen.restore();
  pen.fillStyle = color;
  const { text, subtitle } = figure.layout.title ?? {};
  for (const [words, size, y] of [[text, 17, 23], [subtitle?.text, 14, 43]]) {
    pen.font = `${size}px ${font}`;
    if (words) pen.fillText(words.replace(/<[^>]*>/g, ""), 8, y);
  }
  return true;
}

function cells(pen, { x, y, z, zmin, zmax, colorscale, zsmooth }, place) {
  const grid = rows(z);
  const [across, up] = [rows(x), rows(y)];
  if (!across || !up || !Array.isArray(colorscale)) return;
  const all = grid.flatMap((row) => Array.from(row)).filter(Number.isFinite);
  const low = zmin ?? Math.min(...all), high = zmax ?? Math.max(...all);
  const table = shades(colorscale);
  const ends = (numbers, to) => {
    const half = (numbers.at(-1) - numbers[0]) / (numbers.length - 1 || 1) / 2;
    return [to(numbers[0] - half), to(numbers.at(-1) + half)];
  };
  const [[x0, x1], [y0, y1]] = [ends(across, place.x), ends(up, place.y)];
  const row = (i) => (y0 > y1 ? up.length - 1 - i : i); // an image begins at its top
  const image = new ImageData(across.length, up.length);
  grid.forEach((values, i) => Array.from(values).forEach((value, j) => {
    if (!Number.isFinite(value)) return;
    const shade = 4 * Math.round(255 * Math.min(1, Math.max(0, (value - low) / (high - low || 1))));
    image.data.set(table.subarray(shade, shade + 4), 4 * (row(i) * across.length + j));
  }));
  const small = Object.assign(document.createElement("canvas"), { width: across.length, height: up.length });
  small.getContext("2d").putImageData(image, 0, 0);
  pen.imageSmoothingEnabled = Boolean(zsmooth);
  pen.drawImage(small, Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0));
}

// 256 colours of a scale, four bytes each.
function shades(scale) {
  const pen = Object.assign(document.createElement("canvas"), { width: 256, height: 1 }).getContext("2d");
  pen.fillStyle = pen.createLinearGradient(0, 0, 256, 0);
  for (const [at, color] of scale) pen.fillStyle.addColorStop(at, color);
  pen.fillRect(0, 0, 256, 1);
  return pen.getImageData(0, 0, 256, 1).data;
}

// Plotly's broken lines: strokes and gaps, in widths of the line or three pixels.
const DASHES = { dot: [1, 1], dash: [3, 3], longdash: [5, 5], dashdot: [3, 1, 1, 1], longdashdot: [5, 2, 1, 2] };

export function curve(pen, { x, y, mode = "lines", line = {}, marker = {}, opacity = 1, fill, fillcolor }, place, color) {
  const [across, up] = [unpacked(x), unpacked(y)];
  if (!across || !up) return;
  const one = (value, other) => (typeof value === "string" ? value : other);
  pen.globalAlpha = opacity;
  if (mode.includes("lines") && fill === "tozeroy" && fillcolor) area(pen, across, up, place, fillcolor);
  pen.beginPath();
  if (mode.includes("lines")) {
    pen.strokeStyle = one(line.color, color);
    pen.lineWidth = line.width ?? 2;
    pen.setLineDash((DASHES[line.dash] ?? []).map((length) => length * Math.max(pen.lineWidth, 3)));
    let apart = true; // where a number is missing, the curve begins anew
    across.forEach((number, i) => {
      const [left, top] = [place.x(number), place.y(up[i])];
      const missing = up[i] === null || !Number.isFinite(left) || !Number.isFinite(top);
      if (!missing) pen[apart ? "moveTo" : "lineTo"](left, top);
      apart = missing;
    });
    if (across.length === 1) pen.arc(place.x(across[0]), place.y(up[0]), 1, 0, 7); // a curve that begins is a dot
    pen.stroke();
  } else if (mode.includes("markers")) {
    const open = String(marker.symbol).endsWith("-open"); // a ring, as round what is selected
    pen.fillStyle = pen.strokeStyle = one(marker.color, color);
    pen.lineWidth = marker.line?.width ?? 1.5;
    const radius = (Number.isFinite(marker.size) ? marker.size : 6) / 2;
    across.forEach((number, i) => {
      pen.moveTo(place.x(number) + radius, place.y(up[i]));
      pen.arc(place.x(number), place.y(up[i]), radius, 0, 7);
    });
    if (open) pen.stroke();
    else pen.fill();
  }
  pen.globalAlpha = 1;
}

// The area between a curve and zero.
function area(pen, across, up, place, color) {
  const zero = place.y(0);
  pen.fillStyle = color;
  pen.beginPath();
  pen.moveTo(place.x(across[0]), zero);
  across.forEach((number, i) => pen.lineTo(place.x(number), place.y(up[i])));
  pen.lineTo(place.x(across.at(-1)), zero);
  pen.fill();
}
