// From a scene to the elements of Cytoscape: boxes with their place, arrows with their way.

import { isGroup } from "./groups.js";
import { arrowLabel, labelOf, sizeOf } from "./labels.js";
import { place } from "./layout.js";
import { PEOPLE } from "./model.js";
import { coloursOf } from "./palette.js";

/** @import { Arrow, Group, Model, Point, Role, Scene } from "./types" */

/**
 * @param {Model} model
 * @param {Scene} scene
 * @param {boolean} dark
 * @param {number} aspect
 * @returns {import("../vendor/cytoscape.js").ElementDefinition[]}
 */
export function elementsOf(model, scene, dark, aspect) {
  const many = model.fleets.length > 1;
  const labels = new Map([...scene.items].map(([id, item]) => [id, labelOf(item, many)]));
  const sizes = new Map([...labels].map(([id, label]) => [id, sizeOf(label)]));
  const { positions, bends } = place(sizes, [...scene.arrows.values()], aspect);
  const nodes = [...scene.items].map(([id, item]) => ({
    data: { id, label: labels.get(id), ...sizes.get(id), ...coloursOf(model, item.fleet, dark) },
    position: positions.get(id),
    classes: classesOf(item).join(" "),
  }));
  const edges = [...scene.arrows.values()].map((arrow) => ({
    data: {
      id: arrow.id,
      source: arrow.from,
      target: arrow.to,
      label: arrowLabel(arrow),
      ...bent(bends.get(arrow.id) ?? [], positions.get(arrow.from), positions.get(arrow.to)),
    },
    classes: arrowClasses(arrow).join(" "),
  }));
  return [...nodes, ...edges];
}

/** @param {Group | Role} item */
function classesOf(item) {
  if (isGroup(item)) return ["group", ...(item.roles.some((role) => role.looping) ? ["looping"] : [])];
  if (item.path === PEOPLE) return ["people"];
  return ["role", ...item.states, ...(item.looping ? ["looping"] : [])];
}

/** @param {Arrow} arrow */
function arrowClasses(arrow) {
  return [arrow.kind, ...(arrow.cut ? ["cut"] : []), ...(arrow.loop ? ["loop"] : []), ...(arrow.links[0].edge ? [] : ["entry"])];
}

/**
 * Cytoscape takes bends relative to the line between the middles of both boxes: how far along, and how far beside.
 * @param {Point[]} points
 * @param {Point | undefined} from
 * @param {Point | undefined} to
 */
function bent(points, from, to) {
  if (!from || !to || !points.length) return {};
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const square = dx * dx + dy * dy;
  if (!square) return {};
  const length = Math.sqrt(square);
  return {
    along: points.map(({ x, y }) => ((x - from.x) * dx + (y - from.y) * dy) / square),
    beside: points.map(({ x, y }) => ((y - from.y) * dx - (x - from.x) * dy) / length),
  };
}
