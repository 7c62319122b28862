// @ts-check
// The lanes of a thread: modes, phases and callouts. They show individual spans where these are kept, otherwise sums.

import { phaseNames } from "./report-vocabulary.js";
import { data, modeNames, names, shapes } from "./report-data.js";
import { counted, duration, modeWord, moment } from "./report-format.js";
import { Columns, colours, dots, fitted, modeColour, modeFill, packed, pattern, widthOf } from "./report-pen.js";
import { binRange, busyWords, shapeWords, threadStatistics, wholeStatistics } from "./report-marks.js";
import { nameSpan } from "./report-spans.js";
import { stallWords, stallsIn } from "./report-stacks.js";

/** @typedef {import("./report-data.js").Thread} Thread */
/** @typedef {import("./report-data.js").Detail} Detail */
/** @typedef {import("./report-data.js").SpanSet} SpanSet */
/** @typedef {import("./report-pen.js").Pen} Pen */

/**
 * Draws the shares of each pixel's time, stacked from below: `times[category][pixel]` in nanoseconds. Narrow runs
 * have their `flat` colour and form one image; wide runs have room for their fill.
 * @param {Pen} pen
 * @param {Float64Array[]} times
 * @param {any[]} fills
 * @param {number} top
 * @param {number} height
 * @param {any[]} flat
 */
function drawShares(pen, times, fills, top, height, flat) {
  const pixels = times.length > 0 ? times[0].length : 0, stacked = new Int32Array(pixels), image = new Columns(pen);
  /** @type {[number, number, number, number, any][]} */
  const wide = [];
  times.forEach((time, category) => {
    const colour = packed(flat[category]);
    // Neighbours of equal height form one rectangle.
    let from = 0, y = -1, tall = 0;
    for (let x = 0; x <= pixels; x++) {
      const share = x < pixels && time[x] > 0 ? Math.max(Math.round(Math.min(time[x] * pen.scale, 1) * height), 1) : 0;
      const low = x < pixels ? Math.max(top + height - stacked[x] - share, top) : -1;
      if (x < pixels) stacked[x] += share;
      if (x < pixels && share === tall && low === y) continue;
      if (tall > 0 && x - from >= 4) wide.push([from, y, x - from, tall, fills[category]]);
      else if (tall > 0) for (let narrow = from; narrow < x; narrow++) image.fill(narrow, y, tall, colour);
      [from, y, tall] = [x, low, share];
    }
  });
  image.put(top, height);
  for (const run of wide) pen.fill(...run);
}

/**
 * Draws individual spans where they are kept, otherwise sums. `category` returns the category of a shape; null = not
 * drawn. With `words`, each wide span shows its name in the ink of its category. Without it, adjacent spans that look
 * the same are joined, and `named` receives the wide runs.
 * @param {{words?: ((shape: number, length: number) => string) | null, inks?: string[] | null, flat?: any[] | null,
 *   named?: ((since: number, until: number, kind: number | null) => void) | null}} style
 * @param {Pen} pen
 * @param {Thread} thread
 * @param {SpanSet[]} sets
 * @param {any[]} fills
 * @param {any} category
 * @param {any[]} binNames
 * @param {number} top
 * @param {number} height
 */
