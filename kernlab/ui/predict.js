// The prediction of a lesson: one of a few choices, a number on a slider, or a curve drawn by mouse, finger or keys.
// In a room the prediction goes to the server's route first, so that none is lost however many predict at once.

import { AxisNames } from "./axis_names.mjs";
import { Drawing, written } from "./curve.mjs";
import { lettered, make } from "./nodes.mjs";

const STYLE = `
.kl-predict { color: var(--st-text-color); font: 1rem var(--st-font); }
.kl-predict fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
.kl-predict legend { font-weight: 600; padding: 0 0 .4rem; }
.kl-predict label.kl-choice { display: flex; gap: .6rem; align-items: center; padding: .45rem .7rem; margin-bottom: .4rem; min-height: 2.75rem;
  border: 1px solid var(--st-border-color); border-radius: .5rem; cursor: pointer; box-sizing: border-box; }
.kl-predict label.kl-choice:has(:checked) { border-color: var(--st-primary-color); background: var(--st-secondary-background-color); }
.kl-predict input { accent-color: var(--st-primary-color); }
.kl-predict input[type="radio"] { width: 1.15rem; height: 1.15rem; flex: none; margin: 0; }
.kl-predict input[type="range"] { width: 100%; height: 2.2rem; margin: 0; display: block; touch-action: pan-y; }
.kl-predict .kl-ends { display: flex; justify-content: space-between; align-items: baseline; font-variant-numeric: tabular-nums; }
.kl-predict output { font-size: 1.35rem; font-weight: 600; }
.kl-predict button { min-height: 2.75rem; padding: 0 1.1rem; font: inherit; border-radius: .5rem; cursor: pointer;
  border: 1px solid var(--st-border-color); background: var(--st-background-color); color: inherit; touch-action: manipulation; }
.kl-predict button[type="submit"] { background: var(--st-primary-color); border-color: var(--st-primary-color); color: #fff; font-weight: 600; }
.kl-predict button:disabled { opacity: .45; cursor: default; }
.kl-predict nav { display: flex; gap: .6rem; align-items: center; flex-wrap: wrap; margin-top: .5rem; }
.kl-predict canvas { display: block; width: 100%; height: 17rem; box-sizing: border-box; border: 1px solid var(--st-border-color);
  border-radius: .5rem; cursor: crosshair; touch-action: none; }
.kl-predict small { display: block; font-size: .875rem; opacity: .85; margin-top: .25rem; }
.kl-predict p { margin: .25rem 0 0; font-variant-numeric: tabular-nums; }
.kl-predict :focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; }
.kl-predict [hidden] { display: none; }`;

const SERIES = 1000; // places of a slider

// A number with three digits, and spaces between thousands.
const words = (value) => {
  const rounded = Number(value.toPrecision(3));
  const text = Math.abs(rounded) >= 1000 ? rounded.toLocaleString("en").replaceAll(",", "\u202f") : String(rounded);
  return text.replace("-", "−");
};

// A random text of this tab, so that a second prediction replaces the first. It says nothing of anybody.
function who() {
  try {
    if (!sessionStorage.kernlabRoom) {
      sessionStorage.kernlabRoom = [...crypto.getRandomValues(new Uint8Array(12))].map((each) => each.toString(16).padStart(2, "0")).join("");
    }
    return sessionStorage.kernlabRoom;
  } catch {
    return [...crypto.getRandomValues(new Uint8Array(12))].map((each) => each.toString(16).padStart(2, "0")).join("");
  }
}

class Form {
  constructor(parent, home) {
    if (!document.getElementById("kl-predict-style")) document.head.append(make("style", { id: "kl-predict-style", textContent: STYLE }));
    this.parent = parent;
    this.home = home;
    this.legend = make("legend");
    this.legend.dataset.presentWords = "";
    this.place = make("div");
    this.send = make("button", { type: "submit", textContent: "Predict" });
    this.extra = make("span");
    this.alert = make("p");
    this.alert.setAttribute("role", "alert");
    this.root = make("form", { className: "kl-predict", onsubmit: (event) => { event.preventDefault(); this.submit(); } },
      make("fieldset", {}, this.legend, this.place), make("nav", {}, this.send, this.extra), this.alert);
    parent.append(this.root);
  }

  update(data, trigger) {
    this.data = data;
    this.trigger = trigger;
    if (data.begun === this.begun) { this.paint?.(); return; }
    this.begun = data.begun;
    this.legend.textContent = data.ask;
    this.extra.replaceChildren();
    this.alert.textContent = "";
    this.paint = null;
    this.sizes?.disconnect();
    this[data.kind]();
  }

