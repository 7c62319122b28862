// @ts-check
// Histograms, load over time, and the variants of one timer on one axis.

import { defaultMode } from "./report-vocabulary.js";
import { element, isolated, part, parts } from "./report-page.js";
import { column, data, modeNames, names, origin, spanNs, threads, timers } from "./report-data.js";
import { counted, duration, grouped, niceStep, short, tickLabel } from "./report-format.js";
import { Pen, colours, fitted, modeFill, widthOf } from "./report-pen.js";
import { drawTimer } from "./report-timers.js";
import { drawAxis, timeline } from "./report-timeline.js";

/** @typedef {import("./report-data.js").Thread} Thread */
/** @typedef {import("./report-data.js").Timer} Timer */

/** @type {(() => void)[]} */
export const charts = [];

export function drawCharts() { for (const chart of charts) chart(); }

/**
 * Creates a figure with a canvas, and text for readers who cannot see the canvas.
 * @param {HTMLElement} box
 * @param {string} title
 * @param {string} words
 */
function figure(box, title, words) {
  const made = element("figure"), caption = element("figcaption");
  caption.append(isolated(title));
  const canvas = element("canvas", "", { role: "img", "aria-label": title + ". " + words });
  made.append(caption, canvas);
  box.append(made);
  return canvas;
}

// MARK: Histograms

export function buildHistograms() {
  if (data.histograms.length === 0) return;
  const box = part("histograms", HTMLElement);
  for (const source of data.histograms) {
    const low = column(source.low, true), width = column(source.width), count = column(source.count);
    const title = (threads.length > 1 ? source.thread + ", " : "") + short(names[source.mode], 40) + ", " + source.what;
    const words = "Histogram of " + counted(source.total, "value") + ", p50 " + duration(source.p50) + ", p99 " + duration(source.p99) + ", max " + duration(source.max) + ". The table below has the numbers.";
    const canvas = figure(box, title, words);
    charts.push(() => drawHistogram(canvas, source, low, width, count));
  }
  box.hidden = false;
}

/** Fewer values than this are drawn as dots, one for each. */
const fewValues = 20;

/**
 * Draws a histogram from the least value to the greatest. Both axes are logarithmic, so a bar of one is as easy to
 * see as a bar of a million.
 * @param {HTMLCanvasElement} canvas
 * @param {import("./page-data.js").PageHistogram} source
 * @param {Float64Array} low
 * @param {Float64Array} width
 * @param {Float64Array} count
 */
function drawHistogram(canvas, source, low, width, count) {
  const pen = new Pen(canvas, { a: 0, b: 1 }), bottom = pen.height - 34, top = 16;
  if (source.max === 0) return pen.text((source.total === 1 ? "The one value is" : "All " + grouped(source.total) + " values are") + " 0 ns.", 8, top + 20, colours.quiet);
  const log = (/** @type {number} */ ns) => Math.log10(Math.max(ns, 1)), last = low.length - 1;
  const from = log(low[0]) - 0.05, to = Math.max(log(Math.max(low[last] + width[last], source.max)), from + 0.3) + 0.05;
  const x = (/** @type {number} */ ns) => 8 + (log(ns) - from) / (to - from) * (pen.width - 16);
  const isFew = source.total < fewValues, slots = Math.max(12, Math.min(90, Math.floor(pen.width / 6))), sums = new Float64Array(slots);
  for (let i = 0; i < low.length; i++) {
    const slot = Math.floor((x(low[i] + width[i] / 2) - 8) / (pen.width - 16) * slots);
    sums[Math.min(Math.max(slot, 0), slots - 1)] += count[i];
  }
  drawDecades(pen, from, to, x, low[0] === 0, top, bottom);
  const most = Math.max(...sums), wide = (pen.width - 16) / slots, scale = (/** @type {number} */ value) => Math.log10(value + 1) / Math.log10(most + 1) * (bottom - top);
  const dot = Math.min(5, (bottom - top) / most - 1);
  sums.forEach((sum, i) => {
    if (isFew) for (let one = 0; one < sum; one++) pen.fill(8 + i * wide, bottom - (one + 1) * (dot + 1), 5, dot, colours.busy);
    else if (sum > 0) pen.fill(8 + i * wide, bottom - Math.max(scale(sum), 2), Math.max(wide - 1, 1), Math.max(scale(sum), 2), colours.busy);
  });
  pen.fill(8, bottom, pen.width - 16, 1, colours.quiet);
  markPercentiles(pen, [["p50", x(source.p50), colours.ink], ["p99", x(source.p99), colours.ink], ["max", x(source.max), colours.late]], top, bottom);
  const said = "p50 " + duration(source.p50) + " · p99 " + duration(source.p99) + " · max " + duration(source.max) + " · n " + grouped(source.total);
  pen.text(fitted(pen.context, said + (isFew ? " · log axis, one dot per value" : " · both axes log"), pen.width - 12), 8, pen.height - 4, colours.quiet);
}

/**
 * Draws lines at powers of ten, and at 2 and 5 times these if there are few of them.
 * @param {Pen} pen
 * @param {number} from
 * @param {number} to
 * @param {(ns: number) => number} x
 * @param {boolean} hasZero
 * @param {number} top
 * @param {number} bottom
 */
