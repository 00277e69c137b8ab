// Finds the terms of the glossary in a text, as kernlab/ui/glossary.py does.

const isSymbol = (name) => !/\p{L}{3}/u.test(name);
// The first letter of a person's name: "J. Li, Y. Liu and W. Wang" speaks of no symbol.
const BEFORE = /(?:^|\(|[,;]\s|\band\s|(?<!\p{L})\p{Lu}\.[\s-]?)$/u;
const isInitial = (text, start, end) =>
  end === start + 1 && /^\p{Lu}\.[\s-]?\p{Lu}/u.test(text.slice(start)) && BEFORE.test(text.slice(0, start));
const literal = (name) => name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&").replaceAll(" ", "\\s");

// Between the letters of a formula, each of which is a word of its own: in "2D" there is a D.
export const GAP = "\u200b";

export class Glossary {
  // entries: [{ name, also, labels, formulas, words }]
  constructor(entries) {
    this.words = new Map(entries.map(({ name, words }) => [name, words]));
    this.labels = new Map(entries.flatMap(({ name, labels }) => labels.map((each) => [each, name])));
    this.owners = new Map(entries.flatMap(({ name, also }) => also.map((each) => [isSymbol(each) ? each : each.toLowerCase(), name])));
    this.symbols = new Map(entries.flatMap(({ name, also, formulas }) => [...also, ...formulas].filter((each) => !/[a-zé]{3}/.test(each))
      .map((each) => [each.replace(/\s/g, ""), name])));
    const longest = (names) => [...names].sort((a, b) => b.length - a.length);
    const letters = longest(this.symbols.keys()).map((name) => [...name].map(literal).join(`${GAP}*`));
    this.formula = new RegExp(`(?<![\\p{L}\\p{N}])(?:${letters.join("|")})(?![\\p{L}\\p{N}])`, "gu");
    const names = longest(this.owners.keys())
      .map((name) => literal(name) + (/\p{L}$/u.test(name) && !isSymbol(name) ? "s?" : ""));
    // A hyphen makes another word: "2-D" has no D, "non-stationary" nothing that is stationary.
    this.pattern = new RegExp(`(?<![\\p{L}\\p{N}_\\-‑])(?:${names.join("|")})(?![\\p{L}\\p{N}_]|[-‑][\\p{L}\\p{N}_])`, "giu");
  }

  // The terms of a text and where they stand: [{ name, start, end }].
  find(text) {
    const alone = this.labels.get(text.trim());
    if (alone) {
      const start = text.indexOf(text.trim());
      return [{ name: alone, start, end: start + text.trim().length }];
    }
    const found = [];
    for (const { 0: hit, index } of text.matchAll(this.pattern)) {
      const plain = hit.replace(/\s/g, " "), lower = plain.toLowerCase(); // a heading may break its lines within a term
      const name = this.owners.get(plain) ?? this.owners.get(lower) ?? this.owners.get(lower.replace(/s$/, ""));
      const end = index + hit.length;
      if (name && !isInitial(text, index, end)) found.push({ name, start: index, end });
    }
    return found;
  }

  // The same for a formula, whose letters stand with gaps between them and are written as letters() writes them.
  symbol(text) {
    return [...text.matchAll(this.formula)].map(({ 0: hit, index }) =>
      ({ name: this.symbols.get(hit.replaceAll(GAP, "")), start: index, end: index + hit.length }));
  }
}

const LOW = { "0": "₀", "1": "₁", "2": "₂", "3": "₃", i: "ᵢ", j: "ⱼ", "∗": "⁎", "*": "⁎" };
const HIGH = { "2": "²", "3": "³", "⊤": "ᵀ" };
const SAME = { "∥": "‖", "ϕ": "φ", "ϵ": "ε" }; // two ways to draw one letter

// A letter of a formula as texts write it; place: "low" in an index, "high" in an exponent, or else "". An index that
// texts cannot write belongs to its letter and is none itself: in "W_F" there is no F.
export function letters(text, place) {
  const table = { low: LOW, high: HIGH }[place] ?? {};
  const each = (letter) => table[letter] ?? SAME[letter] ?? (place === "low" && /[a-z]/i.test(letter) ? "·" : letter);
  return [...text].map(each).join("");
}
