// @ts-check
// The timeline: what is visible, what is selected, and how users move in it.

import { causeNames } from "./report-vocabulary.js";
import { element, isolated, part, parts } from "./report-page.js";
import { data, frameSources, lanesWithMarks, modeNames, origin, queues, spanNs, states, threads, timers, unit } from "./report-data.js";
import { counted, duration, grouped, moment, niceStep, parseSpan, short, spanText, tickLabel } from "./report-format.js";
import { Pen, colours, widthOf } from "./report-pen.js";
import { binRange, busyWords, severalModes, threadStatistics, timerStatistics, wholeStatistics } from "./report-marks.js";
import { calloutLane, modeLane, phaseLane, queueLane } from "./report-lanes.js";
import { gapLane, intervalLane, lifeLane, markLane, stackLane } from "./report-spans.js";
import { stallWords, stallsIn } from "./report-stacks.js";
import { timerLane } from "./report-timers.js";
import { frameCountWords, frameLane, frameStatistics, hitchLane, stateLane, stateWords } from "./report-frames.js";

/** @typedef {import("./report-data.js").Thread} Thread */
/** @typedef {import("./report-data.js").Timer} Timer */

export const timeline = {
  view: { a: 0, b: spanNs }, lane: 0, finding: -1, shortest: Math.max(unit * 20, 20), height: 0, frameMs: 0,
  /** @type {[number, number] | null} */ selection: null,
  /** @type {number | null} */ cursor: null,
  /** @type {{lane: any, name: HTMLElement, canvas: HTMLCanvasElement, sum: HTMLElement, group: HTMLElement | null}[]} */ rows: [],
  axis: element("canvas", "", { class: "axis", "aria-hidden": "true" }),
  minimap: element("canvas", "", { class: "minimap", "aria-hidden": "true", title: "The whole span. Click to show a part of it. The page has individual marks where the line is thick." }),
  /** @type {[number, number][]} views on the way to this one */ way: [[0, spanNs]],
  corner: element("div", "", { class: "lane-name axis-name quiet" }),
  marker: element("div", "", { class: "marker", "aria-hidden": "true" }),
  pointer: element("div", "", { class: "marker pointer", "aria-hidden": "true" }),
  shade: element("div", "", { class: "shade", "aria-hidden": "true" }),
  /** @type {(() => void)[]} functions that draw the same time range elsewhere */ followers: [],
  /** @type {any} the callout that delayed the mark in the details, its row, and the time of the fire */ blamed: null,
  /** The heading above the lanes of the selected finding. */ pinned: element("div", "", { class: "lane-group pinned" }),
  outline: element("div", "", { class: "outline", "aria-hidden": "true" }),
  connector: element("div", "", { class: "marker connector", "aria-hidden": "true" }),
};
export const laneBox = part("lanes", HTMLElement);
export const tip = part("tip", HTMLElement);
export const isCalm = matchMedia("(prefers-reduced-motion: reduce)");

function makeLanes() {
  /** @type {any[]} */
  const lanes = [];
  if (data.life.length > 0 || data.suspensions.length > 0) lanes.push(lifeLane());
  lanes.push(...states.map(stateLane));
  for (const thread of threads) {
    /** @type {any[]} */
    const of = thread.modes.length > 0 || threads.length === 1 ? [modeLane(thread), phaseLane(thread), calloutLane(thread)] : [calloutLane(thread)];
    for (const source of frameSources) if (source.thread === thread.index) of.push(hitchLane(source), frameLane(source));
    for (const timer of timers) if (timer.thread === thread.index) of.push(timerLane(timer));
    of.push(gapLane(thread), stackLane(thread), intervalLane(thread), markLane(thread));
    // With only one thread, its name is not shown.
    lanes.push(...(threads.length > 1 ? of.filter(Boolean).map((lane) => ({ ...lane, group: thread.name, groupWords: busyWords(wholeStatistics(thread)) })) : of.filter(Boolean)));
  }
  for (const timer of timers) {
    if (threads.some((thread) => thread.index === timer.thread)) continue;
    lanes.push(threads.length > 1 ? { ...timerLane(timer), group: "timers of threads without lanes" } : timerLane(timer));
  }
  lanes.push(...queues.map(queueLane));
  return lanes;
}

