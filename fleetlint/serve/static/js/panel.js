// The panel beside the graph: what is known of what is chosen, or of the whole.

import { byId, code, count, el, name, prose } from "./dom.js";
import { byWeight, WORDS, whereOf } from "./findings.js";
import { isGroup } from "./groups.js";
import { iconOf, MARKS } from "./labels.js";
import { PEOPLE } from "./model.js";
import { overview } from "./overview.js";
import { roleId } from "./scene.js";

/** @import { Arrow, Finding, Group, Link, Model, Patterns, Role, Scene } from "./types" */
/** @typedef {{select: (id: string) => void, toggle: (id: string, open: boolean) => void, patterns: (path: string) => Promise<Patterns | null>}} Actions */

/** So many entries of a list are shown. */
export const SHOWN = 60;

/**
 * @param {Model} model
 * @param {Scene} scene
 * @param {string} selection
 * @param {Actions} on
 */
export function showPanel(model, scene, selection, on) {
  const panel = byId("panel");
  const item = scene.items.get(selection);
  const arrow = scene.arrows.get(selection);
  const finding = model.document.findings.find((one) => findingId(one) === selection);
  if (item && isGroup(item)) panel.replaceChildren(...groupPanel(item, on));
  else if (item) panel.replaceChildren(...rolePanel(item, scene, on));
  else if (arrow) panel.replaceChildren(...arrowPanel(model, arrow, on));
  else if (finding) panel.replaceChildren(head(finding.rule, on), ...findingList([finding]));
  else panel.replaceChildren(...overview(model, scene, on));
}

/** @param {Finding} finding */
export function findingId(finding) {
  return `finding:${finding.fingerprint}`;
}

/**
 * @param {string} title
 * @param {Actions} on
 * @param {string} [icon]
 */
function head(title, on, icon = "") {
  const close = el("button", { type: "button", class: "close", "aria-label": "Close", title: "Close (Escape)", onclick: () => on.select("") }, "×");
  return el("div", { class: "head" }, el("h2", {}, icon ? `${icon} ` : "", name(title)), close);
}

/**
 * @param {Role} role
 * @param {Scene} scene
 * @param {Actions} on
 */
function rolePanel(role, scene, on) {
  if (role.path === PEOPLE) {
    return [head("people", on), el("p", {}, "Whoever edits notes by hand. Each role here waits for notes that no role writes."), ...links("Wakes", role.out, "to", on)];
  }
  const node = role.node;
  const facts = /** @type {[string, string][]} */ ([
    ["fleet", node?.fleet_ids.join(", ") || "none"],
    ["mode", node?.mode || "—"],
    ["runs", node?.for_each ? `one for each of ${node.for_each}` : "one a delivery"],
    ["concurrency", node?.concurrency ?? ""],
    ["max_depth", String(node?.max_depth ?? "")],
    ["registered", node?.registered ? "yes" : "no"],
  ]);
  const patterns = el("div", { class: "patterns", "aria-live": "off" });
  void on.patterns(role.path).then((found) => found && patterns.replaceChildren(...patternList(found)));
  const up = [...scene.groups.values()].filter((group) => scene.open.includes(group.id) && group.roles.includes(role));
  return [
    head(role.name, on, iconOf(role)),
    el("p", { class: "path" }, name(role.path)),
    el("p", { class: "marks" }, ...role.states.map((state) => el("span", { class: `mark ${state}` }, MARKS[state])), ...(role.looping ? [el("span", { class: "mark loop" }, "↻ loop")] : [])),
    ...(node?.errors.length ? [el("ul", { class: "errors" }, ...node.errors.map((error) => el("li", {}, ...prose(error))))] : []),
    table(facts),
    ...up.map((group) => el("button", { type: "button", onclick: () => on.toggle(group.id, false) }, "Close ", name(group.label))),
    patterns,
    ...findingList(role.findings),
    ...links("Wakes", role.out.filter((link) => link.kind === "trigger"), "to", on),
    ...links("Woken by", role.into.filter((link) => link.kind === "trigger"), "from", on),
    ...links("Feeds", role.out.filter((link) => link.kind === "feed"), "to", on),
    ...links("Fed by", role.into.filter((link) => link.kind === "feed"), "from", on),
  ];
}

/** @param {[string, string][]} facts */
export function table(facts) {
  return el("dl", {}, ...facts.flatMap(([term, value]) => [el("dt", {}, term), el("dd", {}, name(value))]));
}

/** @param {Patterns} patterns */
function patternList(patterns) {
  const rows = /** @type {[string, string[]][]} */ ([
    ["on", patterns.triggerOn],
    ["include", patterns.triggerInclude],
    ["exclude", patterns.triggerExclude],
    ["reads", patterns.readPatterns],
    ["writes", patterns.writePatterns],
    ["model", patterns.model ? [patterns.model] : []],
  ]).filter(([, values]) => values.length);
  return [el("h3", {}, "Patterns"), el("dl", {}, ...rows.flatMap(([term, values]) => [el("dt", {}, term), el("dd", {}, ...values.map((value) => code(value)))]))];
}

