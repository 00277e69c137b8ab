// What a person has chosen in the Kernel lab, as an address says it: short text, checked when it is read.

import { DENSITIES, KINDS, LATTICE, NODES, PAIRS, RANGES, place } from "./density.mjs";
import { normals } from "./process.mjs";

export const MOST = 200; // points
export const LEVELS = 4000; // steps of targets from −TOP to TOP
export const TOP = 1.5;
export const level = (i) => ((2 * i) / LEVELS - 1) * TOP;
export const nearest = (value, top, steps) => Math.min(steps, Math.max(0, Math.round(((value / top + 1) / 2) * steps)));

const FINE = 4095; // painted values are whole numbers of 1/FINE, so that an address has them without loss
export const fine = (value) => Math.round(FINE * Math.min(1, Math.max(0, value))) / FINE;
export const PEAK = 0.8; // of a density that was not painted: a hand can still paint above it

const NOISE = 0.08; // of generated points

// Generated points: where they lie, and the function that they show.
export const SETS = {
  chirp: { title: "Chirp", f: (x) => 0.9 * Math.sin(4.5 * (x + 1) ** 2) },
  sines: { title: "Two sines", f: (x) => 0.6 * Math.sin(6 * x) + 0.4 * Math.sin(19 * x) },
  steps: { title: "Steps", f: (x) => (x < -0.5 ? -0.7 : x < 0 ? 0.6 : x < 0.45 ? -0.2 : 0.9) },
  season: { title: "Trend and season", f: (x) => 0.55 * (x + 0.4 * x * x) + 0.3 * Math.sin(25 * x) + 0.1 * Math.sin(50 * x), to: 0.5 },
};
export const GIVEN = { draw: "Drawn from the prior", own: "My own" }; // their points stand in the address

export function made(name, n, seed, random) {
  const draw = random(seed), { f, to = 1 } = SETS[name], e = normals(draw, n);
  return Array.from({ length: n }, (_, i) => {
    const x = nearest(-1 + ((i + draw()) / n) * (to + 1), 1, LATTICE);
    return [x, nearest(f(place(x)) + NOISE * e[i], TOP, LEVELS)];
  });
}

// Points of a function that is drawn from a kernel.
export function drawn(density, amplitude, n, seed, random) {
  const draw = random(seed), e = normals(draw, n);
  const places = Int32Array.from({ length: n }, (_, i) => nearest(-1 + (2 * (i + draw())) / n, 1, LATTICE));
  const f = density.drawn(normals(draw, 2 * density.shares.length), places);
  return Array.from(places, (x, i) => [x, nearest(amplitude * f[i] + NOISE * e[i], TOP, LEVELS)]);
}

// -- text of lists -------------------------------------------------------------------------------------------------

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// Whole numbers from 0 to 4095, two letters each.
export const packed = (numbers) => Array.from(numbers, (each) => LETTERS[each >> 6] + LETTERS[each & 63]).join("");

// The numbers of such a text; null where it is none.
export function unpacked(text) {
  if (text.length % 2 || !/^[\w-]*$/.test(text)) return null;
  return Array.from({ length: text.length / 2 }, (_, i) => 64 * LETTERS.indexOf(text[2 * i]) + LETTERS.indexOf(text[2 * i + 1]));
}

// -- fields --------------------------------------------------------------------------------------------------------

const among = (names, fallback) => ({ fallback, must: `one of ${names.join(", ")}`,
  read: (text) => (names.includes(text) ? text : undefined), write: String });
const number = (low, high, fallback, whole = false) => ({ fallback, low, high, must: `a ${whole ? "whole number" : "number"} from ${low} to ${high}`,
  read: (text) => (/^-?[\d.]+$/.test(text) && (!whole || /^\d+$/.test(text)) && low <= Number(text) && Number(text) <= high ? Number(text) : undefined),
  write: String });
const painted = (count) => ({ fallback: null, must: `the ${count} values of a painted density`,
  read: (text) => { const found = unpacked(text); return found?.length === count ? Float64Array.from(found, (each) => each / FINE) : undefined; },
  write: (values) => packed(Array.from(values, (each) => Math.round(FINE * each))) });

