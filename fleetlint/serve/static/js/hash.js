// A view as the fragment of the address, so that a link restores it.

/** @import { View } from "./types" */

/**
 * What is absent has its default; what is unknown is passed over.
 * @param {string} hash
 * @returns {View}
 */
export function readHash(hash) {
  const values = new URLSearchParams(hash.replace(/^#/, ""));
  return {
    q: values.get("q") ?? "",
    fleets: values.getAll("fleet"),
    folder: values.get("folder") ?? "",
    severities: values.getAll("severity").filter((value) => ["error", "warn", "info"].includes(value)),
    edges: values.getAll("edge").filter((value) => ["trigger", "feed", "cut"].includes(value)),
    selection: values.get("select") ?? "",
    open: values.has("open") ? values.getAll("open").filter(Boolean) : null,
    touch: values.get("touch") ?? "",
    tab: values.get("tab") === "roles" ? "roles" : "findings",
  };
}

/**
 * @param {View} view
 * @returns {string} without the `#`; empty for the plain view
 */
function writeHash(view) {
  const values = new URLSearchParams();
  const put = (/** @type {string} */ key, /** @type {string[]} */ texts) => texts.forEach((text) => values.append(key, text));
  put("q", view.q ? [view.q] : []);
  put("fleet", view.fleets);
  put("folder", view.folder ? [view.folder] : []);
  put("severity", view.severities);
  put("edge", view.edges);
  put("select", view.selection ? [view.selection] : []);
  put("open", view.open && (view.open.length ? view.open : [""]) || []);
  put("touch", view.touch ? [view.touch] : []);
  put("tab", view.tab === "roles" ? ["roles"] : []);
  return values.toString();
}

/**
 * Puts the view into the address, without an entry in the browser's history.
 * @param {View} view
 */
export function keepHash(view) {
  const hash = writeHash(view);
  if (hash !== location.hash.slice(1)) history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
}
