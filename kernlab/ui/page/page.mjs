// What every page has, beside what its script draws: definitions of its words, the look for a lecture, and scenes.

import { Present } from "./present.mjs";

const QUIET = 1200; // milliseconds that a page has for itself before its words are linked

export default function ({ data, parentElement }, home) {
  if (Present.one) return Present.one.stand(data);
  Present.one = new Present(parentElement, home, data);
  setTimeout(async () => {
    try {
      (await import("./words.mjs")).begin(parentElement, home, data.words);
    } catch { /* without a glossary the page is as useful */ }
  }, QUIET);
}