export const FIELDS = {
  view: among(Object.keys(KINDS), "line"),
  density: among([...Object.keys(DENSITIES), "own"], "gaussian"),
  scale: number(0.5, 60, 8),
  nu: number(0.5, 4.5, 1.5),
  centre: number(0, 80, 20),
  share: number(0, 1, 0.3),
  correlation: number(-0.95, 1, 0.8),
  range: { ...number(5, 80, null), must: `a range of frequencies: ${RANGES.line.join(", ")}, or for pairs ${RANGES.pairs.join(", ")}` },
  data: among([...Object.keys(SETS), ...Object.keys(GIVEN)], "chirp"),
  n: number(2, MOST, 40, true),
  seed: number(0, 9999, 0, true),
  noise: number(0.01, 1, 0.1),
  amplitude: number(0.1, 3, 0.7),
  line: painted(NODES),
  pairs: painted(PAIRS.length),
  points: { fallback: null, must: `at most ${MOST} points, four letters each`,
    read: (text) => {
      const found = unpacked(text);
      if (!found || found.length % 2 || found.length > 2 * MOST || found.some((each) => each > LEVELS)) return undefined;
      return Array.from({ length: found.length / 2 }, (_, i) => [found[2 * i], found[2 * i + 1]]);
    },
    write: (points) => packed(points.flat()) },
};

export const tidy = (value) => Number(value.toPrecision(4)); // as numbers stand in an address
const RANGE = { line: 40, pairs: 20 };

// The scene that an address describes, and a sentence for each part of it that stands for nothing.
export function read(parameters, random) {
  const scene = {}, sentences = [];
  const refuse = (key, must, text) => sentences.push(`${key} must be ${must}, not "${text.length > 40 ? `${text.slice(0, 40)}…` : text}".`);
  for (const [key, field] of Object.entries(FIELDS)) {
    const text = parameters.get(key), value = text === null ? field.fallback : field.read(text);
    if (value === undefined) refuse(key, field.must, text);
    scene[key] = value ?? field.fallback;
  }
  if (!RANGES[scene.view].includes(scene.range)) {
    if (scene.range !== null) refuse("range", FIELDS.range.must, String(scene.range));
    scene.range = RANGE[scene.view];
  }
  if (scene.density === "own" && !scene[scene.view]) {
    if (!parameters.has(scene.view)) refuse("density", `the name of a density where no ${scene.view} is painted in the address`, "own");
    scene.density = FIELDS.density.fallback;
  }
  if (scene.data === "draw" && !scene.points) {
    if (!parameters.has("points")) refuse("data", "a set that is generated where the address has no points", "draw");
    scene.data = FIELDS.data.fallback;
  }
  if (scene.data in SETS) scene.points = made(scene.data, scene.n, scene.seed, random);
  scene.points ??= [];
  return { scene, sentences };
}

// The parameters of an address: what differs from the defaults.
export function write(scene) {
  const found = new URLSearchParams();
  for (const [key, field] of Object.entries(FIELDS)) {
    const unused = (key === "points" && scene.data in SETS) || ((key === "line" || key === "pairs") && (scene.density !== "own" || key !== scene.view))
      || (key === "range" && scene.range === RANGE[scene.view]);
    if (!unused && scene[key] !== null && scene[key] !== field.fallback) found.set(key, field.write(scene[key]));
  }
  return found;
}

// The values of the density at the cells of its grid, from 0 to 1.
export function values(scene) {
  if (scene.density === "own") return scene[scene.view];
  return peaked(KINDS[scene.view].values(scene.density, scene, scene.range));
}

export function peaked(given) {
  const top = given.reduce((most, each) => Math.max(most, each), 0) || 1;
  return Float64Array.from(given, (each) => (PEAK * each) / top);
}

// The density as a painted one, which a hand can change.
export function owned(scene) {
  return Float64Array.from(values(scene), fine);
}

// Another range: a density that is painted over one frequency keeps its place in rad per unit as well as the grid allows;
// one of pairs is stretched with the range.
export function ranged(scene, range) {
  if (scene.density === "own" && scene.view === "line" && scene.line) {
    const old = scene.line, ratio = range / scene.range;
    scene.line = Float64Array.from(old, (_, j) => {
      const at = j * ratio, low = Math.floor(at);
      return low >= NODES - 1 ? (low === NODES - 1 && at === low ? old[low] : 0) : fine(old[low] + (at - low) * (old[low + 1] - old[low]));
    });
  }
  scene.range = range;
}
