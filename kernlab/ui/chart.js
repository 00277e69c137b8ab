// One Plotly picture that stays mounted: Streamlit calls the default function at every change of the
// data or of the theme, and the same node is updated with Plotly.react, so a zoom survives.

const charts = new WeakMap();
let plotly;

const STYLE = `
.kl-chart { position: relative; width: 100%; color: var(--st-text-color); font-family: var(--st-font); }
.kl-chart .js-plotly-plot { width: 100%; height: 100%; }
.kl-chart .kl-wait { position: absolute; inset: 0; display: grid; place-items: center; opacity: .6; }
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
.kl-chart :focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: -2px; }`;

const CAMERA = `<svg width="18" height="18" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8"
  stroke-linejoin="round" aria-hidden="true"><path d="M3 8h4l2-3h6l2 3h4v11H3z"/><circle cx="12" cy="13" r="3.6"/></svg>`;

function load(address) {
  plotly ??= new Promise((resolve, reject) => {
    if (window.Plotly) return resolve(window.Plotly);
    let script = document.getElementById("plotly-js"); // the page's frame may have begun to load it
    if (!script) {
      script = Object.assign(document.createElement("script"), { id: "plotly-js", src: address });
      document.head.append(script);
    }
    script.addEventListener("load", () => resolve(window.Plotly));
    script.addEventListener("error", () => reject(new Error("plotly.js could not be loaded")));
  });
  return plotly;
}

// ---- theme: Streamlit's colours laid over the figure's own template ---------------------------------

function theme(node) {
  const style = getComputedStyle(node);
  const css = (name) => style.getPropertyValue(`--st-${name}`).trim();
  const colors = (name) => css(name).match(/#[0-9a-f]{3,8}|rgba?\([^)]*\)/gi) ?? [];
  const scale = (name) => colors(name).map((color, i, all) => [i / Math.max(1, all.length - 1), color]);
  const [text, back, line] = [css("text-color"), css("background-color"), css("border-color")];
  const axis = { gridcolor: line, linecolor: line, tickcolor: line, automargin: true };
  const solid = { ...axis, backgroundcolor: back, showbackground: true };
  return {
    back,
    layout: {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: css("font") || "sans-serif", color: text },
      colorway: colors("chart-categorical-colors"),
      colorscale: { sequential: scale("chart-sequential-colors"), diverging: scale("chart-diverging-colors") },
      xaxis: axis, yaxis: axis, scene: { xaxis: solid, yaxis: solid, zaxis: solid },
      hoverlabel: { bgcolor: back, bordercolor: line, font: { color: text } },
    },
  };
}

// The figures' colours are made for paper and screen alike; on a dark screen their deep ones need more light.
const LIFTED = {
  "0072B2": "4AA3E3", D55E00: "F5803A", "009E73": "27C296", "767676": "A9A9A9", CC79A7: "DD93BC",
  "332288": "9A8CF0", "882255": "D9689F",
};
const parts = (hex) => [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16)).join(",");
const dark = (color) => /^#/.test(color) && parts(color.slice(1)).split(",").reduce((a, b) => a + Number(b), 0) < 384;

