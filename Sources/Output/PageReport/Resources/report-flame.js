// @ts-check
// The flame graph of one stall or of all stalls. It can be zoomed to a function, or show the callers of a function
// above it and its callees below.

import { element, isolated, isolatedLine, part, parts } from "./report-page.js";
import { counted, duration, moment, short, significant } from "./report-format.js";
import { callTree, functionSums, sandwichOf, sharedCallers, stackFrames, stackFunctions, stacksOf, stalls, stallsOmitted } from "./report-stacks.js";
import { charts } from "./report-charts.js";
import { isCalm, showTip, tip } from "./report-timeline.js";
import { describeStall } from "./report-stall.js";

/** @typedef {import("./report-stacks.js").StackNode} StackNode */
/** @typedef {import("./report-stacks.js").Stall} Stall */
/** @typedef {{node: StackNode, left: number, width: number, row: number, box: HTMLElement | null}} FlameBox */

/** The contents of the graph: one stall or all, below a path of functions, or around one function. */
const flame = {
  scope: "all", isFolded: true, wanted: "",
  /** @type {number[]} */ zoom: [],
  /** @type {number | null} */ around: null,
  /** @type {StackNode | null} the node from which keys move */ current: null,
  of: stacksOf([]),
  /** @type {FlameBox[]} */ boxes: [],
  /** @type {{scope: string, isFolded: boolean, zoom: number[], around: number | null}[]} */ before: [],
};

const flameRow = 21, rowsOfFunctions = 40;

/** @param {string} scope */
const stallsOfScope = (scope) => (scope === "all" ? stalls : stalls.filter((stall) => String(stall.place) === scope));

/** @param {(table: HTMLTableElement) => void} makeSortable */
export function buildFlame(makeSortable) {
  if (stalls.length === 0) return;
  const scope = part("flame-scope", HTMLSelectElement);
  scope.append(element("option", scopeWords("all"), { value: "all" }));
  for (const stall of [...stalls].sort((x, y) => y.length - x.length)) scope.append(element("option", scopeWords(String(stall.place)), { value: String(stall.place) }));
  if (stalls.length === 1) flame.scope = String(stalls[0].place);
  scope.addEventListener("change", () => change({ scope: scope.value, zoom: [], around: null }));
  const field = part("flame-find", HTMLInputElement);
  field.addEventListener("input", () => { flame.wanted = field.value.trim().toLowerCase(); markFound(); describeFlame(); });
  field.addEventListener("keydown", (event) => { if (event.key === "Enter") zoomToFound(); });
  for (const button of parts("[data-flame]", HTMLButtonElement)) button.addEventListener("click", () => flameActions[button.dataset.flame ?? ""](button));
  const graph = part("flame-graph", HTMLElement);
  graph.addEventListener("click", (event) => { const found = boxOf(event.target); if (found) choose(found.node); });
  graph.addEventListener("keydown", pressed);
  graph.addEventListener("focusin", (event) => { const found = boxOf(event.target); if (found) { flame.current = found.node; describe(found.node); } });
  graph.addEventListener("pointermove", (event) => {
    const found = boxOf(event.target);
    tip.hidden = !found;
    if (!found) return;
    describe(found.node);
    showTip(event, nodeWords(found.node).map(isolatedLine));
  });
  graph.addEventListener("pointerleave", () => { tip.hidden = true; if (flame.current) describe(flame.current); });
  const table = part("flame-functions", HTMLTableElement), head = element("tr");
  for (const [title, tip] of functionColumns) head.append(element("th", title, { scope: "col", title: tip, ...(isSum(title) ? { class: "number" } : {}) }));
  table.tHead?.append(head);
  makeSortable(table);
  for (const row of parts("#stalls tbody tr", HTMLTableRowElement)) linkRow(row);
  const rest = part("flame-rest", HTMLElement);
  rest.hidden = stallsOmitted === 0;
  rest.textContent = "Not on this page: " + counted(stallsOmitted, "shorter stall") + ". rltrace analyze --format json lists all stacks.";
  part("flame", HTMLElement).hidden = false;
  buildImages();
  showFlame();
  charts.push(drawFlame);
}

/** @param {string} scope */
function scopeWords(scope) {
  const of = stallsOfScope(scope);
  const length = duration(of.reduce((sum, stall) => sum + stall.length, 0));
  if (scope === "all") return "all " + counted(of.length, "stall") + ", " + length;
  const [stall] = of;
  return length + " at " + moment(stall.start) + (stall.blamed === undefined ? "" : ": " + short(stackFunctions[stackFrames[stall.blamed].function].name, 60));
}

