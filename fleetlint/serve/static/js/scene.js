// What is on the canvas: the roles and links that pass the filters, put into groups when there are many.

import { allGroups, drawn, isGroup, makeGroups, openGroups, SINGLE } from "./groups.js";
import { PEOPLE } from "./model.js";

/** @import { Arrow, Group, Link, Model, Role, Scene, Severity, View } from "./types" */

/** @param {Group | Role} item */
export function idOf(item) {
  return isGroup(item) ? item.id : roleId(item.path);
}

/** @param {string} path */
export function roleId(path) {
  return `role:${path}`;
}

/**
 * @param {Role} role
 * @param {View} view
 */
export function passes(role, view) {
  return (
    (!view.fleets.length || view.fleets.some((fleet) => (fleet ? role.node?.fleet_ids.includes(fleet) : !role.node?.fleet_ids.length))) &&
    role.path.startsWith(view.folder) &&
    (!view.severities.length || view.severities.some((severity) => role.counts[/** @type {Severity} */ (severity)] > 0))
  );
}

/**
 * @param {Role} role
 * @param {string} query lower case
 */
export function matches(role, query) {
  return role.path.toLowerCase().includes(query);
}

/**
 * The roles on the canvas, alone or in a group, that match what is sought.
 * @param {Model} model
 * @param {Scene} scene
 * @param {string} query
 */
export function rolesFound(model, scene, query) {
  const sought = query.toLowerCase();
  return [...model.roles.values()].filter((role) => role.path !== PEOPLE && scene.home.has(role.path) && matches(role, sought));
}

/**
 * @param {Link} link
 * @param {View} view
 */
function wanted(link, view) {
  return !view.edges.length || view.edges.includes(link.cut ? "cut" : link.kind);
}

/**
 * @param {Model} model
 * @param {View} view
 * @returns {Scene}
 */
export function makeScene(model, view) {
  const roles = [...model.roles.values()].filter((role) => role.path !== PEOPLE && passes(role, view));
  const grouped = roles.length > SINGLE;
  const roots = grouped ? makeGroups(roles) : [];
  const groups = allGroups(roots);
  const open = view.open ? view.open.filter((id) => groups.has(id)) : openGroups(roots);
  const boxes = grouped ? drawn(roots, new Set(open)) : roles;

  /** @type {Map<string, string>} */
  const home = new Map();
  for (const item of boxes) {
    for (const role of isGroup(item) ? item.roles : [item]) home.set(role.path, idOf(item));
  }
  const people = model.roles.get(PEOPLE);
  if (people) home.set(PEOPLE, roleId(PEOPLE));
  const arrows = makeArrows(model.links.filter((link) => wanted(link, view)), home);
  const items = new Map(boxes.map((item) => [idOf(item), item]));
  if (people && [...arrows.values()].some((arrow) => arrow.from === roleId(PEOPLE))) items.set(roleId(PEOPLE), people);
  return { items, arrows, home, grouped, open, groups };
}

/**
 * Links between the same two boxes are one arrow, triggers apart from feeds; what stays within a group is not drawn.
 * @param {Link[]} links
 * @param {Map<string, string>} home
 */
function makeArrows(links, home) {
  /** @type {Map<string, Arrow>} */
  const arrows = new Map();
  for (const link of links) {
    const [from, to] = [home.get(link.from), home.get(link.to)];
    if (!from || !to || (from === to && from.startsWith("group:"))) continue;
    const id = `edge:${JSON.stringify([link.kind, from, to])}`;
    const arrow = arrows.get(id);
    if (!arrow) arrows.set(id, { id, from, to, kind: link.kind, cut: link.cut, loop: link.loop, links: [link] });
    else {
      arrow.cut &&= link.cut;
      arrow.loop ||= link.loop;
      arrow.links.push(link);
    }
  }
  return arrows;
}
