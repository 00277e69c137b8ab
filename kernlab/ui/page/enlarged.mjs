// A figure whose letters can be read from the last row: type, margins, lines and points grow, arrays stay what they are.

const LENGTHS = new Set(["standoff", "thickness", "itemwidth", "xshift", "yshift", "ax", "ay", "ticklen"]);
const AROUND = new Set(["margin", "pad"]);

// Between decades Plotly writes smaller numbers: whole decades are enough, and where there is none all letters grow.
export function decades(layout, least) {
  const out = { ...layout };
  for (const [name, axis] of Object.entries(layout)) {
    if (!/^[xy]axis\d*$/.test(name) || axis.type !== "log" || axis.dtick) continue;
    const span = axis.range ? Math.abs(axis.range[1] - axis.range[0]) : 0;
    out[name] = span >= 1.5 ? { ...axis, dtick: Math.ceil(span / 3) } : { ...axis, tickfont: { ...axis.tickfont, size: Math.ceil(least / 0.75) } };
  }
  return out;
}

// by: how many times as large; least: pixels of the smallest letters.
export function enlarged(value, by, least, name = "") {
  if (Array.isArray(value)) {
    return value.some((each) => each && typeof each === "object" && !Array.isArray(each) && !ArrayBuffer.isView(each))
      ? value.map((each) => enlarged(each, by, least)) : value;
  }
  if (!value || typeof value !== "object" || ArrayBuffer.isView(value)) return value;
  const out = {};
  for (const [key, each] of Object.entries(value)) {
    if (typeof each !== "number") out[key] = key === "meta" || key === "customdata" ? each : enlarged(each, by, least, key);
    else if (key === "size" && /font$/i.test(name)) out[key] = Math.max(least, by * each);
    else if (LENGTHS.has(key) || AROUND.has(name) || (key === "width" && name === "line") || (key === "size" && name === "marker")) out[key] = by * each;
    else out[key] = each;
  }
  return out;
}