/**
 * Links a stall's row in the table to its stacks.
 * @param {HTMLTableRowElement} row
 */
function linkRow(row) {
  const key = parts("[data-key]", HTMLElement, row)[0]?.dataset.key ?? "", place = /^stalls\[(\d+)\]/.exec(key)?.[1];
  if (place === undefined || stallsOfScope(place).length === 0) return;
  const button = element("button", "stacks", { type: "button", class: "whole" });
  button.addEventListener("click", () => openStall(Number(place)));
  row.cells[0].append(" ", button);
}

/**
 * Shows the stacks of a stall. Called from other parts of the page.
 * @param {number} place
 */
export function openStall(place) {
  change({ scope: String(place), zoom: [], around: null });
  part("flame", HTMLElement).scrollIntoView({ block: "start", behavior: isCalm.matches ? "auto" : "smooth" });
  part("flame-scope", HTMLSelectElement).focus({ preventScroll: true });
}

// MARK: Moving

/** @param {Partial<{scope: string, isFolded: boolean, zoom: number[], around: number | null}>} to */
function change(to) {
  const { scope, isFolded, zoom, around } = flame;
  flame.before.push({ scope, isFolded, zoom, around });
  Object.assign(flame, to);
  showFlame();
}

/** @type {Object<string, (button?: HTMLElement) => void>} */
const flameActions = {
  back: () => { const last = flame.before.pop(); if (last) { Object.assign(flame, last); showFlame(); } },
  whole: () => { if (flame.zoom.length > 0 || flame.around !== null) change({ zoom: [], around: null }); },
  shared: () => { if (flame.of.folded > 0) change({ isFolded: !flame.isFolded, zoom: [] }); },
  sandwich: () => {
    if (flame.around !== null) change({ around: null });
    else if (flame.current && flame.current.function >= 0) change({ around: flame.current.function, zoom: [] });
  },
  keys: (button) => {
    const box = part("flame-keys", HTMLElement);
    box.hidden = !box.hidden;
    button?.setAttribute("aria-expanded", String(!box.hidden));
  },
};

/**
 * Handles a click on a function, or Enter.
 * @param {StackNode} node
 */
function choose(node) {
  if (node.function === sharedCallers) return flameActions.shared();
  flame.current = node;
  if (flame.around !== null) return change(node.function === flame.around ? { around: null } : { around: node.function });
  const path = pathOf(node), isZoomed = path.join() === flame.zoom.join();
  change({ zoom: isZoomed ? path.slice(0, -1) : path });
}

/** @param {StackNode} node */
function pathOf(node) {
  const path = [];
  for (let at = node; at.above; at = at.above) path.push(at.function);
  return path.reverse();
}

/** @param {KeyboardEvent} event */
function pressed(event) {
  const found = boxOf(event.target);
  if (!found || event.ctrlKey || event.metaKey || event.altKey) return;
  const { node, row, left, width } = found, middle = left + width / 2;
  const inRow = (/** @type {number} */ of) => flame.boxes.filter((other) => other.row === of && other.box);
  const nearest = (/** @type {FlameBox[]} */ of) => of.reduce((/** @type {FlameBox | null} */ best, other) => (best && away(best, middle) <= away(other, middle) ? best : other), null);
  const step = (/** @type {number} */ by) => { const all = inRow(row); return all[all.indexOf(found) + by] ?? null; };
  /** @type {Object<string, () => FlameBox | null | void>} */
  const keys = {
    ArrowUp: () => nearest(inRow(row - 1)), ArrowDown: () => nearest(inRow(row + 1)), ArrowLeft: () => step(-1), ArrowRight: () => step(1),
    Enter: () => choose(node), " ": () => choose(node), s: flameActions.sandwich, Backspace: flameActions.back, 0: flameActions.whole, a: flameActions.shared,
  };
  if (!keys[event.key]) return;
  event.preventDefault();
  event.stopPropagation();
  const next = keys[event.key]();
  if (next) setCurrent(next, true);
}

/**
 * Returns the distance of a box from a place in its row.
 * @param {FlameBox} box
 * @param {number} at
 */
const away = ({ left, width }, at) => Math.max(left - at, at - left - width, 0);

/**
 * @param {FlameBox} box
 * @param {boolean} hasFocus
 */
function setCurrent(box, hasFocus) {
  for (const other of flame.boxes) if (other.box) other.box.tabIndex = other === box ? 0 : -1;
  flame.current = box.node;
  if (hasFocus) box.box?.focus();
  else describe(box.node);
}

/** @param {EventTarget | null} target */
function boxOf(target) {
  const box = target instanceof Element ? target.closest(".frame") : null;
  return flame.boxes.find((other) => other.box === box && box) ?? null;
}

