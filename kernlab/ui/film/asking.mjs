// When a page's script is asked to run again: whenever a job is in another phase than the script knows.

const PATIENCE = 2000; // milliseconds until it is asked again for the same phase: a question can be lost on its way,
const LONGEST = 30000; // and the script may never come to know that phase, so that each time takes twice as long

export class Asking {
  constructor({ now = () => performance.now(), wait = (call, time) => setTimeout(call, time), stop = (timer) => clearTimeout(timer) } = {}) {
    Object.assign(this, { now, wait, stop });
    this.at = -Infinity; // when it was asked last,
    this.phase = null; // for which phase, while the script does not know it,
    this.patience = PATIENCE; // and how long it may take
  }

  // phase: of the job; known: of the script. ask: makes the script run; later: looks again.
  // soonest: milliseconds between two questions at least.
  tell(phase, known, ask, later, soonest = 0) {
    this.stop(this.timer);
    if (phase === known) {
      this.phase = null;
      return;
    }
    const again = phase === this.phase;
    const pause = this.at + (again ? Math.max(soonest, this.patience) : soonest) - this.now();
    if (pause > 0) {
      this.timer = this.wait(later, pause);
      return;
    }
    this.patience = again ? Math.min(2 * this.patience, LONGEST) : PATIENCE;
    this.phase = phase;
    this.at = this.now();
    this.timer = this.wait(later, this.patience);
    ask(phase);
  }
}
