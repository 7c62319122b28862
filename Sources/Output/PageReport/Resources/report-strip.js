// @ts-check
// The whole span at a glance, above the findings: when the loop hung and what held it, when timers starved, and which
// modes ran.

import { causeNames } from "./report-vocabulary.js";
import { element, isolatedLine, part, parts } from "./report-page.js";
import { data, names, spanNs, threads, timers } from "./report-data.js";
import { counted, duration, moment, short } from "./report-format.js";
import { Pen, colours, fitted, pattern, widthOf } from "./report-pen.js";
import { timerStatistics } from "./report-marks.js";
import { modeLane } from "./report-lanes.js";
import { stallsIn, stallWords } from "./report-stacks.js";
import { drawAxis, goTo, isCalm, showTip, tip } from "./report-timeline.js";
import { charts } from "./report-charts.js";

const hangs = data.hangs.map((hang) => {
  const [stall] = stallsIn(hang.thread, hang.start, hang.start + hang.length).sort((x, y) => y.length - x.length);
  const callout = hang.callout === undefined ? "" : names[hang.callout];
  const blamed = stall ? stallWords(stall)[0] : callout;
  return { ...hang, end: hang.start + hang.length, label: duration(hang.length) + (hang.by === undefined ? "" : "  " + names[hang.by]), words: "hang of " + duration(hang.length) + (blamed ? ": " + blamed : "") };
});

/** Skipped fires that are at most this many columns of the strip apart form one run, which has room for its name. */
const nearby = 12;

/** The runs of skipped fires of all timers, each with its most frequent cause and the number of timers that have it. */
const starving = (() => {
  const columns = 400, width = spanNs / columns, missed = new Float64Array(columns);
  for (const timer of timers) {
    const skipped = timer.bins.of("skipped");
    for (let i = 0; i < timer.bins.count; i++) {
      const column = Math.min(columns - 1, Math.floor((i + 0.5) * timer.bins.width / width));
      missed[column] += skipped[i];
    }
  }
  /** @type {{from: number, to: number}[]} */
  const runs = [];
  for (let column = 0; column < columns; column++) {
    if (missed[column] === 0) continue;
    const last = runs.at(-1);
    if (last && column - last.to <= nearby) last.to = column + 1; else runs.push({ from: column, to: column + 1 });
  }
  return runs.map((run) => {
    const start = run.from * width, end = run.to * width;
    let skipped = 0;
    for (let column = run.from; column < run.to; column++) skipped += missed[column];
    const found = timers.map((timer) => timerStatistics(timer, start, end)).filter((one) => one.skipped > 0);
    const causes = causeNames.map((_, cause) => found.reduce((sum, one) => sum + one.causes[cause], 0));
    const cause = causes.indexOf(Math.max(...causes));
    const starved = found.filter((one) => one.causes[cause] > 0).length;
    const label = counted(starved, "timer") + (starved === 1 ? " starves: " : " starve: ") + causeNames[cause];
    return { start, end, isSuspended: cause === 0, label, words: counted(found.length, "timer") + " skipped " + counted(skipped, "fire") + ", most often with the cause " + causeNames[cause] };
  });
})();

/** @typedef {{start: number, end: number, label: string, words: string, isSuspended?: boolean}} Stretch */

/**
 * Draws stretches. A label is inside its stretch or, if there is room before the next one, after it.
 * @param {Pen} pen
 * @param {Stretch[]} stretches
 * @param {any} fill
 * @param {boolean} isPattern
 */
