// The page: what is known (the model), what is looked at (the view), and what to draw anew when either changes.

import { draw, fit, makeCanvas, mark, repaint, show } from "./canvas.js";
import { byId, input, say } from "./dom.js";
import { showFilters } from "./filters.js";
import { markRows, showFindings, showRoles, summary } from "./findings.js";
import { isGroup } from "./groups.js";
import { emptyView, readHash, writeHash } from "./hash.js";
import { setUpKeys } from "./keys.js";
import { askGraph, askPatterns, banner, listen } from "./live.js";
import { makeModel, PEOPLE } from "./model.js";
import { showPanel } from "./panel.js";
import { png, save, svg } from "./save.js";
import { makeScene, matches, roleId } from "./scene.js";
import { isDark, onTheme } from "./theme.js";
import { askImpact, playImpact } from "./wave.js";

/** @import { Finding, Patterns, View } from "./types" */

let view = readHash(location.hash);
let model = makeModel({ generated_at: "", fleets: [], nodes: [], edges: [], findings: [] });
let scene = makeScene(model, view);
/** @type {Promise<Map<string, Patterns>> | null} */
let patterns = null;
/** @type {(() => void) | null} */
let endWave = null;

const cy = makeCanvas({ select, open: (id) => toggle(id, true) });

/** @param {boolean} keep whether the window stays where it is */
async function load(keep) {
  try {
    model = makeModel(await askGraph());
  } catch (error) {
    return banner(error instanceof Error ? error.message : String(error));
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
  const shown = scene.items.size > 0;
  byId("empty").hidden = shown;
  byId("empty").textContent = model.document.nodes.length ? "No role passes the filters." : "This vault has no roles.";
  byId("graph").setAttribute("aria-label", `Graph of ${scene.home.size} roles and ${scene.arrows.size} arrows`);
  byId("scale").hidden = !scene.grouped;
  byId("scale").textContent = scene.grouped ? `${scene.home.size.toLocaleString("en")} roles in ${scene.items.size} boxes; double-click one to open it` : "";
  seek();
  showPage();
}

/** What depends on the selection. */
function showPage() {
  const chosen = scene.items.has(view.selection) || scene.arrows.has(view.selection) ? view.selection : "";
  if (!endWave) mark(cy, chosen, view.q ? found() : null);
  else cy.elements().removeClass("chosen").filter((element) => element.id() === chosen).addClass("chosen");
  showPanel(model, scene, chosen, { select, toggle, patterns: async (path) => (await (patterns ??= askPatterns())).get(path) ?? null });
  const item = scene.items.get(chosen);
  const ends = scene.arrows.get(chosen)?.links.flatMap((link) => [link.from, link.to]) ?? [];
  markRows(chosen, new Set(item ? (isGroup(item) ? [] : [item.path]) : ends));
  const hash = writeHash(view);
  if (hash !== location.hash.slice(1)) history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
}

/** The lists and the count, which depend on the search. */
function seek() {
  showFindings(model, view, chooseFinding);
  showRoles(model, view, select);
  showTab();
  const number = view.q ? found().size : 0;
  byId("search-count").textContent = view.q ? `${number}` : "";
}

/** @returns {Set<string>} ids of the boxes that hold what is sought */
function found() {
  const query = view.q.toLowerCase();
  const roles = [...model.roles.values()].filter((role) => role.path !== PEOPLE && matches(role, query));
  return new Set(roles.flatMap((role) => scene.home.get(role.path) ?? []));
}

/** @param {Partial<View>} patch of filters: what is drawn changes */
function change(patch) {
  stopWave();
  view = { ...view, open: null, ...patch };
  redraw(false);
  say(`${scene.home.size} roles shown`);
}

/** @param {string} id of a box or an arrow, `""` for none; opens the groups that hide a role */
function select(id) {
  view = { ...view, selection: id };
  const before = scene;
  if (reveal(id)) draw(cy, model, scene, { dark: isDark(), keep: true });
  if (before !== scene) seek();
  showPage();
  if (id) show(cy, id);
  const item = scene.items.get(id);
  if (item) say(isGroup(item) ? `${item.label}, ${item.roles.length} roles` : `${item.name || "people"}: ${summary(item)}`);
}

/**
 * Opens the groups in which this role is drawn, and says whether there were any.
 * @param {string} id
 */
function reveal(id) {
  const path = id.startsWith("role:") ? id.slice(5) : "";
  const hiding = scene.home.get(path)?.startsWith("group:");
  if (!path || !hiding) return false;
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
  stopWave();
  const others = scene.open.filter((other) => other !== id);
  view = { ...view, open: open ? [...others, id] : others, selection: open ? "" : id };
  redraw(false);
  say(`${scene.items.size} boxes`);
}

/** @param {Finding} finding */
function chooseFinding(finding) {
  const path = finding.nodes.find((node) => model.roles.has(node));
  if (path === undefined) return say("This finding is of no role.");
  if (!scene.home.has(path)) change({ fleets: [], folder: "", severities: [], edges: [] });
  select(roleId(path));
}

function showTab() {
  for (const tab of /** @type {const} */ (["findings", "roles"])) {
    byId(tab).hidden = view.tab !== tab;
    byId(`tab-${tab}`).setAttribute("aria-selected", String(view.tab === tab));
    byId(`tab-${tab}`).tabIndex = view.tab === tab ? 0 : -1;
  }
}

/** @param {string} glob */
async function touch(glob) {
  stopWave();
  if (!glob) return;
  try {
    const impact = await askImpact(glob);
    view = { ...view, touch: glob, selection: "" };
    showPage();
    endWave = playImpact(impact, { cy, scene: () => scene, select, close: stopWave });
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    byId("wave").hidden = false;
    byId("wave").replaceChildren(Object.assign(document.createElement("p"), { className: "errors", textContent: byId("status").textContent }));
    endWave = () => (byId("wave").hidden = true);
  }
}

function stopWave() {
  if (!endWave) return;
  endWave();
  endWave = null;
  view = { ...view, touch: "" };
  showPage();
}

function setUp() {
  input("search").addEventListener("input", () => {
    view = { ...view, q: input("search").value };
    seek();
    showPage();
    say(view.q ? `${byId("search-count").textContent} found` : "");
  });
  byId("search-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const hits = [...model.roles.values()].filter((role) => scene.home.has(role.path) && matches(role, view.q.toLowerCase()));
    const at = hits.findIndex((role) => roleId(role.path) === view.selection);
    if (hits.length) select(roleId(hits[(at + 1) % hits.length].path));
  });
  byId("wave-form").addEventListener("submit", (event) => {
    event.preventDefault();
    void touch(input("touch").value.trim());
  });
  byId("folder").addEventListener("change", (event) => change({ folder: /** @type {HTMLSelectElement} */ (event.target).value }));
  byId("clear").addEventListener("click", () => change({ fleets: [], folder: "", severities: [], edges: [] }));
  byId("taller").addEventListener("click", () => {
    const taller = document.querySelector("main")?.classList.toggle("taller") ?? false;
    byId("taller").setAttribute("aria-pressed", String(taller));
    fit(cy);
  });
  byId("fit").addEventListener("click", () => fit(cy));
  byId("export-svg").addEventListener("click", () => save("fleetlint.svg", svg(cy)));
  byId("export-png").addEventListener("click", async () => save("fleetlint.png", await png(cy)));
  setUpKeys(cy, {
    selection: () => view.selection,
    select,
    open: (id) => toggle(id, true),
    escape: () => (endWave ? stopWave() : select("")),
    tab: (tab) => {
      view = { ...view, tab };
      showTab();
      showPage();
    },
  });
  addEventListener("hashchange", restore);
}

/** What the address says, after load or a change of it by hand. */
function restore() {
  view = { ...emptyView(), ...readHash(location.hash) };
  input("search").value = view.q;
  input("touch").value = view.touch;
  const glob = view.touch;
  redraw(false);
  if (view.selection) select(view.selection);
  if (glob) void touch(glob);
}

setUp();
onTheme(() => {
  repaint(cy, model, scene, isDark());
  showFilters(model, view, isDark(), change);
});
await load(false);
restore();
listen(() => void load(true));
