// A picture of a few pixels that a mouse, a finger or keys paint: values from 0 to 1, nothing of a page.

const KEPT = 50; // strokes that can be undone

export class Sketch extends EventTarget {
  constructor(height, width) {
    super();
    [this.height, this.width] = [height, width];
    this.values = new Array(height * width).fill(0); // row by row; the list is replaced by every dab
    this.before = [];
    this.at = [width / 2, height / 2]; // the brush, in pixels from the upper left corner
    this.radius = Math.max(0.7, height / 14);
    this.erasing = false;
    this.down = false;
  }

  tell(what) {
    this.dispatchEvent(new Event(what));
  }

  // Begin with other values, of which nothing can be undone.
  load(values) {
    this.values = values.slice();
    this.before = [];
    this.tell("change");
  }

  press(x, y) {
    this.down = true;
    this.from = this.values;
    this.at = [x, y];
    this.dab();
  }

  // Dabs half a pixel apart along the way, however fast the hand is.
  move(x, y) {
    if (this.down) {
      const [x0, y0] = this.at;
      const steps = Math.max(1, Math.ceil(Math.hypot(x - x0, y - y0) / 0.5));
      for (let step = 1; step <= steps; step++) {
        this.at = [x0 + ((x - x0) * step) / steps, y0 + ((y - y0) * step) / steps];
        this.dab();
      }
    } else {
      this.at = [x, y];
      this.tell("change");
    }
  }

  lift() {
    if (!this.down) return;
    this.down = false;
    if (this.values.every((value, place) => value === this.from[place])) return;
    this.before.push(this.from);
    this.before.splice(0, this.before.length - KEPT);
    this.tell("stroke");
  }

  // Ink is full inside the brush and fades over one pixel at its edge.
  dab() {
    const [x, y] = this.at;
    this.values = this.values.map((value, place) => {
      const far = Math.hypot((place % this.width) + 0.5 - x, Math.floor(place / this.width) + 0.5 - y);
      const ink = Math.min(1, Math.max(0, this.radius + 0.5 - far));
      return this.erasing ? Math.max(0, value - ink) : Math.max(value, ink);
    });
    this.tell("change");
  }

  undo() {
    if (this.down || !this.before.length) return;
    this.values = this.before.pop();
    this.tell("change");
    this.tell("stroke");
  }

  clear() {
    if (this.down || !this.values.some(Boolean)) return;
    this.before.push(this.values);
    this.values = new Array(this.height * this.width).fill(0);
    this.tell("change");
    this.tell("stroke");
  }

  // What a key does; false: nothing.
  key({ key, shiftKey = false, ctrlKey = false, metaKey = false }) {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    if (ctrlKey || metaKey) {
      if (key.toLowerCase() !== "z") return false;
      this.undo();
    } else if (way) {
      const by = shiftKey ? 2 : 0.5;
      const ends = [this.width, this.height];
      this.at = this.at.map((each, axis) => Math.min(ends[axis], Math.max(0, each + by * way[axis])));
      this.tell("change");
    } else if (key === " " || key === "Enter") {
      this.press(...this.at);
      this.lift();
    } else if (key === "Delete" || key === "Backspace") {
      const erasing = this.erasing;
      this.erasing = true;
      this.press(...this.at);
      this.lift();
      this.erasing = erasing;
    } else return false;
    return true;
  }
}
