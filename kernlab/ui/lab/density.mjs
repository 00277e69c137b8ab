// A spectral density on a grid of frequencies, and its kernel on a lattice of places in [−1, 1].
//
//   Line   k(x − x') = ∫ s(ω) cos ω(x − x') dω                                                     (Bochner)
//   Pairs  k(x, x') = ∫∫ s(ω, ω') ¼[cos(ωx − ω'x') + cos(ω'x − ωx') + cos ω(x − x') + cos ω'(x − x')]   (Yaglom)
//
// Both integrals are sums over the grid, the trapezoidal rule. Its error is what lies beyond the grid and the kernel at
// distances from 2π/step − 2 on. The sums are Σ θ_j B_j with θ ≥ 0, Σ θ = 1 and matrices B_j that are positive
// semi-definite, so every Gram matrix is: nothing has to be projected.

import { dot, products, reused } from "./cholesky.mjs";

export const NODES = 64; // frequencies 0, step, 2 step … of a density over one frequency, with step = range / NODES
export const HALF = 16; // frequencies −range … range of a density of pairs are −HALF … HALF steps
export const RANGES = { line: [10, 20, 40, 80], pairs: [5, 10, 20] }; // rad per unit
export const LATTICE = 4000; // steps of places from −1 to 1: all differences of places are whole numbers of them

// The place where a lattice point stands, and the places that curves are drawn at.
export const place = (i) => (2 * i) / LATTICE - 1;
export const GRID = Int32Array.from({ length: 161 }, (_, i) => (i * LATTICE) / 160);

// Densities by name as functions of |ω|, up to a factor; over pairs of the length that the correlation leaves.
export const DENSITIES = {
  gaussian: { title: "Gaussian", of: ["scale"], at: (w, { scale }) => Math.exp(-0.5 * (w / scale) ** 2) },
  laplace: { title: "Laplace", of: ["scale"], at: (w, { scale }) => Math.exp(-w / scale) },
  matern: { title: "Matérn", of: ["scale", "nu"],
    at: (w, { scale, nu }, d = 1) => (1 + (w / scale) ** 2 / (2 * nu)) ** (-nu - d / 2) },
  cauchy: { title: "Cauchy", of: ["scale"], at: (w, { scale }, d = 1) => (1 + (w / scale) ** 2) ** (-(d + 1) / 2) },
  mixture: { title: "Mixture", of: ["scale", "centre", "share"], at: (w, { scale, centre, share }) =>
    (1 - share) * Math.exp(-0.5 * (w / scale) ** 2) + share * Math.exp(-0.5 * ((w - centre) / scale) ** 2) },
};

// Share of a density over one frequency that lies above ``range``, with ω = range / u.
export function beyond(name, options, range) {
  const { at } = DENSITIES[name], count = 2000;
  let [inside, outside] = [0, 0];
  for (let i = 0; i < count; i++) {
    const u = (i + 0.5) / count;
    inside += at(range * u, options);
    outside += at(range / u, options) / u ** 2;
  }
  return outside / (inside + outside);
}

const shares = (values, sizes) => {
  let total = 0;
  for (let j = 0; j < values.length; j++) total += sizes(j) * values[j];
  return Float64Array.from(values, (value, j) => (total > 0 ? (sizes(j) * value) / total : j ? 0 : 1)); // nothing: a constant
};

// cos of 0, 1 … count − 1 steps of frequency at places, then sin [n 2·count]; kept as long as the places are.
const known = new WeakMap();
function waves(places, count, step) {
  if (!known.has(places)) known.set(places, new Map());
  const made = known.get(places), key = `${count} ${step}`;
  if (!made.has(key)) {
    const F = new Float64Array(places.length * 2 * count);
    for (let i = 0, at = 0; i < places.length; i++, at += 2 * count) {
      for (let j = 0; j < count; j++) {
        const turn = j * step * place(places[i]);
        F[at + j] = Math.cos(turn);
        F[at + count + j] = Math.sin(turn);
      }
    }
    made.clear();
    made.set(key, F);
  }
  return made.get(key);
}

const room = reused();
const combined = (F, sizes, n) => products(F, n, sizes, 1, sizes.length, new Float64Array(n));

// A density over one frequency, by its values at the nodes; the one at −ω is the same.
export class Line {
  constructor(values, range, nodes = values.length) {
    this.range = range;
    this.step = range / nodes;
    this.shares = shares(values, (j) => (j ? 1 : 0.5));
  }

