// "If I touch ...": the wave of runs that an edit sets off, depth by depth.

import { byId, code, el, name, prose, say } from "./dom.js";
import { calm } from "./canvas.js";
import { roleId } from "./scene.js";

/** @import { Impact, Run, Scene, Wave } from "./types" */
/** @typedef {import("../vendor/cytoscape.js").Core} Core */

const STEP = 900;

/**
 * @param {string} glob
 * @returns {Promise<Impact>}
 */
export async function askImpact(glob) {
  const answer = await fetch(`impact?${new URLSearchParams({ path: glob })}`);
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(body.error ?? `The server answers ${answer.status}.`);
  return body;
}

/**
 * Shows waves beside the graph and in it. Returns what ends the show, and what lights it up again in a new drawing.
 * @param {Impact} impact
 * @param {{cy: Core, scene: () => Scene, select: (id: string) => void, close: () => void}} on
 * @returns {{end: () => void, again: () => void}}
 */
export function playImpact(impact, on) {
  const box = byId("wave");
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let [wave, level] = [0, 0];

  const stop = () => clearTimeout(timer);
  const step = (/** @type {number} */ to, /** @type {boolean} */ goOn) => {
    stop();
    const levels = impact.waves[wave].levels;
    level = Math.max(0, Math.min(levels.length - 1, to));
    light(on.cy, on.scene(), impact.waves[wave], level);
    box.querySelectorAll("[data-level]").forEach((part, at) => part.classList.toggle("now", at === level));
    const counter = box.querySelector(".counter");
    if (counter) counter.textContent = `Depth ${depths(levels[level])}`;
    if (goOn && level < levels.length - 1) timer = setTimeout(() => step(level + 1, true), STEP);
  };
  const choose = (/** @type {number} */ to) => {
    wave = to;
    box.replaceChildren(...page(impact, wave, { ...on, choose, step: (by) => step(level + by, false), play: () => step(0, true) }));
    if (calm.matches) step(impact.waves[wave].levels.length - 1, false);
    else step(0, true);
  };

  box.hidden = false;
  if (impact.waves.length) choose(0);
  else box.replaceChildren(title(impact.glob, on.close), el("p", {}, "Nobody wakes when such a path is touched."));
  say(box.querySelector(".budget")?.textContent ?? box.textContent ?? "");
  const end = () => {
    stop();
    box.hidden = true;
    box.replaceChildren();
    on.cy.batch(() => on.cy.elements().removeClass("wave wave-now"));
  };
  const again = () => impact.waves.length && light(on.cy, on.scene(), impact.waves[wave], level);
  return { end, again };
}

/**
 * Says why there is no wave.
 * @param {string} reason
 */
export function refuseImpact(reason) {
  const box = byId("wave");
  box.hidden = false;
  box.replaceChildren(el("p", { class: "errors" }, ...prose(reason)));
  say(reason);
  return { end: () => void (box.hidden = true), again: () => {} };
}

/**
 * @param {string} glob
 * @param {() => void} close
 */
function title(glob, close) {
  return el("div", { class: "head" }, el("h2", {}, "If I touch ", code(glob)), el("button", { type: "button", class: "close", "aria-label": "Close the wave", onclick: close }, "×"));
}

/**
 * @param {Impact} impact
 * @param {number} at
 * @param {{select: (id: string) => void, close: () => void, choose: (to: number) => void, step: (by: number) => void, play: () => void}} on
 */
function page(impact, at, on) {
  const wave = impact.waves[at];
  const select = el("select", { id: "origin", onchange: (/** @type {Event} */ event) => on.choose(Number(/** @type {HTMLSelectElement} */ (event.target).value)) }, ...impact.waves.map((other, index) => el("option", { value: index, selected: index === at }, other.origin.role ? `a tick of ${other.origin.role}` : "a direct edit")));
  const levels = wave.levels.map((level) => el("li", { "data-level": level.first }, el("h3", {}, `Depth ${depths(level)}`), el("ul", { class: "links" }, ...level.runs.map((run) => runItem(run, on.select)))));
  return [
    title(impact.glob, on.close),
    el("p", { class: "origin" }, el("label", { for: "origin" }, "Set off by "), select),
    el("p", { class: "budget" }, ...budget(wave)),
    ...(wave.reasons.length ? [el("ul", { class: "quiet" }, ...wave.reasons.map((reason) => el("li", {}, ...prose(reason))))] : []),
    el("p", { class: "buttons" }, el("button", { type: "button", "aria-label": "One depth back", onclick: () => on.step(-1) }, "◀"), el("span", { class: "counter" }), el("button", { type: "button", "aria-label": "One depth on", onclick: () => on.step(1) }, "▶"), el("button", { type: "button", onclick: on.play }, "Play")),
    el("ol", { class: "levels" }, ...levels),
    ...(wave.unlisted_depths ? [el("p", {}, `and ${wave.unlisted_depths.toLocaleString("en")} more depths`)] : []),
    ...(wave.cuts.length ? [el("h3", {}, `Cut by depth (${wave.cuts.length})`), el("ul", { class: "quiet" }, ...wave.cuts.slice(0, 50).map((cut) => el("li", {}, name(cut.from), " no longer wakes ", name(cut.to), ` at depth ${cut.depth}`)))] : []),
  ];
}

/**
 * @param {Run} run
 * @param {(id: string) => void} select
 */
function runItem(run, select) {
  const cause = run.from === null ? [" by an edit of "] : [" as ", name(run.from), " writes "];
  return el("li", {}, el("button", { type: "button", class: "link", onclick: () => select(roleId(run.role)) }, name(run.role)), run.splits ? " ×N" : "", el("span", { class: "quiet" }, ...cause, run.path ? code(run.path) : "a path that is not proven", run.sources > 1 ? ` (and ${run.sources - 1} more wake it)` : ""));
}

/** @param {Wave} wave */
function budget(wave) {
  const per = wave.origin.kind === "tick" ? "a tick" : "an edit";
  const runs = wave.runs ? `${wave.exact ? "exactly" : "at most"} ${wave.runs.text}` : "too many to be counted";
  const parts = [el("strong", {}, `Runs for ${per}: ${runs}. `)];
  if (wave.tokens?.powers_of_n.length) parts.push(el("span", {}, `Tokens: at most ${wave.tokens.text}. `));
  if ((wave.runs?.powers_of_n.length ?? 0) > 1) parts.push(el("span", { class: "quiet" }, "N: the notes of one delivery that for_each splits."));
  return parts;
}

/** @param {{first: number, last: number}} level */
function depths({ first, last }) {
  return first === last ? `${first}` : `${first} to ${last}`;
}

/**
 * Lights up what runs at this level, and more faintly what ran before; the rest fades.
 * @param {Core} cy
 * @param {Scene} scene
 * @param {Wave} wave
 * @param {number} upTo
 */
export function light(cy, scene, wave, upTo) {
  cy.batch(() => {
    cy.elements().removeClass("wave wave-now near match").addClass("faded");
    cy.elements(".chosen").removeClass("faded");
    wave.levels.slice(0, upTo + 1).forEach((level, at) => {
      for (const run of level.runs) {
        const home = scene.home.get(run.role) ?? "";
        const box = cy.getElementById(home).removeClass("faded").addClass("wave");
        if (at === upTo) box.addClass("wave-now");
        if (run.from === null) continue;
        const id = `edge:${JSON.stringify(["trigger", scene.home.get(run.from), home])}`;
        cy.getElementById(id).removeClass("faded").addClass("wave");
      }
    });
  });
}
