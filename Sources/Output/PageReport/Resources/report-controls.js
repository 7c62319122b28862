// @ts-check
// The pointer, keys, buttons and links of the timeline.

import { element, isolatedLine, part, parts } from "./report-page.js";
import { spanNs } from "./report-data.js";
import { moment, parseSpan } from "./report-format.js";
import { Pen, readColours } from "./report-pen.js";
import { announce, draw, drawNow, fillLaneTable, followAddress, goTo, goToFinding, laneBox, pan, pin, placeOverlays, select, show, showTimeline, showTip, timeline, tip, zoom } from "./report-timeline.js";
import { drawCharts } from "./report-charts.js";
import { joinAgain, splitForPaper } from "./report-columns.js";
import { hideDetails, showDetails } from "./report-details.js";
import { openStall } from "./report-flame.js";

const timeAt = (/** @type {number} */ clientX) => {
  const box = timeline.axis.getBoundingClientRect();
  return timeline.view.a + (clientX - box.left) / box.width * (timeline.view.b - timeline.view.a);
};
const within = (/** @type {number} */ time) => Math.min(Math.max(time, 0), spanNs);

/** One pointer drags: it pans, or selects with Shift. Two pointers pinch. */
export function followPointers() {
  const pointers = new Map();
  /** @type {{x: number, view: {a: number, b: number}, from: number, selects: boolean, moved: boolean} | null} */
  let drag = null;
  timeline.minimap.addEventListener("click", (event) => {
    const { a, b } = timeline.view, time = event.offsetX / timeline.minimap.clientWidth * spanNs, half = b - a >= spanNs ? spanNs / 20 : (b - a) / 2;
    show(time - half, time + half);
  });
  laneBox.addEventListener("pointerdown", (event) => {
    if (!(event.target instanceof HTMLCanvasElement) || event.target === timeline.minimap || event.button !== 0) return;
    laneBox.focus({ preventScroll: true });
    pointers.set(event.pointerId, event.clientX);
    event.target.setPointerCapture(event.pointerId);
    drag = { x: event.clientX, view: { ...timeline.view }, from: timeAt(event.clientX), selects: event.shiftKey || event.target === timeline.axis, moved: false };
  });
  laneBox.addEventListener("pointermove", (event) => {
    if (!pointers.has(event.pointerId)) return hover(event);
    const before = [...pointers.values()];
    pointers.set(event.pointerId, event.clientX);
    const now = [...pointers.values()];
    if (now.length === 2) {
      const apart = Math.abs(before[0] - before[1]), wide = Math.abs(now[0] - now[1]);
      if (wide > 5) zoom(apart / wide, timeAt((now[0] + now[1]) / 2));
      drag = null;
    } else if (drag) {
      drag.moved = drag.moved || Math.abs(event.clientX - drag.x) > 3;
      if (!drag.moved) return;
      hideTip();
      if (drag.selects) {
        const to = timeAt(event.clientX);
        select([within(Math.min(drag.from, to)), within(Math.max(drag.from, to))]);
      } else {
        const by = (drag.x - event.clientX) / timeline.axis.clientWidth * (drag.view.b - drag.view.a);
        show(drag.view.a + by, drag.view.b + by);
      }
    }
  });
  const release = (/** @type {any} */ event) => {
    pointers.delete(event.pointerId);
    if (drag && !drag.moved && event.type === "pointerup") {
      timeline.cursor = within(timeAt(event.clientX));
      const row = timeline.rows.findIndex((other) => other.canvas === event.target);
      if (row >= 0) setLane(row);
      if (row >= 0) showDetails(timeline.rows[row], timeline.cursor);
      const { lane } = timeline.rows[row] ?? {}, span = lane?.selects ? lane.spanAt(timeline.cursor) : null;
      if (span) select(span);
      placeOverlays();
    }
    drag = null;
  };
  laneBox.addEventListener("pointerup", release);
  laneBox.addEventListener("pointercancel", release);
  laneBox.addEventListener("pointerleave", hideTip);
  laneBox.addEventListener("scroll", draw, { passive: true });
  laneBox.addEventListener("dblclick", (event) => zoom(0.3, timeAt(event.clientX)));
  laneBox.addEventListener("wheel", (event) => {
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const isAsked = event.ctrlKey || event.metaKey, { a, b } = timeline.view;
    if (isSideways) pan(event.deltaX / timeline.axis.clientWidth);
    else if (isAsked || document.activeElement === laneBox) zoom(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 100) / 250), timeAt(event.clientX));
    else return;
    // At a limit of the view, let the page scroll, except with Ctrl: then the browser would zoom the page.
    if (isAsked || timeline.view.a !== a || timeline.view.b !== b) event.preventDefault();
  }, { passive: false });
}