export function buildLanes() {
  laneBox.setAttribute("role", "application");
  laneBox.setAttribute("aria-roledescription", "timeline");
  laneBox.setAttribute("aria-label", "Timeline: arrow keys pan and change the lane, plus and minus zoom, Enter reads out the content at the cursor. The table below has the same facts.");
  laneBox.tabIndex = 0;
  laneBox.append(element("div", "whole span", { class: "lane-name quiet minimap-name" }), timeline.minimap, element("div", "", { class: "lane-sum minimap-sum" }));
  laneBox.append(timeline.corner, timeline.axis, element("div", "total", { class: "lane-sum axis-sum" }), timeline.pinned);
  /** @type {HTMLElement | null} */
  let group = null;
  let groupName;
  for (const lane of makeLanes()) {
    if (lane.group !== undefined && lane.group !== groupName) {
      group = element("div", "", { class: "lane-group" });
      groupName = lane.group;
      group.append(isolated(lane.group), element("span", lane.groupWords || "", { class: "quiet" }));
      laneBox.append(group);
    }
    const name = element("div", "", { class: "lane-name" });
    const title = isolated(lane.title);
    name.title = [lane.title, lane.note, lane.tip, lane.group].filter(Boolean).join(" – ");
    name.append(title);
    if (lane.note) { const note = isolated(lane.note); note.className = "quiet"; name.append(note); }
    const canvas = element("canvas", "", { class: "lane", "aria-hidden": "true" });
    canvas.style.height = name.style.height = lane.height + "px";
    const sum = element("div", "", { class: "lane-sum" });
    for (const [words, isBad] of lane.sum?.() ?? []) sum.append(element("div", words, isBad ? { class: "bad" } : {}));
    laneBox.append(name, canvas, sum);
    timeline.rows.push({ lane, name, canvas, sum, group });
  }
  timeline.pointer.hidden = timeline.pinned.hidden = true;
  laneBox.append(timeline.shade, timeline.marker, timeline.pointer, timeline.outline, timeline.connector);
}

// MARK: Drawing

let isDrawing = false;
export function draw() {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => { isDrawing = false; drawNow(); });
}

export function drawNow(isAll = false) {
  const begin = performance.now();
  drawMinimap();
  drawAxis(timeline.axis, timeline.view);
  // Lanes outside the box are drawn when they are scrolled into view; on paper all of them are drawn.
  const top = laneBox.scrollTop - 50, bottom = laneBox.scrollTop + laneBox.clientHeight + 50;
  const places = timeline.rows.map(({ canvas }) => [canvas.offsetTop, canvas.offsetHeight]);
  // Overlays are as high as all lanes, not only as the visible part.
  timeline.height = places.reduce((most, [y, height]) => Math.max(most, y + height), 0);
  timeline.rows.forEach(({ lane, canvas }, row) => {
    const [y, height] = places[row];
    if (!canvas.hidden && (isAll || (y + height >= top && y <= bottom))) lane.draw(new Pen(canvas, timeline.view));
  });
  // Text is written last, because reading a size after it would force another layout.
  placeOverlays();
  showVisible();
  timeline.frameMs = performance.now() - begin;
}