function lifted(json) {
  for (const [deep, light] of Object.entries(LIFTED)) {
    json = json.replaceAll(`"#${deep}"`, `"#${light}"`).replaceAll(`rgba(${parts(deep)},`, `rgba(${parts(light)},`);
  }
  return json;
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

const ARRAYS = {
  i1: Int8Array, u1: Uint8Array, i2: Int16Array, u2: Uint16Array, i4: Int32Array, u4: Uint32Array,
  f4: Float32Array, f8: Float64Array, u1c: Uint8ClampedArray,
};

// Rows of a plain list, a nested list or Plotly's base64 array.
function rows(value) {
  if (!value || !value.bdata) return value;
  const bytes = Uint8Array.from(atob(value.bdata), (letter) => letter.charCodeAt(0));
  const flat = new ARRAYS[value.dtype](bytes.buffer);
  const shape = String(value.shape ?? "").split(",").map(Number);
  if (shape.length < 2) return value.dtype === "f4" ? Array.from(flat, (v) => +v.toPrecision(7)) : flat;
  return Array.from({ length: shape[0] }, (_, i) => flat.subarray(i * shape[1], (i + 1) * shape[1]));
}

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

// ---- one mounted chart ---------------------------------------------------------------------------

class Chart {
  constructor(parent, address) {
    this.parent = parent;
    this.address = address;
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
    this.box.append(this.plot, this.wait, this.menu);
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
    this.menu.addEventListener("keydown", this.close);
    // A chart in a closed tab has no size: it is drawn when it gets one.
    this.sizes = new ResizeObserver(() => this.draw());
    this.sizes.observe(this.box);
  }

  update(data, send) {
    this.data = data;
    this.send = send;
    this.box.style.height = `${data.height}px`;
    this.plot.style.height = `${data.height}px`;
    this.plot.setAttribute("aria-label", data.alt);
    return this.draw();
  }

  // Drawing asks for one more turn if something changed meanwhile; it never queues up.
  async draw() {
    if (this.busy) { this.again = true; return; }
    this.busy = true;
    try {
      const Plotly = await load(this.address);
      do {
        this.again = false;
        await this.react(Plotly);
      } while (this.again && !this.gone);
    } finally {
      this.busy = false;
    }
  }

  async react(Plotly) {
    const width = this.box.clientWidth;
    if (this.gone || !width) return;
    const look = theme(this.parent);
    const key = [this.data.figure, width, this.data.height, JSON.stringify(look)];
    if (this.drawn && key.every((part, i) => part === this.drawn[i])) return;
    const first = !this.drawn;
    this.drawn = key;
    const figure = (this.figure = JSON.parse(dark(look.back) ? lifted(this.data.figure) : this.data.figure));
    const touch = matchMedia("(pointer: coarse)").matches;
    const layout = {
      uirevision: "same", // a zoom survives the next figure
      ...figure.layout,
      ...(touch && !figure.layout.scene && { dragmode: false }), // a finger scrolls the page
      template: { layout: over(figure.layout.template?.layout, look.layout) },
      width, height: this.data.height, autosize: false,
    };
    if (width < 480) layout.font = { size: 12, ...layout.font };
    const config = { displayModeBar: false, displaylogo: false, responsive: false, doubleClick: "reset+autosize" };
    await Plotly.react(this.plot, figure.data, layout, config);
    if (first) { this.wait.remove(); this.listen(Plotly); }
    this.box.dataset.drawn = Number(this.box.dataset.drawn ?? 0) + 1;
  }

  listen() {
    const points = (event) => (event?.points ?? []).slice(0, 1000).map((p) => (
      { curve: p.curveNumber, index: p.pointIndex ?? p.pointNumber, x: p.x, y: p.y, z: p.z, customdata: p.customdata }));
    const on = (name, plotlyName, value) => {
      if (this.data.events.includes(name)) this.plot.on(plotlyName, (event) => this.send(name, value(event)));
    };
    on("click", "plotly_click", (event) => points(event)[0] ?? null);
    on("select", "plotly_selected", points);
    on("select", "plotly_deselect", () => []);
  }

  async image(format) {
    const Plotly = await plotly;
    const look = theme(this.parent);
    const layout = { ...this.plot.layout, paper_bgcolor: look.back };
    const size = { width: this.box.clientWidth, height: this.data.height, scale: format === "png" ? 2 : 1 };
    const picture = { data: this.plot.data, layout, config: this.plot._context };
    await Plotly.downloadImage(picture, { format, filename: this.data.name, ...size });
  }

  async reset() {
    const Plotly = await plotly;
    const layout = { ...this.plot.layout, ...this.figure.layout, template: this.plot.layout.template };
    layout.uirevision = performance.now(); // forget what the person zoomed
    await Plotly.react(this.plot, this.figure.data, layout);
    this.drawn = null;
    this.draw();
  }

  destroy() {
    this.gone = true;
    this.sizes.disconnect();
    document.removeEventListener("pointerdown", this.close);
    window.Plotly?.purge(this.plot);
    charts.delete(this.parent);
  }
}

export default function ({ data, parentElement, setStateValue }, address) {
  let chart = charts.get(parentElement);
  if (!chart) charts.set(parentElement, (chart = new Chart(parentElement, address)));
  chart.update(data, setStateValue);
  // Streamlit also calls this for an update that a newer one overtook: only a node that left is done with.
  return () => setTimeout(() => parentElement.isConnected || chart.destroy());
}
