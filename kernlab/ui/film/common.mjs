// Pictures of several runs on one set of axes: side by side with common ranges, or their curves in one picture.

import { rows } from "./figure.mjs";
import { limits, union } from "./ranges.mjs";

const AXIS = /^[xy]axis\d*$/;

// A Plotly layout with the ranges of the axes that the others have too.
export function shared(layout, others) {
  const all = [layout, ...others];
  const found = { ...layout };
  for (const name of Object.keys(layout).filter((key) => AXIS.test(key))) {
    const range = union(all.map((each) => each[name]?.range));
    if (range) found[name] = { ...layout[name], range };
  }
  const heights = union(all.map((each) => each.scene?.zaxis?.range));
  if (heights) found.scene = { ...layout.scene, zaxis: { ...layout.scene.zaxis, range: heights } };
  return found;
}

// The layout of one run's picture with the axes and colours of all of them; fixed: as of kernlab/pictures/film.py.
export function common(fixed, others) {
  if (!others.length) return fixed;
  const traces = Object.fromEntries(Object.entries(fixed.traces).map(([key, look]) =>
    [key, { ...look, ...limits(look, others.map((each) => each.traces[key])) }]));
  return { ...fixed, traces, layout: shared(fixed.layout, others.map((each) => each.layout)) };
}

const DASHES = ["solid", "dash", "dot", "dashdot"];
const CALLED = ["unbroken", "dashed", "dotted", "dash-dotted"];

// Curves of several runs in one figure: coloured by run, dashed by what they are.
// parts: of each run { figure, name, color, scale }; scale: what its epochs are multiplied by.
// wanted: names of the curves that are shown, the first unbroken. x: name of the axis, where it is not the figures' own.
export function overlaid(parts, wanted, x = "") {
  const there = wanted.filter((each) => parts.some(({ figure }) => figure.data.some((trace) => trace.name === each)));
  const data = parts.flatMap(({ figure, name, color, scale = 1 }, place) => figure.data.flatMap((trace) => {
    const own = trace.name.replace(" (raw)", "");
    const look = there.indexOf(own);
    if (look < 0) return [];
    const raw = own !== trace.name;
    return [{
      ...trace, name, legendgroup: name, showlegend: look === 0 && !raw, legendrank: place + 1,
      line: { ...trace.line, color, dash: DASHES[look], width: raw ? 1 : 2.5 - 0.5 * look }, marker: { ...trace.marker, color },
      opacity: raw ? 0.3 : 1,
      ...(trace.hovertemplate && { hovertemplate: `${name}, ${trace.hovertemplate}` }),
      ...(scale !== 1 && { x: Array.from(rows(trace.x), (each) => each * scale) }),
    }];
  }));
  const layouts = parts.map(({ figure, scale = 1 }) => {
    const { shapes, annotations, ...layout } = figure.layout; // what one run marks
    if (scale === 1 || !layout.xaxis?.range) return layout;
    return { ...layout, xaxis: { ...layout.xaxis, range: layout.xaxis.range.map((each) => each * scale) } };
  });
  const layout = shared(layouts[0], layouts.slice(1));
  const words = there.length > 1 ? there.map((each, look) => `${CALLED[look]}: ${each}`).join(", ") : "";
  const title = { ...layout.title, ...(there.length === 1 && { text: capital(there[0]) }) };
  delete title.subtitle;
  if (words) title.subtitle = { text: words, font: { size: 14 } };
  return {
    data,
    layout: {
      ...layout, title, showlegend: true,
      margin: { ...layout.margin, t: words ? 66 : 44 },
      ...(x && layout.xaxis && { xaxis: { ...layout.xaxis, title: { ...layout.xaxis.title, text: x } } }),
    },
  };
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);
