// One page after the other: who turns faster than pages come opens the last one that was asked for, once the script of
// the page before has ended. A script that is left before its end may still write its own address over the next one.

const PATIENCE = 5000; // milliseconds: a page that takes longer is left all the same

export class Turns {
  constructor(open, { wait = (call, time) => setTimeout(call, time), stop = (timer) => clearTimeout(timer) } = {}) {
    Object.assign(this, { open, wait, stop });
    this.running = false; // the script of the page that is shown
    this.coming = false; // a page was opened, and its script has not ended yet
    this.timer = null; // of a page that waits
  }

  ask() {
    if (this.running || this.coming) this.timer ??= this.wait(() => this.turn(), PATIENCE);
    else this.turn();
  }

  turn() {
    this.stop(this.timer);
    this.timer = null;
    this.coming = true;
    this.open();
  }

  // The script of the page has begun or ended.
  script(running) {
    this.running = running;
    if (running) return;
    this.coming = false;
    if (this.timer !== null) this.turn();
  }
}
