// @ts-check
// Tables with sorting and filters, whole names, the legend, and the start of the script.

import { busyCause, wrongMode } from "./report-vocabulary.js";
import { element, isolated, part, parts } from "./report-page.js";
import { frameSources, modeNames, names, threads, timers } from "./report-data.js";
import { counted, short } from "./report-format.js";
import { Pen, colours, modeFill, readColours } from "./report-pen.js";
import { sharedFill } from "./report-lanes.js";
import { causeFill, drawDue } from "./report-timers.js";
import { buildLanes, drawNow, followAddress, sayDetail } from "./report-timeline.js";
import { buildHistograms, buildStarvation, buildUtilisation, charts, drawCharts } from "./report-charts.js";
import { buildSparks, buildStrip } from "./report-strip.js";
import { foldColumns } from "./report-columns.js";
import { buildFlame } from "./report-flame.js";
import { followControls, followKeys, followPointers, setLane } from "./report-controls.js";

/** @typedef {import("./report-data.js").Thread} Thread */

/**
 * Returns the sort key of a cell: its exact number, else its text.
 * @param {any} row
 * @param {number} place
 */
function sortKey(row, place) {
  const cell = row.cells[place];
  const exact = cell.dataset.ns ?? cell.dataset.value;
  if (exact === undefined) return (cell.textContent ?? "").toLowerCase();
  return exact === "" ? null : /^\d+$/.test(exact) ? BigInt(exact) : Number(exact);
}

/**
 * @param {any} x
 * @param {any} y
 */
function compare(x, y) {
  if (x === null || y === null) return x === y ? 0 : x === null ? -1 : 1;
  return x < y ? -1 : x > y ? 1 : 0;
}

/** @param {HTMLTableElement} table */
function makeSortable(table) {
  const heads = [...(table.tHead?.rows[0].cells ?? [])];
  heads.forEach((head, place) => {
    const button = element("button", head.textContent ?? "", { type: "button" });
    if (head.title) button.title = head.title;
    head.removeAttribute("title");
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      // Numbers are first sorted in descending order.
      const isNumber = head.classList.contains("number");
      const old = head.getAttribute("aria-sort");
      const direction = old === "descending" ? "ascending" : old === "ascending" ? "descending" : isNumber ? "descending" : "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", direction);
      const sign = direction === "ascending" ? 1 : -1;
      const rows = [...table.tBodies[0].rows].map((row) => [sortKey(row, place), row]);
      rows.sort(([x], [y]) => sign * compare(x, y));
      table.tBodies[0].append(...rows.map(([, row]) => row));
    });
  });
}

/** @param {HTMLTableElement} table */
function makeFilterable(table) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length < 4) return;
  const label = element("label", "Filter ", { class: "filter" });
  const field = element("input", "", { type: "search", autocomplete: "off", spellcheck: "false", "aria-controls": table.id });
  const count = element("span", "", { class: "quiet", role: "status" });
  label.append(field, " ", count);
  table.parentElement?.before(label);
  field.addEventListener("input", () => {
    const words = field.value.trim().toLowerCase().split(/\s+/);
    let shown = 0;
    for (const row of rows) {
      const text = (row.textContent ?? "").toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) shown++;
    }
    count.textContent = field.value.trim() === "" ? "" : shown + " of " + rows.length + " rows";
  });
}

/**
 * Adds a button that shows the whole name if a table cut it.
 * @param {HTMLElement} cell
 */
function makeWhole(cell) {
  const button = element("button", "whole name", { type: "button", class: "whole" });
  button.addEventListener("click", () => {
    part("whole-text", HTMLElement).replaceChildren(isolated(names[Number(cell.dataset.whole)]));
    part("whole", HTMLDialogElement).showModal();
  });
  cell.append(" ", button);
}