function drawStretches(pen, stretches, fill, isPattern) {
  if (stretches.length === 0) return pen.text("none", 4, pen.height / 2 + 4, colours.quiet);
  stretches.forEach((stretch, i) => {
    const x = pen.x(stretch.start), right = Math.max(pen.x(stretch.end), x + 2);
    // Suspensions have a neutral pattern, because the program did not cause them.
    pen.fill(x, 4, right - x, pen.height - 8, stretch.isSuspended ? pattern(pen.context, colours.quiet, 1) : fill);
    const next = i + 1 < stretches.length ? pen.x(stretches[i + 1].start) : pen.width;
    const label = short(stretch.label, 80), isInside = widthOf(pen.context, label) + 8 <= right - x || right - x >= next - right;
    const words = fitted(pen.context, label, (isInside ? right - x : next - right) - 8);
    if (!words) return;
    const left = isInside ? x + 4 : right + 4;
    if (isInside && isPattern) pen.fill(left - 2, 6, widthOf(pen.context, words) + 4, pen.height - 12, colours.paper);
    pen.text(words, left, pen.height / 2 + 4, isInside && !isPattern ? colours["mark-text"] : colours.ink);
  });
}

/** Returns the strip's rows: a name, a height, how to draw it, and the contents at a moment. */
function stripRows() {
  const thread = threads[0];
  const at = (/** @type {Stretch[]} */ stretches) => (/** @type {number} */ time, /** @type {number} */ slack) => stretches.find((one) => one.start - slack <= time && time <= one.end + slack);
  return [
    { title: "hangs", height: 24, draw: (/** @type {Pen} */ pen) => drawStretches(pen, hangs, colours.hang, false), at: at(hangs) },
    { title: "starvation", height: 24, draw: (/** @type {Pen} */ pen) => drawStretches(pen, starving, pattern(pen.context, colours.late, 5), true), at: at(starving) },
    { title: threads.length > 1 ? "mode of " + thread.name : "mode", height: 24, draw: modeLane(thread).draw, at: () => undefined },
    { title: "", height: 24, draw: null, at: () => undefined },
  ];
}

export function buildStrip() {
  const box = part("strip", HTMLElement);
  if (threads.length === 0) return;
  const whole = { a: 0, b: spanNs };
  for (const row of stripRows()) {
    const canvas = element("canvas", "", { role: "img", "aria-label": row.title ? row.title + " over the whole span: the findings below have the numbers" : "axis of time" });
    canvas.style.height = row.height + "px";
    const name = element("div", row.title, { class: "strip-name quiet" });
    box.append(name, canvas);
    charts.push(() => (row.draw ? row.draw(new Pen(canvas, whole)) : drawAxis(canvas, whole)));
    const timeOf = (/** @type {MouseEvent} */ event) => event.offsetX / canvas.clientWidth * spanNs, slack = spanNs / 300;
    canvas.addEventListener("pointermove", (event) => {
      const found = row.at(timeOf(event), slack);
      showTip(event, [element("div", moment(timeOf(event), slack), { class: "quiet" }), ...(found ? [isolatedLine(found.words)] : [])]);
    });
    canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
    canvas.addEventListener("click", (event) => {
      const time = timeOf(event), found = row.at(time, slack);
      goTo(found ? [found.start, found.end] : [Math.max(time - spanNs / 40, 0), Math.min(time + spanNs / 40, spanNs)]);
      part("timeline", HTMLElement).scrollIntoView({ block: "start", behavior: isCalm.matches ? "auto" : "smooth" });
    });
  }
  box.hidden = false;
}

/** Draws the places of each finding's evidence in the span, in the finding's row. */
export function buildSparks() {
  for (const canvas of parts("canvas[data-finding]", HTMLCanvasElement)) {
    const finding = data.findings[Number(canvas.dataset.finding)];
    charts.push(() => {
      const pen = new Pen(canvas, { a: 0, b: spanNs });
      pen.fill(0, pen.height - 2, pen.width, 1, colours.rest);
      for (const [start, length] of finding.spans) pen.fill(Math.min(pen.x(start), pen.width - 2), 2, Math.max(length * pen.scale, 2), pen.height - 4, finding.isHang ? colours.hang : finding.severity === "info" ? colours.rest : colours.late);
    });
  }
}
