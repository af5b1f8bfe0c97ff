// A plain layered layout for graphs too large for Dagre: time grows with the number of boxes and arrows.

/** @import { Arrow, Point, Size } from "./types" */

const GAP = { x: 110, y: 16, within: 24 };
const SWEEPS = 4;

/**
 * Each box stands right of what leads to it, loops aside, and near the middle of its neighbours. A layer that is much
 * higher than the window would allow takes several columns.
 * @param {Map<string, Size>} boxes
 * @param {Arrow[]} arrows
 * @param {number} aspect of the window
 * @returns {Map<string, Point>}
 */
export function layers(boxes, arrows, aspect) {
  /** @type {Map<string, string[]>} */
  const next = new Map([...boxes.keys()].map((id) => [id, []]));
  /** @type {Map<string, string[]>} */
  const before = new Map([...boxes.keys()].map((id) => [id, []]));
  for (const arrow of arrows) {
    next.get(arrow.from)?.push(arrow.to);
    before.get(arrow.to)?.push(arrow.from);
  }
  const columns = group(depths(next));
  /** @type {Map<string, number>} */
  const rank = new Map(columns.flatMap((column) => column.map((id, at) => /** @type {const} */ ([id, at / column.length]))));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const neighbours = sweep % 2 ? next : before;
    for (const column of columns) {
      const middle = new Map(column.map((id) => [id, mean(neighbours.get(id) ?? [], rank, id)]));
      column.sort((a, b) => (middle.get(a) ?? 0) - (middle.get(b) ?? 0));
      column.forEach((id, at) => rank.set(id, at / column.length));
    }
  }
  return positions(columns, boxes, aspect);
}

/**
 * The longest way to each box, arrows that close a loop left out: in the order in which a depth-first walk is done.
 * @param {Map<string, string[]>} next
 */
function depths(next) {
  /** @type {string[]} */
  const done = [];
  const state = new Map();
  for (const root of next.keys()) {
    const stack = [root];
    while (stack.length) {
      const id = stack[stack.length - 1];
      if (!state.has(id)) {
        state.set(id, "open");
        for (const target of next.get(id) ?? []) if (!state.has(target)) stack.push(target);
      } else {
        stack.pop();
        if (state.get(id) === "open") done.push(id);
        state.set(id, "done");
      }
    }
  }
  const order = new Map(done.reverse().map((id, at) => [id, at]));
  const depth = new Map(done.map((id) => [id, 0]));
  for (const id of done) {
    for (const target of next.get(id) ?? []) {
      const forward = (order.get(target) ?? 0) > (order.get(id) ?? 0);
      if (forward) depth.set(target, Math.max(depth.get(target) ?? 0, (depth.get(id) ?? 0) + 1));
    }
  }
  return depth;
}

/** @param {Map<string, number>} depth */
function group(depth) {
  /** @type {string[][]} */
  const columns = [];
  for (const [id, at] of depth) (columns[at] ??= []).push(id);
  return columns.filter(Boolean);
}

/**
 * @param {string[]} ids
 * @param {Map<string, number>} rank
 * @param {string} own
 */
function mean(ids, rank, own) {
  if (!ids.length) return rank.get(own) ?? 0;
  return ids.reduce((sum, id) => sum + (rank.get(id) ?? 0), 0) / ids.length;
}

/**
 * @param {string[][]} layers
 * @param {Map<string, Size>} boxes
 * @param {number} aspect
 */
function positions(layers, boxes, aspect) {
  const size = (/** @type {string} */ id) => boxes.get(id) ?? { width: 0, height: 0 };
  const height = (/** @type {string[]} */ ids) => ids.reduce((sum, id) => sum + size(id).height + GAP.y, 0);
  const area = [...boxes.values()].reduce((sum, box) => sum + (box.width + GAP.within) * (box.height + GAP.y), 0);
  const highest = Math.sqrt(area / aspect);
  /** @type {Map<string, Point>} */
  const result = new Map();
  let x = 0;
  for (const layer of layers) {
    const folds = Math.max(1, Math.round(height(layer) / highest));
    const share = Math.ceil(layer.length / folds);
    for (let from = 0; from < layer.length; from += share) {
      const column = layer.slice(from, from + share);
      const width = Math.max(...column.map((id) => size(id).width));
      let y = -height(column) / 2;
      for (const id of column) {
        result.set(id, { x: x + width / 2, y: y + size(id).height / 2 });
        y += size(id).height + GAP.y;
      }
      x += width + GAP.within;
    }
    x += GAP.x - GAP.within;
  }
  return result;
}
