// @ts-check
// The page's elements. Names from the trace remain text: they only go to textContent and to a canvas.

/**
 * Returns the element of the page with the id.
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 */
export function part(id, kind) { return /** @type {Kind} */ (document.getElementById(id)); }

/**
 * Returns all elements that a selector matches.
 * @template {HTMLElement} Kind
 * @param {string} selector
 * @param {new () => Kind} kind
 * @param {ParentNode} within
 */
export function parts(selector, kind, within = document) {
  return /** @type {Kind[]} */ ([...within.querySelectorAll(selector)]);
}

/**
 * Creates an element with the given text.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Object<string, string>} attributes
 */
export function element(name, text = "", attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/**
 * Isolates text from the trace, so that its direction does not affect the text around it.
 * @param {string} text
 */
export function isolated(text) {
  return element("bdi", text);
}

/**
 * Isolates text from the trace on a line of its own.
 * @param {string} text
 */
export function isolatedLine(text) {
  const line = element("div");
  line.append(isolated(text));
  return line;
}
