// The table of findings, and the list of roles, which says to the ear and the keyboard what the canvas shows.

import { byId, count, el, name, prose } from "./dom.js";
import { iconOf, MARKS } from "./labels.js";
import { PEOPLE } from "./model.js";
import { idOf, matches, passes, roleId } from "./scene.js";

/** @import { Finding, Model, Role, View } from "./types" */

/** So many rows are made at once. */
const ROWS = 200;
export const WORDS = { error: "● error", warn: "▲ warn", info: "○ info" };
const WORST_FIRST = { error: 0, warn: 1, info: 2 };

/** Worst first. @param {Finding} a @param {Finding} b */
export function byWeight(a, b) {
  return WORST_FIRST[a.severity] - WORST_FIRST[b.severity];
}

/** @param {Finding} finding */
export function whereOf(finding) {
  return finding.path ? `${finding.path}:${finding.line}:${finding.column}` : "";
}

/**
 * Findings of the roles that pass the filters; those of no role pass when nothing but severities is asked for.
 * @param {Model} model
 * @param {View} view
 */
function wantedFindings(model, view) {
  const query = view.q.toLowerCase();
  const shown = (/** @type {Finding} */ finding) => {
    if (view.severities.length && !view.severities.includes(finding.severity)) return false;
    const roles = finding.nodes.flatMap((path) => model.roles.get(path) ?? []);
    const text = `${finding.detail} ${finding.path} ${finding.rule}`.toLowerCase();
    if (query && !text.includes(query) && !roles.some((role) => matches(role, query))) return false;
    if (!roles.length) return !view.fleets.length && finding.path.startsWith(view.folder);
    return roles.some((role) => passes(role, { ...view, severities: [] }));
  };
  return model.document.findings.filter(shown).sort(byWeight);
}

/**
 * @param {Model} model
 * @param {View} view
 * @param {(finding: Finding) => void} choose
 */
export function showFindings(model, view, choose) {
  const findings = wantedFindings(model, view);
  const body = el("tbody");
  const row = (/** @type {Finding} */ finding) =>
    el(
      "tr",
      { "data-nodes": JSON.stringify(finding.nodes), onclick: () => choose(finding) },
      el("td", { class: `severity ${finding.severity}` }, WORDS[finding.severity]),
      el("td", {}, el("button", { type: "button", class: "link" }, finding.rule)),
      el("td", { class: "where" }, name(whereOf(finding))),
      el("td", {}, ...prose(finding.detail)),
      el("td", {}, ...prose(finding.help)),
    );
  const heads = ["Severity", "Rule", "Place", "Finding", "Mend"].map((title) => el("th", { scope: "col" }, title));
  const table = el("table", {}, el("caption", { class: "hidden" }, "Findings, worst first"), el("thead", {}, el("tr", {}, ...heads)), body);
  const none = el("p", { class: "none" }, model.document.findings.length ? "No finding passes the filters." : "No findings.");
  byId("findings").replaceChildren(findings.length ? table : none);
  fill(body, findings, row, byId("findings"));
  byId("tab-findings").textContent = `Findings (${findings.length.toLocaleString("en")})`;
}

/**
 * @param {Model} model
 * @param {View} view
 * @param {(id: string) => void} select
 */
export function showRoles(model, view, select) {
  const query = view.q.toLowerCase();
  const roles = [...model.roles.values()].filter((role) => role.path !== PEOPLE && passes(role, view) && matches(role, query));
  const list = el("ul", { "aria-label": "Roles" });
  const row = (/** @type {Role} */ role) =>
    el(
      "li",
      {},
      el(
        "button",
        { type: "button", class: "role", "data-role": role.path, "aria-current": String(roleId(role.path) === view.selection), onclick: () => select(idOf(role)) },
        el("span", { class: "role-name" }, `${iconOf(role)} `, name(role.name)),
        el("span", { class: "quiet" }, name(summary(role))),
      ),
    );
  byId("roles").replaceChildren(roles.length ? list : el("p", { class: "none" }, "No role passes the filters."));
  fill(list, roles, row, byId("roles"));
  byId("tab-roles").textContent = `Roles (${roles.length.toLocaleString("en")})`;
}

/**
 * A role in words.
 * @param {Role} role
 */
export function summary(role) {
  const wakes = role.out.filter((link) => link.kind === "trigger").length;
  const woken = role.into.filter((link) => link.kind === "trigger" && link.edge).length;
  return [
    role.node?.fleet_ids.join(" + ") || "no fleet",
    role.node?.mode || "",
    ...role.states.map((state) => MARKS[state]),
    role.looping ? "in a loop" : "",
    `wakes ${wakes}`,
    `woken by ${woken}`,
    role.counts.error ? count(role.counts.error, "error") : "",
    role.counts.warn ? count(role.counts.warn, "warning") : "",
  ]
    .filter(Boolean)
    .join(", ");
}

/**
 * Rows for the first items, and a button for more of them.
 * @template T
 * @param {HTMLElement} parent
 * @param {T[]} items
 * @param {(item: T) => HTMLElement} row
 * @param {HTMLElement} after where the button goes
 */
function fill(parent, items, row, after) {
  parent.append(...items.slice(0, ROWS).map(row));
  const rest = items.slice(ROWS);
  if (!rest.length) return;
  const more = el("button", { type: "button", class: "more", onclick: () => {
    more.remove();
    fill(parent, rest, row, after);
  } }, `Show ${Math.min(ROWS, rest.length)} more of ${rest.length.toLocaleString("en")}`);
  after.append(more);
}

/**
 * Marks the rows of what is chosen.
 * @param {string} selection
 * @param {Set<string>} paths
 */
export function markRows(selection, paths) {
  for (const row of document.querySelectorAll("#findings tr[data-nodes]")) {
    const nodes = /** @type {string[]} */ (JSON.parse(row.getAttribute("data-nodes") ?? "[]"));
    row.classList.toggle("current", nodes.some((path) => paths.has(path)));
  }
  for (const button of document.querySelectorAll("#roles button.role")) {
    button.setAttribute("aria-current", String(roleId(button.getAttribute("data-role") ?? "") === selection));
  }
}
