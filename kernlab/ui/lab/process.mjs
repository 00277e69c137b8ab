// Gaussian process regression with mean zero: y = f(x) + noise, f with the covariance K, noise of variance σ².

import { backward, cholesky, dot, forward, fresh, inverted, lengths } from "./cholesky.mjs";

// What the points say, for K [n n] between them, targets y [n] and the variance σ² of the noise.
//
//   evidence   log N(y; 0, K + σ²I)
//   residuals  y_i minus what all other points predict at x_i: α_i / (K + σ²I)⁻¹_ii, with α = (K + σ²I)⁻¹y
//
// Source: Rasmussen and Williams 2006, Algorithm 2.1 and eq. 5.12.
export function condition(K, y, variance, room = fresh) {
  const n = y.length, A = room("covariance", n * n);
  A.set(K);
  for (let i = 0; i < n; i++) A[i * n + i] += variance;
  const { L, jitter } = cholesky(A, n, room("factor", n * n));
  const alpha = backward(L, n, forward(L, n, y));
  let evidence = -0.5 * dot(y, 0, alpha, 0, n) - (n / 2) * Math.log(2 * Math.PI);
  for (let i = 0; i < n; i++) evidence -= Math.log(L[i * n + i]);
  const Z = inverted(L, n, room("inverse", n * n)), residuals = new Float64Array(n);
  for (let i = 0; i < n; i++) residuals[i] = alpha[i] / dot(Z, i * n + i, Z, i * n + i, n - i);
  return { n, L, jitter, alpha, evidence, residuals, Z };
}

// Mean and standard deviation of f at P further places, for the covariance ``cross`` [P n] between them and the points
// and the variances ``own`` [P] of f there.
export function predict({ n, L, alpha }, cross, own) {
  const known = lengths(L, n, cross, own.length);
  const mean = new Float64Array(own.length), deviation = new Float64Array(own.length);
  for (let p = 0; p < own.length; p++) {
    mean[p] = dot(cross, p * n, alpha, 0, n);
    deviation[p] = Math.sqrt(Math.max(0, own[p] - known[p]));
  }
  return { mean, deviation };
}

// (K + σ²I)⁻¹ [n n].
export function inverse({ n, Z }) {
  const A = new Float64Array(n * n);
  for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) A[i * n + j] = A[j * n + i] = dot(Z, i * n + i, Z, j * n + i, n - i);
  return A;
}

export function rootMeanSquare(values) {
  return values.length ? Math.sqrt(dot(values, 0, values, 0, values.length) / values.length) : 0;
}

// Standard normal numbers from numbers that are uniform in [0, 1), by Box and Muller.
export function normals(draw, count) {
  return Float64Array.from({ length: count }, () => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw()));
}
