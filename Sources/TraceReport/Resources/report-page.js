// @ts-check
// The page's elements. Names from the trace are text and stay text: they only ever go to textContent and to a canvas.

/**
 * The element of the page that has this id.
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 */
export function part(id, kind) { return /** @type {Kind} */ (document.getElementById(id)); }

/**
 * All that a selector finds.
 * @template {HTMLElement} Kind
 * @param {string} selector
 * @param {new () => Kind} kind
 * @param {ParentNode} within
 */
export function parts(selector, kind, within = document) {
  return /** @type {Kind[]} */ ([...within.querySelectorAll(selector)]);
}

/**
 * An element with text in it.
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
 * Text from the trace, so that its direction does not reach its surroundings.
 * @param {string} text
 */
export function isolated(text) {
  return element("bdi", text);
}

/**
 * The same, on a line of its own.
 * @param {string} text
 */
export function isolatedLine(text) {
  const line = element("div");
  line.append(isolated(text));
  return line;
}
