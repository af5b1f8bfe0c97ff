// Parts of a graph that no arrow connects: which they are, and how they stand beside each other.

/** @import { Arrow, Point, Size } from "./types" */

const GAP = 26;

/**
 * The ids of each part, the largest first.
 * @param {Iterable<string>} ids
 * @param {Arrow[]} arrows
 * @returns {string[][]}
 */
export function partsOf(ids, arrows) {
  const parent = new Map([...ids].map((id) => [id, id]));
  const root = (/** @type {string} */ id) => {
    let at = id;
    for (let up = parent.get(at); up !== undefined && up !== at; up = parent.get(at)) {
      parent.set(at, parent.get(up) ?? up);
      at = up;
    }
    return at;
  };
  for (const arrow of arrows) parent.set(root(arrow.from), root(arrow.to));
  /** @type {Map<string, string[]>} */
  const parts = new Map();
  for (const id of parent.keys()) {
    const key = root(id);
    const part = parts.get(key);
    if (part) part.push(id);
    else parts.set(key, [id]);
  }
  return [...parts.values()].sort((a, b) => b.length - a.length);
}

/**
 * Where the upper left corner of each part comes: in rows, as wide as the largest or as the window's shape asks for.
 * @param {Size[]} sizes
 * @param {number} aspect of the window
 * @returns {Point[]}
 */
export function pack(sizes, aspect) {
  const area = sizes.reduce((sum, size) => sum + (size.width + GAP) * (size.height + GAP), 0);
  const right = Math.max(Math.sqrt(area * aspect), ...sizes.slice(0, 1).map((size) => size.width));
  let [x, y, tallest] = [0, 0, 0];
  return sizes.map(({ width, height }) => {
    if (x && x + width > right) [x, y, tallest] = [0, y + tallest + GAP, 0];
    const corner = { x, y };
    x += width + GAP;
    tallest = Math.max(tallest, height);
    return corner;
  });
}
