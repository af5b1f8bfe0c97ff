// Walking the graph by arrow keys: right and left along edges, up and down among their ends.

/** @typedef {import("../vendor/cytoscape.js").Core} Core */
/** @typedef {import("../vendor/cytoscape.js").NodeCollection} Nodes */

/**
 * @param {Core} cy
 * @returns {(from: string, key: string) => string} where a key leads to, `""` for nowhere
 */
export function makeWalk(cy) {
  /** @type {{at: string, among: string[]}} */
  let last = { at: "", among: [] };
  return (from, key) => {
    const here = cy.getElementById(from);
    if (here.empty() || !here.isNode()) return ids(cy.nodes())[0] ?? "";
    if (key === "ArrowRight" || key === "ArrowLeft") {
      const ends = /** @type {Nodes} */ ((key === "ArrowRight" ? here.outgoers() : here.incomers()).nodes());
      const among = ids(ends.not(here));
      const y = here.position("y");
      const gap = (/** @type {string} */ id) => Math.abs(cy.getElementById(id).position("y") - y);
      const nearest = among.reduce((best, id) => (!best || gap(id) < gap(best) ? id : best), "");
      if (nearest) last = { at: nearest, among };
      return nearest;
    }
    const among = last.at === from && last.among.length > 1 ? last.among : ids(cy.nodes());
    const at = among.indexOf(from) + (key === "ArrowDown" ? 1 : -1);
    const next = among[(at + among.length) % among.length] ?? "";
    last = { at: next, among };
    return next;
  };
}

/**
 * From top to bottom.
 * @param {Nodes} nodes
 */
function ids(nodes) {
  return nodes
    .toArray()
    .sort((a, b) => a.position("y") - b.position("y") || a.position("x") - b.position("x"))
    .map((node) => node.id());
}
