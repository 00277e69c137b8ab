// What is selected on a page: rows, frequencies, classes and inputs by their numbers, the same in all of its pictures.
//
// Numbers mean the same in runs of the same data alone: a selection belongs to data, and is empty for all others.

export class Selection extends EventTarget {
  constructor() {
    super();
    this.data = ""; // the name of the data
    this.chosen = new Map(); // kind -> numbers as texts, in the order in which they were selected
    this.names = {}; // kind -> what some numbers are called
  }

  get empty() {
    return this.chosen.size === 0;
  }

  // The numbers of a kind that are selected of these data.
  of(data, kind) {
    return data === this.data ? this.chosen.get(kind) ?? [] : [];
  }

  // All that is selected of these data among some kinds, as a text that changes with it; empty: nothing.
  key(data, kinds) {
    return kinds.map((kind) => [kind, this.of(data, kind)]).filter(([, numbers]) => numbers.length)
      .map(([kind, numbers]) => `${kind} ${numbers}`).join(";");
  }

  // Select these too or, where all of them are selected, let go of them.
  toggle(data, kind, numbers) {
    const before = this.of(data, kind);
    const wanted = [...new Set(numbers.map(String))];
    const added = wanted.filter((number) => !before.includes(number));
    this.replace(data, kind, added.length ? [...before, ...added] : before.filter((number) => !wanted.includes(number)));
  }

  // Select these, and nothing else of their kind.
  replace(data, kind, numbers) {
    if (data !== this.data) this.chosen.clear();
    this.data = data;
    if (numbers.length) this.chosen.set(kind, [...new Set(numbers.map(String))]);
    else this.chosen.delete(kind);
    this.tell();
  }

  clear() {
    if (this.empty) return;
    this.chosen.clear();
    this.tell();
  }

  // Select what the address says: a text like "3,17" by kind.
  read(data, texts) {
    this.data = data;
    this.chosen.clear();
    for (const [kind, text] of Object.entries(texts)) {
      const numbers = text.match(/\d+/g);
      if (numbers) this.chosen.set(kind, [...new Set(numbers)]);
    }
    this.tell();
  }

  // The same of these data, for the address.
  written(data) {
    return data === this.data ? Object.fromEntries([...this.chosen].map(([kind, numbers]) => [kind, numbers.join()])) : {};
  }

  // What a number is called: "class setosa", "row 17".
  words(kind, number) {
    return `${kind} ${this.names[kind]?.[number] ?? number}`;
  }

  // All that is selected, in words; of more than a few of a kind how many there are.
  get sentence() {
    const several = { frequency: "frequencies", class: "classes" };
    return [...this.chosen].map(([kind, numbers]) => (numbers.length > 3 ? `${numbers.length} ${several[kind] ?? `${kind}s`}`
      : numbers.map((number) => this.words(kind, number)).join(", "))).join(" · ");
  }

  tell() {
    this.dispatchEvent(new Event("change"));
  }
}
