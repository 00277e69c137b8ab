// Definitions where one stands: the terms of the glossary are underlined in texts, labels and pictures, and a box says
// what one means when the pointer is over it, when it has the focus, and when it is tapped.
//
// Nothing that others have put on the page is changed, since they would stumble over it: underlines are highlights of
// the browser, and each block (an element of the page, or a picture) gets at its end a group of buttons without words,
// one for each term, which take the focus. Only one of them is a stop of the Tab key, arrow keys go to the others.
// Work is done only when content is added, and while the browser is idle.

import { GAP, Glossary, letters } from "./glossary.mjs";
import { make } from "./nodes.mjs";

const HIGHLIGHT = "kl-word";
const STYLE = `
::highlight(${HIGHLIGHT}) { text-decoration: underline dotted 1px; text-underline-offset: .2em;
  text-decoration-color: color-mix(in srgb, currentColor 60%, transparent); }
.kl-words { position: absolute; width: 0; height: 0; }
.kl-words button { position: absolute; width: 1px; height: 1px; margin: 0; padding: 0; border: 0; overflow: hidden; background: none;
  clip-path: inset(50%); pointer-events: none; border-radius: 0; }
.kl-words button:focus-visible { position: fixed; clip-path: none; outline: 2px solid var(--st-primary-color); outline-offset: 1px; border-radius: .2rem; }
.kl-chart > .kl-words { position: absolute; inset: 0 auto auto 0; z-index: 3; pointer-events: none; }
.kl-chart > .kl-words button { clip-path: none; color: var(--st-text-color); border-bottom: 1px dotted color-mix(in srgb, currentColor 60%, transparent); }
.kl-chart > .kl-words button.kl-up { border-bottom: 0; border-right: 1px dotted color-mix(in srgb, currentColor 60%, transparent); }
.kl-chart > .kl-words button:focus-visible { position: absolute; }
#kl-meaning { position: fixed; z-index: 1000100; max-width: min(22rem, calc(100vw - 1rem)); padding: .55rem .75rem; border-radius: .5rem;
  border: 1px solid var(--st-border-color); background: var(--st-background-color); color: var(--st-text-color);
  font: .9rem/1.45 var(--st-font); box-shadow: 0 6px 22px #0003; }
#kl-meaning[hidden] { display: none; }
#kl-meaning b { display: block; }
.kl-present #kl-meaning { font-size: 22px; max-width: min(32rem, calc(100vw - 1rem)); }`;

// What belongs together: an element of the page, a picture, an open menu, or a row of tabs or of links to pages.
const BLOCK = ".kl-chart, [data-testid=stElementContainer], [data-testid=stPopover], summary, [role=tablist], [role=listbox], nav";
// What changes with every step: it is looked at when somebody points to it.
const LIVE = ".kl-time output, .kl-way, .kl-values dd";
// What is no text of the page.
const LEFT_OUT = "script, style, input, textarea, select, code, pre, canvas, svg, .katex-mathml, .kl-words, .kl-chart, .kl-jobs, .kl-stage, .kl-time, .kl-way, .kl-values dd, "
  + "[role=slider], [data-testid=stIconMaterial], .kl-data";
// Where a picture has names from somebody's table; one capital letter is a class there, never a term.
const NAMES = ".xtick, .ytick, .annotation, .textpoint";
const MENU = "[role=listbox]"; // its options take no focus: the box that opened it names the one that the keys are at
// What answers a press by itself, and takes the focus where it is no option.
const ACTOR = "button, a, summary, [role=button], [role=tab], [role=radio], [role=option]";
const WIDGET = "input, textarea, select, [role=slider], [role=combobox], [role=radiogroup]";
const BUSY = ".kl-chart, .kl-words, .kl-time, .kl-way, .kl-values dd, .kl-jobs, .kl-stage, #kl-meaning"; // what changes while a run trains and adds no words
const SOON = 120, LATER = 250; // milliseconds until a definition comes, and until it goes
const HELD = 500; // until it comes where a press does something: there it must not be in the way

