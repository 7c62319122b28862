// @ts-check
// Lanes of individual spans that the page holds completely: life cycle, gaps, stacks, and the program's marks.

import { data, names } from "./report-data.js";
import { counted, duration, moment, short } from "./report-format.js";
import { colours, fitted, pattern, widthOf } from "./report-pen.js";
import { framesOf, stackFrames, stackFunctions, stackLines, stackWords, stallWords, stalls } from "./report-stacks.js";

/** @typedef {import("./report-data.js").Thread} Thread */
/** @typedef {import("./report-pen.js").Pen} Pen */

/**
 * Creates a lane of all spans of one kind, each `{start, length, words}` with one or several lines of words.
 * Overlapping spans have separate rows.
 * @param {string} title
 * @param {any[]} spans
 * @param {any} options
 */
export function spanLane(title, spans, options) {
  /** @type {number[]} */
  const ends = [];
  for (const span of spans.sort((/** @type {any} */ x, /** @type {any} */ y) => x.start - y.start)) {
    span.row = ends.findIndex((end) => end <= span.start);
    if (span.row < 0) span.row = Math.min(ends.length, spanRows - 1);
    ends[span.row] = Math.max(ends[span.row] ?? 0, span.start + span.length);
  }
  return {
    title, height: 6 + 16 * Math.max(ends.length, 1) + 2 * Math.max(ends.length - 1, 0), ...options,
    draw(/** @type {Pen} */ pen) {
      const labelled = ends.map(() => -1);
      for (const span of spans) {
        if (span.start + span.length < pen.a || span.start > pen.b) continue;
        const x = Math.max(pen.x(span.start), -2), right = Math.min(pen.x(span.start + span.length), pen.width + 2);
        const width = Math.max(right - x, 2), top = 3 + span.row * 18;
        pen.fill(x, top, width, 16, span.fill(pen.context));
        if (span.outlined) { pen.context.strokeStyle = colours.quiet; pen.context.strokeRect(x + 0.5, top + 0.5, width - 1, 15); }
        if (x >= labelled[span.row] - 1) nameSpan(pen, span, Math.max(x, 0), top, right);
        labelled[span.row] = right;
      }
    },
    at(/** @type {number} */ time, /** @type {number} */ slack) {
      const found = spans.filter((/** @type {any} */ span) => span.start - slack <= time && time <= span.start + span.length + slack);
      const lines = found.slice(0, 6).flatMap((/** @type {any} */ span) => span.words);
      return found.length > 6 ? [...lines, counted(found.length - 6, "more span")] : lines;
    },
    step(/** @type {number} */ time, /** @type {number} */ direction) {
      const to = direction > 0 ? spans.find((span) => span.start > time) : spans.filter((span) => span.start < time).at(-1);
      return to ? to.start : null;
    },
    /** Returns the span at a moment, for lanes in which a click selects a span. */
    spanAt(/** @type {number} */ time) {
      const span = spans.find((/** @type {any} */ one) => one.start <= time && time <= one.start + one.length);
      return span ? [span.start, span.start + span.length] : null;
    },
  };
}

/** The number of rows. Further overlapping spans share the last row. */
const spanRows = 6;

/**
 * Draws the label of a span, or as much of it as fits.
 * @param {Pen} pen
 * @param {{label: string, striped?: boolean, ink?: string}} span
 * @param {number} x
 * @param {number} top
 * @param {number} right
 */
export function nameSpan(pen, span, x, top, right) {
  const words = right - x < 18 ? "" : fitted(pen.context, span.label, right - x - 6);
  if (!words) return;
  if (span.striped) pen.fill(x + 2, top + 2, widthOf(pen.context, words) + 4, 12, colours.paper);
  pen.text(words, x + 3, top + 12, span.ink ? colours[span.ink] : colours.ink);
}

/**
 * Returns how much of its budget a task used.
 * @param {import("./page-data.js").PageLife} life
 * @param {string} before
 */
const budgetWords = (life, before) => (life.budget === undefined ? "" : before + duration(life.length) + " of " + duration(life.budget));

export function lifeLane() {
  /** @type {any[]} */
  const spans = data.life.map((life) => ({
    start: life.start, length: life.length, label: names[life.name] + budgetWords(life, "  "), outlined: true,
    words: life.what + " " + names[life.name] + ", " + duration(life.length) + " from " + moment(life.start) + budgetWords(life, ", "),
    fill: () => (life.what === "phase" ? colours.shade : colours["busy-soft"]),
  }));
  for (const [start, length] of data.suspensions) {
    spans.push({ start, length, label: "suspended", outlined: true, striped: true, words: "suspended for " + duration(length) + " from " + moment(start), fill: (/** @type {CanvasRenderingContext2D} */ context) => pattern(context, colours.quiet, 1) });
  }
  return spanLane("life cycle", spans, {});
}