/** Shows the visible part of the whole, beside the axis. */
function showVisible() {
  const { a, b } = timeline.view, isAll = b - a >= spanNs;
  const words = isAll ? duration(spanNs) : duration(b - a) + " of " + duration(spanNs);
  if (timeline.corner.textContent !== words) timeline.corner.textContent = words;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {{a: number, b: number}} view
 */
export function drawAxis(canvas, view) {
  const pen = new Pen(canvas, view), step = niceStep(view.b - view.a, Math.max(2, pen.width / 110));
  const from = Number(origin % BigInt(Math.round(step)));
  for (let tick = Math.ceil((view.a + from) / step) * step - from; tick <= view.b; tick += step) {
    const label = tickLabel(tick, step, view.b), x = pen.x(tick);
    pen.fill(Math.round(x), pen.height - 6, 1, 6, colours.quiet);
    if (x + 3 + widthOf(pen.context, label) <= pen.width) pen.text(label, x + 3, pen.height - 8, colours.quiet);
  }
}

/** Draws the whole span above the axis: where individual marks are kept, the gaps, and the visible part. */
function drawMinimap() {
  const pen = new Pen(timeline.minimap, { a: 0, b: spanNs }), { a, b } = timeline.view, middle = Math.floor(pen.height / 2);
  pen.fill(0, middle, pen.width, 1, colours.rest);
  if (lanesWithMarks.some((lane) => lane.detail.isWhole)) pen.fill(0, middle - 1, pen.width, 3, colours.rest);
  else for (const lane of lanesWithMarks) for (const [from, to] of lane.detail.spans) pen.fill(pen.x(from), middle - 1, Math.max((to - from) * pen.scale, 2), 3, colours.rest);
  for (const gap of data.gaps) pen.fill(Math.min(pen.x(gap.start), pen.width - 2), 2, Math.max(gap.length * pen.scale, 2), middle - 3, colours.hang);
  if (b - a >= spanNs) return;
  const wide = Math.max((b - a) * pen.scale, 4), x = Math.min(pen.x(a), pen.width - wide);
  pen.context.lineWidth = 2;
  pen.context.strokeStyle = colours.ink;
  pen.context.strokeRect(x + 1, 1, Math.max(wide - 2, 2), pen.height - 2);
}

/** Shows the views on the way from the whole span to this one. Each is at most a third of the previous one. */
function showWay() {
  const { a, b } = timeline.view, box = part("way", HTMLElement), isIn = (/** @type {[number, number]} */ [from, to]) => from <= a && b <= to && to - from > b - a;
  timeline.way = timeline.way.filter(isIn);
  box.replaceChildren();
  for (const [from, to] of timeline.way) {
    const button = element("button", duration(to - from), { type: "button", class: "link", title: moment(from) + " to " + moment(to) });
    button.addEventListener("click", () => show(from, to));
    box.append(button, " › ");
  }
  if (timeline.way.length > 0) box.append(duration(b - a));
  const last = timeline.way.at(-1) ?? [0, Infinity];
  if (last[1] - last[0] >= 3 * (b - a) || timeline.way.length === 0) timeline.way.push([a, b]);
}

/** Returns the shortest view: some units of time where marks are kept, half a column for sums. */
function shortestAt(/** @type {number} */ time) {
  const lanes = lanesWithMarks.filter((lane) => !lane.detail.isWhole);
  if (lanes.length === 0 || lanes.some((lane) => lane.detail.covers(time, time))) return timeline.shortest;
  return Math.max(timeline.shortest, Math.min(...lanes.map((lane) => lane.bins.width / 2)));
}

export function placeOverlays() {
  const canvas = timeline.axis, left = canvas.offsetLeft, width = canvas.clientWidth;
  const x = (/** @type {number} */ time) => left + (time - timeline.view.a) / (timeline.view.b - timeline.view.a) * width;
  const clip = (/** @type {any} */ value) => Math.min(Math.max(value, left), left + width);
  const selection = timeline.selection;
  for (const over of [timeline.shade, timeline.marker, timeline.pointer]) over.style.height = timeline.height + "px";
  const isAway = !selection || selection[1] <= timeline.view.a || selection[0] >= timeline.view.b;
  timeline.shade.hidden = isAway;
  if (!isAway) {
    timeline.shade.style.left = clip(x(selection[0])) + "px";
    timeline.shade.style.width = Math.max(clip(x(selection[1])) - clip(x(selection[0])), 1) + "px";
  }
  placeBlamed(x, clip);
  const cursor = timeline.cursor;
  const isOut = cursor === null || cursor < timeline.view.a || cursor > timeline.view.b;
  timeline.marker.hidden = isOut;
  if (!isOut) timeline.marker.style.left = x(cursor) + "px";
}

/**
 * Outlines the callout to blame, and draws a line from it down to the fire that it delayed.
 * @param {(time: number) => number} x
 * @param {(value: number) => number} clip
 */
function placeBlamed(x, clip) {
  const { blamed, outline, connector } = timeline;
  const lane = blamed && timeline.rows.find((row) => row.lane.thread === blamed.thread && row.lane.title === "callouts");
  outline.hidden = connector.hidden = !lane || lane.canvas.hidden || blamed.end < timeline.view.a || blamed.start > timeline.view.b;
  if (outline.hidden) return;
  const place = lane.lane.placeOf(blamed.level), top = lane.canvas.offsetTop + place.top, left = clip(x(blamed.start)), right = clip(x(blamed.end));
  Object.assign(outline.style, { left: left + "px", width: Math.max(right - left, 3) + "px", top: top + "px", height: place.height + "px" });
  const end = blamed.row.canvas.offsetTop + blamed.row.canvas.offsetHeight / 2;
  Object.assign(connector.style, { left: clip(x(blamed.at)) + "px", top: Math.min(top + place.height, end) + "px", height: Math.abs(end - top - place.height) + "px" });
}

/**
 * Shows lines about the content at the pointer, in a box beside the pointer.
 * @param {PointerEvent} event
 * @param {HTMLElement[]} lines
 */
export function showTip({ clientX, clientY }, lines) {
  tip.replaceChildren(...lines);
  tip.hidden = false;
  const width = tip.offsetWidth, height = tip.offsetHeight;
  tip.style.left = Math.max(4, Math.min(clientX + 14, innerWidth - width - 8)) + "px";
  tip.style.top = (clientY + height + 24 > innerHeight ? clientY - height - 12 : clientY + 16) + "px";
}

// MARK: Moving

/**
 * @param {number} a
 * @param {number} b
 */
export function show(a, b) {
  const length = Math.min(Math.max(b - a, shortestAt((a + b) / 2)), spanNs);
  const middle = (a + b) / 2;
  a = Math.min(Math.max(middle - length / 2, 0), spanNs - length);
  timeline.view = { a, b: a + length };
  draw();
  later();
}

/** @param {number} factor */
export function zoom(factor, at = (timeline.view.a + timeline.view.b) / 2) {
  const { a, b } = timeline.view;
  const length = Math.min(Math.max((b - a) * factor, shortestAt(at)), spanNs);
  const from = at - (at - a) * length / (b - a);
  show(from, from + length);
}

/** @param {number} share */
export function pan(share) {
  const length = (timeline.view.b - timeline.view.a) * share;
  show(timeline.view.a + length, timeline.view.b + length);
}

/** @param {any} span */
export function select(span) {
  timeline.selection = span;
  placeOverlays();
  showStatistics();
  later();
}

/**
 * Moves to a span with some room around it.
 * @param {any} span
 */
export function goTo(span) {
  const room = Math.max((span[1] - span[0]) * 0.6, timeline.shortest * 5);
  select(span);
  show(span[0] - room, span[1] + room);
}

/** Updates the address, the table and the description of the lanes once a move has ended. */
let pending = 0;
function later() {
  clearTimeout(pending);
  pending = setTimeout(() => {
    const selected = timeline.selection ? "&s=" + spanText(timeline.selection) : "";
    const isAll = timeline.view.a === 0 && timeline.view.b >= spanNs;
    const fragment = isAll && !selected ? "" : "#t=" + spanText([timeline.view.a, timeline.view.b]) + selected;
    try { history.replaceState(null, "", fragment || location.pathname + location.search); } catch { /* Not every place has a history. */ }
    sayDetail();
    showWay();
    for (const follow of timeline.followers) follow();
    if (part("lane-facts", HTMLDetailsElement).open) fillLaneTable();
  }, 150);
}

/** Follows the address: `#t=` is the visible part, `#s=` the selection. */
export function followAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const visible = parseSpan(parts.get("t")), selected = parseSpan(parts.get("s"));
  if (selected && !visible) goTo(selected);
  else if (selected) select(selected);
  if (visible) show(visible[0], visible[1]);
  if (visible || selected) part("timeline", HTMLElement).scrollIntoView({ block: "start" });
}

