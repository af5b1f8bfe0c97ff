// Where boxes stand, from left to right in layers, and which way arrows take between them.

import { graphlib, layout as dagre } from "../vendor/dagre.js";
import { layers } from "./layers.js";

/** @import { Arrow, Point, Size } from "./types" */

/** Dagre is quick for so many boxes and arrows; it takes minutes for thousands. */
const BOXES = 260;
const ARROWS = 700;

/**
 * @param {Map<string, Size>} boxes
 * @param {Arrow[]} arrows
 * @returns {{positions: Map<string, Point>, bends: Map<string, Point[]>}}
 */
export function place(boxes, arrows) {
  const apart = arrows.filter((arrow) => arrow.from !== arrow.to);
  if (boxes.size > BOXES || apart.length > ARROWS) return { positions: layers(boxes, apart), bends: new Map() };

  const linked = new Set(apart.flatMap((arrow) => [arrow.from, arrow.to]));
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 22, edgesep: 12, ranksep: 54, acyclicer: "greedy" });
  for (const [id, size] of boxes) if (linked.has(id)) graph.setNode(id, { ...size });
  for (const arrow of apart) {
    graph.setEdge(arrow.from, arrow.to, { weight: arrow.kind === "trigger" && !arrow.cut ? 4 : 1 }, arrow.id);
  }
  dagre(graph);
  /** @type {Map<string, Point>} */
  const positions = new Map();
  for (const id of graph.nodes()) positions.set(id, point(graph.node(id)));
  /** @type {Map<string, Point[]>} */
  const bends = new Map();
  for (const arrow of apart) {
    const points = /** @type {Point[]} */ (graph.edge(arrow.from, arrow.to, arrow.id).points);
    bends.set(arrow.id, points.slice(1, -1).map(point));
  }
  shelve([...boxes].filter(([id]) => !linked.has(id)), positions, boxes);
  return { positions, bends };
}

/**
 * Boxes without arrows stand in rows under the others.
 * @param {[string, Size][]} lone
 * @param {Map<string, Point>} positions
 * @param {Map<string, Size>} boxes
 */
export function shelve(lone, positions, boxes) {
  const edge = (/** @type {"x" | "y"} */ axis, /** @type {keyof Size} */ side) =>
    [...positions].reduce((most, [id, at]) => Math.max(most, at[axis] + (boxes.get(id)?.[side] ?? 0) / 2), 0);
  const across = lone.reduce((sum, [, size]) => sum + (size.width + 24) * (size.height + 20), 0);
  const right = Math.max(edge("x", "width"), Math.sqrt(across) * 1.6, 320);
  let [x, y] = [0, positions.size ? edge("y", "height") + 48 : 0];
  let tallest = 0;
  for (const [id, size] of lone) {
    if (x && x + size.width > right) [x, y, tallest] = [0, y + tallest + 20, 0];
    positions.set(id, { x: x + size.width / 2, y: y + size.height / 2 });
    x += size.width + 24;
    tallest = Math.max(tallest, size.height);
  }
}

/** @param {Point} at @returns {Point} */
function point({ x, y }) {
  return { x, y };
}
