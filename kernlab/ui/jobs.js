// The entry in the head of every page: how many jobs work and wait, and behind it a list to steer them by.

import { make, say } from "./nodes.mjs";
import { load } from "./plotly.mjs";

const EVERY = 2000; // milliseconds between two questions while the list is open,
const CLOSED = 4000; // while it is closed,
const ACTED = 600; // and after a person has pressed something: perhaps a job began or ended
const BUSY = ["running", "pausing", "stopping"]; // statuses of a job that computes
const STYLE = `
.st-key-jobs-entry { position: fixed; top: .8rem; right: 3.6rem; z-index: 999991; width: auto; height: 0; }
/* Links to pages end before it: those that have no room left go into Streamlit's own menu. A phone shows no links. */
@media (min-width: 641px) { .kl-listed [data-testid=stHeader] { padding-right: 14.5rem; } }
.kl-jobs { position: relative; color: var(--st-text-color); font: .9rem var(--st-font); }
.kl-jobs[hidden] { display: none; }
.kl-jobs > button { display: flex; align-items: center; gap: .45rem; padding: .32rem .75rem; border-radius: 999px;
  border: 1px solid var(--st-border-color); background: var(--st-secondary-background-color); color: inherit;
  font: inherit; font-variant-numeric: tabular-nums; white-space: nowrap; cursor: pointer; }
.kl-jobs > button:hover { border-color: var(--st-primary-color); }
.kl-jobs :focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 1px; }
.kl-jobs i { width: .55rem; height: .55rem; border-radius: 50%; background: var(--st-border-color); }
.kl-jobs i.on { background: #2CA37A; } /* it does not blink: without a GPU that takes a quarter of a core */
.kl-jobs > div { position: absolute; right: 0; top: 2.5rem; width: min(25rem, calc(100vw - 1.5rem)); padding: .75rem;
  max-height: calc(100vh - 5rem); overflow-y: auto; border-radius: .6rem; border: 1px solid var(--st-border-color);
  background: var(--st-background-color); box-shadow: 0 8px 28px #0004; }
.kl-jobs > div[hidden] { display: none; }
.kl-jobs ul { list-style: none; margin: 0; padding: 0; }
.kl-jobs li { padding: .5rem 0 .6rem; border-bottom: 1px solid var(--st-border-color); }
.kl-jobs a { color: inherit; font-weight: 600; text-decoration: none; overflow-wrap: anywhere; }
.kl-jobs a:hover { text-decoration: underline; }
.kl-jobs p { margin: .15rem 0 .35rem; font-size: .875rem; opacity: .85; }
.kl-jobs small { display: block; margin-top: .6rem; font-size: .8125rem; line-height: 1.4; opacity: .8; }
.kl-jobs progress { display: block; width: 100%; height: .3rem; appearance: none; border: 0; border-radius: .2rem;
  overflow: hidden; background: var(--st-border-color); }
.kl-jobs progress::-webkit-progress-bar { background: var(--st-border-color); }
.kl-jobs progress::-webkit-progress-value { background: var(--st-primary-color); }
.kl-jobs progress::-moz-progress-bar { background: var(--st-primary-color); }
.kl-jobs progress:indeterminate::-moz-progress-bar { background: transparent; }
.kl-jobs nav { display: flex; gap: .4rem; margin-top: .45rem; }
.kl-jobs nav button, .kl-jobs nav a { padding: .2rem .65rem; border-radius: .4rem; font: inherit; font-weight: 400;
  border: 1px solid var(--st-border-color); background: none; color: inherit; cursor: pointer; }
.kl-jobs nav button:disabled { opacity: .5; cursor: progress; }
.kl-jobs nav button:hover, .kl-jobs nav a:hover { background: var(--st-secondary-background-color);
  text-decoration: none; }
@media (max-width: 640px) { .kl-jobs > div { position: fixed; top: 3.4rem; right: .75rem; } }`;

const entries = new WeakMap();
const duration = (s) => s < 60 ? `${Math.round(s)} s` : s < 3600 ? `${Math.round(s / 60)} min`
  : `${Math.floor(s / 3600)} h ${Math.round((s % 3600) / 60)} min`;

class Entry {
  constructor(parent, home) {
    this.home = home;
    this.acted = 0; // when a person pressed something last
    this.count = make("span");
    this.light = make("i");
    this.button = make("button", { type: "button", onclick: () => this.open(this.box.hidden) }, this.light, this.count);
    this.button.setAttribute("aria-haspopup", "true");
    this.list = make("ul");
    this.rule = make("small");
    this.trouble = make("p", { hidden: true });
    this.trouble.setAttribute("role", "alert");
    this.box = make("div", { hidden: true }, this.list, this.trouble, this.rule);
    this.root = make("div", { className: "kl-jobs", hidden: true }, this.button, this.box);
    parent.append(make("style", { textContent: STYLE }), this.root);
    this.outside = (event) => {
      if (event.type === "keydown" ? event.key === "Escape" : !this.root.contains(event.target)) this.open(false);
      if (event.type === "pointerdown" || event.key === "Enter" || event.key === " ") {
        this.acted = Date.now();
        this.plan();
      }
    };
    document.addEventListener("pointerdown", this.outside);
    document.addEventListener("keydown", this.outside);
    this.seen = () => document.hidden || this.ask();
    document.addEventListener("visibilitychange", this.seen);
    this.open(false);
    this.ask();
  }