function drawSpans(pen, thread, sets, fills, category, binNames, top, height, style) {
  const { words = null, inks = null, flat = null, named = null } = style;
  const pixels = Math.max(1, Math.ceil(pen.width));
  const times = fills.map(() => new Float64Array(pixels));
  const putShare = (/** @type {Float64Array} */ into, /** @type {number} */ a, /** @type {number} */ b, /** @type {number} */ share) => {
    const x0 = pen.x(a), x1 = pen.x(b);
    const first = Math.max(0, Math.floor(x0)), last = Math.min(pixels - 1, Math.ceil(x1) - 1);
    for (let x = first; x <= last; x++) into[x] += share * (Math.min(x1, x + 1) - Math.max(x0, x)) / pen.scale;
  };
  /** @type {[number, number, number, number, number][]} */
  const wide = [];
  const kindOf = shapes.map((/** @type {unknown} */ _, /** @type {number} */ shape) => category(shape));
  const put = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ kind, /** @type {number} */ shape, /** @type {number} */ length) => {
    if ((to - from) * pen.scale >= 2) wide.push([from, to, kind, shape, length]);
    else putShare(times[kind], from, to, 1);
  };
  const single = (/** @type {number} */ a, /** @type {number} */ b) => {
    for (const set of sets) {
      let since = 0, until = -1, last = null;
      for (let i = set.first(a); i < set.start.length && set.start[i] < b; i++) {
        const shape = set.shape[i], kind = kindOf[shape];
        if (kind === null) continue;
        const from = Math.max(set.start[i], a), to = Math.min(set.end[i], b);
        if (words) { put(from, to, kind, shape, set.end[i] - set.start[i]); continue; }
        if (kind === last && from === until) { until = to; continue; }
        if (last !== null) put(since, until, last, shape, 0);
        if (named) named(since, until, last);
        [since, until, last] = [from, to, kind];
      }
      if (last !== null) put(since, until, last, 0, 0);
      if (named) { named(since, until, last); named(0, 0, null); }
    }
  };
  const bins = thread.bins;
  const summed = (/** @type {number} */ a, /** @type {number} */ b) => {
    const [from, to] = binRange(bins, a, b);
    if (named) nameSums(bins, from, to, binNames, named);
    for (const [name, kind] of binNames) {
      const sums = bins.columns[name], into = times[kind];
      if (!sums) continue;
      for (let i = from; i < to; i++) {
        if (sums[i] > 0) putShare(into, Math.max(i * bins.width, a), Math.min((i + 1) * bins.width, b), sums[i] / bins.width);
      }
    }
  };
  // There are more marks than a reader can distinguish. Draw the sums, which are as fine as pixels, and the spans
  // that are wide enough to see.
  const inView = sets.reduce((/** @type {number} */ sum, /** @type {SpanSet} */ set) => sum + set.first(pen.b) - set.first(pen.a), 0);
  const areSummed = binNames.length > 0 && inView > manyMarks && bins.width * pen.scale <= 1.5;
  eachPart(thread.detail, pen, (/** @type {number} */ a, /** @type {number} */ b) => {
    if (!areSummed) return single(a, b);
    summed(a, b);
    for (const set of sets) {
      for (const i of set.longest()) {
        if ((set.end[i] - set.start[i]) * pen.scale < 18) break;
        const kind = kindOf[set.shape[i]], from = Math.max(set.start[i], a), to = Math.min(set.end[i], b);
        if (to > from && kind !== null) wide.push([from, to, kind, set.shape[i], set.end[i] - set.start[i]]);
      }
    }
  }, summed);
  drawShares(pen, times, fills, top, height, flat ?? fills);
  for (const [a, b, kind, shape, length] of wide) {
    const x = Math.max(pen.x(a), -2), right = Math.min(pen.x(b), pen.width + 2);
    pen.fill(x, top, Math.max(right - x, 1), height, fills[kind]);
    if (words && right - x >= 4) pen.fill(right - 0.5, top, 0.5, height, colours.paper);
    if (words && right - Math.max(x, 0) >= 18) {
      pen.label(words(shape, length), Math.max(x, 0), top + height / 2 + 4, right - Math.max(x, 0), inks ? colours[inks[kind]] : colours.ink);
    }
  }
}

/** From this number of marks on, sums are drawn instead if they are fine enough. */
const manyMarks = 10000;

/**
 * Passes the runs of bins that mostly belong to one category to `named`.
 * @param {import("./report-data.js").Bins<never>} bins
 * @param {number} from
 * @param {number} to
 * @param {any[]} binNames
 * @param {any} named
 */
function nameSums(bins, from, to, binNames, named) {
  const columns = binNames.filter(([name]) => bins.columns[name]).map(([name, kind]) => [bins.columns[name], kind]);
  let since = from, last = null;
  for (let i = from; i <= to; i++) {
    let kind = null, most = 0, all = 0;
    if (i < to) for (const [sums, of] of columns) { all += sums[i]; if (sums[i] > most) [most, kind] = [sums[i], of]; }
    if (most < 0.9 * all) kind = null;
    if (kind === last && i < to) continue;
    if (last !== null) named(since * bins.width, i * bins.width, last);
    [since, last] = [i, kind];
  }
  named(0, 0, null);
}

/**
 * Divides the visible time into parts with individual marks and parts with sums.
 * @param {Detail} detail
 * @param {Pen} pen
 * @param {(a: number, b: number) => void} single
 * @param {(a: number, b: number) => void} summed
 */
export function eachPart(detail, pen, single, summed) {
  if (detail.isWhole) return single(pen.a, pen.b);
  let at = pen.a;
  for (const [from, to] of detail.spans) {
    if (to <= at || from >= pen.b) continue;
    if (from > at) summed(at, from);
    single(Math.max(from, at), Math.min(to, pen.b));
    at = Math.min(to, pen.b);
  }
  if (at < pen.b) summed(at, pen.b);
}

