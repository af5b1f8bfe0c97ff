// What stands above the graph: the search, the box of the wave, filters of folders, and buttons.

import { fit } from "./canvas.js";
import { byId, input } from "./dom.js";
import { png, save, svg } from "./save.js";

/** @typedef {import("../vendor/cytoscape.js").Core} Core */
/** @typedef {{seek: (query: string) => void, next: () => void, touch: (glob: string) => void, folder: (folder: string) => void, clear: () => void}} On */

/**
 * @param {Core} cy
 * @param {On} on
 */
export function setUpControls(cy, on) {
  input("search").addEventListener("input", () => on.seek(input("search").value));
  byId("search-form").addEventListener("submit", (event) => {
    event.preventDefault();
    on.next();
  });
  byId("wave-form").addEventListener("submit", (event) => {
    event.preventDefault();
    on.touch(input("touch").value.trim());
  });
  byId("folder").addEventListener("change", (event) => on.folder(/** @type {HTMLSelectElement} */ (event.target).value));
  byId("clear").addEventListener("click", on.clear);
  byId("taller").addEventListener("click", () => {
    const taller = document.querySelector("main")?.classList.toggle("taller") ?? false;
    byId("taller").setAttribute("aria-pressed", String(taller));
    fit(cy);
  });
  byId("fit").addEventListener("click", () => fit(cy));
  byId("export-svg").addEventListener("click", () => save("fleetlint.svg", svg(cy)));
  byId("export-png").addEventListener("click", async () => save("fleetlint.png", await png(cy)));
}