/** @param {Thread} thread */
export function gapLane(thread) {
  const spans = data.gaps.filter((gap) => gap.thread === thread.index).sort((a, b) => a.start - b.start).map((gap) => {
    const stall = stalls.find((one) => one.thread === gap.thread && one.start === gap.start);
    const blamed = stall?.blamed === undefined ? gap.callout === undefined ? "" : names[gap.callout] : stackFunctions[stackFrames[stall.blamed].function].name;
    const who = blamed && "  " + blamed;
    return {
      start: gap.start, length: gap.length, label: duration(gap.length) + who, ink: "mark-text",
      words: ["gap of " + duration(gap.length) + " after " + gap.after + (gap.callout === undefined ? "" : ": " + short(names[gap.callout], 80)), ...(stall ? stallWords(stall) : [])],
      fill: () => colours.hang,
    };
  });
  return spans.length > 0 ? spanLane("gaps", spans, { thread, selects: true, sum: () => [[counted(spans.length, "gap") + ", " + duration(spans.reduce((total, span) => total + span.length, 0)), true]] }) : null;
}

/**
 * Creates the lane of the stacks that were sampled in a thread's gaps. Each is as long as the time that it
 * represents.
 * @param {Thread} thread
 */
export function stackLane(thread) {
  /** @type {any[]} */
  const spans = [];
  for (const stall of stalls.filter((one) => one.thread === thread.index)) {
    /** @type {any} */
    let last = null;
    for (const { start, length, node } of stall.sampled) {
      if (last?.node === node) { last.length += length; last.samples++; continue; }
      last = { node, start, length, samples: 1 };
      spans.push(last);
    }
  }
  for (const span of spans) {
    const isOwn = framesOf(span.node).some((frame) => stackFunctions[stackFrames[frame].function].isOwn);
    span.label = stackWords(span.node);
    span.outlined = true;
    span.fill = () => (isOwn ? colours.own : colours["image-other"]);
    span.words = ["stack of " + duration(span.length) + ", " + counted(span.samples, "sample") + ", innermost first", ...stackLines(span.node)];
  }
  return spans.length > 0 ? spanLane("stacks", spans, { thread, selects: true, tip: "the innermost function of each sampled stack, and the program's function that called it" }) : null;
}

/**
 * Creates the lane of the program's own intervals that began on a thread.
 * @param {Thread} thread
 */
export function intervalLane(thread) {
  const spans = data.intervals.filter((interval) => interval.thread === thread.index).map((interval) => ({
    start: interval.start, length: interval.length, label: names[interval.name], outlined: true, striped: interval.open,
    words: "interval " + short(names[interval.name], 80) + ", " + duration(interval.length) + (interval.open ? ", still open" : "") + " from " + moment(interval.start),
    fill: (/** @type {CanvasRenderingContext2D} */ context) => (interval.open ? pattern(context, colours.quiet, 1) : colours["busy-soft"]),
  }));
  return spans.length > 0 ? spanLane("intervals", spans, { thread }) : null;
}

/**
 * Creates the lane of the program's own marks. Each is a line, with its name if there is room before the next one.
 * @param {Thread} thread
 */
export function markLane(thread) {
  const marks = data.marks.filter((mark) => mark.thread === thread.index);
  if (marks.length === 0) return null;
  return {
    title: "marks", thread, height: 22,
    draw(/** @type {Pen} */ pen) {
      for (let i = 0, drawn = -2; i < marks.length; i++) {
        const x = pen.x(marks[i].time);
        if (x < 0 || x - drawn < 1) continue;
        if (x > pen.width) break;
        pen.fill(x, 3, 2, pen.height - 6, colours.ink);
        drawn = x;
        const right = i + 1 < marks.length ? Math.min(pen.x(marks[i + 1].time), pen.width) : pen.width;
        const words = right - x < 30 ? "" : fitted(pen.context, names[marks[i].name], right - x - 10);
        if (words) pen.text(words, x + 5, pen.height / 2 + 4, colours.ink);
      }
    },
    at(/** @type {number} */ time, /** @type {number} */ slack) {
      const found = marks.filter((mark) => Math.abs(mark.time - time) <= slack).map((mark) => "mark " + short(names[mark.name], 80) + " at " + moment(mark.time, 1));
      return found.length > 6 ? [...found.slice(0, 6), counted(found.length - 6, "more mark")] : found;
    },
  };
}
