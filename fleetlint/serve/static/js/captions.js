// What is said around the graph: how much is drawn, why nothing is, which list is shown.

import { byId, count } from "./dom.js";

/** @import { Model, Scene, View } from "./types" */

/**
 * @param {Model} model
 * @param {Scene} scene
 */
export function showCaptions(model, scene) {
  byId("empty").hidden = scene.items.size > 0;
  byId("empty").textContent = model.document.nodes.length ? "No role passes the filters." : "This vault has no roles.";
  byId("graph").setAttribute("aria-label", `Graph: ${scene.items.size} boxes, ${count(scene.arrows.size, "arrow")}`);
  byId("scale").hidden = !scene.grouped;
  byId("scale").textContent = scene.grouped ? `${scene.home.size.toLocaleString("en")} roles in ${scene.items.size} boxes; double-click one to open it` : "";
}

/** @param {View["tab"]} shown */
export function showTab(shown) {
  for (const tab of /** @type {const} */ (["findings", "roles"])) {
    byId(tab).hidden = tab !== shown;
    byId(`tab-${tab}`).setAttribute("aria-selected", String(tab === shown));
    byId(`tab-${tab}`).tabIndex = tab === shown ? 0 : -1;
  }
}
