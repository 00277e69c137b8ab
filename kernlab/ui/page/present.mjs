// The look for a lecture, and the way through a list of scenes. Both live in the address and in the browser alone.

import { make, say } from "./nodes.mjs";
import { joined, link, read } from "./scenelist.mjs";
import { Turns } from "./turns.mjs";

const CLASS = "kl-present";
const WHOLE = "kl-whole"; // a page without a picture shows itself
const STYLE = `
.kl-stage { position: fixed; left: 0; right: 0; bottom: 0; z-index: 999990; display: flex; align-items: center; gap: .4em 1em; flex-wrap: wrap;
  justify-content: space-between; padding: .35em .9em; font: 1rem/1.3 var(--st-font); color: var(--st-text-color);
  background: var(--st-background-color); border-top: 1px solid var(--st-border-color); }
.kl-stage[hidden] { display: none; }
.kl-stage p { margin: 0; font-size: inherit; flex: 1 1 10em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.kl-stage p.kl-trouble { white-space: normal; color: light-dark(#A3211B, #FF8B85); }
.kl-stage p[hidden] { display: none; }
.kl-stage nav { display: flex; align-items: center; gap: .5em; font-variant-numeric: tabular-nums; }
.kl-stage button { font: inherit; color: inherit; padding: .15em .6em; border-radius: .4em; border: 1px solid var(--st-border-color);
  background: none; cursor: pointer; }
.kl-stage button:hover { background: var(--st-secondary-background-color); }
.kl-stage button:disabled { opacity: .45; cursor: default; }
.kl-stage button[hidden], .kl-stage span[hidden] { display: none; }
.kl-stage :focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 1px; }
.kl-listed [data-testid=stMain] { padding-bottom: 3.2rem; }
.${CLASS} .kl-stage { font-size: 24px; padding: 6px 20px; }
.${CLASS} .kl-stage p { white-space: normal; }
@media (max-width: 640px) { .${CLASS} .kl-stage { font-size: 20px; padding: 6px 12px; } }`;

// What stands on a page for the words of the line, and for the steps of a lesson (kernlab.ui.landmarks).
const LINE = "[data-present-words], .st-key-present-words";
const steps = (way) => `[data-step=${way}], .st-key-step-${way} button`;
const FORWARD = ["ArrowRight", "PageDown"], BACK = ["ArrowLeft", "PageUp"];
// What answers the arrow keys by itself.
const ANSWERS = "input, textarea, select, [contenteditable=true], [role=slider], [role=application], [role=tab], [role=radio], [role=option], [role=grid], .kl-words *";
const PICTURE = ".kl-chart, .kl-lab, .kl-picture, .st-key-present-picture";
const SPACE = 16; // pixels between pictures
const LEAST = 380; // pixels of height of a picture,
const NARROW = 640, TALL = 540; // and on a screen of at most that many, where headings and legends take more lines


// The words of an element; a formula has its letters twice, for readers and for screens.
function spoken(node) {
  const copy = node.cloneNode(true);
  for (const each of copy.querySelectorAll("style, .katex-mathml, .kl-words")) each.remove();
  return copy.textContent.trim();
}

export class Present {
  constructor(parent, home, data) {
    this.home = home;
    this.pages = data.pages;
    this.words = make("p");
    this.trouble = make("p", { className: "kl-trouble", hidden: true });
    this.trouble.setAttribute("role", "alert");
    this.count = make("span");
    const button = (textContent, title, onclick) => make("button", { type: "button", textContent, title, onclick });
    this.back = button("‹", "Previous (left arrow)", () => this.turn(-1));
    this.forward = button("›", "Next (right arrow)", () => this.turn(1));
    for (const [each, name] of [[this.back, "Previous"], [this.forward, "Next"]]) each.setAttribute("aria-label", name);
    this.enter = button("Present", "Pictures alone, in large type", () => this.present(true));
    this.leave = button("Leave", "Back to the whole page (Escape)", () => (this.state.present ? this.present(false) : this.drop()));
    this.bar = make("div", { className: "kl-stage", hidden: true }, this.words, this.trouble,
      make("nav", { ariaLabel: "Scenes" }, this.back, this.count, this.forward, this.enter, this.leave));
    this.bar.setAttribute("role", "region");
    this.bar.setAttribute("aria-label", "Presentation");
    document.head.append(make("style", { textContent: STYLE }));
    parent.append(this.bar);
    this.turns = new Turns(() => this.open());
    this.keep();
    this.read();
    addEventListener("popstate", () => this.read());
    addEventListener("resize", () => this.measure());
    document.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("kl-drawn", () => this.soon());
    const app = document.querySelector("[data-testid=stApp]") ?? document.body;
    new MutationObserver(() => this.soon()).observe(app, { attributes: true });
    this.script = () => this.turns.script(app.dataset.testScriptState !== "notRunning");
    new MutationObserver(this.script).observe(app, { attributeFilter: ["data-test-script-state"] });
    this.script();
    new MutationObserver(() => {
      if (document.documentElement.classList.contains(WHOLE)) this.fill(); // its pictures come after its script
      this.soon();
    }).observe(app, { childList: true, subtree: true });
  }

  // The page's script runs, or has run: of a fast one the state never changes.
  stand() {
    this.soon();
    setTimeout(this.script);
  }

