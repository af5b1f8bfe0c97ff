// Making elements. Every text goes in as text, whatever it holds: names come from notes that anyone may write.

/**
 * An element with attributes, `on...` listeners and children; strings become text.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | number | boolean | ((event: any) => void)>} [attributes] false leaves one out
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

/**
 * The element of this id.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}

/**
 * The input of this id.
 * @param {string} id
 * @returns {HTMLInputElement}
 */
export function input(id) {
  return /** @type {HTMLInputElement} */ (byId(id));
}

/**
 * A name of a note, which may hold signs that turn the direction of what stands beside it.
 * @param {string} text
 */
export function name(text) {
  return el("bdi", {}, text);
}

/**
 * A sentence in which `code` stands between backticks.
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export function prose(text) {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return [text];
  return parts.map((part, at) => (at % 2 ? code(part) : part));
}

/**
 * A pattern or path, which may hold the same.
 * @param {string} text
 */
export function code(text) {
  return el("code", { dir: "auto" }, text);
}

/**
 * Says something to people who listen instead of look.
 * @param {string} text
 */
export function say(text) {
  byId("status").textContent = text;
}

/**
 * "1 role", "2 roles".
 * @param {number} number
 * @param {string} noun
 */
export function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