// MARK: Hover

/** @param {any} event */
function hover(event) {
  const row = timeline.rows.find((other) => other.canvas === event.target);
  if (!row) return hideTip();
  const slack = 5 * (timeline.view.b - timeline.view.a) / timeline.axis.clientWidth;
  timeline.pointer.hidden = false;
  timeline.pointer.style.left = event.clientX - laneBox.getBoundingClientRect().left - laneBox.clientLeft + "px";
  const time = timeAt(event.clientX), lines = row.lane.at(time, slack);
  showTip(event, [element("div", moment(time, slack / 10), { class: "quiet" }), ...lines.map(isolatedLine)]);
}

function hideTip() { tip.hidden = timeline.pointer.hidden = true; }

// MARK: Keys

/** @param {number} number */
export function setLane(number) {
  const visible = timeline.rows.filter((row) => !row.canvas.hidden);
  if (visible.length === 0) return;
  const old = timeline.rows[timeline.lane];
  if (old) old.name.classList.remove("current");
  timeline.lane = Math.min(Math.max(number, 0), timeline.rows.length - 1);
  timeline.rows[timeline.lane].name.classList.add("current");
}

/** @param {number} step */
function stepLane(step) {
  // In the visible order: pinned lanes come first.
  const visible = timeline.rows.filter((row) => !row.canvas.hidden).sort((x, y) => x.canvas.offsetTop - y.canvas.offsetTop);
  const next = visible[visible.indexOf(timeline.rows[timeline.lane]) + step];
  if (!next) return;
  setLane(timeline.rows.indexOf(next));
  announce("Lane " + next.lane.title);
}

function describeCursor() {
  const { a, b } = timeline.view;
  if (timeline.cursor === null || timeline.cursor < a || timeline.cursor > b) timeline.cursor = (a + b) / 2;
  placeOverlays();
  const row = timeline.rows[timeline.lane], slack = (b - a) / 100;
  const lines = row.lane.at(timeline.cursor, slack);
  showDetails(row, timeline.cursor);
  announce(row.lane.title + " at " + moment(timeline.cursor, slack / 10) + ": " + (lines.length > 0 ? lines.join("; ") : "nothing"));
}

/** @param {number} step */
function extendSelection(step) {
  const length = timeline.view.b - timeline.view.a;
  const start = timeline.cursor === null ? timeline.view.a + length / 2 : timeline.cursor;
  const [a, b] = timeline.selection || [start, start];
  const to = within((step < 0 && a === b ? a : b) + step * length / 20);
  select([Math.min(a, to), Math.max(to, a + timeline.shortest)]);
}

/** @type {Object<string, (event: KeyboardEvent) => void>} */
const keys = {
  "+": () => zoom(0.5, timeline.cursor ?? undefined), "=": () => zoom(0.5, timeline.cursor ?? undefined),
  "-": () => zoom(2, timeline.cursor ?? undefined), "−": () => zoom(2, timeline.cursor ?? undefined),
  ArrowLeft: (/** @type {any} */ event) => (event.shiftKey ? extendSelection(-1) : pan(-0.2)),
  ArrowRight: (/** @type {any} */ event) => (event.shiftKey ? extendSelection(1) : pan(0.2)),
  ArrowUp: () => stepLane(-1), ArrowDown: () => stepLane(1), Enter: describeCursor,
  Home: () => show(0, timeline.view.b - timeline.view.a), End: () => show(spanNs - (timeline.view.b - timeline.view.a), spanNs),
};
/**
 * Keys that work everywhere except in a field.
 * @type {Object<string, () => void>}
 */
const anywhere = {
  f: () => show(0, spanNs), n: () => goToFinding(1), p: () => goToFinding(-1),
  z: () => { if (timeline.selection) goTo(timeline.selection); },
  "/": () => part("lane-filter", HTMLInputElement).focus(),
  "?": toggleKeys, Escape: clear,
};