function buildLegend() {
  const list = part("legend", HTMLElement);
  const swatch = (/** @type {string} */ words, /** @type {(pen: Pen) => void} */ paint) => {
    const item = element("li"), canvas = element("canvas", "", { "aria-hidden": "true" });
    item.append(canvas, isolated(words));
    list.append(item);
    charts.push(() => paint(new Pen(canvas, { a: 0, b: 22 })));
  };
  const used = [...new Set(threads.flatMap((/** @type {Thread} */ thread) => [...thread.modes, ...thread.markedModes]))];
  const shown = 12;
  for (const mode of used.slice(0, shown)) swatch(short(modeNames[mode], 40), (/** @type {Pen} */ pen) => pen.fill(0, 2, 22, 12, modeFill(pen.context, mode)));
  if (used.length > shown) list.append(element("li", "and " + counted(used.length - shown, "more mode") + ": the lane and the pointer show their names"));
  if (threads.some((/** @type {Thread} */ thread) => thread.modes.some((/** @type {unknown} */ _, /** @type {number} */ place) => thread.isShared(place)))) swatch("several further modes", (/** @type {Pen} */ pen) => pen.fill(0, 2, 22, 12, sharedFill(pen.context)));
  swatch("callouts, and phases that run callouts, lay out or draw", (/** @type {Pen} */ pen) => pen.fill(0, 2, 22, 12, colours.busy));
  swatch("other phases, and time outside runs", (/** @type {Pen} */ pen) => pen.fill(0, 2, 22, 12, colours.rest));
  swatch("gap: the loop was held", (/** @type {Pen} */ pen) => pen.fill(0, 2, 22, 12, colours.hang));
  if (frameSources.length > 0) {
    swatch("frame on time", (/** @type {Pen} */ pen) => pen.fill(4, 7, 14, 9, colours.busy));
    swatch("late frame", (/** @type {Pen} */ pen) => pen.fill(4, 0, 14, 16, colours.late));
    swatch("hitch: a frame was overdue", (/** @type {Pen} */ pen) => pen.fill(0, 2, 22, 12, colours.hang));
  }
  if (timers.length > 0) {
    swatch("due (hollow) and fired (filled)", (/** @type {Pen} */ pen) => { drawDue(pen, 7, 15, true); pen.fill(12, 3, 3, 11, colours.busy); });
    swatch("fired late by more than a tenth of the interval or 50 ms", (/** @type {Pen} */ pen) => pen.fill(10, 3, 3, 11, colours.late));
    swatch("skipped or pending", (/** @type {Pen} */ pen) => drawDue(pen, 11, 14, false));
    swatch("overdue: wrong mode", (/** @type {Pen} */ pen) => pen.fill(0, 2, 22, 12, causeFill(pen.context, wrongMode)));
    swatch("overdue: busy", (/** @type {Pen} */ pen) => pen.fill(0, 2, 22, 12, causeFill(pen.context, busyCause)));
    swatch("overdue: another cause", (/** @type {Pen} */ pen) => pen.fill(0, 2, 22, 12, causeFill(pen.context, 0)));
  }
}

function start() {
  readColours();
  buildLanes();
  for (const table of parts("table.sortable", HTMLTableElement)) { makeSortable(table); makeFilterable(table); foldColumns(table); }
  for (const cell of parts("[data-whole]", HTMLElement)) makeWhole(cell);
  for (const shown of parts(".toolbar, #lanes, #lane-facts, #legend", HTMLElement)) shown.hidden = false;
  buildStrip();
  buildSparks();
  buildHistograms();
  buildUtilisation();
  buildStarvation();
  buildLegend();
  buildFlame(makeSortable);
  followPointers();
  followKeys();
  followControls();
  setLane(0);
  sayDetail();
  followAddress();
  drawNow();
  performance.mark("report-ready");
  performance.measure("report", "report-start", "report-ready");
  document.documentElement.dataset.ready = "yes";
  // The charts are further down, so the page becomes usable first.
  setTimeout(drawCharts);
}

start();