// MARK: Descriptions

export function sayDetail() {
  const box = part("detail", HTMLElement), view = timeline.view;
  const kept = lanesWithMarks.filter((lane) => !lane.detail.isWhole);
  box.hidden = false;
  const left = [];
  if (data.timeline.threadsLeftOut > 0) left.push(counted(data.timeline.threadsLeftOut, "thread"));
  if (data.timeline.timersLeftOut > 0) left.push(counted(data.timeline.timersLeftOut, "timer class", "timer classes"));
  if (data.timeline.states && data.timeline.states.leftOut > 0) left.push(counted(data.timeline.states.leftOut, "state"));
  if (data.timeline.queues && data.timeline.queues.leftOut > 0) left.push(counted(data.timeline.queues.leftOut, "queue"));
  const without = left.length > 0 ? " Without a lane: " + left.join(" and ") + "; the tables have their numbers." : "";
  if (kept.length === 0) {
    box.textContent = "Every pass, phase, callout and due point of the lanes is on this page." + without;
    return;
  }
  const summed = kept.filter((lane) => !lane.detail.covers(view.a, view.b));
  const lane = summed[0] || kept[0];
  const passes = lane.bins.columns.passes;
  const middle = binRange(lane.bins, (view.a + view.b) / 2, (view.a + view.b) / 2)[0];
  const single = kept.reduce((sum, other) => sum + other.detail.kept, 0), all = kept.reduce((sum, other) => sum + other.detail.total, 0);
  const isBare = kept.every((other) => !other.detail.spans.some(([from, to]) => from < view.b && to > view.a));
  box.textContent = (summed.length > 0
    ? "Where a lane is underlined with dots, the page has no individual marks: each column sums up " + duration(lane.bins.width) + (passes ? ", the middle one " + counted(passes[middle], "pass", "passes") : "") + ". "
    : "The page has every mark of the visible span. ")
    + "The page keeps " + grouped(single) + " of " + grouped(all) + " marks: those at the beginning, at the end and around the worst moments. Sums include all marks." + without;
  if (isBare) sayNearest(box, (view.a + view.b) / 2);
}