/**
 * Draws a dotted line below the sums.
 * @param {Pen} pen
 * @param {Detail} detail
 */
export function markSummed(pen, detail) {
  eachPart(detail, pen, () => {}, (/** @type {number} */ a, /** @type {number} */ b) => pen.fill(pen.x(a), pen.height - 1.5, pen.x(b) - pen.x(a), 1.5, pattern(pen.context, colours.quiet, dots)));
}

// MARK: Lanes of a thread

const phaseFills = () => [colours.rest, colours.busy];
/** Phases that serve callouts, lay out and draw take the most time, so they are dark. */
const phaseCategory = [0, 0, 0, 1, 1, null, 1, 0];

/**
 * Creates the lane of modes. Sums have a column for each of the first modes; further modes share the last column.
 * @param {Thread} thread
 */
export function modeLane(thread) {
  const order = [...thread.modes];
  for (const mode of thread.markedModes) if (!order.includes(mode)) order.push(mode);
  const place = new Map(order.map((mode, i) => [mode, i])), shared = order.length;
  return {
    title: "mode", thread, height: 24, detail: thread.detail,
    draw(/** @type {Pen} */ pen) {
      /** @type {[number, number, number][]} */
      const names = [];
      drawSpans(pen, thread, [thread.phases], [...order.map((mode) => modeFill(pen.context, mode)), sharedFill(pen.context)],
        (/** @type {number} */ shape) => place.get(shapes[shape][1]), thread.modes.map((/** @type {unknown} */ _, /** @type {number} */ i) => ["mode" + i, thread.isShared(i) ? shared : i]), pen.height - 9, 6,
        { flat: [...order.map(modeColour), colours.quiet], named: collectNames(pen, names) });
      for (const [from, end, mode] of names) nameMode(pen, modeNames[order[mode]], Math.max(pen.x(from), 0), Math.min(pen.x(end), pen.width));
      markSummed(pen, thread.detail);
    },
    at(/** @type {number} */ time, /** @type {number} */ slack) { return wordsAt(thread, [thread.phases], time, slack, (shape) => "mode " + modeNames[shapes[shape][1]]); },
  };
}

/** The fill of several modes in one column of sums. */
export const sharedFill = (/** @type {CanvasRenderingContext2D} */ context) => pattern(context, colours.quiet, 5);

/**
 * Collects names for long runs of one mode, with gaps of at most three pixels.
 * @param {Pen} pen
 * @param {any[]} names
 */
function collectNames(pen, names) {
  let from = 0, end = 0;
  /** @type {number | null} */
  let mode = null;
  return (/** @type {number} */ since, /** @type {number} */ until, /** @type {number | null} */ kind) => {
    if (kind !== null && kind === mode && (since - end) * pen.scale <= 3) { end = until; return; }
    if (mode !== null && (end - from) * pen.scale > 30) names.push([from, end, mode]);
    [from, end, mode] = [since, until, kind];
  };
}

/**
 * @param {Pen} pen
 * @param {string} name
 * @param {number} x
 * @param {number} right
 */
function nameMode(pen, name, x, right) {
  const room = right - x - 12;
  const words = widthOf(pen.context, name) <= room ? name : fitted(pen.context, modeWord(name), room);
  if (!words) return;
  pen.text(words, x + 2, pen.height - 12, colours.ink);
}

/** @param {Thread} thread */
export function phaseLane(thread) {
  return {
    title: "phases", thread, height: 26, detail: thread.detail,
    sum: () => [[busyWords(wholeStatistics(thread)), false]],
    draw(/** @type {Pen} */ pen) {
      drawSpans(pen, thread, [thread.phases], phaseFills(), (/** @type {number} */ shape) => phaseCategory[shapes[shape][0]],
        [0, 1, 2, 3, 4, 6, 7].map((phase) => ["phase" + phase, phaseCategory[phase]]), 3, pen.height - 6,
        { words: (shape) => phaseNames[shapes[shape][0]], inks: ["mark-text", "mark-text"] });
      for (const [start, length] of data.suspensions) drawSuspension(pen, start, length);
      markSummed(pen, thread.detail);
    },
    step: (/** @type {number} */ time, /** @type {number} */ direction) => thread.phases.step(time, direction),
    at(/** @type {number} */ time, /** @type {number} */ slack) { return [...wordsAt(thread, [thread.phases, ...thread.passes], time, slack), ...stalledAt(thread, time)]; },
  };
}