  static values(name, options, range, nodes = NODES) {
    return Float64Array.from({ length: nodes }, (_, j) => DENSITIES[name].at((j * range) / nodes, options));
  }

  // The values of a density with these shares.
  static of(given) {
    return Float64Array.from(given, (share, j) => (j ? share : 2 * share));
  }

  // k(τ) = Σ θ_j cos(j step τ) by Clenshaw's recurrence.
  at(tau) {
    const twice = 2 * Math.cos(this.step * tau), { shares } = this;
    let b = 0, c = 0;
    for (let j = shares.length - 1; j > 0; j--) {
      const next = shares[j] + twice * b - c;
      c = b;
      b = next;
    }
    return shares[0] + (twice / 2) * b - c;
  }

  // k at every difference of two places.
  get table() {
    if (!this.known) {
      this.known = new Float64Array(LATTICE + 1);
      for (let lag = 0; lag <= LATTICE; lag++) this.known[lag] = this.at((2 * lag) / LATTICE);
    }
    return this.known;
  }

  // The kernel between places a and places b, [a.length b.length].
  gram(a, b = a, K = new Float64Array(a.length * b.length)) {
    const { table } = this;
    for (let i = 0, at = 0; i < a.length; i++) for (let j = 0; j < b.length; j++) K[at++] = table[Math.abs(a[i] - b[j])];
    return K;
  }

  // k(x, x).
  own(a) {
    return new Float64Array(a.length).fill(1);
  }

  // Σ_ik Q_ik B_j(x_i, x_k) for every frequency j, Q [n n] symmetric.
  traces(Q, a) {
    const lags = new Float64Array(LATTICE + 1), n = a.length, found = new Float64Array(this.shares.length);
    for (let i = 0; i < n; i++) for (let k = 0; k < n; k++) lags[Math.abs(a[i] - a[k])] += Q[i * n + k];
    for (let lag = 0; lag <= LATTICE; lag++) {
      if (!lags[lag]) continue;
      const twice = 2 * Math.cos((this.step * 2 * lag) / LATTICE);
      let [before, now] = [twice / 2, 1];
      for (let j = 0; j < found.length; j++) {
        found[j] += lags[lag] * now;
        [before, now] = [now, twice * now - before];
      }
    }
    return found;
  }

  // A function with this covariance at places, from 2·shares.length standard normal numbers.
  drawn(numbers, places) {
    const { shares } = this, count = shares.length, sizes = room("sizes", 2 * count);
    for (let j = 0; j < count; j++) {
      sizes[j] = Math.sqrt(shares[j]) * numbers[2 * j];
      sizes[count + j] = Math.sqrt(shares[j]) * numbers[2 * j + 1];
    }
    return combined(waves(places, count, this.step), sizes, places.length);
  }
}

// The pairs (a, b) in steps with a ≥ |b|: each stands for (a, b), (b, a), (−a, −b) and (−b, −a), whose kernel is one.
export const PAIRS = Array.from({ length: HALF + 1 }, (_, a) => Array.from({ length: 2 * a + 1 }, (_, k) => [a, k - a])).flat();
export const cell = (a, b) => {
  const p = Math.abs(a) >= Math.abs(b) ? a : b, q = a + b - p;
  return p < 0 ? p * p - q - p : p * p + q + p;
};
const SIZES = PAIRS.map(([a, b]) => (a === 0 ? 1 : a === Math.abs(b) ? 2 : 4));

// A density over pairs of frequencies, by its values at the cells of PAIRS; over the square it is symmetric.
export class Pairs {
  constructor(values, range) {
    this.range = range;
    this.step = range / HALF;
    this.shares = shares(values, (j) => SIZES[j]);
    const count = HALF + 1;
    this.even = new Float64Array(count * count);
    this.odd = new Float64Array(count * count);
    const add = (p, q, even, odd) => { this.even[p * count + q] += even; this.odd[p * count + q] += odd; };
    for (let j = 0; j < PAIRS.length; j++) {
      const [a, b] = PAIRS[j], k = Math.abs(b), share = this.shares[j] / 4;
      add(a, a, share, share);
      add(k, k, share, share);
      add(a, k, share, Math.sign(b) * share);
      add(k, a, share, Math.sign(b) * share);
    }
  }

