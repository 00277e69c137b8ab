// Answers what test_lab_arithmetic.py asks: a list of [name, arguments] on standard input, the answers on standard output.

import { readFileSync } from "node:fs";

import { random } from "../../../kernlab/ui/brush.mjs";
import { Ascent } from "../../../kernlab/ui/lab/ascent.mjs";
import { cholesky } from "../../../kernlab/ui/lab/cholesky.mjs";
import { DENSITIES, KINDS, Line, NODES, PAIRS, RANGES, beyond, cell } from "../../../kernlab/ui/lab/density.mjs";
import { COLOURS } from "../../../kernlab/ui/lab/plot.mjs";
import { condition, inverse, normals, predict } from "../../../kernlab/ui/lab/process.mjs";

const floats = (values) => Float64Array.from(values);
const places = (values) => Int32Array.from(values);
const plain = (_, value) => (ArrayBuffer.isView(value) ? [...value] : value);

const ANSWERS = {
  cholesky: ({ K, n }) => cholesky(floats(K), n),
  regression: ({ K, y, variance, cross, own }) => {
    const known = condition(floats(K), floats(y), variance);
    return { ...known, inverse: inverse(known), ...predict(known, floats(cross), floats(own)) };
  },
  line: ({ name, options, range, nodes, taus }) => {
    const line = new Line(Line.values(name, options, range, nodes), range);
    return { kernel: taus.map((tau) => line.at(tau)), beyond: beyond(name, options, range), shares: line.shares };
  },
  named: ({ kind, name, options, range }) => KINDS[kind].values(name, options, range),
  gram: ({ kind, values, range, a, b }) => {
    const density = new KINDS[kind](values, range), first = places(a), second = places(b);
    return { within: density.gram(first), between: density.gram(first, second), own: density.own(first),
      shares: density.shares, nonstationarity: density.nonstationarity };
  },
  traces: ({ kind, values, range, a, Q }) => new KINDS[kind](values, range).traces(floats(Q), places(a)),
  drawn: ({ kind, values, range, a, seed, count }) => {
    const density = new KINDS[kind](values, range), draw = random(seed), where = places(a);
    return Array.from({ length: count }, () => [...density.drawn(normals(draw, 2 * density.shares.length), where)]);
  },
  covered: ({ kind, values, range, a, b, noise, seed, count }) => {
    // Functions of the prior, seen with noise at the places a: how often ±2σ has them at the places b.
    const density = new KINDS[kind](values, range), draw = random(seed);
    const [first, second] = [places(a), places(b)], both = Int32Array.of(...first, ...second);
    const K = density.gram(first), cross = density.gram(second, first), own = density.own(second);
    let inside = 0;
    for (let turn = 0; turn < count; turn++) {
      const f = density.drawn(normals(draw, 2 * density.shares.length), both), e = normals(draw, first.length);
      const known = condition(K, f.slice(0, first.length).map((each, i) => each + noise * e[i]), noise ** 2);
      const { mean, deviation } = predict(known, cross, own);
      mean.forEach((m, i) => { inside += Math.abs(f[first.length + i] - m) <= 2 * deviation[i]; });
    }
    return inside / (count * second.length);
  },
  ascent: ({ kind, values, range, a, y, amplitude, noise, steps, learnsNoise }) => {
    const ascent = new Ascent(KINDS[kind], values, range, { amplitude, noise, places: places(a), y: floats(y), learnsNoise });
    const evidence = [ascent.now.evidence];
    while (evidence.length <= steps && ascent.step()) evidence.push(ascent.now.evidence);
    const { theta, variance } = ascent.now;
    return { evidence, theta, variance };
  },
  known: () => ({ pairs: PAIRS, nodes: NODES, names: Object.keys(DENSITIES), ranges: RANGES, colours: COLOURS }),
  cells: (pairs) => pairs.map(([a, b]) => cell(a, b)),
};

const answers = JSON.parse(readFileSync(0, "utf8")).map(([name, given]) => ANSWERS[name](given));
console.log(JSON.stringify(answers, plain));
