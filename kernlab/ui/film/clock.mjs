// Where in a run's time a page stands: at one of its snapshots, or at the newest. Several runs may share one clock.
//
// Time is a place in epochs, not a number of a snapshot: a second run beside the first shows its own snapshot there.

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];
const PACE = 10; // snapshots a second at speed 1

export class Clock extends EventTarget {
  constructor() {
    super();
    this.epochs = []; // of the run that leads: ascending
    this.at = null; // epochs; null: the newest snapshot, also of a run that goes on
    this.playing = false;
    this.speed = 1;
    this.loop = false;
    this.pointed = null; // the epoch that somebody points at in a picture
    this.since = 0; // when the snapshot that is shown was reached, in milliseconds
  }

  // The place of the snapshot that is shown; -1 before there is one.
  get index() {
    return this.at === null ? this.epochs.length - 1 : last(this.epochs, this.at);
  }

  get epoch() {
    return this.epochs[this.index] ?? 0;
  }

  // The snapshots of the run that leads, as of now.
  moments(epochs) {
    if (epochs.length === this.epochs.length && epochs.every((epoch, i) => epoch === this.epochs[i])) return;
    this.epochs = epochs;
    this.tell();
  }

  // Show the moment at an epoch; null: the newest. Playing ends.
  seek(epoch) {
    this.playing = false;
    this.at = epoch;
    this.tell();
  }

  // Somebody points at an epoch in a picture, or no longer at any (null): it is marked, and nothing is drawn anew.
  point(epoch) {
    if (epoch === this.pointed) return;
    this.pointed = epoch;
    this.dispatchEvent(new Event("point"));
  }

  // Go on by a number of snapshots, to the first or last at most.
  step(by) {
    const place = Math.min(Math.max(this.index + by, 0), this.epochs.length - 1);
    if (place >= 0) this.seek(this.epochs[place]);
  }

  // Play from the moment that is shown, from the start where that is the last one.
  play(now) {
    if (this.epochs.length < 2) return;
    if (this.index >= this.epochs.length - 1) this.at = this.epochs[0];
    else if (this.at === null) this.at = this.epochs[0];
    this.playing = true;
    this.since = now;
    this.tell();
  }

  hold() {
    this.playing = false;
    this.tell();
  }

  // Move on while playing. A slow browser skips snapshots instead of falling behind; ready says which can be shown.
  tick(now, ready = () => true) {
    if (!this.playing) return;
    const each = 1000 / (PACE * this.speed);
    const due = Math.floor((now - this.since) / each);
    if (due < 1) return;
    const begin = this.index;
    const last = this.epochs.length - 1;
    let place = Math.min(this.index + due, last);
    while (place > this.index && !ready(place)) place--;
    if (place === this.index) {
      if (this.index < last) return; // it waits for a frame
      if (!this.loop) { this.playing = false; this.at = null; this.tell(); return; }
      place = 0;
    }
    // What is left of the time counts for the next moment, unless a frame was waited for.
    this.since = place - begin === due ? this.since + due * each : now;
    this.at = this.epochs[place];
    this.tell();
  }

  tell() {
    this.dispatchEvent(new Event("change"));
  }
}

// The place of the last number that is not above x, at least the first; -1 in an empty list.
export function last(ascending, x) {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] <= x + 1e-9) low = middle + 1;
    else high = middle;
  }
  return ascending.length ? Math.max(low - 1, 0) : -1;
}

export { PACE, SPEEDS };