  // A named density with a correlation ρ of ω and ω'; ρ = 1 is a stationary kernel.
  static values(name, options, range) {
    const { at } = DENSITIES[name], rho = options.correlation, step = range / HALF;
    return Float64Array.from(PAIRS, ([a, b]) => {
      if (rho >= 1) return a === b ? at(a * step, options) : 0;
      const along = (step * (a + b)) / Math.sqrt(2 * (1 + rho)), across = (step * (a - b)) / Math.sqrt(2 * (1 - rho));
      if (name !== "mixture") return at(Math.hypot(along, across), options, 2);
      const far = (step * (a + b) - 2 * options.centre) / Math.sqrt(2 * (1 + rho));
      const near = at(Math.hypot(along, across), { ...options, share: 0 });
      return (1 - options.share) * near + options.share * at(Math.hypot(far, across), { ...options, share: 0 });
    });
  }

  static of(given) {
    return Float64Array.from(given, (share, j) => share / SIZES[j]);
  }

  // ν = E(ω − ω')² / 2E[ω² + ω'²]: 0 on the diagonal, ½ without correlation, 1 on the other diagonal.
  get nonstationarity() {
    let [apart, size] = [0, 0];
    PAIRS.forEach(([a, b], j) => { apart += this.shares[j] * (a - b) ** 2; size += this.shares[j] * (a * a + b * b); });
    return size > 0 ? apart / (2 * size) : 0;
  }

  // Waves at places [n 2(HALF + 1)], and the same times the even and the odd part.
  sides(a) {
    const count = HALF + 1, wide = 2 * count, F = waves(a, count, this.step), rows = room("rows", F.length).fill(0);
    for (let i = 0; i < a.length; i++) {
      for (let p = 0, at = i * wide; p < count; p++) {
        const [even, odd] = [F[at + p], F[at + count + p]];
        for (let q = 0; q < count; q++) {
          rows[at + q] += even * this.even[p * count + q];
          rows[at + count + q] += odd * this.odd[p * count + q];
        }
      }
    }
    return [F, rows];
  }

  gram(a, b = a, K = new Float64Array(a.length * b.length)) {
    const wide = 2 * (HALF + 1), [F, rows] = this.sides(a);
    return products(rows, a.length, a === b ? F : waves(b, HALF + 1, this.step), b.length, wide, K, a === b);
  }

  // k(x, x) = ½(1 + E cos (ω − ω')x).
  own(a) {
    const wide = 2 * (HALF + 1), [F, rows] = this.sides(a);
    return Float64Array.from(a, (_, i) => dot(rows, i * wide, F, i * wide, wide));
  }

  traces(Q, a) {
    const count = HALF + 1, wide = 2 * count, n = a.length, F = waves(a, count, this.step);
    const A = new Float64Array(2 * count * count), row = new Float64Array(wide); // FᵀQF of the cosines, then of the sines
    for (let i = 0; i < n; i++) {
      row.fill(0);
      for (let k = 0; k < n; k++) for (let q = 0; q < wide; q++) row[q] += Q[i * n + k] * F[k * wide + q];
      for (let p = 0; p < wide; p++) {
        const shift = p < count ? 0 : count;
        for (let q = 0; q < count; q++) A[p * count + q] += F[i * wide + p] * row[shift + q];
      }
    }
    const even = (u, v) => A[u * count + v], odd = (u, v) => A[(count + u) * count + v];
    return Float64Array.from(PAIRS, ([p, b]) => {
      const q = Math.abs(b), sign = Math.sign(b);
      return 0.25 * (even(p, p) + even(q, q) + 2 * even(p, q) + odd(p, p) + odd(q, q) + 2 * sign * odd(p, q));
    });
  }

  drawn(numbers, places) {
    const count = HALF + 1, sizes = room("sizes", 2 * count).fill(0);
    for (let j = 0; j < PAIRS.length; j++) {
      const [a, b] = PAIRS[j], size = Math.sqrt(this.shares[j]) / 2, k = Math.abs(b);
      sizes[a] += size * numbers[2 * j];
      sizes[k] += size * numbers[2 * j];
      sizes[count + a] += size * numbers[2 * j + 1];
      sizes[count + k] += Math.sign(b) * size * numbers[2 * j + 1];
    }
    return combined(waves(places, count, this.step), sizes, places.length);
  }
}

export const KINDS = { line: Line, pairs: Pairs };