// MARK: Drawing

/** Draws everything again after a change of scope, zoom or folding. */
function showFlame() {
  part("flame-scope", HTMLSelectElement).value = flame.scope;
  flame.of = stacksOf(stallsOfScope(flame.scope));
  describeStall(flame.scope === "all" ? undefined : stallsOfScope(flame.scope)[0]);
  fillFunctions();
  drawFlame();
}

export function drawFlame() {
  const graph = part("flame-graph", HTMLElement), hadFocus = graph.contains(document.activeElement);
  const was = flame.current;
  flame.boxes = flame.around === null ? boxesOfTree() : boxesAround(flame.around);
  const wide = graph.clientWidth, rows = flame.boxes.reduce((most, { row }) => Math.max(most, row + 1), 1);
  let narrow = 0;
  for (const found of flame.boxes) {
    if (found.width * wide < 1) { narrow++; continue; }
    found.box = frameBox(found, wide);
  }
  graph.replaceChildren(...flame.boxes.flatMap(({ box }) => box ?? []));
  graph.style.height = rows * flameRow + 1 + "px";
  graph.setAttribute("aria-label", flame.around === null ? "Flame graph: callers above, callees below" : "Callers above and callees below " + stackFunctions[flame.around].name);
  const shown = flame.boxes.filter(({ box }) => box);
  const at = shown.find(({ node }) => was && node.function === was.function && (flame.around !== null || pathOf(node).join() === pathOf(was).join()))
    ?? shown.find(({ node }) => node.function === flame.around || flame.around === null && pathOf(node).join() === flame.zoom.join()) ?? shown.find(({ node }) => isBlamed(node)) ?? shown[0];
  flame.current = null;
  if (at) setCurrent(at, hadFocus);
  markFound();
  describeFlame(narrow);
  const press = (/** @type {string} */ name, /** @type {boolean} */ isDown, /** @type {boolean} */ isOff) => {
    const [button] = parts("[data-flame=" + name + "]", HTMLButtonElement);
    if (name !== "back" && name !== "whole") button.setAttribute("aria-pressed", String(isDown));
    button.setAttribute("aria-disabled", String(isOff));
  };
  press("back", false, flame.before.length === 0);
  press("whole", false, flame.zoom.length === 0 && flame.around === null);
  press("shared", !flame.isFolded, flame.of.folded === 0);
  press("sandwich", flame.around !== null, false);
}

/**
 * Lays out the nodes below a node, as shares of the graph's width. A negative `step` goes upwards.
 * @param {StackNode} node
 * @param {number} left
 * @param {number} scale
 * @param {number} row
 * @param {number} step
 * @param {FlameBox[]} into
 */
function layOut(node, left, scale, row, step, into) {
  /** @type {[StackNode, number, number][]} */
  const open = [[node, left, row]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [at, from, line] = next;
    into.push({ node: at, left: from, width: at.total * scale, row: line, box: null });
    let x = from;
    for (const below of [...at.below.values()].sort((a, b) => b.total - a.total)) {
      open.push([below, x, line + step]);
      x += below.total * scale;
    }
  }
}

/** Returns the boxes below the zoom. The callers of the zoomed function are as wide as the graph. */
function boxesOfTree() {
  /** @type {FlameBox[]} */
  const boxes = [];
  let node = callTree(flame.of, flame.isFolded);
  for (const of of flame.zoom) {
    if (node.above) boxes.push({ node, left: 0, width: 1, row: boxes.length, box: null });
    node = node.below.get(of) ?? node;
  }
  layOut(node, 0, 1 / node.total, node.above ? boxes.length : -1, 1, boxes);
  return boxes.filter(({ row }) => row >= 0).sort(inReadingOrder);
}

/**
 * @param {FlameBox} x
 * @param {FlameBox} y
 */
const inReadingOrder = (x, y) => x.row - y.row || x.left - y.left;

/** @param {number} of */
function boxesAround(of) {
  /** @type {FlameBox[]} */
  const above = [];
  /** @type {FlameBox[]} */
  const below = [];
  const { callers, callees } = sandwichOf(flame.of, of, flame.isFolded);
  const outer = callers.below.get(of), inner = callees.below.get(of);
  if (!outer || !inner) return [];
  layOut(outer, 0, 1 / outer.total, 0, -1, above);
  const highest = above.reduce((least, { row }) => Math.min(least, row), 0);
  layOut(inner, 0, 1 / inner.total, -highest, 1, below);
  return [...above.filter(({ node }) => node !== outer).map((box) => ({ ...box, row: box.row - highest })), ...below].sort(inReadingOrder);
}