  choice() {
    this.send.disabled = true;
    this.place.replaceChildren(...this.data.choices.map(([key, text]) => {
      const input = make("input", { type: "radio", name: "kl-choice", value: key, onchange: () => { this.send.disabled = false; this.guess = key; } });
      return make("label", { className: "kl-choice" }, input, make("span", { textContent: text }));
    }));
  }

  number() {
    const { low, high, scale, whole, unit } = this.data;
    const log = scale === "log";
    const value = (share) => {
      const found = log ? low * (high / low) ** share : low + (high - low) * share;
      const digits = whole && found < 100 ? Math.round(found) : Number(found.toPrecision(log ? 2 : 3));
      return Math.min(high, Math.max(low, whole ? Math.round(digits) : digits));
    };
    const steps = whole && !log && high - low <= SERIES ? high - low : log ? 120 : 200;
    const input = make("input", { type: "range", min: 0, max: steps, step: 1, value: Math.round(steps / 2) });
    const output = make("output");
    const choose = () => {
      this.guess = String(value(Number(input.value) / steps));
      output.textContent = `${words(Number(this.guess))}${unit ? ` ${unit}` : ""}`;
      input.setAttribute("aria-valuetext", output.textContent);
    };
    input.setAttribute("aria-label", this.data.ask);
    input.oninput = choose;
    choose();
    this.send.disabled = false;
    this.place.replaceChildren(input, make("div", { className: "kl-ends" },
      make("span", { textContent: words(low) }), output, make("span", { textContent: words(high) })));
  }

  curve() {
    const drawing = (this.drawing = new Drawing(this.data.points));
    const canvas = (this.canvas = make("canvas", { tabIndex: 0 }));
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", `Sheet to draw into: ${this.data.y_name} over ${this.data.x_name}`);
    canvas.setAttribute("aria-describedby", "kl-predict-help");
    const help = make("small", { id: "kl-predict-help", textContent: "Mouse or finger: draw. Keys, with the sheet in focus: ← → move, ↑ ↓ change the height (Shift: further)." });
    this.spoken = make("small");
    this.spoken.setAttribute("aria-live", "polite");
    const clear = make("button", { type: "button", textContent: "Clear", onclick: () => drawing.clear() });
    this.extra.replaceChildren(clear);
    this.place.replaceChildren(canvas, help, this.spoken);
    const at = (event) => {
      const box = canvas.getBoundingClientRect(), { left, top, width, height } = this.room();
      return [(event.clientX - box.left - left) / width, 1 - (event.clientY - box.top - top) / height];
    };
    let down = false;
    canvas.onpointerdown = (event) => { if (!event.button) { canvas.setPointerCapture(event.pointerId); down = true; drawing.press(...at(event)); } };
    canvas.onpointermove = (event) => {
      if (down) for (const each of event.getCoalescedEvents?.().length ? event.getCoalescedEvents() : [event]) drawing.move(...at(each));
    };
    canvas.onpointerup = canvas.onpointercancel = () => { down = false; drawing.lift(); };
    canvas.onkeydown = (event) => { if (drawing.key(event)) event.preventDefault(); };
    canvas.onfocus = canvas.onblur = () => this.paint();
    const changed = () => {
      this.send.disabled = drawing.drawn < 2;
      clear.disabled = !drawing.drawn;
      canvas.dataset.drawn = drawing.drawn;
      this.guess = drawing.drawn ? written(drawing.whole) : "";
      this.paint();
    };
    drawing.addEventListener("change", changed);
    this.paint = () => { this.waits ??= requestAnimationFrame(() => { this.waits = null; this.stroke(); }); };
    this.sizes = new ResizeObserver(() => this.paint());
    this.sizes.observe(canvas);
    lettered(canvas, () => this.paint());
    changed();
  }

  // The sheet within the canvas, in CSS pixels.
  room() {
    const { width, height } = this.canvas.getBoundingClientRect();
    return { left: 62, top: 12, width: width - 74, height: height - 56 };
  }

