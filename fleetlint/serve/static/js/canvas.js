// The drawing: one Cytoscape instance, what is marked in it, and its window.

import cytoscape from "../vendor/cytoscape.js";
import { byId } from "./dom.js";
import { elementsOf } from "./elements.js";
import { styleOf } from "./style.js";
import { coloursOf } from "./palette.js";

/** @import { Model, Scene } from "./types" */
/** @typedef {import("../vendor/cytoscape.js").Core} Core */

export const calm = matchMedia("(prefers-reduced-motion: reduce)");
const CLOSEST = 1.4;

/**
 * @param {{select: (id: string) => void, open: (id: string) => void}} on
 * @returns {Core}
 */
export function makeCanvas(on) {
  const cy = cytoscape({
    container: byId("graph"),
    style: styleOf(),
    layout: { name: "preset" },
    minZoom: 0.05,
    maxZoom: 4,
    autoungrabify: true,
    autounselectify: true,
    boxSelectionEnabled: false,
  });
  cy.on("tap", (event) => on.select(event.target === cy ? "" : event.target.id()));
  cy.on("dbltap", "node.group", (event) => on.open(event.target.id()));
  cy.on("mouseover", "node, edge", () => byId("graph").classList.add("pointing"));
  cy.on("mouseout", "node, edge", () => byId("graph").classList.remove("pointing"));
  return cy;
}

/**
 * Draws the scene anew. With `keep` the window stays where it is, else all of it is shown.
 * @param {Core} cy
 * @param {Model} model
 * @param {Scene} scene
 * @param {{dark: boolean, keep: boolean}} how
 */
export function draw(cy, model, scene, { dark, keep }) {
  const elements = elementsOf(model, scene, dark, cy.width() / Math.max(1, cy.height()));
  const window = { zoom: cy.zoom(), pan: { ...cy.pan() } };
  cy.batch(() => {
    cy.elements().remove();
    cy.add(elements);
  });
  if (keep) cy.viewport(window);
  else fit(cy);
}

/**
 * @param {Core} cy
 * @param {Model} model
 * @param {Scene} scene
 * @param {boolean} dark
 */
export function repaint(cy, model, scene, dark) {
  cy.batch(() => {
    for (const [id, item] of scene.items) cy.getElementById(id).data(coloursOf(model, item.fleet, dark));
  });
  cy.style(styleOf());
}

/** @param {Core} cy */
export function fit(cy) {
  cy.resize();
  cy.fit(undefined, 28);
  if (cy.zoom() > CLOSEST) {
    cy.zoom(CLOSEST);
    cy.center();
  }
}

/**
 * Marks what is chosen with what it touches, and what the search finds; the rest fades.
 * @param {Core} cy
 * @param {string} chosen an id, or `""`
 * @param {Set<string> | null} found ids of boxes; null when nothing is sought
 */
export function mark(cy, chosen, found) {
  cy.batch(() => {
    cy.elements().removeClass("chosen near faded match");
    const element = chosen ? cy.getElementById(chosen) : cy.collection();
    if (found) {
      const hits = cy.nodes().filter((node) => found.has(node.id()));
      cy.elements().difference(hits).addClass("faded");
      hits.addClass("match");
      hits.edgesWith(hits).removeClass("faded");
    } else if (element.nonempty()) {
      const near = element.closedNeighborhood().union(element.connectedNodes());
      cy.elements().difference(near).addClass("faded");
    }
    element.removeClass("faded").addClass("chosen");
    element.connectedEdges().removeClass("faded").addClass("near");
  });
}

/**
 * Brings an element into the window, if it is outside or too small to be read.
 * @param {Core} cy
 * @param {string} id
 */
export function show(cy, id) {
  const element = cy.getElementById(id);
  if (element.empty()) return;
  const box = element.renderedBoundingBox();
  const inside = box.x1 >= 0 && box.y1 >= 0 && box.x2 <= cy.width() && box.y2 <= cy.height();
  if (inside && cy.zoom() >= 0.4) return;
  const zoom = Math.max(cy.zoom(), Math.min(0.8, CLOSEST));
  if (calm.matches) {
    cy.zoom(zoom);
    cy.center(element);
  } else cy.animate({ zoom, center: { eles: element } }, { duration: 220 });
}

/**
 * @param {Core} cy
 * @param {number} factor
 */
export function zoomBy(cy, factor) {
  cy.zoom({ level: cy.zoom() * factor, renderedPosition: { x: cy.width() / 2, y: cy.height() / 2 } });
}
