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

/** A stream that ends is opened again by the browser; only a longer silence is worth a word. */
const PATIENCE = 5_000;
/** The browser does not come back to a server that refuses the stream, so we do. */
const RETRY = 15_000;

/** @param {() => void} changed */
export function listen(changed) {
  const source = new EventSource("events");
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let alarm;
  source.addEventListener("open", () => {
    clearTimeout(alarm);
    alarm = undefined;
    if (notice("connection", "")) changed();
  });
  source.addEventListener("graph", changed);
  source.addEventListener("status", (event) => {
    const { stale, reason } = JSON.parse(event.data);
    notice("stale", stale ? `Stale: this is the last good result. ${reason}` : "");
  });
  source.addEventListener("error", () => {
    alarm ??= setTimeout(() => notice("connection", "No connection to the server: this is the last result it sent."), PATIENCE);
    if (source.readyState === EventSource.CLOSED) setTimeout(() => listen(changed), RETRY);
  });
}

/** @type {Map<string, string>} */
const notices = new Map();

/**
 * Puts a sentence above the graph, or takes it away, and says whether there was one of its kind.
 * @param {"load" | "stale" | "connection"} kind
 * @param {string} text
 */
export function notice(kind, text) {
  const before = Boolean(notices.get(kind));
  notices.set(kind, text);
  const all = [...notices.values()].filter(Boolean).join(" ");
  const banner = byId("stale");
  banner.hidden = !all;
  if (banner.textContent !== all) banner.textContent = all;
  return before;
}
