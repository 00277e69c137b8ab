// A Plotly figure from a layout that is fixed over the run and the frame of one moment (kernlab/pictures/film.py).

import { beyond, ranged } from "./ranges.mjs";

export function figure(fixed, shot) {
  const { axes = {}, limits = {} } = shot.start ?? {};
  const wide = (name) => beyond(ranged(fixed.layout, name)?.range, ranged(axes, name).range);
  const own = Object.fromEntries(Object.entries(axes).filter(([name]) => wide(name)));
  const data = Object.entries(shot.traces).map(([key, shown]) => {
    const trace = {}, colors = beyond(fixed.traces[key], limits[key]) && limits[key];
    for (const [path, value] of Object.entries({ type: key.split(":")[0], ...fixed.traces[key], ...colors, ...shown })) {
      const parents = path.split(".");
      const name = parents.pop();
      let inner = trace;
      for (const each of parents) inner = inner[each] ??= {};
      inner[name] = unpacked(value);
    }
    return trace;
  });
  return { data, layout: { ...fixed.layout, ...own, ...shot.layout } };
}

// The same figure with a line at an epoch, for pictures whose axis is time.
export function marked({ data, layout }, epoch, color) {
  const line = { type: "line", xref: "x", yref: "paper", x0: epoch, x1: epoch, y0: 0, y1: 1, line: { color, dash: "dot", width: 2 } };
  return { data, layout: { ...layout, shapes: [...(layout.shapes ?? []), line] } };
}

const ARRAYS = {
  i1: Int8Array, u1: Uint8Array, i2: Int16Array, u2: Uint16Array, i4: Int32Array, u4: Uint32Array,
  f4: Float32Array, f8: Float64Array, u1c: Uint8ClampedArray,
};

const read = new WeakMap(); // arrays in Plotly's base64 -> what is in them

// What is in an array in Plotly's base64: the same object each time, by which Plotly sees that nothing has changed.
export function unpacked(value) {
  if (!value?.bdata) return value;
  if (!read.has(value)) {
    const letters = atob(value.bdata), bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i); // Uint8Array.from takes twenty times as long
    read.set(value, split(new ARRAYS[value.dtype](bytes.buffer), String(value.shape ?? "").split(",").map(Number)));
  }
  return read.get(value);
}

function split(flat, [length, ...inner]) {
  if (!inner.length) return flat;
  const size = flat.length / length;
  return Array.from({ length }, (_, i) => split(flat.subarray(i * size, (i + 1) * size), inner));
}

// Rows of a plain list, a nested list, an array or Plotly's base64 array.
export function rows(value) {
  const found = unpacked(value);
  return found instanceof Float32Array ? Array.from(found, (v) => +v.toPrecision(7)) : found;
}