const idle = (work) => (globalThis.requestIdleCallback ?? ((f) => setTimeout(f, 50)))(work, { timeout: 1000 });
const within = (rect, x, y, by = 2) => x >= rect.left - by && x <= rect.right + by && y >= rect.top - by && y <= rect.bottom + by;

export class Words {
  constructor(parent, entries) {
    this.glossary = new Glossary(entries);
    this.blocks = new Map(); // block -> { text, nodes, spots, ranges, group }
    this.wanted = new Set();
    this.marks = globalThis.Highlight && CSS.highlights ? new Highlight() : null;
    if (this.marks) CSS.highlights.set(HIGHLIGHT, this.marks);
    document.head.append(make("style", { textContent: STYLE }));
    this.box = make("div", { id: "kl-meaning", hidden: true });
    this.box.setAttribute("role", "tooltip");
    parent.append(this.box);
    this.listen();
    this.seen = new MutationObserver((records) => this.changed(records));
    this.seen.observe(document.body, { childList: true, characterData: true, subtree: true });
    this.want(document.body);
  }

  // ---- which blocks have changed

  changed(records) {
    for (const { target, addedNodes } of records) {
      const node = target.nodeType === 1 ? target : target.parentElement;
      if (!node || node.closest(BUSY)) continue;
      const block = node.closest(BLOCK);
      if (block) this.wanted.add(block);
      for (const each of addedNodes) if (each.nodeType === 1) this.want(each);
    }
    if (this.over && !this.over.node.isConnected) this.put(); // its term may have gone
    this.soon();
  }

  want(node) {
    if (node.matches(BLOCK)) this.wanted.add(node);
    for (const each of node.querySelectorAll(BLOCK)) this.wanted.add(each);
    this.soon();
  }

  soon() {
    if (this.waiting || !this.wanted.size) return;
    this.waiting = true;
    idle(() => {
      this.waiting = false;
      const blocks = [...this.wanted];
      this.wanted.clear();
      for (const block of this.blocks.keys()) if (!block.isConnected) this.forget(block);
      for (const block of blocks) if (block.isConnected) this.link(block);
      document.documentElement.dataset.words = Number(document.documentElement.dataset.words ?? 0) + 1;
    });
  }

  // ---- the terms of a block

  link(block) {
    const chart = block.classList.contains("kl-chart");
    const runs = chart ? drawn(block) : texts(block);
    const nodes = runs.flatMap((run) => run.nodes);
    const text = nodes.map((node) => node.data).join("\n") + (chart ? block.clientWidth + "x" + block.clientHeight : "");
    const known = this.blocks.get(block);
    if (known?.text === text && known.nodes.every((node, i) => node === nodes[i] || chart) && known.group?.isConnected !== false) return;
    this.forget(block);
    const spots = this.spots(runs, chart);
    const entry = { text, nodes, spots, ranges: [], group: null };
    this.blocks.set(block, entry);
    if (this.marks && !chart) {
      for (const { node, start, last, end } of spots) {
        const range = new StaticRange({ startContainer: node, startOffset: start, endContainer: last, endOffset: end });
        entry.ranges.push(range);
        this.marks.add(range);
      }
    }
    // A widget takes the focus and shows what its label means, and so does a button.
    const stops = chart || !block.querySelector(WIDGET) ? spots.filter(({ actor }) => !actor) : [];
    if (!stops.length) return;
    entry.group = make("span", { className: "kl-words" }, ...stops.map((spot, i) => this.stop(spot, i, block, chart)));
    entry.group.setAttribute("role", "group");
    entry.group.setAttribute("aria-label", "Words explained");
    block.append(entry.group);
  }