/**
 * Draws the time in which the process was stopped, which belongs to no phase.
 * @param {Pen} pen
 * @param {number} start
 * @param {number} length
 */
function drawSuspension(pen, start, length) {
  const x = Math.max(pen.x(start), 0), right = Math.min(pen.x(start + length), pen.width);
  if (right - x < 1) return;
  pen.fill(x, 3, right - x, pen.height - 6, colours.paper);
  pen.fill(x, 3, right - x, pen.height - 6, pattern(pen.context, colours.quiet, 1));
  nameSpan(pen, { label: "suspended", striped: true }, x, pen.height / 2 - 8, right);
}

/** The number of rows for nested callouts. Deeper ones appear at the pointer, in the counts, and in the tables. */
const calloutRows = 12;
const calloutTop = (/** @type {number} */ row) => 3 + row * 18;
const calloutHeight = 16;

/** @param {Thread} thread */
export function calloutLane(thread) {
  const depth = thread.callouts.length, rows = Math.min(Math.max(depth, 1), calloutRows);
  return {
    title: "callouts", thread, height: 6 + rows * 18, detail: thread.detail,
    sum: () => [[counted(wholeStatistics(thread).callouts, "callout"), false]],
    /** Returns where the callouts of a level are drawn, from the top of the lane. */
    placeOf: (/** @type {number} */ level) => ({ top: calloutTop(Math.min(level, rows - 1)), height: calloutHeight }),
    note: depth > rows ? rows + " of " + depth + " levels drawn" : "",
    draw(/** @type {Pen} */ pen) {
      for (let row = 0; row < rows; row++) {
        const sets = thread.callouts[row] ? [thread.callouts[row]] : [];
        drawSpans(pen, thread, sets, [colours.busy], () => 0, row === 0 ? [["callouts", 0]] : [], calloutTop(row), calloutHeight,
          { words: (shape) => names[shapes[shape][3]], inks: ["mark-text"] });
      }
      markSummed(pen, thread.detail);
    },
    step: (/** @type {number} */ time, /** @type {number} */ direction) => thread.callouts[0]?.step(time, direction) ?? null,
    at(/** @type {number} */ time, /** @type {number} */ slack) { return [...wordsAt(thread, thread.callouts, time, slack), ...stalledAt(thread, time)]; },
  };
}

/**
 * Creates the lane of a queue.
 * @param {Thread} queue
 */
export function queueLane(queue) {
  const slices = counted(wholeStatistics(queue).callouts, "slice") + " of work";
  return { ...calloutLane(queue), title: "work", group: "queue " + queue.name, groupWords: slices, sum: () => [] };
}

/**
 * Returns the code that held the loop at a moment, if stacks were sampled.
 * @param {Thread} thread
 * @param {number} time
 */
const stalledAt = (thread, time) => stallsIn(thread.index, time, time).flatMap(stallWords);

/**
 * Returns lines with the facts about a moment of a thread.
 * @param {((shape: number) => string) | null} words
 * @param {Thread} thread
 * @param {SpanSet[]} sets
 * @param {number} time
 * @param {number} slack
 */
function wordsAt(thread, sets, time, slack, words = null) {
  const isKept = thread.detail.covers(time, time);
  if (!isKept) return binWords(thread, time);
  const lines = [];
  for (const set of sets) {
    const i = set.at(time, slack);
    if (i < 0) continue;
    const length = set.end[i] - set.start[i];
    lines.push(words ? words(set.shape[i]) : shapeWords(set.shape[i], length) + ", at " + moment(set.start[i], 1));
  }
  return lines;
}

/**
 * @param {Thread} thread
 * @param {number} time
 */
function binWords(thread, time) {
  const bins = thread.bins, [i] = binRange(bins, time, time);
  const found = threadStatistics(thread, i * bins.width, (i + 1) * bins.width);
  return [
    "this column sums up " + duration(bins.width) + ": " + counted(bins.of("passes")[i], "pass", "passes") + ", " + counted(bins.of("calloutCount")[i], "callout"),
    thread.modes.length === 0 ? "slices of work: " + duration(bins.of("callouts")[i]) : "busy " + duration(found.busy) + ", waiting " + duration(found.waiting) + (found.worst > 0 ? ", longest time without a wait " + duration(found.worst) : ""),
    "the page has no individual marks here",
  ];
}
