// A curve that a person draws over evenly spread places: levels from 0 to 1, nothing of a page. Between two places
// that were drawn the curve is straight; before the first and after the last it is level.

const STEP = 0.02; // that an arrow key changes a level by; with Shift five times that

const inside = (value, low, high) => Math.min(high, Math.max(low, value));

export class Drawing extends EventTarget {
  constructor(count) {
    super();
    this.count = count;
    this.at = Math.floor(count / 2); // the place of the keys' cursor
    this.clear();
  }

  clear() {
    this.levels = new Array(this.count).fill(null);
    this.last = null;
    this.tell();
  }

  tell() {
    this.dispatchEvent(new Event("change"));
  }

  // Places that were drawn.
  get drawn() {
    return this.levels.filter((level) => level !== null).length;
  }

  // A stroke, in shares of the sheet's width and height: press, move, lift.
  press(x, y) {
    this.last = null;
    this.move(x, y);
  }

  move(x, y) {
    const place = inside(Math.round(x * (this.count - 1)), 0, this.count - 1), level = inside(y, 0, 1);
    const [from, before] = this.last ?? [place, level];
    // A fast hand skips places: those between are on the way.
    for (let each = Math.min(from, place); each <= Math.max(from, place); each++) {
      this.levels[each] = from === place ? level : before + ((level - before) * (each - from)) / (place - from);
    }
    this.last = [place, level];
    this.at = place;
    this.tell();
  }

  lift() {
    this.last = null;
  }

  // The level at every place; null while nothing is drawn.
  get whole() {
    const known = this.levels.flatMap((level, place) => (level === null ? [] : [place]));
    if (!known.length) return null;
    return this.levels.map((level, place) => {
      if (level !== null) return level;
      const right = known.find((each) => each > place), left = known.findLast((each) => each < place);
      if (left === undefined) return this.levels[right];
      if (right === undefined) return this.levels[left];
      return this.levels[left] + ((this.levels[right] - this.levels[left]) * (place - left)) / (right - left);
    });
  }

  // What a key does; false: nothing.
  key({ key, shiftKey = false, ctrlKey = false, metaKey = false, altKey = false }) {
    if (ctrlKey || metaKey || altKey) return false;
    const aside = { ArrowLeft: -1, ArrowRight: 1 }[key], up = { ArrowUp: 1, ArrowDown: -1 }[key];
    if (aside) this.at = inside(this.at + aside * (shiftKey ? 5 : 1), 0, this.count - 1);
    else if (key === "Home") this.at = 0;
    else if (key === "End") this.at = this.count - 1;
    else if (up) this.levels[this.at] = inside((this.whole?.[this.at] ?? 0.5) + up * STEP * (shiftKey ? 5 : 1), 0, 1);
    else if (key === "Delete" || key === "Backspace") this.levels[this.at] = null;
    else return false;
    this.tell();
    return true;
  }
}

// Levels as whole numbers from 0 to 100, as an address has them.
export const written = (levels) => levels.map((level) => Math.round(100 * level)).join(".");
