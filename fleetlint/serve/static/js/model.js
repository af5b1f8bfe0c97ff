// From the machine JSON to roles and links: what each is called, which state it is in, which loops there are.

import { components } from "./loops.js";

/** @import { GraphDocument, Link, Model, Node, Role } from "./types" */

/** The path of the node that stands for people; no note has it. */
export const PEOPLE = "";

/** @param {GraphDocument} graph @returns {Model} */
export function makeModel(graph) {
  const names = namesOf(graph.nodes);
  const claimed = new Set(graph.findings.filter((finding) => finding.rule === "unclaimed-role").flatMap((f) => f.nodes));
  /** @type {Map<string, Role>} */
  const roles = new Map();
  for (const node of graph.nodes) roles.set(node.note_path, makeRole(node, names, claimed));
  for (const finding of graph.findings) {
    for (const path of new Set(finding.nodes)) {
      const role = roles.get(path);
      if (!role) continue;
      role.findings.push(finding);
      role.counts[finding.severity] += 1;
    }
  }
  const loops = components(triggers(graph));
  const links = makeLinks(graph, roles, loops);
  const fleets = new Set([...graph.fleets.map((fleet) => fleet.id), ...graph.nodes.flatMap((node) => node.fleet_ids)]);
  const folders = new Set(graph.nodes.flatMap((node) => ancestors(folderOf(node.note_path))));
  return { document: graph, roles, links, loops, fleets: [...fleets].sort(), folders: [...folders].sort() };
}

/** @param {string} path the folder with its slash, `""` at the top */
export function folderOf(path) {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

/** @param {string} folder @returns {string[]} it and those it lies in, without the top */
function ancestors(folder) {
  const parts = folder.split("/").slice(0, -1);
  return parts.map((_, at) => `${parts.slice(0, at + 1).join("/")}/`);
}

/**
 * The stem of the file, with as many of its folders as it takes to tell it from all others.
 * @param {Node[]} nodes
 */
function namesOf(nodes) {
  const paths = nodes.map((node) => node.note_path.replace(/\.md$/, "").split("/"));
  /** @type {Map<string, number>} */
  const seen = new Map();
  for (const parts of paths) {
    for (const tail of tails(parts)) seen.set(tail, (seen.get(tail) ?? 0) + 1);
  }
  return (/** @type {string} */ path) => {
    const parts = path.replace(/\.md$/, "").split("/");
    return tails(parts).find((tail) => seen.get(tail) === 1) ?? parts.join("/");
  };
}

/** @param {string[]} parts @returns {string[]} the last, the last two... */
function tails(parts) {
  return parts.map((_, at) => parts.slice(-1 - at).join("/"));
}

/**
 * @param {Node} node
 * @param {(path: string) => string} names
 * @param {Set<string>} unclaimed
 * @returns {Role}
 */
function makeRole(node, names, unclaimed) {
  /** @type {[string, boolean][]} */
  const states = [
    ["webhook", node.kind === "webhook"],
    ["conflict", node.fleet_ids.length > 1],
    ["invalid", !node.valid],
    ["ghost", node.ghost],
    ["paused", !node.enabled],
    ["unclaimed", unclaimed.has(node.note_path)],
  ];
  return {
    path: node.note_path,
    name: names(node.note_path),
    node,
    fleet: node.fleet_ids.length === 1 ? node.fleet_ids[0] : "",
    folder: folderOf(node.note_path),
    states: states.filter(([, holds]) => holds).map(([state]) => state),
    findings: [],
    counts: { error: 0, warn: 0, info: 0 },
    looping: false,
    out: [],
    into: [],
  };
}

/** @param {GraphDocument} graph */
function triggers(graph) {
  /** @type {Map<string, string[]>} */
  const next = new Map(graph.nodes.map((node) => [node.note_path, []]));
  for (const edge of graph.edges) if (edge.kind === "trigger") next.get(edge.from)?.push(edge.to);
  return next;
}

/**
 * @param {GraphDocument} graph
 * @param {Map<string, Role>} roles
 * @param {string[][]} loops
 * @returns {Link[]}
 */
function makeLinks(graph, roles, loops) {
  /** @type {Map<string, number>} */
  const loopOf = new Map(loops.flatMap((members, at) => members.map((path) => /** @type {const} */ ([path, at]))));
  /** @type {Link[]} */
  const links = graph.edges.map((edge) => {
    const round = edge.from === edge.to || (loopOf.has(edge.from) && loopOf.get(edge.from) === loopOf.get(edge.to));
    return { from: edge.from, to: edge.to, kind: edge.kind, cut: edge.cut_by_depth, loop: edge.kind === "trigger" && round, edge };
  });
  const entries = entryPoints(graph);
  if (entries.length) roles.set(PEOPLE, people());
  for (const path of entries) links.push({ from: PEOPLE, to: path, kind: "trigger", cut: false, loop: false, edge: null });
  for (const link of links) {
    const [from, to] = [roles.get(link.from), roles.get(link.to)];
    from?.out.push(link);
    to?.into.push(link);
    if (link.loop && from && to) from.looping = to.looping = true;
  }
  return links;
}

/**
 * Roles that a direct edit wakes by some include that no role writes into.
 * @param {GraphDocument} graph
 */
function entryPoints(graph) {
  const woken = new Set(graph.edges.filter((edge) => edge.kind === "trigger").map((edge) => edge.to));
  const dangling = new Set(graph.findings.filter((finding) => finding.rule === "dangling-trigger").flatMap((f) => f.nodes));
  const never = new Set(graph.findings.filter((finding) => finding.data.never_wakes).flatMap((finding) => finding.nodes));
  return graph.nodes
    .filter((node) => (node.mode === "change" || node.mode === "both") && node.kind === "role" && !node.ghost)
    .filter((node) => node.enabled && node.max_depth > 0 && !never.has(node.note_path))
    .map((node) => node.note_path)
    .filter((path) => !woken.has(path) || dangling.has(path));
}

/** @returns {Role} */
function people() {
  return { path: PEOPLE, name: "people", node: null, fleet: "", folder: "", states: [], findings: [], counts: { error: 0, warn: 0, info: 0 }, looping: false, out: [], into: [] };
}
