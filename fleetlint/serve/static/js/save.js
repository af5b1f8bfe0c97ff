// The graph as a file: an SVG written from what is on the canvas, or Cytoscape's PNG.

import { FONT, FONT_SIZE } from "./labels.js";
import { token } from "./style.js";

/** @import { Point } from "./types" */
/** @typedef {import("../vendor/cytoscape.js").Core} Core */
/** @typedef {import("../vendor/cytoscape.js").NodeSingular} NodeSingular */
/** @typedef {import("../vendor/cytoscape.js").EdgeSingular} EdgeSingular */

const NS = "http://www.w3.org/2000/svg";
const MARGIN = 24;

/**
 * @param {string} file
 * @param {Blob} blob
 */
export function save(file, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** @param {Core} cy @returns {Promise<Blob>} */
export function png(cy) {
  return /** @type {Promise<Blob>} */ (/** @type {unknown} */ (cy.png({ output: "blob-promise", full: true, scale: 2, maxWidth: 8000, maxHeight: 8000, bg: token("paper") })));
}

/** @param {Core} cy @returns {Blob} */
export function svg(cy) {
  const box = cy.elements().boundingBox();
  const root = make("svg", { xmlns: NS, viewBox: [box.x1 - MARGIN, box.y1 - MARGIN, box.w + 2 * MARGIN, box.h + 2 * MARGIN].map(round).join(" "), width: round(box.w + 2 * MARGIN), height: round(box.h + 2 * MARGIN), "font-family": FONT, "font-size": FONT_SIZE });
  root.append(make("rect", { x: box.x1 - MARGIN, y: box.y1 - MARGIN, width: box.w + 2 * MARGIN, height: box.h + 2 * MARGIN, fill: token("paper") }));
  cy.edges().forEach((edge) => root.append(arrow(edge)));
  cy.nodes().forEach((node) => root.append(shape(node)));
  return new Blob([new XMLSerializer().serializeToString(root)], { type: "image/svg+xml" });
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 */
function make(tag, attributes) {
  const element = document.createElementNS(NS, tag);
  for (const [key, value] of Object.entries(attributes)) if (key !== "xmlns") element.setAttribute(key, String(value));
  return element;
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10;
}

/** @param {NodeSingular} node */
function shape(node) {
  const { x, y } = node.position();
  const [width, height] = [node.width(), node.height()];
  const dashes = { dashed: "5 3", dotted: "2 2" }[/** @type {string} */ (node.style("border-style"))] ?? "none";
  const paint = { fill: node.style("background-color"), "fill-opacity": node.style("background-opacity"), stroke: node.style("border-color"), "stroke-width": parseFloat(node.style("border-width")), "stroke-dasharray": dashes };
  const group = make("g", { opacity: node.style("opacity") });
  group.append(node.style("shape") === "ellipse" ? make("ellipse", { cx: x, cy: y, rx: width / 2, ry: height / 2, ...paint }) : make("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: 8, ...paint }));
  const lines = String(node.data("label")).split("\n");
  lines.forEach((line, at) => {
    const text = make("text", { x, y: y + (at - (lines.length - 1) / 2) * FONT_SIZE * 1.25, "text-anchor": "middle", "dominant-baseline": "central", fill: node.style("color"), "font-weight": node.style("font-weight"), "xml:space": "preserve" });
    text.textContent = line;
    group.append(text);
  });
  return group;
}

/** @param {EdgeSingular} edge */
function arrow(edge) {
  const [start, end] = [edge.sourceEndpoint(), edge.targetEndpoint()];
  const controls = edge.controlPoints() ?? [];
  const path = controls.length ? curve(start, controls, end) : `M ${pair(start)} L ${pair(end)}`;
  const before = controls.at(-1) ?? start;
  const colour = edge.style("line-color");
  const dashes = { dashed: "6 4", dotted: "1.5 3.5" }[/** @type {string} */ (edge.style("line-style"))] ?? "none";
  const group = make("g", { opacity: edge.style("opacity") });
  group.append(make("path", { d: path, fill: "none", stroke: colour, "stroke-width": parseFloat(edge.style("width")), "stroke-dasharray": dashes }), make("path", { d: head(before, end), fill: colour }));
  const label = String(edge.data("label"));
  if (label) {
    const at = edge.midpoint();
    const text = make("text", { x: at.x, y: at.y, "text-anchor": "middle", "dominant-baseline": "central", "font-size": 10, fill: edge.style("color"), stroke: token("paper"), "stroke-width": 3, "paint-order": "stroke" });
    text.textContent = label;
    group.append(text);
  }
  return group;
}

/**
 * Quadratic curves that meet halfway between the control points, as Cytoscape draws them.
 * @param {Point} start
 * @param {Point[]} controls
 * @param {Point} end
 */
function curve(start, controls, end) {
  const parts = controls.map((control, at) => {
    const next = controls[at + 1];
    return `Q ${pair(control)} ${pair(next ? { x: (control.x + next.x) / 2, y: (control.y + next.y) / 2 } : end)}`;
  });
  return `M ${pair(start)} ${parts.join(" ")}`;
}

/**
 * @param {Point} from
 * @param {Point} tip
 */
function head(from, tip) {
  const angle = Math.atan2(tip.y - from.y, tip.x - from.x);
  const wing = (/** @type {number} */ turn) => ({ x: tip.x - 9 * Math.cos(angle + turn), y: tip.y - 9 * Math.sin(angle + turn) });
  return `M ${pair(tip)} L ${pair(wing(0.42))} L ${pair(wing(-0.42))} Z`;
}

/** @param {Point} at */
function pair(at) {
  return `${round(at.x)} ${round(at.y)}`;
}
