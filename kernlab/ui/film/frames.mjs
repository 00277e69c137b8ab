// The frames of one picture of one run: fetched once, those that are looked at first, the others from coarse to fine.

// Places 0 … count−1: every eighth, then those between, so that a film can soon be scrubbed as a whole.
export function* coarse(count, step = 8) {
  if (count > 0) yield count - 1;
  for (let stride = step; stride >= 1; stride /= 2) {
    for (let place = 0; place < count - 1; place += stride) {
      if (stride === step || (place / stride) % 2) yield place;
    }
  }
}

const PARSED = 4; // frames that are kept as objects; as text, which is how all are kept, they take a quarter of the room

export class Frames {
  // fetch: (steps) => Promise of their frames as JSON texts. What failed is asked for again when it is looked at.
  // most: frames that are kept, the newest of them; all by default.
  constructor(fetch, most = Infinity) {
    this.fetch = fetch;
    this.most = most;
    this.steps = [];
    this.have = new Map(); // step -> text
    this.parsed = new Map(); // step -> frame
    this.asked = new Map(); // step -> promise
  }

  has(place) {
    return this.have.has(this.steps[place]);
  }

  // The frame of a step that is here: the same object as long as it is looked at.
  frame(step) {
    const found = this.parsed.get(step) ?? JSON.parse(this.have.get(step));
    this.parsed.delete(step);
    this.parsed.set(step, found);
    if (this.parsed.size > PARSED) this.parsed.delete(this.parsed.keys().next().value);
    return found;
  }

  // The frame of a place, or the nearest that is there: { frame, text, place }; null before there is any.
  nearest(place) {
    for (let away = 0; away < this.steps.length; away++) {
      for (const near of [place - away, place + away]) {
        if (near >= 0 && near < this.steps.length && this.has(near)) {
          return { frame: this.frame(this.steps[near]), text: this.have.get(this.steps[near]), place: near };
        }
      }
    }
    return null;
  }

  async get(place) {
    const step = this.steps[place];
    await this.load([place]);
    return this.frame(step);
  }

  // Fetch what is missing of some places in one request, and wait until they are there.
  async load(places) {
    const wanted = places.map((place) => this.steps[place]);
    if (wanted.includes(undefined)) throw new Error("there is no such snapshot yet");
    const missing = wanted.filter((step) => !this.have.has(step) && !this.asked.has(step));
    if (missing.length) {
      const answer = this.fetch(missing).then((texts) => missing.forEach((step, i) => this.keep(step, texts[i])))
        .finally(() => missing.forEach((step) => this.asked.delete(step)));
      missing.forEach((step) => this.asked.set(step, answer));
    }
    await Promise.all(wanted.map((step) => this.asked.get(step)));
  }

  // Fetch a frame that has become another, if it was ever asked for; until it is here the one before is shown.
  async renew(place) {
    const step = this.steps[place];
    if (!this.have.has(step) && !this.asked.has(step)) return;
    await this.asked.get(step);
    const [text] = await this.fetch([step]);
    this.parsed.delete(step);
    this.keep(step, text);
  }

  keep(step, text) {
    if (!text) return; // the picture cannot be drawn of this snapshot
    this.have.set(step, text);
    while (this.have.size > this.most) this.have.delete(this.have.keys().next().value);
  }
}

// Groups of places: the first alone, so that something is soon seen, then as many again as before, and eight at most.
export function* grouped(places) {
  for (let [from, size] = [0, 1]; from < places.length; from += size, size = Math.min(8, from)) yield places.slice(from, from + size);
}

// Asks for the frames of several pictures, a few requests at a time: what is looked at before what may be looked at later.
export class Loader {
  constructor(atOnce = 4) {
    this.atOnce = atOnce;
    this.underWay = 0;
    this.films = new Set();
    this.plans = new Map(); // frames -> groups of places that are still to be fetched
  }

  add(frames) {
    this.films.add(frames);
    this.plan(frames);
  }

  remove(frames) {
    this.films.delete(frames);
    this.plans.delete(frames);
  }

  plan(frames) {
    this.plans.set(frames, [...grouped([...coarse(frames.steps.length)].filter((place) => !frames.has(place)))]);
    this.go();
  }

  // Fetch what is missing, one picture after the other, so that all are equally fine.
  async go() {
    if (this.underWay >= this.atOnce) return;
    const next = [...this.films].filter((frames) => this.plans.get(frames)?.length)
      .sort((a, b) => this.plans.get(b).length - this.plans.get(a).length)[0];
    if (!next) return;
    const places = this.plans.get(next).shift();
    this.underWay++;
    this.go();
    try { await next.load(places); } catch { /* asked for again when it is looked at */ }
    this.underWay--;
    this.go();
  }
}