  // Where terms stand: only the first of each, and of each button, so that a page is no sea of lines.
  spots(runs, chart = false) {
    const found = new Map();
    for (const { nodes, formula } of runs) {
      const actor = chart ? null : nodes[0]?.parentElement.closest(ACTOR) ?? null;
      const hits = formula ? this.glossary.symbol(nodes.map(letter).join(GAP)) : this.glossary.find(nodes.map((node) => node.data).join(""));
      for (const { name, start, end } of hits) {
        const all = found.get(name) ?? found.set(name, []).get(name);
        if (!all.some((spot) => spot.actor === actor)) all.push({ name, actor, ...part(nodes, start, end, formula ? GAP.length : 0) });
      }
    }
    return [...found.values()].flat();
  }

  stop(spot, i, block, chart) {
    const button = make("button", { type: "button", tabIndex: i ? -1 : 0 });
    button.dataset.term = spot.name;
    button.setAttribute("aria-label", `Meaning of ${spot.name}`); // the page may have a button that is called as the term
    button.setAttribute("aria-describedby", "kl-meaning");
    spot.button = button;
    if (chart) {
      const rect = place(spot), home = block.getBoundingClientRect();
      const up = rect.height > 1.5 * rect.width && spot.end - spot.start > 2;
      button.classList.toggle("kl-up", up);
      Object.assign(button.style, { left: `${rect.left - home.left}px`, top: `${rect.top - home.top}px`, width: `${rect.width}px`, height: `${rect.height}px` });
    }
    button.onfocus = () => this.show([spot.name], () => this.follow(spot, chart));
    button.onblur = () => this.hide();
    button.onkeydown = (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      const all = [...button.parentElement.children];
      const next = all[(all.indexOf(button) + by + all.length) % all.length];
      for (const each of all) each.tabIndex = each === next ? 0 : -1;
      next.focus();
    };
    return button;
  }

  // A button that has the focus lies over its term.
  follow(spot, chart) {
    const rect = place(spot);
    if (!chart) Object.assign(spot.button.style, { left: `${rect.left}px`, top: `${rect.top}px`, width: `${rect.width}px`, height: `${rect.height}px` });
    return rect;
  }

  forget(block) {
    const known = this.blocks.get(block);
    if (!known) return;
    this.blocks.delete(block);
    for (const range of known.ranges) this.marks.delete(range);
    known.group?.remove();
  }

  // ---- the box

  show(names, where, hovered = false, menu = null) {
    clearTimeout(this.going);
    const key = names.join("\n");
    this.where = where;
    this.menu = menu;
    this.hovered = hovered;
    if (this.box.hidden || this.shown !== key) {
      this.box.replaceChildren(...names.map((name) => make("div", {}, make("b", { textContent: name }), this.glossary.words.get(name))));
      this.shown = key;
      this.box.hidden = false;
    }
    this.put();
  }

  // A pointer or a finger is over a term.
  point(spot) {
    this.show([spot.name], () => place(spot), true, spot.actor?.closest(MENU));
  }

  put() {
    if (this.box.hidden || !this.where) return;
    const rect = this.where(), { offsetWidth: width, offsetHeight: height } = this.box;
    if (!rect.width && !rect.height) return this.hide(); // the term has gone
    const above = rect.bottom + height + 8 > innerHeight && rect.top > height + 8;
    let left = Math.max(8, Math.min(rect.left, innerWidth - width - 8)), top = above ? rect.top - height - 4 : rect.bottom + 4;
    const list = this.menu?.getBoundingClientRect(); // beside an open menu, whose options it must not cover
    const side = list && [list.right + 8, list.left - width - 8].find((x) => x >= 8 && x + width <= innerWidth - 8);
    if (side) [left, top] = [side, Math.max(8, Math.min(rect.top, innerHeight - height - 8))];
    else if (list) top = [list.bottom + 8, list.top - height - 8].find((y) => y >= 8 && y + height <= innerHeight - 8) ?? top;
    Object.assign(this.box.style, { left: `${left}px`, top: `${top}px` });
  }