/** @param {Finding[]} findings */
function findingList(findings) {
  if (!findings.length) return [];
  const items = [...findings].sort(byWeight).slice(0, SHOWN).map((finding) =>
    el(
      "li",
      { class: `finding ${finding.severity}` },
      el("p", {}, el("strong", { class: `severity ${finding.severity}` }, WORDS[finding.severity]), ` ${finding.rule}`),
      el("p", {}, ...prose(finding.detail)),
      el("p", { class: "mend" }, "→ ", ...prose(finding.help)),
      el("p", { class: "where" }, name(whereOf(finding))),
    ),
  );
  return [el("h3", {}, `Findings (${findings.length})`), el("ul", { class: "findings" }, ...items)];
}

/**
 * @param {string} title
 * @param {Link[]} list
 * @param {"from" | "to"} end
 * @param {Actions} on
 */
function links(title, list, end, on) {
  if (!list.length) return [];
  const items = list.slice(0, SHOWN).map((link) => {
    const path = link[end];
    const detail = link.edge ? (link.edge.witness ? [" by ", code(link.edge.witness)] : [" by a path that is not proven"]) : [];
    return el("li", {}, el("button", { type: "button", class: "link", onclick: () => on.select(roleId(path)) }, name(path || "people")), el("span", { class: "quiet" }, ...detail, link.cut ? ", cut by depth" : ""));
  });
  if (list.length > SHOWN) items.push(el("li", { class: "quiet" }, `and ${(list.length - SHOWN).toLocaleString("en")} more`));
  return [el("h3", {}, `${title} (${list.length})`), el("ul", { class: "links" }, ...items)];
}

/**
 * @param {Model} model
 * @param {Arrow} arrow
 * @param {Actions} on
 */
function arrowPanel(model, arrow, on) {
  const verb = arrow.kind === "trigger" ? "wakes" : "feeds";
  if (arrow.links.length > 1) {
    const items = arrow.links.slice(0, SHOWN).map((link) => el("li", {}, name(link.from || "people"), ` ${verb} `, name(link.to), link.cut ? " (cut)" : ""));
    return [head(`${count(arrow.links.length, "edge")}`, on), el("ul", { class: "links" }, ...items)];
  }
  const { from, to, edge, loop } = arrow.links[0];
  const ends = el("p", { class: "ends" }, ...[from, to].map((path) => el("button", { type: "button", class: "link", onclick: () => on.select(roleId(path)) }, name(path || "people"))).flatMap((button, at) => (at ? [` ${verb} `, button] : [button])));
  if (!edge) return [head("Entry point", on), ends, el("p", {}, "No role writes what this role waits for: people start it.")];
  const facts = /** @type {[string, string][]} */ ([
    ["writes", edge.via.write],
    [edge.kind === "trigger" ? "wakes on" : "reads", edge.via.match],
    ["witness", edge.witness || "not proven"],
    ["depth", edge.cut_by_depth ? "cut: every chain ends here by max_depth" : "live"],
  ]);
  if (loop) facts.push(["loop", from === to ? "it wakes itself" : "part of one"]);
  if (edge.fanout) facts.push(["fan-out", "its writer runs once for each note (×N)"]);
  if (edge.maybe_excluded) facts.push(["exclude", "narrows this edge without cutting it"]);
  if (!edge.exact) facts.push(["exact", "no: the patterns could not be decided"]);
  const findings = model.document.findings.filter((finding) => finding.nodes.includes(from) && finding.nodes.includes(to));
  return [head(edge.kind === "trigger" ? "Trigger" : "Feed", on), ends, table(facts), ...findingList(findings)];
}

/**
 * @param {Group} group
 * @param {Actions} on
 */
function groupPanel(group, on) {
  const roles = group.roles.slice(0, SHOWN).map((role) => el("li", {}, el("button", { type: "button", class: "link", onclick: () => on.select(roleId(role.path)) }, name(role.path))));
  if (group.roles.length > SHOWN) roles.push(el("li", { class: "quiet" }, `and ${(group.roles.length - SHOWN).toLocaleString("en")} more`));
  const up = group.parent ? [el("button", { type: "button", onclick: () => on.toggle(/** @type {Group} */ (group.parent).id, false) }, "Close ", name(group.parent.label))] : [];
  return [
    head(group.label, on),
    el("p", {}, `${count(group.roles.length, "role")} of `, group.fleet ? "fleet " : "", name(group.fleet || "no fleet"), ", drawn as one."),
    el("p", { class: "buttons" }, el("button", { type: "button", class: "main", onclick: () => on.toggle(group.id, true) }, "Open"), ...up),
    el("ul", { class: "links" }, ...roles),
  ];
}
