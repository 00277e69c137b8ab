// Which point an arrow key leads to: the nearest of those that lie in its direction.

const WAYS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// points: [{ x, y }] in pixels, downwards; from: the place of one of them, -1 before the first. Returns a place.
export function toward(points, from, key) {
  const way = WAYS[key];
  if (!way || !points.length) return from;
  if (from < 0) return nearest(points, (point) => point.x); // the first key: the point that is farthest left
  const { x, y } = points[from];
  // Points that lie farther ahead than aside; where several lie at one place they come one after the other.
  const same = points.findIndex((point, place) => place > from && point.x === x && point.y === y);
  if (same >= 0 && way[0] + way[1] > 0) return same;
  const found = nearest(points, (point) => {
    const [dx, dy] = [point.x - x, point.y - y];
    const [ahead, aside] = [dx * way[0] + dy * way[1], Math.abs(dx * way[1]) + Math.abs(dy * way[0])];
    return ahead > 0 && aside <= ahead ? Math.hypot(dx, dy) : Infinity;
  });
  return found < 0 ? from : found;
}

function nearest(points, distance) {
  let [best, found] = [Infinity, -1];
  points.forEach((point, place) => {
    const here = distance(point);
    if (here < best) [best, found] = [here, place];
  });
  return found;
}