  hide() {
    clearTimeout(this.coming);
    this.box.hidden = true;
    this.where = this.over = this.menu = null;
  }

  // ---- pointer, keys, focus

  // The term at a point of the screen.
  at(target, x, y) {
    const live = target.closest?.(LIVE);
    const spots = live ? this.spots(texts(live)) : this.blocks.get(target.closest?.(BLOCK))?.spots ?? [];
    return spots.find((spot) => within(place(spot), x, y)) ?? null;
  }

  // The option of an open menu that the keys have come to.
  optioned(box) {
    const actor = document.getElementById(box.getAttribute("aria-activedescendant"));
    const menu = actor?.closest(MENU);
    const spots = this.blocks.get(menu)?.spots.filter((spot) => spot.actor === actor) ?? [];
    if (spots.length) this.show(spots.map(({ name }) => name), () => place(spots[0]), false, menu);
    else if (menu || this.menu) this.hide();
  }

  listen() {
    let turn = 0;
    const over = ({ target, clientX: x, clientY: y, pointerType }) => {
      if (pointerType === "touch" || turn) return;
      turn = requestAnimationFrame(() => {
        turn = 0;
        if (!this.box.hidden && within(this.box.getBoundingClientRect(), x, y, 6)) return clearTimeout(this.going); // it can be read and copied
        if (this.pressed?.contains(target)) return; // until the pointer has left it
        this.pressed = null;
        const spot = this.at(target, x, y);
        if (spot ? spot.name === this.over?.name && spot.node === this.over.node : !this.over && !this.hovered) return;
        clearTimeout(this.coming);
        this.over = spot;
        if (spot) this.coming = setTimeout(() => this.point(spot), spot.actor ? HELD : SOON);
        else if (this.hovered) { clearTimeout(this.going); this.going = setTimeout(() => this.hide(), LATER); }
      });
    };
    document.addEventListener("pointermove", over, { passive: true });
    // A tap, or a click: what lies there does what it does anyway, and a button does nothing else.
    document.addEventListener("click", (event) => {
      const { target, clientX: x, clientY: y, detail } = event;
      if (this.held) {
        event.preventDefault();
        return event.stopImmediatePropagation();
      }
      if (!detail || this.box.contains(target)) return; // made by a key
      this.pressed = target.closest?.(ACTOR);
      const spot = this.at(target, x, y);
      if (spot && !spot.actor) this.point(spot);
      else this.hide();
    }, true);
    // A finger that rests on a button wants to know, not to press. What lies under it is looked up when it has rested: a
    // menu that has just opened is linked only when the browser is idle.
    let touched = 0;
    const rested = (target, x, y) => {
      const spot = this.at(target, x, y);
      if (!spot?.actor) return;
      this.held = true;
      this.point(spot);
    };
    document.addEventListener("pointerdown", ({ target, clientX: x, clientY: y, pointerType }) => {
      this.keyed = this.held = false;
      clearTimeout(touched);
      if (pointerType === "touch") touched = setTimeout(rested, HELD, target, x, y);
    }, true);
    for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, () => clearTimeout(touched), true);
    document.addEventListener("contextmenu", (event) => { if (this.held) event.preventDefault(); }, true);
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !this.box.hidden) { event.stopImmediatePropagation(); this.hide(); }
      this.keyed = event.key === "Tab" || event.key.startsWith("Arrow");
    }, true);
    document.addEventListener("keyup", ({ target, key }) => {
      this.keyed = false;
      if (key !== "Escape" && target.matches?.("[role=combobox]")) setTimeout(() => this.optioned(target), SOON); // when the page has followed the key
    }, true);
    // A widget or a button that is reached by keys shows what its words mean.
    document.addEventListener("focusin", ({ target }) => {
      const known = this.keyed ? this.blocks.get(target.closest?.(BLOCK)) : null;
      const spots = known?.spots.filter(({ actor }) => (actor ? actor === target : !known.group && target.matches(WIDGET + ", button")));
      if (!spots?.length) return;
      this.show(spots.map(({ name }) => name), () => place(spots[0]));
      if (target.hasAttribute("aria-describedby")) return;
      target.setAttribute("aria-describedby", "kl-meaning");
      target.addEventListener("blur", () => target.removeAttribute("aria-describedby"), { once: true });
    });
    document.addEventListener("focusout", () => { if (!this.hovered) this.hide(); });
    addEventListener("scroll", () => this.put(), { capture: true, passive: true });
    // A picture tells when it was drawn: of a film only changed words matter, so it is looked at twice a second at most.
    const drawn = new Set();
    document.addEventListener("kl-drawn", ({ target }) => {
      if (!drawn.size) setTimeout(() => { drawn.forEach((each) => this.wanted.add(each)); drawn.clear(); this.soon(); }, 500);
      drawn.add(target);
    });
  }
}

