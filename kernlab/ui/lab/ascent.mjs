// The density, the amplitude and the noise that raise the evidence of the points.
//
// The covariance of y is Σ θ_j B_j + σ²I. The derivative of the log evidence by θ_j is ½(p_j − m_j) with
// p_j = αᵀB_jα and m_j = tr((K + σ²I)⁻¹B_j), and
//
//     θ_j ← θ_j (p_j / m_j)^power
//
// keeps θ ≥ 0. With power ½ it never lowers the evidence (Zhou, Hu, Zhou and Lange 2019, "MM algorithms for variance
// components models"). Larger powers are often faster: each is tried, and taken only where the evidence rises.

import { condition, inverse } from "./process.mjs";

const LARGEST = 4;

export class Ascent {
  // kind: Line or Pairs; amplitude²: Σ θ; places [n] of the lattice and targets y [n].
  constructor(kind, values, range, { amplitude, noise, places, y, learnsNoise = true }) {
    Object.assign(this, { kind, range, places, y, learnsNoise, steps: 0, power: 0.5 });
    this.now = this.seen(Float64Array.from(new kind(values, range).shares, (share) => share * amplitude ** 2), noise ** 2);
    this.begun = this.now.evidence;
  }

  seen(theta, variance) {
    const amplitude = Math.sqrt(theta.reduce((sum, each) => sum + each, 0));
    const density = new this.kind(this.kind.of(theta), this.range);
    const K = density.gram(this.places).map((each) => each * amplitude ** 2);
    const state = condition(K, this.y, variance);
    return { theta, variance, density, amplitude, noise: Math.sqrt(variance), state, evidence: state.evidence };
  }

  // One step; false where the evidence does not rise any more.
  step() {
    const { theta, variance, density, state, evidence } = this.now, { n, alpha } = state;
    const A = inverse(state), outer = new Float64Array(n * n);
    for (let i = 0; i < n; i++) for (let k = 0; k < n; k++) outer[i * n + k] = alpha[i] * alpha[k];
    const [plus, minus] = [density.traces(outer, this.places), density.traces(A, this.places)];
    let [length, trace] = [0, 0];
    for (let i = 0; i < n; i++) { length += alpha[i] ** 2; trace += A[i * n + i]; }
    for (const power of new Set([this.power, 0.5])) {
      const next = this.seen(
        theta.map((each, j) => (minus[j] > 0 ? each * (Math.max(0, plus[j]) / minus[j]) ** power : each)),
        this.learnsNoise ? Math.max(LEAST ** 2, variance * (length / trace) ** power) : variance,
      );
      if (next.evidence < evidence) continue; // with power ½ only by rounding
      this.power = power === this.power ? Math.min(LARGEST, 1.5 * power) : 0.5;
      this.now = next;
      this.steps++;
      return next.evidence - evidence > 1e-6 * Math.max(1, Math.abs(evidence));
    }
    return false;
  }
}

export const LEAST = 0.01; // of the noise
