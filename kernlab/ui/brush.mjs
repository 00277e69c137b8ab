// Points painted into the square [-1, 1] × [-1, 1] with a spray that a mouse, a finger or keys lead: nothing of a page.

export const MOST = 5000; // points
const KEPT = 100; // strokes that can be undone
const STEP = 0.05; // that an arrow key moves the brush by; with Shift four times that
const MARGIN = 1; // no point lies outside

// A small generator of random numbers with a seed, so that what is painted can be tested.
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export class Painting extends EventTarget {
  constructor(draw = Math.random) {
    super();
    this.draw = draw;
    this.points = []; // [x, y, class]; the list is replaced, never changed
    this.before = []; // the lists before each stroke
    this.after = []; // the lists that were undone
    this.tool = 0; // a class, or "erase"
    this.classes = 2;
    this.radius = 0.12;
    this.count = 4; // points of a dab
    this.at = [0, 0]; // the brush
    this.down = false;
  }

  tell(what) {
    this.dispatchEvent(new Event(what));
  }

  // Begin with other points; nothing of what was painted before can be undone.
  load(points) {
    this.points = points.slice(0, MOST);
    this.classes = Math.max(2, ...this.points.map(([, , kind]) => kind + 1));
    this.before = [];
    this.after = [];
    this.tell("change");
  }

  // Rows of each class.
  get counts() {
    const counts = new Array(this.classes).fill(0);
    for (const [, , kind] of this.points) counts[kind]++;
    return counts;
  }

  // A stroke: press, move, lift. What it has changed can be undone at once.
  press(x, y) {
    this.down = true;
    this.from = this.points;
    this.at = [x, y];
    this.dab(x, y);
  }

  move(x, y) {
    if (!this.down) {
      this.at = [x, y];
      this.tell("brush");
      return;
    }
    // Dabs have equal distances along the way, however fast the hand is.
    const [dx, dy] = [x - this.at[0], y - this.at[1]];
    const dabs = Math.floor(Math.hypot(dx, dy) / (this.radius / 2));
    for (let dab = 1; dab <= dabs; dab++) {
      const share = (dab * this.radius) / 2 / Math.hypot(dx, dy);
      this.dab(x - dx * (1 - share), y - dy * (1 - share));
    }
    if (dabs) this.at = [x, y];
    this.tell("brush");
  }

  lift() {
    if (!this.down) return;
    this.down = false;
    if (this.points === this.from) return;
    this.before.push(this.from);
    this.before.splice(0, this.before.length - KEPT);
    this.after = [];
    this.tell("stroke");
  }

  dab(x, y) {
    if (this.tool === "erase") {
      const left = this.points.filter(([px, py]) => Math.hypot(px - x, py - y) > this.radius);
      if (left.length < this.points.length) this.points = left;
    } else {
      const added = [];
      for (let n = 0; n < this.count && this.points.length + added.length < MOST; n++) {
        const [angle, far] = [2 * Math.PI * this.draw(), this.radius * Math.sqrt(this.draw())];
        const point = [x + far * Math.cos(angle), y + far * Math.sin(angle)].map((each) => Math.round(1e4 * each) / 1e4);
        if (point.every((each) => Math.abs(each) <= MARGIN)) added.push([...point, this.tool]);
      }
      if (added.length) this.points = [...this.points, ...added];
    }
    this.tell("change");
  }

  undo() {
    this.turn(this.before, this.after);
  }

  redo() {
    this.turn(this.after, this.before);
  }

  turn(from, to) {
    if (!from.length || this.down) return;
    to.push(this.points);
    this.points = from.pop();
    this.tell("change");
    this.tell("stroke");
  }

  clear() {
    if (!this.points.length || this.down) return;
    this.before.push(this.points);
    this.points = [];
    this.after = [];
    this.tell("change");
    this.tell("stroke");
  }

  // One more class, to be painted next.
  add(most) {
    if (this.classes >= most) return;
    this.tool = this.classes++;
    this.tell("change");
  }

  // What a key does; false: nothing.
  key({ key, shiftKey = false, ctrlKey = false, metaKey = false }) {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key];
    if (ctrlKey || metaKey) {
      if (key.toLowerCase() === "z") shiftKey ? this.redo() : this.undo();
      else if (key.toLowerCase() === "y") this.redo();
      else return false;
    } else if (way) {
      const by = STEP * (shiftKey ? 4 : 1);
      this.at = this.at.map((each, axis) => Math.min(MARGIN, Math.max(-MARGIN, each + by * way[axis])));
      this.tell("brush");
    } else if (key === " " || key === "Enter") {
      this.press(...this.at);
      this.lift();
    } else if (key === "Delete" || key === "Backspace") {
      const tool = this.tool;
      this.tool = "erase";
      this.press(...this.at);
      this.lift();
      this.tool = tool;
    } else if (key.toLowerCase() === "e") {
      this.choose("erase");
    } else if (/^[1-9]$/.test(key) && Number(key) <= this.classes) {
      this.choose(Number(key) - 1);
    } else return false;
    return true;
  }

  choose(tool) {
    this.tool = tool;
    this.tell("change");
  }
}