// The texts of a block in which terms are looked for: [{ nodes, formula }].
function texts(block) {
  const runs = [];
  const { FILTER_REJECT, FILTER_SKIP } = NodeFilter;
  document.createTreeWalker(block, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) => {
    if (node.nodeType === 3) {
      if (node.data.trim()) runs.push({ nodes: [node] });
      return FILTER_REJECT;
    }
    const formula = node.matches(".katex-html");
    if (formula) runs.push({ nodes: under(node), formula });
    return formula || node.matches(LEFT_OUT) || node.matches(BLOCK) ? FILTER_REJECT : FILTER_SKIP;
  }).nextNode();
  return runs;
}

function under(node) {
  const nodes = [], walk = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) nodes.push(walk.currentNode);
  return nodes;
}

// The texts that Plotly has drawn in a picture, each as its nodes: an index is a node of its own, and so is a line.
function drawn(block) {
  const runs = [];
  for (const text of block.querySelectorAll("svg.main-svg text")) {
    if (text.closest(".hoverlayer") || !/\p{L}/u.test(text.textContent)) continue;
    if (/^\p{Lu}$/u.test(text.textContent) && text.closest(NAMES)) continue;
    for (const line of text.querySelector("tspan.line") ? text.querySelectorAll("tspan.line") : [text]) runs.push({ nodes: under(line) });
  }
  return runs.filter(({ nodes }) => nodes.length);
}

// What a node of a formula says. KaTeX puts indices and exponents into one table, indices first.
function letter(node) {
  const cell = node.parentElement.closest(".msupsub > .vlist-t > .vlist-r > .vlist > span");
  const low = cell && !cell.previousElementSibling && cell.closest(".vlist-t").classList.contains("vlist-t2");
  return letters(node.data, cell ? (low ? "low" : "high") : "");
}

// The nodes in which a part of a run begins and ends, and where; between: letters that stand between two nodes.
function part(nodes, start, end, between) {
  const out = {};
  let before = 0;
  for (const node of nodes) {
    if (!out.node && start < before + node.length) Object.assign(out, { node, start: start - before });
    if (end <= before + node.length) return { ...out, last: node, end: end - before };
    before += node.length + between;
  }
  return { ...out, last: out.node, end: out.node.length };
}

function place({ node, start, last, end, button }) {
  if (!node.isConnected || !last.isConnected) return button?.getBoundingClientRect() ?? new DOMRect();
  const range = document.createRange();
  range.setStart(node, Math.min(start, node.length));
  range.setEnd(last, Math.min(end, last.length));
  return (node === last && range.getClientRects()[0]) || range.getBoundingClientRect();
}

// Fetches the glossary and links the page; once a page.
export function begin(parent, home, address) {
  return (begin.done ??= fetch(home + address).then((answer) => answer.json()).then((entries) => new Words(parent, entries)));
}