/**
 * Where lanes hold sums instead of individual marks: adds a link to the nearest individual marks.
 * @param {HTMLElement} box
 * @param {number} time
 */
function sayNearest(box, time) {
  const spans = lanesWithMarks.filter((lane) => !lane.detail.isWhole).flatMap((lane) => lane.detail.spans), off = (/** @type {[number, number]} */ [from, to]) => Math.max(from - time, time - to, 0);
  if (spans.length === 0) return;
  const nearest = spans.reduce((best, span) => (off(span) < off(best) ? span : best));
  const button = element("button", "No individual marks here; the nearest are at " + moment(nearest[0]) + " ›", { type: "button", class: "link" });
  button.addEventListener("click", () => show(nearest[0], nearest[1]));
  box.prepend(button, " ");
}

function showStatistics() {
  const box = part("selection", HTMLElement), span = timeline.selection;
  box.hidden = !span;
  box.replaceChildren();
  if (!span) return;
  box.append(element("p", "Selected: " + duration(span[1] - span[0]) + ", from " + moment(span[0]) + " to " + moment(span[1]) + "."));
  const list = element("ul");
  for (const thread of threads) {
    const found = threadStatistics(thread, span[0], span[1]);
    if (found.busy + found.waiting + found.suspended === 0 && found.passes === 0) continue;
    const item = element("li");
    item.append(isolated(thread.name), ": " + [counted(found.passes, "pass", "passes"), busyWords(found) + " (" + duration(found.busy) + ")", suspendedWords(found)].filter(Boolean).join(", ") + ", longest time without a wait " + duration(found.worst) + ", " + counted(found.callouts, "callout") + wholeColumns(found));
    item.dataset.passes = String(found.passes);
    list.append(item);
  }
  for (const source of frameSources) {
    const found = frameStatistics(source, span[0], span[1]), item = element("li");
    item.append("frames of ", isolated(short(source.name, 60)), ": " + frameCountWords(found) + wholeColumns(found));
    list.append(item);
  }
  const all = timers.map((timer) => ({ timer, found: timerStatistics(timer, span[0], span[1]) })).filter(({ found }) => found.due > 0)
    .sort(({ found: x }, { found: y }) => y.skipped - x.skipped || y.worst - x.worst);
  for (const { timer, found } of all.slice(0, 6)) {
    const item = element("li");
    item.append(isolated(short(timer.name, 60)), ": " + grouped(found.fired) + " fired of " + grouped(found.due) + " due" + (found.skipped > 0 ? ", " + grouped(found.skipped) + " skipped" + mostCause(found) : "") + (found.worst > 0 ? ", longest lateness " + duration(found.worst) : "") + wholeColumns(found));
    list.append(item);
  }
  if (all.length > 6) list.append(element("li", counted(all.length - 6, "more timer") + ": see the table of the visible span."));
  for (const thread of threads) listStalls(list, thread, span);
  box.append(list);
}

