// The page: what is known (the model), what is looked at (the view), and what to draw anew when either changes.

import { draw, makeCanvas, mark, repaint, show } from "./canvas.js";
import { showCaptions, showTab } from "./captions.js";
import { setUpControls } from "./controls.js";
import { byId, input, say } from "./dom.js";
import { showFilters } from "./filters.js";
import { markRows, showFindings, showRoles, summary } from "./findings.js";
import { isGroup } from "./groups.js";
import { keepHash, readHash } from "./hash.js";
import { setUpKeys } from "./keys.js";
import { askGraph, askPatterns, listen, notice } from "./live.js";
import { makeModel } from "./model.js";
import { findingId, showPanel } from "./panel.js";
import { makeScene, roleId, rolesFound } from "./scene.js";
import { isDark, onTheme } from "./theme.js";
import { askImpact, playImpact, refuseImpact } from "./wave.js";

/** @import { Finding, Patterns, View } from "./types" */

const UNFILTERED = { fleets: [], folder: "", severities: [], edges: [] };

let view = readHash(location.hash);
let model = makeModel({ generated_at: "", fleets: [], nodes: [], edges: [], findings: [] });
let scene = makeScene(model, view);
/** @type {Promise<Map<string, Patterns>> | null} */
let patterns = null;
/** @type {{end: () => void, again: () => void} | null} */
let wave = null;

const cy = makeCanvas({ select, open: (id) => toggle(id, true) });

/** @param {boolean} keep whether the window stays where it is */
async function load(keep) {
  try {
    model = makeModel(await askGraph());
    notice("load", "");
  } catch (error) {
    notice("load", String(error instanceof Error ? error.message : error));
    return;
  }
  patterns = null;
  redraw(keep);
  const errors = model.document.findings.filter((finding) => finding.severity === "error").length;
  document.title = `${errors ? `(${errors}) ` : ""}fleetlint`;
  say(`${model.document.nodes.length} roles, ${model.document.edges.length} edges, ${errors} errors`);
}

/** Everything anew. @param {boolean} keep whether the window stays where it is */
function redraw(keep) {
  scene = makeScene(model, view);
  reveal(view.selection);
  draw(cy, model, scene, { dark: isDark(), keep });
  showFilters(model, view, isDark(), change);
  showCaptions(model, scene);
  seek();
  showPage();
}

/** What depends on the selection. */
function showPage() {
  const chosen = scene.items.has(view.selection) || scene.arrows.has(view.selection) ? view.selection : "";
  mark(cy, chosen, view.q ? found() : null);
  wave?.again();
  showPanel(model, scene, view.selection, { select, toggle, patterns: async (path) => (await (patterns ??= askPatterns())).get(path) ?? null });
  const item = scene.items.get(chosen);
  const ends = scene.arrows.get(chosen)?.links.flatMap((link) => [link.from, link.to]) ?? [];
  markRows(chosen, new Set(item ? (isGroup(item) ? [] : [item.path]) : ends));
  keepHash(view);
}

/** The lists and the count, which depend on the search. */
function seek() {
  showFindings(model, view, chooseFinding);
  showRoles(model, view, select);
  showTab(view.tab);
  byId("search-count").textContent = view.q ? `${found().size}` : "";
}

function hits() {
  return rolesFound(model, scene, view.q);
}

/** @returns {Set<string>} ids of the boxes that hold what is sought */
function found() {
  return new Set(hits().flatMap((role) => scene.home.get(role.path) ?? []));
}

/** @param {Partial<View>} patch of filters: what is drawn changes */
function change(patch) {
  endWave();
  view = { ...view, open: null, ...patch };
  redraw(false);
  say(`${scene.home.size} roles shown`);
}

/** @param {string} id of a box or an arrow, `""` for none; opens the groups that hide a role */
function select(id) {
  view = { ...view, selection: id };
  if (reveal(id)) {
    draw(cy, model, scene, { dark: isDark(), keep: true });
    seek();
  }
  showPage();
  if (id) show(cy, id);
  const item = scene.items.get(id);
  if (item) say(isGroup(item) ? `${item.label}, ${item.roles.length} roles` : `${item.name}: ${summary(item)}`);
}

/**
 * Opens the groups in which this role is drawn, and says whether there were any.
 * @param {string} id
 */
function reveal(id) {
  const path = id.startsWith("role:") ? id.slice(5) : "";
  if (!path || !scene.home.get(path)?.startsWith("group:")) return false;
  const around = [...scene.groups.values()].filter((group) => group.roles.some((role) => role.path === path));
  view = { ...view, open: [...new Set([...scene.open, ...around.map((group) => group.id)])] };
  scene = makeScene(model, view);
  return true;
}

/**
 * @param {string} id of a group
 * @param {boolean} open
 */
function toggle(id, open) {
  endWave();
  const others = scene.open.filter((other) => other !== id);
  view = { ...view, open: open ? [...others, id] : others, selection: open ? "" : id };
  redraw(false);
  say(`${scene.items.size} boxes`);
}

/** @param {Finding} finding */
function chooseFinding(finding) {
  const path = finding.nodes.find((node) => model.roles.has(node));
  if (path === undefined) return select(findingId(finding));
  if (!scene.home.has(path)) change(UNFILTERED);
  select(roleId(path));
}

/** @param {string} glob */
async function touch(glob) {
  endWave();
  if (!glob) return;
  try {
    const impact = await askImpact(glob);
    view = { ...view, touch: glob };
    showPage();
    wave = playImpact(impact, { cy, scene: () => scene, select, close: endWave });
  } catch (error) {
    wave = refuseImpact(error instanceof Error ? error.message : String(error));
  }
}

function endWave() {
  if (!wave) return;
  wave.end();
  wave = null;
  view = { ...view, touch: "" };
  showPage();
}

/** What the address says, after load or a change of it by hand. */
function restore() {
  view = readHash(location.hash);
  input("search").value = view.q;
  input("touch").value = view.touch;
  const { touch: glob, selection } = view;
  redraw(false);
  if (selection) select(selection);
  if (glob) void touch(glob);
}

setUpControls(cy, {
  seek: (q) => {
    view = { ...view, q };
    seek();
    showPage();
    say(q ? `${found().size} found` : "");
  },
  next: () => {
    const all = hits();
    const at = all.findIndex((role) => roleId(role.path) === view.selection);
    if (all.length) select(roleId(all[(at + 1) % all.length].path));
  },
  touch: (glob) => void touch(glob),
  folder: (folder) => change({ folder }),
  clear: () => change(UNFILTERED),
});
setUpKeys(cy, {
  selection: () => view.selection,
  select,
  open: (id) => toggle(id, true),
  escape: () => (wave ? endWave() : select("")),
  tab: (tab) => {
    view = { ...view, tab };
    showTab(view.tab);
    showPage();
  },
});
onTheme(() => {
  repaint(cy, model, scene, isDark());
  showFilters(model, view, isDark(), change);
});
await load(false);
restore();
addEventListener("hashchange", restore);
listen(() => void load(true));
