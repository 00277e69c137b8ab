// Where a list of scenes is made, in the Share popover of every page. The list is kept in the browser.

import { make } from "./nodes.mjs";
import { Present } from "./present.mjs";
import { LONGEST, MOST, link, write } from "./scenelist.mjs";

const KEPT = "kernlab.scenes";
const STYLE = `
.kl-scenes { font: .9rem/1.4 var(--st-font); color: var(--st-text-color); }
.kl-scenes h2 { font-size: 1rem; margin: .2rem 0; padding: 0; }
.kl-scenes p { margin: .2rem 0 .5rem; }
.kl-scenes ol { margin: .3rem 0 .6rem; padding-left: 1.6rem; }
.kl-scenes li > div { display: flex; gap: .4rem; align-items: center; }
.kl-scenes li span { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.kl-scenes button { font: inherit; color: inherit; padding: .2rem .65rem; border-radius: .4rem; border: 1px solid var(--st-border-color);
  background: none; cursor: pointer; }
.kl-scenes li button { padding: 0 .5rem; }
.kl-scenes button:hover { background: var(--st-secondary-background-color); }
.kl-scenes button:disabled { opacity: .45; cursor: default; }
.kl-scenes :focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 1px; }
.kl-scenes nav { display: flex; flex-wrap: wrap; gap: .4rem; }`;

const boxes = new WeakMap();

// The scenes that the browser has kept: [{ address, name }].
function kept() {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(found) ? found.filter((each) => typeof each?.address === "string").slice(0, MOST) : [];
  } catch {
    return [];
  }
}

class Scenes {
  constructor(parent, home) {
    this.home = home;
    this.list = make("ol");
    this.status = make("p");
    this.status.setAttribute("role", "status");
    this.add = make("button", { type: "button", textContent: "Add this page", onclick: () => this.append() });
    this.copy = make("button", { type: "button", textContent: "Copy the link", onclick: () => this.take() });
    this.open = make("button", { type: "button", textContent: "Open the list", onclick: () => { location.href = this.link(); } });
    this.show = make("button", { type: "button", textContent: "Present this page", onclick: () => Present.one?.present(true) });
    parent.append(make("style", { textContent: STYLE }), make("div", { className: "kl-scenes" },
      make("h2", { textContent: "Scenes of a lecture" }),
      make("p", { textContent: "Add pages to a list; one link then leads through all of them with the arrow keys, in large type." }),
      this.list, make("nav", {}, this.add, this.copy, this.open, this.show), this.status));
  }

  update({ address }) {
    this.address = address;
    this.draw();
  }

  link() {
    return this.home + link({ present: true, scenes: kept().map(({ address }) => address), place: 0 });
  }

  keep(list, words = "") {
    try { localStorage.setItem(KEPT, JSON.stringify(list)); } catch { words = "The browser keeps no list: it does not allow pages to store anything."; }
    this.status.textContent = words;
    this.draw();
  }

  append() {
    const list = [...kept(), { address: this.address, name: document.querySelector("h1")?.textContent.trim() ?? this.address }];
    if (list.length > MOST || write(list.map(({ address }) => address)).length > LONGEST) {
      this.status.textContent = `A list must not have more than ${MOST} scenes or ${LONGEST} characters: remove one first.`;
    } else this.keep(list, `Added as scene ${list.length}.`);
  }

  draw() {
    const list = kept();
    const act = (text, label, change) => make("button", { type: "button", textContent: text, title: label, ariaLabel: label, onclick: () => this.keep(change) });
    this.list.replaceChildren(...list.map(({ address, name }, i) => {
      const earlier = [...list];
      if (i) earlier.splice(i - 1, 2, list[i], list[i - 1]);
      const up = act("↑", `Move scene ${i + 1} up`, earlier);
      up.disabled = !i;
      return make("li", {}, make("div", {}, make("span", { textContent: name, title: address }), up, act("×", `Remove scene ${i + 1}`, list.filter((_, j) => j !== i))));
    }));
    this.copy.disabled = this.open.disabled = !list.length;
  }

  async take() {
    try {
      await navigator.clipboard.writeText(this.link());
      this.status.textContent = "The link to the list is copied.";
    } catch {
      this.status.textContent = `The browser does not allow copying. This is the link: ${this.link()}`;
    }
  }
}

export default function ({ data, parentElement }, home) {
  let box = boxes.get(parentElement);
  if (!box) boxes.set(parentElement, (box = new Scenes(parentElement, home)));
  box.update(data);
}