  stroke() {
    const { canvas, drawing, data } = this;
    const box = canvas.getBoundingClientRect();
    if (!box.width || !canvas.isConnected) return;
    const sharp = window.devicePixelRatio || 1, wide = Math.round(box.width * sharp), high = Math.round(box.height * sharp);
    if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high });
    const css = getComputedStyle(this.parent), color = (name) => css.getPropertyValue(`--st-${name}`).trim();
    const back = color("background-color"), dark = /^#/.test(back) && parseInt(back.slice(1, 3), 16) < 128;
    const pen = canvas.getContext("2d"), { left, top, width, height } = this.room();
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    pen.clearRect(0, 0, box.width, box.height);
    pen.font = `14px ${color("font") || "sans-serif"}`;
    pen.fillStyle = color("text-color");
    pen.strokeStyle = color("border-color");
    pen.lineWidth = 1;
    pen.beginPath();
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      pen.moveTo(left + share * width, top);
      pen.lineTo(left + share * width, top + height);
      pen.moveTo(left, top + share * height);
      pen.lineTo(left + width, top + share * height);
      pen.textAlign = "center";
      pen.fillText(words(data.x[0] + share * (data.x[1] - data.x[0])), left + share * width, top + height + 18);
      pen.textAlign = "right";
      pen.fillText(words(data.y[1] - share * (data.y[1] - data.y[0])), left - 6, top + share * height + 5);
    }
    pen.stroke();
    canvas.names ??= new AxisNames(canvas);
    canvas.names.put([data.x_name, left + width / 2, top + height + 33], [data.y_name, 9, top + height / 2], 14);
    pen.save();
    pen.beginPath();
    pen.rect(left, top, width, height);
    pen.clip();
    const line = (levels, dash, thick, stroke) => {
      pen.beginPath();
      levels.forEach((level, place) => pen.lineTo(left + (place / (levels.length - 1)) * width, top + (1 - level) * height));
      Object.assign(pen, { strokeStyle: stroke, lineWidth: thick });
      pen.setLineDash(dash);
      pen.stroke();
      pen.setLineDash([]);
    };
    if (data.known) {
      line(data.known, [9, 6], 3, dark ? "#4AA3E3" : "#0072B2");
    }
    const mine = dark ? "#DD93BC" : "#AA4499";
    const whole = drawing.whole;
    if (whole) line(whole, drawing.drawn < drawing.count ? [2, 5] : [], 3.5, mine);
    drawing.levels.forEach((level, place) => {
      if (level === null || drawing.levels[place + 1] === undefined) return;
      const next = drawing.levels[place + 1];
      if (next !== null) line2(pen, left, top, width, height, place, level, next, drawing.count, mine);
    });
    if (document.activeElement === canvas) {
      const level = whole?.[drawing.at] ?? 0.5;
      pen.beginPath();
      pen.arc(left + (drawing.at / (drawing.count - 1)) * width, top + (1 - level) * height, 7, 0, 7);
      Object.assign(pen, { strokeStyle: color("text-color"), lineWidth: 2 });
      pen.stroke();
      const x = data.x[0] + (drawing.at / (drawing.count - 1)) * (data.x[1] - data.x[0]);
      this.spoken.textContent = `At ${words(x)}: ${words(data.y[0] + level * (data.y[1] - data.y[0]))}`;
    } else {
      this.spoken.textContent = data.known ? `Dashed: ${data.known_name}` : "";
    }
    pen.restore();
  }

  async submit() {
    if (this.send.disabled || !this.guess) return;
    const { room, lesson } = this.data;
    const guess = this.guess;
    if (room) {
      this.send.disabled = true;
      try {
        const answer = await fetch(`${this.home}rooms/${room}/${lesson}`, {
          method: "POST", headers: { "x-kernlab": "1", "content-type": "application/json" }, body: JSON.stringify({ who: who(), guess }),
        });
        if (!answer.ok) this.alert.textContent = (await answer.json().catch(() => ({}))).error ?? "The room did not take the prediction.";
      } catch {
        this.alert.textContent = "The server cannot be reached; press Predict again.";
        this.send.disabled = false;
        return;
      }
      this.send.disabled = false;
    }
    this.trigger("guess", guess);
  }
}

function line2(pen, left, top, width, height, place, level, next, count, stroke) {
  pen.beginPath();
  pen.moveTo(left + (place / (count - 1)) * width, top + (1 - level) * height);
  pen.lineTo(left + ((place + 1) / (count - 1)) * width, top + (1 - next) * height);
  Object.assign(pen, { strokeStyle: stroke, lineWidth: 3.5 });
  pen.stroke();
}

const forms = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }, home) {
  let form = forms.get(parentElement);
  if (!form) forms.set(parentElement, (form = new Form(parentElement, home)));
  form.update(data, setTriggerValue);
  return () => setTimeout(() => parentElement.isConnected || (form.sizes?.disconnect(), forms.delete(parentElement)));
}
