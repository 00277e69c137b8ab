// Symmetric matrices as Float64Array, row by row: Cholesky's factor K + jitter·I = LLᵀ and what follows from it.

// The jitter is the first of these shares of the mean diagonal with which every pivot is above n·2⁻⁵² of that mean.
export const SHARES = [0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4];

// Sum of a[i + k] b[j + k] over k < n. Four sums side by side: one alone would wait for itself.
export function dot(a, i, b, j, n) {
  let [p, q, r, s] = [0, 0, 0, 0], k = 0;
  for (; k + 3 < n; k += 4) {
    p += a[i + k] * b[j + k];
    q += a[i + k + 1] * b[j + k + 1];
    r += a[i + k + 2] * b[j + k + 2];
    s += a[i + k + 3] * b[j + k + 3];
  }
  for (; k < n; k++) p += a[i + k] * b[j + k];
  return p + q + (r + s);
}

// Room for a matrix: every time anew, or by its name the same again, so that frames leave no garbage behind.
export const fresh = (_, length) => new Float64Array(length);
export function reused() {
  const known = new Map();
  return (name, length) => {
    if (known.get(name)?.length !== length) known.set(name, new Float64Array(length));
    return known.get(name);
  };
}

// A Bᵀ [n m] into K, for A [n wide] and B [m wide]; of a symmetric one only what lies right of the diagonal, and mirrored.
export function products(A, n, B, m, wide, K, symmetric = false) {
  for (let i = 0; i < n; i += 4) {
    // Four rows of A at once share each number of B; a block that is not full takes its last row again.
    const rows = [i, Math.min(i + 1, n - 1), Math.min(i + 2, n - 1), Math.min(i + 3, n - 1)];
    const a = rows[0] * wide, b = rows[1] * wide, c = rows[2] * wide, d = rows[3] * wide;
    for (let j = symmetric ? i : 0; j < m; j++) {
      let p = 0, q = 0, r = 0, s = 0;
      for (let k = 0, at = j * wide; k < wide; k++, at++) {
        const one = B[at];
        p += A[a + k] * one;
        q += A[b + k] * one;
        r += A[c + k] * one;
        s += A[d + k] * one;
      }
      K[rows[0] * m + j] = p;
      K[rows[1] * m + j] = q;
      K[rows[2] * m + j] = r;
      K[rows[3] * m + j] = s;
    }
  }
  if (symmetric) for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) K[i * n + j] = K[j * n + i];
  return K;
}

// The lower factor L [n n] of K + jitter·I for K [n n], of which only the lower half is read.
export function cholesky(K, n, L = new Float64Array(n * n)) {
  let mean = 0;
  for (let i = 0; i < n; i++) mean += K[i * n + i] / n;
  for (const share of SHARES) if (factor(K, n, L, share * mean, n * 2 ** -52 * mean)) return { L, jitter: share * mean };
  throw new Error("A covariance matrix must be positive semi-definite, and this one is not: use a kernel of a density that is nowhere negative.");
}

// Four systems Lv = b at once, from row ``from`` to row ``to``: element i of system r is V[4i + r], b before and v after.
// One number of L serves four systems, and eight sums do not wait for each other: three times as fast as one by one.
function solve(L, n, V, from, to) {
  for (let i = from, row = from * n; i < to; i++, row += n) {
    let [a, b, c, d] = [0, 0, 0, 0], [p, q, r, s] = [V[4 * i], V[4 * i + 1], V[4 * i + 2], V[4 * i + 3]], k = from;
    for (let at = 4 * from; k + 1 < i; k += 2, at += 8) {
      const first = L[row + k], second = L[row + k + 1];
      p -= first * V[at];
      q -= first * V[at + 1];
      r -= first * V[at + 2];
      s -= first * V[at + 3];
      a += second * V[at + 4];
      b += second * V[at + 5];
      c += second * V[at + 6];
      d += second * V[at + 7];
    }
    if (k < i) {
      const last = L[row + k], at = 4 * k;
      a += last * V[at];
      b += last * V[at + 1];
      c += last * V[at + 2];
      d += last * V[at + 3];
    }
    const scale = 1 / L[row + i];
    V[4 * i] = (p - a) * scale;
    V[4 * i + 1] = (q - b) * scale;
    V[4 * i + 2] = (r - c) * scale;
    V[4 * i + 3] = (s - d) * scale;
  }
}

// Four rows of L at once: what stands left of their diagonal block solves a system of the rows above.
function factor(K, n, L, jitter, least) {
  const V = new Float64Array(4 * n);
  for (let i = 0; i < n; i += 4) {
    const width = Math.min(4, n - i);
    for (let r = 0; r < width; r++) for (let k = 0; k < i; k++) V[4 * k + r] = K[(i + r) * n + k];
    solve(L, n, V, 0, i);
    for (let r = 0; r < width; r++) {
      const row = (i + r) * n;
      for (let k = 0; k < i; k++) L[row + k] = V[4 * k + r];
      for (let j = i; j < i + r; j++) L[row + j] = (K[row + j] - dot(L, row, L, j * n, j)) / L[j * n + j];
      const pivot = K[row + i + r] + jitter - dot(L, row, L, row, i + r);
      if (!(pivot > least)) return false;
      L[row + i + r] = Math.sqrt(pivot);
    }
  }
  return true;
}

// v with Lv = b.
export function forward(L, n, b) {
  const v = new Float64Array(n);
  for (let i = 0; i < n; i++) v[i] = (b[i] - dot(L, i * n, v, 0, i)) / L[i * n + i];
  return v;
}

// v with Lᵀv = b.
export function backward(L, n, b) {
  const v = Float64Array.from(b);
  for (let i = n - 1; i >= 0; i--) {
    v[i] /= L[i * n + i];
    for (let j = 0; j < i; j++) v[j] -= L[i * n + j] * v[i];
  }
  return v;
}

// ‖L⁻¹b‖² of each row b of B [count n].
export function lengths(L, n, B, count) {
  const found = new Float64Array(count), V = new Float64Array(4 * n);
  for (let p = 0; p < count; p += 4) {
    const width = Math.min(4, count - p);
    for (let r = 0; r < width; r++) for (let k = 0; k < n; k++) V[4 * k + r] = B[(p + r) * n + k];
    solve(L, n, V, 0, n);
    for (let r = 0; r < width; r++) {
      let sum = 0;
      for (let at = r; at < 4 * n; at += 4) sum += V[at] * V[at];
      found[p + r] = sum;
    }
  }
  return found;
}

// (L⁻¹)ᵀ [n n]: its row i is column i of L⁻¹, which begins at i.
export function inverted(L, n, Z = new Float64Array(n * n)) {
  const V = new Float64Array(4 * n);
  for (let i = 0; i < n; i += 4) {
    const width = Math.min(4, n - i);
    V.fill(0);
    for (let r = 0; r < width; r++) V[4 * (i + r) + r] = 1;
    solve(L, n, V, i, n);
    for (let r = 0; r < width; r++) for (let k = i + r; k < n; k++) Z[(i + r) * n + k] = V[4 * k + r];
  }
  return Z;
}