/**
 * @param {FlameBox} found
 * @param {number} wide
 */
function frameBox({ node, left, width, row }, wide) {
  const isShared = node.function === sharedCallers;
  const classes = ["frame", isShared ? "shared" : imageClass(node.function)];
  if (isBlamed(node)) classes.push("blamed");
  if (node.function === flame.around || flame.around === null && node.above && pathOf(node).join() === flame.zoom.join()) classes.push("chosen");
  const box = element("div", "", { class: classes.join(" "), role: "treeitem", tabindex: "-1", "aria-level": String(row + 1), "aria-label": nodeWords(node).join(", ") });
  box.style.left = 100 * left + "%";
  box.style.width = "max(" + 100 * width + "% - 1px, 1px)";
  box.style.top = row * flameRow + "px";
  const room = width * wide;
  if (room >= 30) {
    const name = element("bdi", isShared ? sharedWords() : stackFunctions[node.function].name);
    box.append(name);
    const place = isShared ? "" : placesOf(node.frames);
    if (room >= 260) box.append(element("span", [place, duration(node.total)].filter(Boolean).join(" · ")));
  }
  return box;
}

function sharedWords() {
  const [first] = flame.of.stacks, last = first.frames[flame.of.folded - 1];
  return counted(flame.of.folded, "shared caller") + ", " + stackFunctions[stackFrames[first.frames[0]].function].name + " … " + stackFunctions[stackFrames[last].function].name;
}

/** @param {StackNode} node */
const isBlamed = (node) => [...node.frames].some((frame) => blamedFrames.has(frame));

const blamedFrames = new Set(stalls.flatMap(({ blamed }) => blamed ?? []));

/**
 * Returns files and lines: `main.swift:41, 47`.
 * @param {Set<number>} frames
 */
function placesOf(frames) {
  /** @type {Map<string, Set<number>>} */
  const lines = new Map();
  for (const frame of frames) {
    const { file, line } = stackFrames[frame], base = file.slice(file.lastIndexOf("/") + 1);
    if (!base) continue;
    const of = lines.get(base) ?? new Set();
    lines.set(base, of);
    if (line > 0) of.add(line);
  }
  return [...lines].map(([file, of]) => {
    const sorted = [...of].sort((x, y) => x - y);
    return file + (sorted.length > 0 ? ":" + sorted.slice(0, 4).join(", ") + (sorted.length > 4 ? " …" : "") : "");
  }).join("; ");
}

/** @param {number} ns */
const shareWords = (ns) => significant(100 * ns / Math.max(flame.of.total, 1)) + " %";

/**
 * Returns function, place, image, time and share, in words.
 * @param {StackNode} node
 */
function nodeWords(node) {
  const time = duration(node.total) + ", " + shareWords(node.total) + " of " + duration(flame.of.total);
  if (node.function === sharedCallers) return [sharedWords(), "click to see them", time];
  const { name, image, isOwn } = stackFunctions[node.function];
  const inlined = [...node.frames].every((frame) => stackFrames[frame].isInlined) ? "inlined" : "";
  return [name, placesOf(node.frames), [image || "image not known", isOwn ? "part of the program" : "", inlined].filter(Boolean).join(", "), time, node.self > 0 ? "self " + duration(node.self) : "", isBlamed(node) ? "blamed" : ""].filter(Boolean);
}

/** @param {StackNode} node */
function describe(node) {
  const box = part("flame-about", HTMLElement), [name, ...rest] = nodeWords(node);
  const title = element("b");
  title.append(isolated(name));
  box.replaceChildren(title, " ", ...rest.flatMap((words) => [isolated(words), " · "]).slice(0, -1));
}

/** @param {StackNode} node */
function isFound(node) {
  if (!flame.wanted || node.function === sharedCallers) return false;
  return isFoundFunction(node.function) || [...node.frames].some((frame) => stackFrames[frame].file.toLowerCase().includes(flame.wanted));
}

/** @param {number} of */
const isFoundFunction = (of) => [stackFunctions[of].name, stackFunctions[of].image].some((text) => text.toLowerCase().includes(flame.wanted));

function markFound() {
  for (const { node, box } of flame.boxes) box?.classList.toggle("found", isFound(node));
}

function zoomToFound() {
  const found = flame.boxes.filter(({ node }) => isFound(node)).sort((x, y) => y.node.total - x.node.total)[0];
  if (found) choose(found.node);
}

