// Large vaults: roles put together by fleet and folder, and which of these groups are open.

import { PEOPLE } from "./model.js";

/** @import { Group, Role } from "./types" */

/** So many roles are drawn one by one; more are grouped. */
export const SINGLE = 150;
/** So many boxes are drawn when the page chooses which groups are open. */
const BOXES = 80;

/** @param {Group | Role} item @returns {item is Group} */
export function isGroup(item) {
  return "children" in item;
}

/**
 * One group a fleet, in it the folders; a folder that holds one role alone, or nothing but one folder, is no group.
 * @param {Role[]} roles
 * @returns {Group[]}
 */
export function makeGroups(roles) {
  /** @type {Map<string, Role[]>} */
  const byFleet = new Map();
  for (const role of roles) if (role.path !== PEOPLE) put(byFleet, role.node?.fleet_ids.join(", ") ?? "", role);
  return [...byFleet.keys()].sort().map((fleet) => {
    const members = byFleet.get(fleet) ?? [];
    const group = make(null, fleet, "", fleet || "no fleet", members);
    group.children = split(group, members, 0);
    return group;
  });
}

/**
 * @param {Group | null} parent
 * @param {string} fleet
 * @param {string} folder
 * @param {string} label
 * @param {Role[]} roles
 * @returns {Group}
 */
function make(parent, fleet, folder, label, roles) {
  return { id: `group:${JSON.stringify([fleet, folder])}`, label, fleet, folder, roles, children: [], parent };
}

/**
 * @param {Group} group
 * @param {Role[]} roles
 * @param {number} from where in their paths the next folder starts
 * @returns {(Group | Role)[]}
 */
function split(group, roles, from) {
  /** @type {Map<string, Role[]>} */
  const byFolder = new Map();
  for (const role of roles) {
    const slash = role.path.indexOf("/", from);
    put(byFolder, slash < 0 ? "" : role.path.slice(0, slash + 1), role);
  }
  const folders = [...byFolder.keys()].filter(Boolean).sort();
  const direct = byFolder.get("") ?? [];
  if (folders.length === 1 && !direct.length) return split(group, roles, folders[0].length);
  /** @type {(Group | Role)[]} */
  const children = [...direct];
  for (const folder of folders) {
    const members = byFolder.get(folder) ?? [];
    if (members.length === 1) children.push(members[0]);
    else {
      const child = make(group, group.fleet, folder, folder, members);
      child.children = split(child, members, folder.length);
      children.push(child);
    }
  }
  return children;
}

/**
 * @param {Map<string, Role[]>} map
 * @param {string} key
 * @param {Role} role
 */
function put(map, key, role) {
  const list = map.get(key);
  if (list) list.push(role);
  else map.set(key, [role]);
}

/**
 * Every group by id.
 * @param {Group[]} roots
 */
export function allGroups(roots) {
  /** @type {Map<string, Group>} */
  const all = new Map();
  const queue = [...roots];
  for (let group = queue.pop(); group; group = queue.pop()) {
    all.set(group.id, group);
    queue.push(...group.children.filter(isGroup));
  }
  return all;
}

/**
 * The ids of the groups to open: level by level, as long as all boxes are few enough to be read.
 * @param {Group[]} roots
 * @returns {string[]}
 */
export function openGroups(roots) {
  /** @type {string[]} */
  const open = [];
  let level = /** @type {(Group | Role)[]} */ (roots);
  for (;;) {
    const next = level.flatMap((item) => (isGroup(item) ? item.children : [item]));
    if (!level.some(isGroup) || next.length > BOXES) return open;
    open.push(...level.filter(isGroup).map((group) => group.id));
    level = next;
  }
}

/**
 * What is drawn when these groups are open.
 * @param {Group[]} roots
 * @param {Set<string>} open
 * @returns {(Group | Role)[]}
 */
export function drawn(roots, open) {
  /** @type {(Group | Role)[]} */
  const items = [];
  const queue = /** @type {(Group | Role)[]} */ ([...roots].reverse());
  for (let item = queue.pop(); item; item = queue.pop()) {
    if (isGroup(item) && open.has(item.id)) queue.push(...[...item.children].reverse());
    else items.push(item);
  }
  return items;
}
