// Curves and points of a run that goes on, painted over the axes that Plotly drew: they change several times a second, and
// Plotly takes 20 to 30 ms for each picture, in which a training on the same cores waits. Where points reach beyond the axes,
// Plotly draws these alone, in a third of that time; all but points, and numbers in the line below the title, is Plotly's.

import { alike } from "./ranges.mjs";
import { curve } from "./sketch.mjs";

const ROOM = 0.3; // of the length of an axis of time is left free at most for what comes, so that it seldom changes

// A figure whose axis of time has room for what comes. It depends on nothing but the axis, so that the pictures of runs
// side by side have the same. end: of the whole run, where the axis reaches no further.
export function roomy({ data, layout }, end = Infinity) {
  const [low, high] = layout.xaxis?.range ?? [], step = Math.log(1 + ROOM);
  if (!layout.meta?.time || !(high > low)) return { data, layout };
  const length = Math.exp(step * Math.ceil(Math.log(high - low) / step - 1e-9));
  const most = layout.xaxis.type === "log" ? Math.log10(end) : end;
  return { data, layout: { ...layout, xaxis: { ...layout.xaxis, range: [low, Math.max(high, Math.min(low + length, most))] } } };
}

// What has to change in a plot before a figure can be painted over it, as Plotly takes it: nothing, or the ends of its axes,
// which take a third of the time of a whole drawing. Null where the figure differs from the one that was drawn in more than
// these, the points of its traces, and numbers in the line below its title.
// drawn: that figure, and what `rest` says of its layout.
export function changes(figure, drawn, plot) {
  if (figure.data.length !== drawn.data.length || rest(figure.layout) !== drawn.rest) return null;
  if (!figure.data.every((trace, i) => ["name", "mode"].every((key) => trace[key] === drawn.data[i][key]) && plain(trace) && plain(drawn.data[i])
    && (trace.mode === "lines" || !trace.x?.length || mark(plot, i)))) return null;
  if (below(figure.layout) !== below(drawn.layout) && numbers(line(plot)?.textContent).length !== numbers(below(figure.layout)).length) return null;
  const axes = ["x", "y"].map((letter) => ({
    letter, axis: plot._fullLayout[`${letter}axis`], now: figure.layout[`${letter}axis`]?.range, then: drawn.layout[`${letter}axis`]?.range,
  }));
  if (!axes.every(({ axis }) => axis?.range && ["linear", "log"].includes(axis.type))) return null;
  const other = axes.filter(({ now, then }) => !alike(now, then)), seen = figure.data.filter((_, i) => plot._fullData[i].visible === true);
  if (other.every(({ letter, axis }) => seen.every((trace) => within(trace[letter], axis)))) return {};
  if (!other.every(({ axis, now, then }) => now && alike(then, axis.range))) return null; // Plotly finds its ends, or somebody has zoomed
  return Object.fromEntries(other.map(({ letter, now }) => [`${letter}axis.range`, [...now]]));
}

// All of a layout but the ends of its axes, and numbers in the line below its title.
export const rest = ({ xaxis, yaxis, title, ...layout }) => JSON.stringify([
  layout, { ...xaxis, range: 0 }, { ...yaxis, range: 0 },
  title?.subtitle ? { ...title, subtitle: { ...title.subtitle, text: title.subtitle.text?.replace(/\d+/g, "0") } } : title,
]);

const below = ({ title }) => title?.subtitle?.text;

const numbers = (text) => text?.match(/\d+/g) ?? [];

const line = (plot) => plot.querySelector(".gtitle-subtitle");

const plain = ({ type, mode, fill, stackgroup, line, marker, xaxis = "x", yaxis = "y" }) => type === "scatter" && xaxis === "x" && yaxis === "y"
  && (mode === "lines" ? [undefined, "none", "tozeroy"].includes(fill) && !stackgroup && !line?.shape : mode === "markers" && same(marker));

// Whether all markers of a trace look alike: nothing is stated for each.
const same = ({ line, ...marker } = {}) => [marker, line ?? {}].every((look) => Object.values(look).every((value) => typeof value !== "object"));

// A marker of a trace that Plotly drew; null where it drew none.
const mark = (plot, i) => plot.querySelector(`.scatterlayer .trace${plot._fullData[i].uid} .points path`);

function within(numbers, { type, range }) {
  const [low, high] = [Math.min(...range), Math.max(...range)];
  for (const each of numbers) {
    const number = type === "log" ? Math.log10(each) : each;
    if (Number.isFinite(number) && (number < low || number > high)) return false;
  }
  return true;
}

// Paint the traces of a figure at the place of those that Plotly drew, below its legend and annotations, and write what is
// below its title.
export function paint(canvas, { data, layout }, plot) {
  const { xaxis, yaxis } = plot._fullLayout, ratio = globalThis.devicePixelRatio ?? 1;
  const [width, height] = [xaxis._length, yaxis._length];
  const layer = plot.querySelector(".gl-container"); // between what Plotly has below and above the traces
  if (canvas.parentNode !== layer) layer.append(canvas);
  const pen = canvas.getContext("2d"), size = [width * ratio, height * ratio].map(Math.floor);
  if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
  Object.assign(canvas.style, { left: `${xaxis._offset}px`, top: `${yaxis._offset}px`, width: `${width}px`, height: `${height}px` });
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  const place = { x: (number) => xaxis.d2p(number), y: (number) => yaxis.d2p(number) };
  data.forEach(({ x, y }, i) => {
    const { visible, mode, line, opacity, fill, fillcolor } = plot._fullData[i];
    if (visible !== true) return;
    if (mode === "lines") curve(pen, { x, y, mode, line, opacity, fill, fillcolor }, place, line.color);
    else if (x?.length) markers(pen, x, y, place, mark(plot, i), opacity);
  });
  const written = line(plot), found = numbers(below(layout));
  if (numbers(written?.textContent).length === found.length) write(written, found);
}

// Other numbers at the place of those in the text of a node; broken lines divide it into several pieces.
function write(node, found) {
  for (const piece of node?.childNodes ?? []) {
    if (piece.childNodes.length) { write(piece, found); continue; }
    const text = piece.textContent.replace(/\d+/g, () => found.shift());
    if (text !== piece.textContent) piece.textContent = text;
  }
}

// The shape and colours of one that Plotly drew, at every point.
function markers(pen, x, y, place, drawn, opacity) {
  const { style } = drawn, shape = new Path2D(drawn.getAttribute("d"));
  const width = parseFloat(style.strokeWidth) || 0, filled = style.fill !== "none";
  const share = (...names) => names.reduce((product, name) => product * (style[name] === "" ? 1 : Number(style[name])), opacity);
  const [inside, outline] = [share("opacity", "fillOpacity"), share("opacity", "strokeOpacity")];
  pen.fillStyle = style.fill;
  pen.strokeStyle = style.stroke;
  pen.lineWidth = width;
  pen.setLineDash([]);
  for (let i = 0; i < x.length; i++) {
    const [left, top] = [place.x(x[i]), place.y(y[i])];
    if (!Number.isFinite(left) || !Number.isFinite(top)) continue;
    pen.translate(left, top);
    if (filled) { pen.globalAlpha = inside; pen.fill(shape); }
    if (width) { pen.globalAlpha = outline; pen.stroke(shape); }
    pen.translate(-left, -top);
  }
  pen.globalAlpha = 1;
}