/** Shows the current position, the results of the search, and the number of boxes that are too narrow to draw. */
function describeFlame(narrow = flame.boxes.filter(({ box }) => !box).length) {
  const words = [];
  const at = flame.around ?? flame.zoom[flame.zoom.length - 1];
  if (at !== undefined && at >= 0) words.push((flame.around === null ? "Zoomed to " : "Callers above and callees below ") + stackFunctions[at].name);
  if (flame.wanted) {
    const found = new Set(flame.boxes.filter(({ node }) => isFound(node)).map(({ node }) => node.function));
    const ns = flame.of.stacks.reduce((sum, { frames, ns: length }) => sum + (frames.some((frame) => found.has(stackFrames[frame].function)) ? length : 0), 0);
    words.push(found.size === 0 ? "Nothing here matches “" + short(flame.wanted) + "”" : "Found " + counted(found.size, "function") + ": " + duration(ns) + ", " + shareWords(ns));
  }
  if (narrow > 0) words.push(counted(narrow, "function is", "functions are") + " narrower than a pixel: zoom in");
  const box = part("flame-path", HTMLElement);
  box.replaceChildren(isolated(words.length > 0 ? words.join(". ") + "." : "The width of a box is the time of its stacks. Callers are above their callees."));
}

// MARK: Images

/** The number of images with a colour of their own. */
const imageColours = 4;

/** @type {string[]} sorted by their share of the time of all stalls, so that an image has the same colour in each stall */
let libraries = [];

/** @param {number} of */
function imageClass(of) {
  const { image, isOwn } = stackFunctions[of], place = libraries.indexOf(image);
  return isOwn ? "own" : place >= 0 && place < imageColours ? "image-" + place : "image-other";
}

function buildImages() {
  /** @type {Map<string, number>} */
  const times = new Map(), own = new Set();
  for (const { function: of, total } of functionSums(stacksOf(stalls), false)) {
    const { image, isOwn } = stackFunctions[of];
    if (isOwn) own.add(image); else times.set(image, (times.get(image) ?? 0) + total);
  }
  libraries = [...times].sort(([, x], [, y]) => y - x).map(([image]) => image);
  const list = part("flame-legend", HTMLElement);
  const swatch = (/** @type {string} */ kind, /** @type {string} */ words) => {
    const item = element("li");
    item.append(element("span", "", { class: "swatch " + kind, "aria-hidden": "true" }), isolated(words));
    list.append(item);
  };
  if (own.size > 0) swatch("own", [...own].map((image) => image || "image not known").join(", ") + " (the program itself)");
  libraries.slice(0, imageColours).forEach((image, i) => swatch("image-" + i, (image || "image not known") + (own.has(image) ? ": code from libraries and the compiler" : "")));
  if (libraries.length > imageColours) swatch("image-other", counted(libraries.length - imageColours, "other image"));
  if (blamedFrames.size > 0) swatch("own blamed", "blamed for a stall");
}

// MARK: Tables and words

const functionColumns = [
  ["function", "Each function of the graph has one row."], ["where", "Files and lines of the function in the stacks."], ["image", ""],
  ["time", "Time of the function and its callees."], ["share", "Share of the time of the whole graph."], ["self", "Time of the function without its callees."],
];
/** @param {string} title */
const isSum = (title) => ["time", "share", "self"].includes(title);

function fillFunctions() {
  const table = part("flame-functions", HTMLTableElement), body = table.tBodies[0], all = functionSums(flame.of, flame.isFolded);
  for (const head of table.tHead?.rows[0].cells ?? []) head.removeAttribute("aria-sort");
  if (table.caption) table.caption.textContent = "Functions of " + scopeWords(flame.scope) + (all.length > rowsOfFunctions ? ": the first " + rowsOfFunctions + " of " + all.length : "");
  body.replaceChildren(...all.slice(0, rowsOfFunctions).map(({ function: of, total, self, frames }) => {
    const row = element("tr"), head = element("th", "", { scope: "row" }), { name, image } = stackFunctions[of];
    const button = element("button", "", { type: "button", class: "link", title: "Its callers and callees" });
    button.append(isolated(short(name, 120)));
    button.addEventListener("click", () => { change({ around: of, zoom: [] }); part("flame", HTMLElement).scrollIntoView({ block: "start" }); });
    head.append(button);
    const cell = (/** @type {string} */ text) => { const made = element("td"); made.append(isolated(text)); return made; };
    const number = (/** @type {string} */ text, /** @type {number} */ ns) => element("td", text, { class: "number", "data-value": String(ns) });
    row.append(head, cell(placesOf(frames) || "–"), cell(image || "–"), number(duration(total), total), number(shareWords(total), total), number(duration(self), self));
    return row;
  }));
}
