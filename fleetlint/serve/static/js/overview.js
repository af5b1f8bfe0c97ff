// The panel when nothing is chosen: figures, loops, and how to read the graph.

import { el, name } from "./dom.js";
import { PEOPLE } from "./model.js";
import { SHOWN, table } from "./panel.js";
import { roleId } from "./scene.js";

/** @import { Model, Scene } from "./types" */
/** @import { Actions } from "./panel" */

/**
 * @param {Model} model
 * @param {Scene} scene
 * @param {Actions} on
 */
export function overview(model, scene, on) {
  const edges = model.document.edges;
  const entries = model.roles.get(PEOPLE)?.out.length ?? 0;
  const facts = /** @type {[string, string][]} */ ([
    ["roles", model.document.nodes.length.toLocaleString("en")],
    ["trigger edges", edges.filter((edge) => edge.kind === "trigger").length.toLocaleString("en")],
    ["feed edges", edges.filter((edge) => edge.kind === "feed").length.toLocaleString("en")],
    ["cut by depth", edges.filter((edge) => edge.cut_by_depth).length.toLocaleString("en")],
    ["entry points", entries.toLocaleString("en")],
    ["derived", new Date(model.document.generated_at).toLocaleString()],
  ]);
  const selves = edges.filter((edge) => edge.kind === "trigger" && edge.from === edge.to).map((edge) => [edge.from]);
  const loops = [...model.loops, ...selves];
  const items = loops.slice(0, SHOWN).map((members) => el("li", {}, el("button", { type: "button", class: "link", onclick: () => on.select(roleId(members[0])) }, name(members.slice(0, 4).map((path) => model.roles.get(path)?.name ?? path).join(" ⇄ "))), members.length > 4 ? ` and ${members.length - 4} more` : members.length === 1 ? " wakes itself" : ""));
  if (loops.length > SHOWN) items.push(el("li", { class: "quiet" }, `and ${(loops.length - SHOWN).toLocaleString("en")} more`));
  const opened = [...scene.groups.values()].filter((group) => scene.open.includes(group.id) && !(group.parent && scene.open.includes(group.parent.id)));
  return [
    el("div", { class: "head" }, el("h2", {}, "Overview")),
    table(facts),
    ...(scene.grouped ? [el("h3", {}, "Groups"), el("p", { class: "quiet" }, "Roles are put together by fleet and folder. Double-click a group to open it, or choose it and press Enter."), el("p", { class: "buttons" }, ...opened.slice(0, 12).map((group) => el("button", { type: "button", onclick: () => on.toggle(group.id, false) }, "Close ", name(group.label))))] : []),
    el("h3", {}, "How to read it"),
    el("ul", { class: "key" }, ...["⚡ wakes on changes, ◷ by the clock", "×N runs once for each note", "● errors, ▲ warnings", "↻ is part of a loop"].map((text) => el("li", {}, text))),
    ...(loops.length ? [el("h3", {}, `Loops (${loops.length})`), el("ul", { class: "links" }, ...items)] : []),
  ];
}
