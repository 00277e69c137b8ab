// The first view of a page (kernlab.ui.firstview): its heading stands in the document, its pictures are sketched beneath
// by the charts and films that the page itself will use. All of it goes when the page's own heading and pictures stand.

import chart from "./chart.js";
import { shared } from "./film.mjs";

const MAIN = "[data-testid=stMain]";
const PATIENCE = 1500; // milliseconds that the page's pictures may come after its heading,
const LONGEST = 15000; // and after which Streamlit itself says what is wrong

const home = new URL("../../", import.meta.url).href;

// "**bold** and *slanted*" as nodes.
export function marked(words) {
  return words.split(/(\*\*[^*]+\*\*|\*[^*]+\*)/).map((part) => {
    const stars = /^\*\*?/.exec(part)?.[0].length;
    return stars ? Object.assign(document.createElement(stars > 1 ? "strong" : "em"), { textContent: part.slice(stars, -stars) }) : part;
  });
}

// Sketch the pictures of a view; returns functions that end them.
function sketched(first, { words, height, sketches }) {
  const text = document.createElement("p"), rows = document.createElement("div");
  text.append(...marked(words));
  first.append(text, rows);
  return sketches.map(({ film, alt, ready }) => {
    if (ready) shared(home).film(film.run).picture(film.picture, film.view, film.over_time).begin(film.news.steps, ...ready);
    const cell = rows.appendChild(document.createElement("div"));
    return chart({ data: { film, alt, height, name: film.picture, events: [], early: true }, parentElement: cell, setStateValue() {} }, home, "");
  });
}

async function begin(first) {
  let ends = [], stands = null;
  const begun = performance.now();
  const look = () => {
    const now = performance.now();
    if (document.querySelector(`${MAIN} h1`)?.clientHeight) stands ??= now;
    const whole = !ends.length || document.querySelector(`${MAIN} .kl-chart:is([data-sketched], [data-drawn])`) || now - stands > PATIENCE;
    if ((stands === null || !whole) && now - begun < LONGEST) return void requestAnimationFrame(look);
    first.remove();
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