/** The number of a thread's stalls that are listed for a selected span. */
const stallsListed = 6;

/**
 * Lists the code that held a thread's loop in a span, each with a link to the stacks.
 * @param {HTMLElement} list
 * @param {Thread} thread
 * @param {[number, number]} span
 */
function listStalls(list, thread, [a, b]) {
  const found = stallsIn(thread.index, a, b).sort((x, y) => y.length - x.length);
  for (const stall of found.slice(0, stallsListed)) {
    const item = element("li"), button = element("button", "its stacks", { type: "button", class: "whole", "data-stall": String(stall.place) });
    item.append("stall of " + duration(stall.length) + " at " + moment(stall.start) + ": ", isolated(stallWords(stall).join("; ")), " ", button);
    list.append(item);
  }
  if (found.length > stallsListed) list.append(element("li", counted(found.length - stallsListed, "more stall") + ": see the table of stalls."));
}

/** @param {any} found */
function mostCause(found) {
  let cause = -1;
  for (let i = 0; i < causeNames.length; i++) if (found.causes[i] > 0 && (cause < 0 || found.causes[i] > found.causes[cause])) cause = i;
  return cause < 0 ? "" : " (mostly " + causeNames[cause] + ")";
}

/** @param {{suspended: number}} found */
const suspendedWords = ({ suspended }) => (suspended > 0 ? "suspended for " + duration(suspended) : "");

/** @param {any} found */
function wholeColumns(found) {
  return found.isExact ? "" : " (in whole columns, from " + moment(found.from) + " to " + moment(found.to) + ")";
}

