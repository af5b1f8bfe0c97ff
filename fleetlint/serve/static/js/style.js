// How boxes and arrows look. The colours are those of page.css, read from there, so that a theme is in one place.

import { FONT, FONT_SIZE } from "./labels.js";

/** @typedef {import("../vendor/cytoscape.js").StylesheetJson} Stylesheet */

/**
 * The value of a custom property of the page.
 * @param {string} property
 */
export function token(property) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${property}`).trim();
}

/**
 * How far a loop reaches from the middle of its box; Cytoscape makes it longer by two fifths.
 * @param {import("../vendor/cytoscape.js").EdgeSingular} edge
 */
function loopHeight(edge) {
  return edge.source().height() * 0.6 + 22;
}

/** @returns {Stylesheet} */
export function styleOf() {
  const [ink, paper, quiet, accent, bad, warn, loop, cut, feed] = ["ink", "paper", "quiet", "accent", "bad", "warn", "loop", "cut", "feed"].map(token);
  /** @type {[string, Record<string, any>][]} */
  const rules = [
    ["node", { shape: "round-rectangle", width: "data(width)", height: "data(height)", label: "data(label)", "text-wrap": "wrap", "text-valign": "center", "text-halign": "center", "font-family": FONT, "font-size": FONT_SIZE, "line-height": 1.25, "min-zoomed-font-size": 4, color: ink, "background-color": "data(fill)", "border-color": "data(line)", "border-width": 1.5, "overlay-opacity": 0 }],
    ["node.group", { shape: "round-rectangle", "border-width": 4, "border-style": "double", "font-weight": 600 }],
    ["node.people", { shape: "ellipse", "background-color": paper, "border-color": ink, "font-weight": 600 }],
    ["node.webhook", { shape: "cut-rectangle" }],
    ["node.paused", { "background-opacity": 0.35, color: quiet, "border-style": "dashed" }],
    ["node.ghost", { "background-opacity": 0, color: quiet, "border-color": quiet, "border-style": "dashed", "border-width": 2 }],
    ["node.unclaimed", { "border-style": "dotted", "border-width": 3, "border-color": warn }],
    ["node.invalid", { "border-color": warn, "border-width": 4 }],
    ["node.conflict", { "border-color": bad, "border-width": 5, "border-style": "double" }],
    ["edge", { width: 1.6, "line-color": ink, "target-arrow-color": ink, "target-arrow-shape": "triangle", "arrow-scale": 0.9, "curve-style": "bezier", "line-opacity": 0.85, "overlay-padding": 4, "overlay-opacity": 0, label: "data(label)", "font-family": FONT, "font-size": 10, color: ink, "text-background-color": paper, "text-background-opacity": 0.9, "text-background-padding": "2px", "min-zoomed-font-size": 6 }],
    ["edge[along]", { "curve-style": "unbundled-bezier", "edge-distances": "node-position", "control-point-weights": "data(along)", "control-point-distances": "data(beside)" }],
    ["edge:loop", { "loop-direction": "0deg", "loop-sweep": "-60deg", "control-point-step-size": loopHeight }],
    ["edge.feed", { "line-style": "dashed", "line-dash-pattern": [6, 4], "line-color": feed, "target-arrow-color": feed, "target-arrow-shape": "vee", width: 1.2 }],
    ["edge.entry", { "line-color": quiet, "target-arrow-color": quiet, width: 1.2 }],
    ["edge.loop", { "line-color": loop, "target-arrow-color": loop, width: 3 }],
    ["edge.cut", { "line-color": cut, "target-arrow-color": cut, "line-style": "dotted", width: 1.8, color: quiet }],
    [".faded", { opacity: 0.25 }],
    ["node.match", { "underlay-color": accent, "underlay-opacity": 0.35, "underlay-padding": 5 }],
    ["edge.near", { width: 2.6, "z-index": 5 }],
    ["node.wave", { "underlay-color": warn, "underlay-opacity": 0.35, "underlay-padding": 5 }],
    ["node.wave-now", { "underlay-color": accent, "underlay-opacity": 0.75, "underlay-padding": 8 }],
    ["edge.wave", { "line-color": accent, "target-arrow-color": accent, width: 3.2, "z-index": 6 }],
    ["node.chosen", { "border-color": accent, "border-width": 4, "border-style": "solid", "underlay-color": accent, "underlay-opacity": 0.3, "underlay-padding": 5 }],
    ["edge.chosen", { "line-color": accent, "target-arrow-color": accent, width: 3.6, "z-index": 7 }],
  ];
  return rules.map(([selector, style]) => /** @type {any} */ ({ selector, style }));
}
