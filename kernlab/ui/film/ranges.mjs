// Ends of axes, and limits of colours and contours, of one figure and of several.

// Which end of the limits is common (as in kernlab/pictures/film.py).
const LIMITS = {
  zmin: Math.min, zmax: Math.max, "marker.cmin": Math.min, "marker.cmax": Math.max,
  "contours.start": Math.min, "contours.end": Math.max, "contours.size": Math.max,
};

// The range that contains all of them; undefined where one is no range of numbers.
export function union(ranges) {
  if (!ranges.length || !ranges.every((range) => range?.length === 2 && range.every(Number.isFinite))) return undefined;
  const low = Math.min(...ranges.flat());
  const high = Math.max(...ranges.flat());
  return ranges[0][0] > ranges[0][1] ? [high, low] : [low, high];
}

// The limits of a trace's colours and contours that contain those of the others.
export function limits(look, others) {
  const found = {};
  for (const [path, end] of Object.entries(LIMITS)) {
    const values = [look, ...others].map((each) => each?.[path]).filter(Number.isFinite);
    if (Number.isFinite(look[path])) found[path] = end(...values);
  }
  return found;
}

// What has the range of this name: an axis, or the heights of a scene.
export const ranged = (layout, name) => (name === "scene" ? layout.scene?.zaxis : layout[name]);

// Whether the range or the limits of one moment lie beyond those of the run.
export const beyond = (fixed, own) => Array.isArray(fixed)
  ? (union([fixed, own]) ?? fixed).some((end, k) => end !== fixed[k])
  : Object.entries(limits(fixed ?? {}, [own])).some(([path, end]) => end !== fixed[path]);

// Whether two lists have the same entries; false where there is none.
export const alike = (list, other) => Boolean(list) && list.length === other?.length && list.every((each, k) => each === other[k]);
