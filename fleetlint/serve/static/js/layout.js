// Where boxes stand, from left to right in layers, and which way arrows take between them.

import { graphlib, layout as dagre } from "../vendor/dagre.js";
import { layers } from "./layers.js";
import { pack, partsOf } from "./pack.js";

/** @import { Arrow, Point, Size } from "./types" */
/** @typedef {{positions: Map<string, Point>, bends: Map<string, Point[]>}} Places */

/** Dagre is quick for so many boxes and arrows; it takes minutes for thousands. */
const BOXES = 260;
const ARROWS = 700;
/** A drawing so much slimmer than the window is laid out in folded layers instead. */
const SLIM = 5;
/** So much further apart than needed may layers stand, to use the window's width. */
const STRETCH = 2.2;
/** Room for the arrow of a role that wakes itself. */
const LOOP = 56;

/**
 * @param {Map<string, Size>} boxes
 * @param {Arrow[]} arrows
 * @param {number} aspect of the window: width by height
 * @returns {Places}
 */
export function place(boxes, arrows, aspect) {
  const parts = partsOf(boxes.keys(), arrows).map((ids) => new Map(ids.map((id) => [id, boxes.get(id) ?? { width: 0, height: 0 }])));
  const placed = parts.map((part) => {
    const own = arrows.filter((arrow) => part.has(arrow.from));
    const main = part.size * 2 > boxes.size;
    return part.size === 1 && !own.length ? alone(part) : placePart(part, own, aspect, main ? STRETCH : 1);
  });
  const frames = placed.map(({ positions }, at) => frameOf(positions, parts[at]));
  const corners = pack(frames.map((frame) => frame.size), aspect);
  /** @type {Places} */
  const all = { positions: new Map(), bends: new Map() };
  placed.forEach(({ positions, bends }, at) => {
    const [dx, dy] = [corners[at].x - frames[at].corner.x, corners[at].y - frames[at].corner.y];
    const moved = (/** @type {Point} */ { x, y }) => ({ x: x + dx, y: y + dy });
    for (const [id, point] of positions) all.positions.set(id, moved(point));
    for (const [id, points] of bends) all.bends.set(id, points.map(moved));
  });
  return all;
}

/** @param {Map<string, Size>} part @returns {Places} */
function alone(part) {
  return { positions: new Map([...part.keys()].map((id) => [id, { x: 0, y: 0 }])), bends: new Map() };
}

/**
 * @param {Map<string, Size>} boxes
 * @param {Arrow[]} arrows
 * @param {number} aspect
 * @param {number} most how far it may be stretched
 * @returns {Places}
 */
function placePart(boxes, arrows, aspect, most) {
  const apart = arrows.filter((arrow) => arrow.from !== arrow.to);
  const plain = () => ({ positions: layers(boxes, apart, aspect), bends: new Map() });
  if (boxes.size > BOXES || apart.length > ARROWS) return plain();

  const selves = new Set(arrows.filter((arrow) => arrow.from === arrow.to).map((arrow) => arrow.from));
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 14, edgesep: 10, ranksep: 54, acyclicer: "greedy" });
  for (const [id, { width, height }] of boxes) graph.setNode(id, { width, height: height + (selves.has(id) ? LOOP : 0) });
  for (const arrow of apart) {
    graph.setEdge(arrow.from, arrow.to, { weight: arrow.kind === "trigger" && !arrow.cut ? 4 : 1 }, arrow.id);
  }
  dagre(graph);
  const { width, height } = /** @type {Size} */ (graph.graph());
  if (height * aspect > SLIM * width && boxes.size > 12) return plain();
  const stretch = Math.max(1, Math.min(most, (aspect * height) / width));
  const point = (/** @type {Point} */ { x, y }) => ({ x: x * stretch, y });
  /** @type {Places} */
  const places = { positions: new Map(), bends: new Map() };
  for (const id of graph.nodes()) places.positions.set(id, point(graph.node(id)));
  for (const arrow of apart) {
    const points = /** @type {Point[]} */ (graph.edge(arrow.from, arrow.to, arrow.id).points);
    places.bends.set(arrow.id, points.slice(1, -1).map(point));
  }
  return places;
}

/**
 * @param {Map<string, Point>} positions
 * @param {Map<string, Size>} boxes
 * @returns {{corner: Point, size: Size}}
 */
function frameOf(positions, boxes) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [id, { x, y }] of positions) {
    const { width, height } = boxes.get(id) ?? { width: 0, height: 0 };
    [left, right] = [Math.min(left, x - width / 2), Math.max(right, x + width / 2)];
    [top, bottom] = [Math.min(top, y - height / 2), Math.max(bottom, y + height / 2)];
  }
  return { corner: { x: left, y: top }, size: { width: right - left, height: bottom - top } };
}