/** Fills a table with the facts of the visible span, a row for each lane, for readers who cannot see the canvas. */
export function fillLaneTable() {
  const table = part("lane-table", HTMLTableElement), { a, b } = timeline.view;
  const head = element("tr"), body = table.tBodies[0];
  for (const title of ["lane", "content from " + moment(a) + " to " + moment(b)]) head.append(element("th", title, { scope: "col" }));
  table.tHead?.replaceChildren(head);
  body.replaceChildren();
  const add = (/** @type {string} */ name, /** @type {string} */ text) => {
    const row = element("tr"), cell = element("th", "", { scope: "row" });
    cell.append(isolated(name));
    row.append(cell, element("td", text));
    body.append(row);
  };
  for (const thread of threads) {
    const found = threadStatistics(thread, a, b);
    const inModes = [...found.modes].map(([mode, time]) => (mode === severalModes ? "several further modes" : modeNames[mode]) + " " + duration(time)).join(", ");
    const longest = stallsIn(thread.index, a, b).reduce((/** @type {any} */ most, stall) => (most && most.length >= stall.length ? most : stall), null);
    if (longest) add("stalls of thread " + thread.name, counted(stallsIn(thread.index, a, b).length, "stall") + ", the longest " + duration(longest.length) + ": " + stallWords(longest).join("; "));
    add("thread " + thread.name, counted(found.passes, "pass", "passes") + ", busy " + duration(found.busy) + ", waiting " + duration(found.waiting) + (found.suspended > 0 ? ", " + suspendedWords(found) : "") + ", longest time without a wait " + duration(found.worst) + ", " + counted(found.callouts, "callout") + "; " + inModes + wholeColumns(found));
  }
  for (const timer of timers) {
    const found = timerStatistics(timer, a, b);
    add(timer.name, counted(found.due, "point") + " due, " + grouped(found.fired) + " fired, " + grouped(found.skipped) + " skipped" + mostCause(found) + ", longest lateness " + duration(found.worst) + wholeColumns(found));
  }
  for (const source of frameSources) {
    const found = frameStatistics(source, a, b);
    add("frames of " + source.name, frameCountWords(found) + wholeColumns(found));
  }
  for (const state of states) add("state " + state.name, stateWords(state, a, b));
  const gaps = data.gaps.filter((gap) => gap.start < b && gap.start + gap.length > a);
  add("gaps", gaps.length === 0 ? "none" : counted(gaps.length, "gap") + ", the longest " + duration(Math.max(...gaps.map((gap) => gap.length))));
}

// MARK: Findings

/** The places to which findings lead. */
const stops = data.findings.flatMap((finding, number) => finding.spans.map((span) => ({ number, title: finding.title, span: [span[0], Math.min(span[0] + span[1], spanNs)] })));

/** @param {number} step */
export function goToFinding(step) {
  if (stops.length === 0) return announce("No finding has a place in the timeline.");
  timeline.finding = (timeline.finding + step + stops.length + (timeline.finding < 0 && step < 0 ? 1 : 0)) % stops.length;
  const { number, span, title } = stops[timeline.finding];
  goTo(span);
  pin(number);
  showTimeline();
  announce("Finding " + (timeline.finding + 1) + " of " + stops.length + ": " + title);
}

/** Scrolls the timeline into view if it is not visible. */
export function showTimeline() {
  const { top } = laneBox.getBoundingClientRect();
  if (top < 0 || top > innerHeight / 2) part("timeline", HTMLElement).scrollIntoView({ block: "start", behavior: isCalm.matches ? "auto" : "smooth" });
}

/**
 * Moves the lanes of a finding to the top; null = restores the order.
 * @param {number | null} number
 */
export function pin(number) {
  const finding = number === null ? null : data.findings[number];
  const isMeant = (/** @type {any} */ { timer, frames, thread, title }) => finding !== null && (timer || frames ? finding.timers.includes(timer ? timer.id : frames.timer) : finding.threads.includes(thread?.index) && ["mode", "phases", "callouts", "gaps"].includes(title));
  let count = 0;
  for (const { lane, name, canvas, sum } of timeline.rows) {
    const isPinned = isMeant(lane);
    if (isPinned) count++;
    for (const one of [name, canvas, sum]) one.classList.toggle("first", isPinned);
  }
  timeline.pinned.hidden = count === 0;
  if (finding !== null && count > 0) {
    const button = element("button", "Put back", { type: "button", class: "link" });
    button.addEventListener("click", () => pin(null));
    timeline.pinned.replaceChildren(isolated(finding.title), " ", button);
    laneBox.scrollTop = 0;
  }
  draw();
}

/** @param {string} text */
export function announce(text) {
  const box = part("selection", HTMLElement);
  box.hidden = false;
  box.prepend(element("p", text, { class: "announced" }));
  while (parts(".announced", HTMLElement, box).length > 1) parts(".announced", HTMLElement, box)[1].remove();
}
