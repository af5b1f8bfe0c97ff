// What stands in the boxes and at the arrows, and how large a box is for it.

import { isGroup } from "./groups.js";
import { PEOPLE } from "./model.js";

/** @import { Arrow, Group, Role, Size } from "./types" */

export const FONT_SIZE = 12;
export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
const LENGTH = 42;
const ICONS = /** @type {Record<string, string>} */ ({ change: "⚡", cron: "◷", both: "⚡◷" });
export const MARKS = /** @type {Record<string, string>} */ ({
  invalid: "✖ invalid",
  conflict: "‼ conflict",
  ghost: "ghost",
  paused: "paused",
  unclaimed: "unclaimed",
  webhook: "webhook",
});

const ruler = document.createElement("canvas").getContext("2d");

/**
 * What could turn the reading direction of the rest, or can't be seen, becomes U+FFFD; a long text ends in an ellipsis.
 * @param {string} text
 */
export function plain(text) {
  const shown = text.replace(/[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
  const signs = [...shown];
  return signs.length > LENGTH ? `${signs.slice(0, LENGTH - 1).join("")}…` : shown;
}

/** @param {Role} role */
export function iconOf(role) {
  return ICONS[role.node?.mode ?? ""] ?? "";
}

/**
 * @param {Group | Role} item
 * @param {boolean} fleets whether fleets are named
 */
export function labelOf(item, fleets) {
  return (isGroup(item) ? groupLines(item) : roleLines(item, fleets)).filter(Boolean).join("\n");
}

/** @param {Group} group */
function groupLines(group) {
  const loops = group.roles.filter((role) => role.looping).length;
  return [plain(group.label), [`${group.roles.length} roles`, loops ? `↻ ${loops}` : "", tally(group.roles)].filter(Boolean).join("  ")];
}

/**
 * @param {Role} role
 * @param {boolean} fleets
 */
function roleLines(role, fleets) {
  if (role.path === PEOPLE) return ["people"];
  const first = [iconOf(role), plain(role.name), role.node?.for_each ? "×N" : ""].filter(Boolean).join(" ");
  const owners = fleets ? plain(role.node?.fleet_ids.join(" + ") ?? "") : "";
  const second = [owners, ...role.states.map((state) => MARKS[state]), role.looping ? "↻" : "", tally([role])];
  return [first, second.filter(Boolean).join("  ")];
}

/** @param {Role[]} roles */
function tally(roles) {
  const sum = (/** @type {"error" | "warn"} */ severity) => roles.reduce((total, role) => total + role.counts[severity], 0);
  const [errors, warnings] = [sum("error"), sum("warn")];
  return [errors ? `● ${errors}` : "", warnings ? `▲ ${warnings}` : ""].filter(Boolean).join("  ");
}

/** @param {Arrow} arrow */
export function arrowLabel(arrow) {
  if (arrow.links.length > 1) return `${arrow.links.length}${arrow.cut ? " cut" : ""}`;
  const edge = arrow.links[0].edge;
  return [edge?.fanout ? "×N" : "", arrow.cut ? "cut" : "", edge && !edge.exact ? "?" : ""].filter(Boolean).join(" ");
}

/**
 * The box around a label.
 * @param {string} label
 * @returns {Size}
 */
export function sizeOf(label) {
  if (ruler) ruler.font = `600 ${FONT_SIZE}px ${FONT}`;
  const lines = label.split("\n");
  const widths = lines.map((line) => (ruler ? ruler.measureText(line).width : line.length * 7));
  return { width: Math.ceil(Math.max(56, ...widths)) + 20, height: lines.length * 16 + 10 };
}
