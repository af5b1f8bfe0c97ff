// The bar of filters, which is the legend as well: fleets with their colours, severities, kinds of edges, folders.

import { byId, el, name } from "./dom.js";
import { coloursOf } from "./palette.js";

/** @import { Model, View } from "./types" */

const EDGES = /** @type {const} */ ([["trigger", "wakes"], ["feed", "feeds"], ["cut", "cut"]]);
const SEVERITIES = /** @type {const} */ ([["error", "● error"], ["warn", "▲ warn"], ["info", "○ info"]]);

/**
 * @param {Model} model
 * @param {View} view
 * @param {boolean} dark
 * @param {(patch: Partial<View>) => void} change
 */
export function showFilters(model, view, dark, change) {
  const focused = document.activeElement?.getAttribute("data-key");
  const fleets = [...model.fleets];
  if ([...model.roles.values()].some((role) => role.node && !role.node.fleet_ids.length)) fleets.push("");
  chips("filter-fleets", "fleets", fleets.map((fleet) => [fleet, fleet || "no fleet"]), view.fleets, change, (chip, fleet) => {
    const { fill, line } = coloursOf(model, fleet, dark);
    const swatch = el("span", { class: "swatch", "aria-hidden": "true" });
    swatch.style.setProperty("background-color", fill);
    swatch.style.setProperty("border-color", line);
    chip.prepend(swatch);
  });
  chips("filter-severities", "severities", SEVERITIES, view.severities, change, (chip, severity) => chip.classList.add(severity));
  chips("filter-edges", "edges", EDGES, view.edges, change, (chip, kind) => chip.prepend(el("span", { class: `stroke ${kind}`, "aria-hidden": "true" })));
  showFolders(model, view);
  byId("clear").hidden = !(view.fleets.length || view.severities.length || view.edges.length || view.folder);
  if (focused) document.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.dispatchEvent(new Event("refocus"));
}

/**
 * Buttons of which none means all, and each pressed one adds to what is shown.
 * @param {string} id
 * @param {"fleets" | "severities" | "edges"} key
 * @param {readonly (readonly [string, string])[]} choices
 * @param {string[]} chosen
 * @param {(patch: Partial<View>) => void} change
 * @param {(chip: HTMLButtonElement, value: string) => void} dress
 */
function chips(id, key, choices, chosen, change, dress) {
  const buttons = choices.map(([value, label]) => {
    const pressed = chosen.includes(value);
    const next = pressed ? chosen.filter((other) => other !== value) : [...chosen, value];
    const chip = el("button", { type: "button", class: "chip", "aria-pressed": String(pressed), "data-key": `${key}:${value}`, onclick: () => change({ [key]: next }) }, name(label));
    chip.addEventListener("refocus", () => chip.focus());
    dress(chip, value);
    return chip;
  });
  byId(id).replaceChildren(...buttons);
}

/**
 * @param {Model} model
 * @param {View} view
 */
function showFolders(model, view) {
  const select = /** @type {HTMLSelectElement} */ (byId("folder"));
  if (select.dataset.folders !== model.folders.join("\n")) {
    select.dataset.folders = model.folders.join("\n");
    select.replaceChildren(el("option", { value: "" }, "All folders"), ...model.folders.map((folder) => el("option", { value: folder }, folder)));
  }
  select.value = view.folder;
}
