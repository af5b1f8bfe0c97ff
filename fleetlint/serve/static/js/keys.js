// The keyboard: on the graph, in the lists, and everywhere.

import { fit, zoomBy } from "./canvas.js";
import { byId, input } from "./dom.js";
import { makeWalk } from "./walk.js";

/** @typedef {import("../vendor/cytoscape.js").Core} Core */
/** @typedef {{selection: () => string, select: (id: string) => void, open: (id: string) => void, escape: () => void, tab: (tab: "findings" | "roles") => void}} On */

/**
 * @param {Core} cy
 * @param {On} on
 */
export function setUpKeys(cy, on) {
  const walk = makeWalk(cy);
  byId("graph").addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.startsWith("Arrow")) {
      const to = walk(on.selection(), event.key);
      if (to) on.select(to);
    } else if (event.key === "+" || event.key === "=") zoomBy(cy, 1.25);
    else if (event.key === "-") zoomBy(cy, 0.8);
    else if (event.key === "0") fit(cy);
    else if (event.key === "Enter" && on.selection().startsWith("group:")) on.open(on.selection());
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key === "/" && !typing) {
      event.preventDefault();
      input("search").focus();
    } else if (event.key === "Escape") {
      if (typing) /** @type {HTMLElement} */ (event.target).blur();
      else on.escape();
    }
  });
  moveIn(byId("roles"), "button.role");
  moveIn(byId("findings"), "tbody button");
  const tabs = /** @type {const} */ (["findings", "roles"]);
  for (const tab of tabs) {
    const button = byId(`tab-${tab}`);
    button.addEventListener("click", () => on.tab(tab));
    button.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
      const other = tab === "roles" ? "findings" : "roles";
      on.tab(other);
      byId(`tab-${other}`).focus();
    });
  }
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    on.tab("roles");
    (byId("roles").querySelector("button") ?? byId("roles")).focus();
  });
}

/**
 * Up and down move among the buttons of a list.
 * @param {HTMLElement} list
 * @param {string} buttons
 */
function moveIn(list, buttons) {
  list.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const all = /** @type {HTMLElement[]} */ ([...list.querySelectorAll(buttons)]);
    const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const next = all[at + (event.key === "ArrowDown" ? 1 : -1)];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
}
