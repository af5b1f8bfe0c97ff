// What the server pushes: a new graph, and whether what it serves is stale.

import { byId } from "./dom.js";

/** @import { GraphDocument, Patterns } from "./types" */

/** @returns {Promise<GraphDocument>} */
export async function askGraph() {
  const answer = await fetch("graph.json", { cache: "no-cache" });
  if (answer.status === 401) throw new Error("You are not logged in as an admin. Log in and load this page again.");
  if (!answer.ok) throw new Error(`The server has no graph to show: it answers ${answer.status}.`);
  return answer.json();
}

const QUERY = "query Roles { roles { path executor model triggerOn triggerInclude triggerExclude readPatterns writePatterns } }";

/**
 * What the notes say, by path; empty where the server has no GraphQL or refuses so large a question.
 * @returns {Promise<Map<string, Patterns>>}
 */
export async function askPatterns() {
  try {
    const answer = await fetch("graphql", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ query: QUERY }) });
    const { data } = await answer.json();
    return new Map(data.roles.map((/** @type {Patterns} */ role) => [role.path, role]));
  } catch {
    return new Map();
  }
}

/**
 * @param {() => void} changed
 */
export function listen(changed) {
  const source = new EventSource("events");
  let lost = false;
  source.addEventListener("open", () => {
    if (lost) {
      banner("");
      changed();
    }
    lost = false;
  });
  source.addEventListener("graph", changed);
  source.addEventListener("status", (event) => {
    const { stale, reason } = JSON.parse(event.data);
    banner(stale ? `Stale: this is the last good result. ${reason}` : "");
  });
  source.addEventListener("error", () => {
    lost = true;
    banner("No connection to the server: this is the last result it sent.");
  });
}

/** @param {string} text nothing hides it */
export function banner(text) {
  const element = byId("stale");
  element.textContent = text;
  element.hidden = !text;
}