function toggleKeys() {
  const box = part("keys", HTMLElement);
  box.hidden = !box.hidden;
  parts("[data-do=help]", HTMLButtonElement)[0].setAttribute("aria-expanded", String(!box.hidden));
}

function clear() {
  hideTip();
  timeline.cursor = null;
  hideDetails();
  pin(null);
  part("selection", HTMLElement).replaceChildren();
  select(null);
}

export function followKeys() {
  laneBox.addEventListener("keydown", (event) => {
    const action = event.ctrlKey || event.metaKey || event.altKey ? null : keys[event.key];
    if (!action) return;
    event.preventDefault();
    action(event);
  });
  document.addEventListener("keydown", (event) => {
    // A list uses letter keys itself.
    if (event.target instanceof HTMLSelectElement) return;
    const isField = event.target instanceof HTMLInputElement;
    const action = event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") ? null : anywhere[event.key];
    if (!action || (isField && event.key !== "Escape")) return;
    if (isField) {
      event.target.value = "";
      event.target.dispatchEvent(new Event("input"));
      event.target.blur();
      return;
    }
    event.preventDefault();
    action();
  });
}

// MARK: Buttons, filter, links

/** @param {string} text */
function filterLanes(text) {
  const wanted = text.trim().toLowerCase();
  for (const { group } of timeline.rows) if (group) group.hidden = true;
  for (const { lane, name, canvas, sum, group } of timeline.rows) {
    const isShown = [lane.title, lane.note, lane.tip, lane.group].filter(Boolean).join(" ").toLowerCase().includes(wanted);
    name.hidden = canvas.hidden = sum.hidden = !isShown;
    if (group && isShown) group.hidden = false;
  }
  draw();
}

export function followControls() {
  /** @type {Object<string, (button: HTMLElement) => void>} */
  const actions = {
    in: () => zoom(0.5), out: () => zoom(2), fit: () => show(0, spanNs), next: () => goToFinding(1), previous: () => goToFinding(-1),
    selection: () => timeline.selection ? goTo(timeline.selection) : announce("Nothing is selected. Drag with Shift, or drag in the axis, to select a span."),
    help: toggleKeys,
  };
  for (const button of parts("[data-do]", HTMLButtonElement)) button.addEventListener("click", () => actions[button.dataset.do ?? ""](button));
  const field = part("lane-filter", HTMLInputElement);
  field.addEventListener("input", () => filterLanes(field.value));
  part("lane-facts", HTMLDetailsElement).addEventListener("toggle", () => fillLaneTable());
  document.addEventListener("click", (event) => {
    const stall = event.target instanceof Element ? event.target.closest("[data-stall]") : null;
    if (stall instanceof HTMLElement) return openStall(Number(stall.dataset.stall));
    const link = event.target instanceof Element ? event.target.closest("a[data-span]") : null;
    if (!(link instanceof HTMLElement)) return;
    const span = parseSpan(link.dataset.span);
    event.preventDefault();
    if (!span) return announce("That moment is outside the span of this report.");
    const finding = link.closest(".finding")?.querySelector("[data-finding]");
    if (finding instanceof HTMLElement) pin(Number(finding.dataset.finding));
    goTo(span);
    showTimeline();
    laneBox.focus({ preventScroll: true });
  });
  addEventListener("hashchange", followAddress);
  addEventListener("resize", () => { draw(); drawCharts(); });
  const repaint = () => { readColours(); draw(); drawCharts(); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  // A printed page uses the light colours and is as wide as the paper. Its lanes do not scroll, and nothing is folded.
  /** @type {HTMLDetailsElement[]} */
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = parts("main details:not([open])", HTMLDetailsElement).filter((box) => box.id !== "lane-facts");
    for (const box of folded) box.open = true;
    // Use the layout of the paper before anything is drawn or measured, because a canvas does not adapt.
    document.documentElement.classList.add("paper");
    splitForPaper();
    Pen.isForPaper = true;
    readColours();
    drawNow(true);
    drawCharts();
  });
  addEventListener("afterprint", () => {
    for (const box of folded) box.open = false;
    document.documentElement.classList.remove("paper");
    joinAgain();
    Pen.isForPaper = false;
    repaint();
  });
}