  open(yes) {
    this.box.hidden = !yes;
    this.button.setAttribute("aria-expanded", yes);
    if (!yes) return;
    this.fill();
    this.ask();
  }

  // All tabs ask at the same moments: one answer serves them.
  plan() {
    clearTimeout(this.timer);
    if (this.gone) return;
    const now = Date.now(), acted = this.acted + ACTED - now, every = this.box.hidden ? CLOSED : EVERY;
    this.timer = setTimeout(() => this.ask(), acted > 0 ? acted : every - (now % every));
  }

  async ask() {
    clearTimeout(this.timer);
    if (this.gone || document.hidden) return;
    try {
      const answer = await fetch(this.home + "jobs");
      if (answer.ok) this.draw(await answer.json());
    } catch { /* the server is away: the page itself says so */ }
    this.plan();
  }

  async steer(job, action) {
    const answer = await fetch(`${this.home}jobs/${job.id}/${action}`, { method: "POST", headers: { "X-Kernlab": "1" } });
    this.trouble.hidden = answer.ok;
    if (!answer.ok) this.trouble.textContent = (await answer.json().catch(() => ({}))).error ?? "It has ended already.";
    this.ask();
    return answer.ok;
  }

  draw(jobs) {
    const count = (...statuses) => jobs.filter((job) => statuses.includes(job.status)).length;
    const words = [[count(...BUSY), "running"], [count("queued"), "waiting"], [count("paused"), "paused"]];
    say(this.count, words.filter(([n]) => n).map(([n, word]) => `${n} ${word}`).join(", "));
    this.light.classList.toggle("on", count(...BUSY) > 0);
    this.root.hidden = !jobs.length;
    // A class: with :has() every change of the page would have all its parts looked at again.
    document.documentElement.classList.toggle("kl-listed", jobs.length > 0);
    if (!jobs.length) this.open(false);
    this.jobs = jobs;
    if (!this.box.hidden) this.fill();
  }

  // The list itself, while it is open.
  fill() {
    const jobs = this.jobs ?? [];
    const text = JSON.stringify(jobs);
    if (text === this.drawn || this.list.matches(":active")) return; // what is pressed stays until the button is let go
    this.drawn = text;
    const focus = this.list.contains(document.activeElement) && document.activeElement.dataset.name;
    this.list.replaceChildren(...jobs.map((job) => this.item(job)));
    if (focus) this.list.querySelector(`[data-name="${focus}"]`)?.focus();
  }

  item(job) {
    const about = [job.kind, job.status === "queued" ? "waiting" : job.status];
    if (job.done !== null) about.push(`${Math.floor(100 * job.done)} %`);
    if (job.remaining !== null && job.status === "running") about.push(`about ${duration(job.remaining)} left`);
    if (job.uses) about.push(job.uses);
    const address = this.home + job.page;
    const item = make("li", {}, make("a", { href: address, textContent: job.name }),
      make("p", { textContent: about.join(" · ") }));
    const bar = make("progress", { max: 1 });
    bar.setAttribute("aria-label", `How far ${job.name} is`);
    if (job.done !== null) bar.value = job.done;
    if (job.done !== null || job.status === "running") item.append(bar);
    const act = (label, action) => {
      const button = make("button", { type: "button", textContent: label, onclick: async () => {
        button.disabled = true; // until the list changes: what is under way may take its time
        button.disabled = await this.steer(job, action);
      } });
      button.dataset.name = `${job.id}-${action}`;
      button.setAttribute("aria-label", `${label} ${job.name}`);
      return button;
    };
    const steer = [];
    if (job.mine && ["pausing", "paused"].includes(job.status)) steer.push(act("Resume", "resume"));
    if (job.mine && job.pausable && ["running", "queued"].includes(job.status)) steer.push(act("Pause", "pause"));
    if (job.mine && job.status !== "stopping") steer.push(act("Stop", "cancel"));
    item.append(make("nav", {}, ...steer, make("a", { href: address, textContent: "Open" })));
    return item;
  }

  destroy() {
    this.gone = true;
    clearTimeout(this.timer);
    document.removeEventListener("pointerdown", this.outside);
    document.removeEventListener("keydown", this.outside);
    document.removeEventListener("visibilitychange", this.seen);
  }
}

// Plotly takes a second to run: a page without charts does it once it stands, so that the first chart need not wait.
const STANDS = 1500; // milliseconds

export default function ({ data, parentElement }, home, plotly) {
  setTimeout(() => load(plotly).catch(() => {}), STANDS); // the chart that needs it says so
  let entry = entries.get(parentElement);
  if (!entry) entries.set(parentElement, (entry = new Entry(parentElement, home)));
  entry.rule.textContent = data.rule;
  return () => setTimeout(() => parentElement.isConnected || (entry.destroy(), entries.delete(parentElement)));
}
