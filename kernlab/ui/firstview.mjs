// The first view of a page (kernlab.ui.firstview): its heading stands in the document, its pictures are sketched beneath
// by the charts and films that the page itself will use. All of it goes when the page's own heading and pictures stand.

import chart from "./chart.js";
import elements from "./elements.js";
import { shared } from "./film.mjs";
import { make } from "./nodes.mjs";

const MAIN = "[data-testid=stMain]";
const PATIENCE = 1500; // milliseconds that the page's pictures may come after its heading,
const LONGEST = 15000; // and after which Streamlit itself says what is wrong
const HANDED = 60000; // in which the page's slider may come and get the focus of that of the first view
const DECIDED = 1; // times that the page's script decides about the moment on arrival: where a person has moved, it stays so
const MUTE = { setStateValue() {}, setTriggerValue() {} }; // there is no script yet

const home = new URL("../../", import.meta.url).href;

// "**bold** and *slanted*" as nodes.
export function marked(words) {
  return words.split(/(\*\*[^*]+\*\*|\*[^*]+\*)/).map((part) => {
    const stars = /^\*\*?/.exec(part)?.[0].length;
    return stars ? make(stars > 1 ? "strong" : "em", { textContent: part.slice(stars, -stars) }) : part;
  });
}

// Sketch the pictures of a view; returns functions that end them.
function sketched(first, { heading, words, height, sketches, news, at, time, timeless }) {
  const reel = shared(home), rows = make("div", { className: timeless ? "kl-rows kl-timeless" : "kl-rows", ariaHidden: "true" });
  if (heading) first.querySelector("h1").textContent = heading;
  if (words) first.append(make("p", { ariaHidden: "true" }, ...marked(words)));
  first.append(rows);
  reel.clock.seek(at);
  for (const { film, step, ready } of sketches) {
    const { steps } = news[film.run] ?? film.news;
    if (ready) reel.film(film.run).picture(film.picture, film.view, film.over_time).begin(steps.length, step, ...ready);
  }
  for (const [run, known] of Object.entries(news)) reel.film(run).take(known);
  const ends = sketches.map(({ film, alt }) => {
    const data = { film, alt, height, name: film.picture, events: [], early: true };
    return chart({ data, parentElement: rows.appendChild(make("div")), ...MUTE }, home, "");
  });
  if (time.length) {
    const slider = make("div", { className: "kl-slider" });
    rows.before(slider);
    const data = { kind: "timeline", runs: time, at, decided: DECIDED, equal: "epochs", marks: [], words: [] };
    ends.push(elements({ data, parentElement: slider, ...MUTE }, home));
  }
  return ends;
}

// Give the focus that the slider of the first view had to the page's own, which may come later on a busy machine; not
// where a person has gone elsewhere meanwhile.
function hand(until) {
  if (document.activeElement !== document.body || performance.now() > until) return;
  document.querySelector(`${MAIN} .kl-time input`)?.focus();
  requestAnimationFrame(() => hand(until));
}

async function begin(first) {
  let ends = [], stands = null;
  const begun = performance.now();
  const look = () => {
    const now = performance.now();
    if (document.querySelector(`${MAIN} h1`)?.clientHeight) stands ??= now;
    const whole = !ends.length || document.querySelector(`${MAIN} .kl-chart:is([data-sketched], [data-drawn])`) || now - stands > PATIENCE;
    const going = (stands === null || !whole || first.matches(":active")) && now - begun < LONGEST;
    if (going) return void requestAnimationFrame(look);
    const focused = first.contains(document.activeElement);
    first.remove();
    document.documentElement.classList.remove("kl-first-light", "kl-first-dark");
    if (focused) hand(performance.now() + HANDED);
    for (const end of ends) end();
  };
  requestAnimationFrame(look);
  try {
    const answer = await window.kernlabFirst;
    if (answer?.status !== 200) return;
    const view = await answer.json();
    if (first.isConnected) ends = sketched(first, view);
  } catch { /* the page draws them itself */ }
}

// A module may come before the end of the document.
const find = () => {
  const first = globalThis.document?.getElementById("kl-first");
  if (first) begin(first);
  return Boolean(first);
};
if (!find()) globalThis.document?.addEventListener("DOMContentLoaded", find);