function drawDecades(pen, from, to, x, hasZero, top, bottom) {
  const steps = to - from < 2 ? [1, 2, 5] : [1];
  let named = 0;
  for (let decade = Math.floor(from); decade <= to; decade++) {
    for (const step of steps) {
      const ns = step * 10 ** decade, at = x(ns);
      if (at < 8 || at > pen.width - 8) continue;
      pen.fill(at, top, 1, bottom - top + 4, colours.line);
      const name = (ns === 1 && hasZero ? "≤ " : "") + duration(ns).replace(/\.0+ /, " ");
      const left = Math.min(at + 2, pen.width - widthOf(pen.context, name));
      if (left < named) continue;
      pen.text(name, left, bottom + 15, colours.quiet);
      named = left + widthOf(pen.context, name) + 6;
    }
  }
}

/**
 * Draws percentiles. Their names do not overlap, even if their lines do.
 * @param {Pen} pen
 * @param {[string, number, string][]} marks
 * @param {number} top
 * @param {number} bottom
 */
function markPercentiles(pen, marks, top, bottom) {
  const rooms = marks.map(([name]) => widthOf(pen.context, name)), lefts = new Float64Array(marks.length);
  marks.forEach(([, at], i) => { lefts[i] = Math.max(at - rooms[i] / 2, i > 0 ? lefts[i - 1] + rooms[i - 1] + 4 : 0); });
  for (let i = marks.length - 1, limit = pen.width; i >= 0; i--) {
    lefts[i] = Math.min(lefts[i], limit - rooms[i]);
    limit = lefts[i] - 4;
  }
  marks.forEach(([name, at, colour], i) => {
    pen.fill(at, top - 2, 1.5, bottom - top + 2, colour);
    pen.text(name, lefts[i], 11, colour);
  });
}

// MARK: Load

export function buildUtilisation() {
  if (data.utilisation.length === 0) return;
  const box = part("utilisation-charts", HTMLElement);
  for (const source of data.utilisation) {
    const start = column(source.start, true), busy = column(source.busy);
    const thread = data.threads.find((other) => other.index === source.thread);
    const canvas = figure(box, "Busy share of the time, " + (thread ? thread.name : "thread " + source.thread), "The table below has the sums.");
    charts.push(() => {
      const pen = new Pen(canvas, { a: 0, b: spanNs }), bottom = pen.height - 18;
      for (const share of [0, 0.5, 1]) {
        const y = Math.round(bottom - share * (bottom - 8));
        pen.fill(0, y, pen.width, 1, colours.line);
        if (share > 0) pen.text(100 * share + " %", 2, y + 11, colours.quiet);
      }
      for (let i = 0; i < start.length; i++) {
        if (busy[i] === 0) continue;
        // A share of the whole part, including suspension, which is neither busy nor waiting.
        const part = start.length > 1 ? start[1] - start[0] : spanNs;
        const x = pen.x(start[i]), right = pen.x(start[i] + part), height = Math.min(busy[i] / part, 1) * (bottom - 8);
        pen.fill(x, bottom - Math.max(height, 1), Math.max(right - x - 0.5, 0.5), Math.max(height, 1), colours.busy);
      }
      drawTicks(pen, bottom);
    });
  }
  box.hidden = false;
}

/**
 * @param {Pen} pen
 * @param {number} bottom
 */
function drawTicks(pen, bottom) {
  const step = niceStep(spanNs, Math.max(2, pen.width / 110));
  const from = Number(origin % BigInt(Math.round(step)));
  for (let tick = Math.ceil(from / step) * step - from; tick <= spanNs; tick += step) {
    pen.fill(Math.round(pen.x(tick)), bottom, 1, 4, colours.quiet);
    const label = tickLabel(tick, step, spanNs);
    if (pen.x(tick) + 3 + widthOf(pen.context, label) <= pen.width) pen.text(label, pen.x(tick) + 3, bottom + 14, colours.quiet);
  }
}

// MARK: Starvation

/** Draws each variant of a timer over the visible time and the selection. Time outside the default mode is shaded. */
export function buildStarvation() {
  for (const box of parts(".variants", HTMLElement)) {
    const lanes = parts("canvas[data-timer]", HTMLCanvasElement, box);
    const axis = parts("canvas.axis", HTMLCanvasElement, box)[0];
    const paint = () => {
      for (const canvas of lanes) {
        const timer = timers.find((other) => other.id === Number(canvas.dataset.timer));
        const pen = new Pen(canvas, timeline.view), { selection } = timeline;
        if (!timer) { pen.label("this variant has no lane on the page; the table has its numbers", 4, 24, pen.width); continue; }
        drawTimer(pen, timer);
        pen.under(() => {
          shadeOtherModes(pen, threads.find((thread) => thread.index === timer.thread));
          if (selection) pen.fill(pen.x(selection[0]), 0, Math.max((selection[1] - selection[0]) * pen.scale, 1), pen.height, colours["busy-soft"]);
        });
      }
      drawAxis(axis, timeline.view);
    };
    charts.push(paint);
    timeline.followers.push(paint);
    box.hidden = false;
  }
}

/**
 * @param {Pen} pen
 * @param {Thread | undefined} thread
 */
function shadeOtherModes(pen, thread) {
  if (!thread) return;
  const bins = thread.bins;
  for (let i = 0; i < bins.count; i++) {
    let other = 0, longest = 0, most = thread.modes[0];
    thread.modes.forEach((mode, place) => {
      const time = modeNames[mode] === defaultMode ? 0 : bins.of(`mode${place}`)[i];
      other += time;
      if (time > longest) [longest, most] = [time, mode];
    });
    if (other > bins.width / 2) {
      const x = pen.x(i * bins.width);
      pen.fill(Math.floor(x), pen.height - 5, Math.ceil(pen.x((i + 1) * bins.width)) - Math.floor(x), 5, modeFill(pen.context, most));
    }
  }
}