  // Streamlit writes an address without what is ours whenever a page's values change: ours is put back.
  keep() {
    for (const name of ["pushState", "replaceState"]) {
      const write = this[name] = history[name].bind(history);
      history[name] = (state, title, url) => write(state, title, url == null ? url : this.kept(url));
    }
  }

  kept(url) {
    const to = new URL(url, location.href);
    if (to.origin !== location.origin) return url;
    const search = joined(to.search, this.state);
    return search === joined(to.search, { present: false, scenes: [], place: 0 }) && !/[?&](present|scenes?)=/.test(to.search) ? url : to.pathname + search + to.hash;
  }

  read() {
    this.state = read(location.search, this.pages);
    this.draw();
  }

  // Put the state into the address, without a run of the page's script.
  write() {
    this.replaceState(history.state, "", location.pathname + joined(location.search, this.state) + location.hash);
    this.draw();
  }

  present(present) {
    this.state.present = present;
    if (!present && document.fullscreenElement) document.exitFullscreen();
    this.write();
  }

  // Let go of the list.
  drop() {
    Object.assign(this.state, { scenes: [], place: 0, trouble: "" });
    this.write();
  }

  draw() {
    const { present, scenes, place, trouble } = this.state;
    const changed = document.documentElement.classList.toggle(CLASS, present) !== this.shown;
    document.documentElement.classList.toggle("kl-listed", !present && scenes.length > 0);
    this.shown = present;
    this.bar.hidden = !present && !scenes.length && !trouble;
    this.trouble.hidden = !trouble;
    this.trouble.textContent = trouble;
    this.count.textContent = scenes.length ? `${place + 1} of ${scenes.length}` : "";
    this.enter.hidden = present;
    // The heading of the page is hidden then.
    for (const [name, value] of [["role", "heading"], ["aria-level", "1"]]) {
      if (present) this.words.setAttribute(name, value);
      else this.words.removeAttribute(name);
    }
    this.stepping();
    this.say();
    this.fill();
    if (changed) {
      this.measure();
      document.dispatchEvent(new Event("kl-present")); // pictures draw themselves anew
    }
  }

  stepping() {
    for (const [button, way, by] of [[this.back, "previous", -1], [this.forward, "next", 1]]) {
      const step = document.querySelector(steps(way)), { scenes, place } = this.state;
      button.hidden = !scenes.length && !step;
      button.disabled = !(step && !step.disabled) && !scenes[place + by];
    }
  }

  say() {
    if (this.bar.hidden) return;
    const line = document.querySelector(LINE) ?? document.querySelector("h1");
    const moment = document.querySelector(".kl-time:not([style*=hidden]) output")?.textContent;
    const words = [line && spoken(line), moment].filter(Boolean).join(" · ");
    say(this.words, words);
  }

  // What a page has to show is known when its script has run.
  fill() {
    const { classList } = document.documentElement;
    if (!this.state.present || document.querySelector(PICTURE)) classList.remove(WHOLE);
    else if (document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning") classList.add(WHOLE);
  }

  soon() {
    if (this.later || this.bar.hidden) return;
    this.later = setTimeout(() => {
      this.later = null;
      this.stepping();
      this.say();
      this.fill();
      if (this.state.present) this.measure();
    }, 150);
  }

  // One or two rows of pictures fill the screen; of more, two are seen at once.
  measure() {
    if (!this.state.present) return;
    const charts = [...document.querySelectorAll(".kl-chart")].filter((each) => each.offsetParent);
    const rows = new Set(charts.map((each) => Math.round(each.getBoundingClientRect().top / 40))).size || 1;
    const room = innerHeight - this.bar.offsetHeight - 2 * SPACE;
    const height = Math.max(Math.floor(room / Math.min(rows, 2)) - SPACE, Math.min(innerWidth > NARROW ? LEAST : TALL, room));
    document.documentElement.style.setProperty("--kl-picture", `${height}px`);
  }

  // ---- going on

  // A step of the lesson on the page, where there is one, or else a scene.
  turn(by) {
    const step = document.querySelector(steps(by > 0 ? "next" : "previous"));
    if (step && !step.disabled) step.click();
    else this.go(this.state.place + by);
  }

  go(place) {
    if (!this.state.scenes[place]) return;
    this.state = { ...this.state, place, trouble: "" };
    this.draw();
    this.turns.ask();
  }

  // Open the scene of this place.
  open() {
    this.pushState({}, "", this.home + link(this.state));
    dispatchEvent(new PopStateEvent("popstate", { state: {} })); // as if a person went back to that address
  }

  key(event) {
    const { present, scenes } = this.state;
    if ((!present && !scenes.length) || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === "Escape" && present && !document.fullscreenElement) return this.present(false);
    if (event.target.closest?.(ANSWERS)) return;
    const by = FORWARD.includes(event.key) ? 1 : BACK.includes(event.key) ? -1 : 0;
    if (by && (present || event.key.startsWith("Arrow"))) {
      event.preventDefault();
      this.turn(by);
    } else if (present && event.key.toLowerCase() === "f") {
      if (document.fullscreenElement) document.exitFullscreen();
      else document.documentElement.requestFullscreen?.();
    } else if (present && event.key === " " && !event.target.closest?.("button, a")) {
      event.preventDefault();
      document.querySelector(".kl-time button:not([hidden])")?.click();
    }
  }
}
