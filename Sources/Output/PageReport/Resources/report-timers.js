// @ts-check
// A timer's lane: when it was due, when it fired, and why it did not.

import { busyCause, causeNames, ownCallout, wrongMode } from "./report-vocabulary.js";
import { spanNs } from "./report-data.js";
import { duration, grouped, modeWord } from "./report-format.js";
import { Columns, colours, packed, pattern } from "./report-pen.js";
import { binRange, firstPoint, nearestPoint, pointWords, pointsIn, timerStatistics } from "./report-marks.js";
import { eachPart, markSummed } from "./report-lanes.js";

/** @typedef {import("./report-data.js").Timer} Timer */
/** @typedef {{fired: Float64Array, skipped: Float64Array, worst: Float64Array, causes: Int8Array}} Sums of each pixel, and its greatest lateness */
/** @typedef {import("./report-data.js").Bins<import("./page-data.js").TimerColumn>} Bins */
/** @typedef {import("./report-pen.js").Pen} Pen */

/** @param {Timer} timer */
function timerWords(timer) {
  const modes = timer.isCommon ? "common modes" : timer.modes.map(modeWord).join(" + ") || "no mode";
  const every = timer.interval === undefined ? "interval not known" : timer.interval > 0 ? "every " + duration(timer.interval) : "once";
  return every + ", " + modes;
}

/** The lateness from which a fire counts as late: a tenth of the interval, but at least 1 ms and at most 50 ms. */
const lateFrom = (/** @type {Timer} */ timer) => Math.max(1e6, Math.min((timer.interval ?? 0) / 10, 5e7));

/**
 * Creates a timer's lane. Due points are hollow and above the line, fires are filled and below it, and the line
 * between them is the lateness. Skipped points have a cross.
 * @param {Timer} timer
 */
export function timerLane(timer) {
  return {
    title: timer.name, note: timerWords(timer), tip: timer.kind, timer, height: 40, detail: timer.detail,
    sum: () => timerSum(timer),
    draw(/** @type {Pen} */ pen) { drawTimer(pen, timer); },
    at(/** @type {number} */ time, /** @type {number} */ slack) {
      if (!timer.detail.covers(time, time)) return pointBinWords(timer, time);
      const point = nearestPoint(timer, time, slack);
      return point < 0 ? [] : [pointWords(timer, point)];
    },
    step(/** @type {number} */ time, /** @type {number} */ direction) {
      let next = firstPoint(timer, time);
      while (next < timer.due.length && timer.due[next] <= time) next++;
      if (direction < 0) do next--; while (next >= 0 && timer.due[next] >= time);
      return timer.due[next] ?? null;
    },
  };
}

/**
 * @param {Timer} timer
 * @param {number} time
 */
function pointBinWords(timer, time) {
  const [i] = binRange(timer.bins, time, time);
  const found = timerStatistics(timer, i * timer.bins.width, (i + 1) * timer.bins.width);
  return [
    "this column sums up " + duration(timer.bins.width) + ": " + grouped(timer.bins.of("fired")[i]) + " fired, " + grouped(timer.bins.of("skipped")[i]) + " skipped" + (found.worst > 0 ? ", longest lateness " + duration(found.worst) : ""),
    "the page has no individual points here",
  ];
}

/**
 * Returns the lines of a summary of a timer, each with a flag: true = a problem. The number of late fires is known
 * only if all marks are kept.
 * @param {Timer} timer
 * @returns {[string, boolean][]}
 */
function timerSum(timer) {
  const found = timerStatistics(timer, 0, spanNs), limit = lateFrom(timer);
  let late = 0;
  for (let i = 0; i < timer.due.length; i++) if (timer.outcome[i] === 0 && timer.late[i] > limit) late++;
  /** @type {[string, boolean][]} */
  const lines = [];
  if (found.skipped > 0) lines.push([grouped(found.skipped) + " / " + grouped(found.due) + " skipped", true]);
  if (late > 0 && timer.detail.isWhole) lines.push([grouped(late) + " late", true]);
  else if (found.worst > limit) lines.push(["up to " + duration(found.worst) + " late", true]);
  if (lines.length === 0) lines.push([grouped(found.fired) + " on time", false]);
  return lines;
}

/** Points closer than this many pixels are drawn as an area. */
const pointRoom = 7;
/** With more visible points than this, sums are drawn if they are as fine as pixels. */
const manyPoints = 1000;

/**
 * @param {Pen} pen
 * @param {Timer} timer
 */
export function drawTimer(pen, timer) {
  const middle = pen.height / 2, pixels = Math.max(1, Math.ceil(pen.width));
  const sums = { fired: new Float64Array(pixels), skipped: new Float64Array(pixels), worst: new Float64Array(pixels), causes: new Int8Array(pixels).fill(-1) };
  /** @type {[number, number, number][]} */
  const few = [];
  const areSummed = timer.bins.width * pen.scale <= 1.5 && (timer.due[firstPoint(timer, pen.a) + manyPoints] ?? Infinity) < pen.b;
  eachPart(timer.detail, pen, (/** @type {number} */ a, /** @type {number} */ b) => {
    const first = firstPoint(timer, a);
    if (areSummed) return addPointSums(pen, timer, a, b, sums);
    let many = 0;
    for (let i = first; i < timer.due.length && timer.due[i] < b; i++) {
      if (timer.count[i] <= 1) { if (timer.due[i] >= a) many++; continue; }
      const [from, to] = pointsIn(timer, i, a, b);
      many += to - from;
    }
    if (many > Math.max(pen.width * (b - a) / (pen.b - pen.a) / pointRoom, 3)) addCrowd(pen, timer, a, b, first, sums);
    else few.push([a, b, first]);
  }, (/** @type {number} */ a, /** @type {number} */ b) => addPointSums(pen, timer, a, b, sums));
  drawDensity(pen, timer, sums, middle);
  for (const [a, b, first] of few) drawBands(pen, timer, a, b, first);
  pen.fill(0, middle - 0.5, pen.width, 1, colours.line);
  for (const [a, b, first] of few) drawPoints(pen, timer, a, b, middle, first);
  markSummed(pen, timer.detail);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} cause
 */
export function causeFill(context, cause) {
  if (cause === wrongMode) return pattern(context, colours.late, 1);
  if (cause === busyCause || cause === ownCallout) return pattern(context, colours.busy, 3);
  if (cause === 7 || cause === 6) return null;
  return pattern(context, colours.rest, 2);
}

/**
 * Draws the causes behind the points. Marks overlap: points that were skipped meanwhile are in the band of a late
 * fire.
 * @param {Pen} pen
 * @param {Timer} timer
 * @param {number} a
 * @param {number} b
 * @param {number} first
 */
function drawBands(pen, timer, a, b, first) {
  let done = -2, last = null;
  for (let i = first; i < timer.due.length && timer.due[i] < b; i++) {
    const end = timer.due[i] + Math.max(timer.stretch[i], timer.late[i]);
    if (end < a || (timer.outcome[i] === 0 && timer.late[i] * pen.scale < 2)) continue;
    const band = causeFill(pen.context, timer.cause[i]);
    if (!band) continue;
    let x = Math.max(pen.x(timer.due[i]), -2);
    const right = Math.min(Math.max(pen.x(end), x + 2), pen.width + 2);
    if (x < done) {
      // Stripes do not hide the fill below them.
      if (band === last) x = done; else pen.fill(x, 3, right - x, pen.height - 6, colours.paper);
    }
    if (right > x) pen.fill(x, 3, right - x, pen.height - 6, band);
    done = Math.max(done, right);
    last = band;
  }
}

const isFire = (/** @type {number} */ outcome) => outcome === 0 || outcome === 4;

/**
 * @param {Pen} pen
 * @param {Timer} timer
 * @param {number} a
 * @param {number} b
 * @param {number} middle
 * @param {number} first
 */
function drawPoints(pen, timer, a, b, middle, first) {
  const limit = lateFrom(timer);
  for (let i = first; i < timer.due.length && timer.due[i] < b; i++) {
    const end = timer.due[i] + Math.max(timer.stretch[i], timer.late[i]);
    if (end < a) continue;
    const [from, to] = pointsIn(timer, i, a, b);
    const distance = timer.count[i] > 1 ? timer.stretch[i] / (timer.count[i] - 1) : 0;
    for (let point = from; point < to; point++) drawDue(pen, pen.x(timer.due[i] + point * distance), middle, isFire(timer.outcome[i]));
    if (!isFire(timer.outcome[i])) continue;
    const x = pen.x(timer.due[i]), fired = pen.x(timer.due[i] + timer.late[i]), isLate = timer.late[i] > limit;
    if (fired - x > 1) pen.fill(Math.max(x, -2), middle - 1, Math.min(fired - Math.max(x, -2), pen.width), 2, isLate ? colours.late : colours.quiet);
    pen.fill(fired - 1.5, middle + 2, 3, 11, isLate ? colours.late : colours.busy);
  }
}

/**
 * Draws a point above the line: hollow, with a cross if it never fired.
 * @param {Pen} pen
 * @param {number} x
 * @param {number} middle
 * @param {boolean} hasFired
 */
export function drawDue(pen, x, middle, hasFired) {
  const context = pen.context, top = middle - 13;
  context.lineWidth = 1;
  if (hasFired) {
    context.strokeStyle = colours.rest;
    context.strokeRect(x - 1.5, top, 3, 11);
    return;
  }
  // A blank background separates the point from the fill for its cause.
  pen.fill(x - 4.5, top + 0.5, 9, 11, colours.paper);
  context.strokeStyle = colours.late;
  context.strokeRect(x - 3.5, top + 2, 7, 8);
  context.beginPath();
  context.moveTo(x - 3.5, top + 2); context.lineTo(x + 3.5, top + 10);
  context.moveTo(x + 3.5, top + 2); context.lineTo(x - 3.5, top + 10);
  context.stroke();
}

/**
 * Adds the fired and skipped points of each column if there are more points than pixels.
 * @param {Pen} pen
 * @param {Timer} timer
 * @param {number} a
 * @param {number} b
 * @param {number} first
 * @param {Sums} sums
 */
function addCrowd(pen, timer, a, b, first, { fired, skipped, worst, causes }) {
  const pixels = fired.length;
  for (let i = first; i < timer.due.length && timer.due[i] < b; i++) {
    const [from, to] = pointsIn(timer, i, a, b);
    const distance = timer.count[i] > 1 ? timer.stretch[i] / (timer.count[i] - 1) : 0;
    const hasFired = isFire(timer.outcome[i]);
    for (let point = from; point < to; point++) {
      const x = Math.floor(pen.x(timer.due[i] + point * distance));
      if (x < 0 || x >= pixels) continue;
      (hasFired ? fired : skipped)[x]++;
      if (hasFired) worst[x] = Math.max(worst[x], timer.late[i]); else causes[x] = timer.cause[i];
    }
    // The cause is shown for the whole overdue time, not only at the points.
    const length = hasFired ? timer.late[i] : timer.stretch[i];
    if (length * pen.scale >= 1) {
      const to = Math.min(pixels - 1, Math.floor(pen.x(timer.due[i] + length)));
      for (let x = Math.max(0, Math.floor(pen.x(timer.due[i]))); x <= to; x++) if (causes[x] < 0) causes[x] = timer.cause[i];
    }
  }
}

/**
 * @param {Pen} pen
 * @param {Timer} timer
 * @param {number} a
 * @param {number} b
 * @param {Sums} sums
 */
function addPointSums(pen, timer, a, b, sums) {
  const { fired, skipped, causes } = sums, bins = timer.bins, [from, to] = binRange(bins, a, b), pixels = fired.length;
  const done = bins.of("fired"), worst = bins.of("worst"), { missed, reason } = outcomeOfBins(bins);
  for (let i = from; i < to; i++) {
    if (done[i] === 0 && missed[i] === 0) continue;
    const x0 = pen.x(Math.max(i * bins.width, a)), x1 = pen.x(Math.min((i + 1) * bins.width, b));
    // Each pixel gets its share of the bin.
    const first = Math.max(0, Math.floor(x0)), last = Math.min(pixels - 1, Math.ceil(x1) - 1);
    for (let x = first; x <= last; x++) {
      const part = (Math.min(x1, x + 1) - Math.max(x0, x)) / (bins.width * pen.scale);
      fired[x] += done[i] * part;
      skipped[x] += missed[i] * part;
      sums.worst[x] = Math.max(sums.worst[x], worst[i]);
    }
    if (reason[i] < 0) continue;
    const until = missed[i] > 0 ? last : worst[i] * pen.scale < 1 ? -1 : Math.min(pixels - 1, Math.floor(x0 + worst[i] * pen.scale));
    for (let x = first; x <= until; x++) if (causes[x] < 0 || missed[i] > 0) causes[x] = reason[i];
  }
}

/**
 * Returns for each bin the number of points that never fired and the most frequent cause of the skipped ones;
 * otherwise the main cause of the lateness of its fires.
 * @param {Bins} bins
 */
function outcomeOfBins(bins) {
  if (bins.outcome) return bins.outcome;
  const of = (/** @type {"cause" | "late"} */ prefix) => causeNames.map((_, cause) => bins.of(`${prefix}${cause}`));
  const [dropped, withdrawn, pending, worst] = /** @type {const} */ (["skipped", "withdrawn", "pending", "worst"]).map(bins.of), [counts, times] = [of("cause"), of("late")];
  const missed = new Float64Array(bins.count), reason = new Int8Array(bins.count).fill(-1);
  for (let i = 0; i < bins.count; i++) {
    missed[i] = dropped[i] + withdrawn[i] + pending[i];
    if (missed[i] === 0 && worst[i] === 0) continue;
    const columns = dropped[i] > 0 ? counts : times;
    for (let cause = 0, most = 0; cause < causeNames.length; cause++) if (columns[cause][i] > most) [most, reason[i]] = [columns[cause][i], cause];
  }
  return bins.outcome = { missed, reason };
}

/** A gap of at most this many columns between points is closed; otherwise the points would look like a comb. */
const combGap = pointRoom + 1;

/**
 * Draws more points than can be distinguished: above the line the share that never fired, below it the lateness of
 * the fires. The greatest lateness in view is as high as the lane.
 * @param {Pen} pen
 * @param {Timer} timer
 * @param {Sums} sums
 * @param {number} middle
 */
function drawDensity(pen, timer, sums, middle) {
  const { fired, skipped, worst, causes } = sums, pixels = fired.length, most = Math.max(1, worst.reduce((x, y) => Math.max(x, y), 0));
  const limit = lateFrom(timer), line = Math.floor(middle), room = line - 4, image = new Columns(pen);
  const [due, late, busy] = [colours.rest, colours.late, colours.busy].map(packed);
  const missed = new Int32Array(pixels), isLate = new Uint8Array(pixels);
  let last = -1;
  for (let x = 0; x < pixels; x++) {
    const all = fired[x] + skipped[x];
    if (all <= 0) continue;
    // Isolated points are two columns wide, so that they are visible.
    const from = last >= 0 && x - last <= combGap ? last + 1 : x, share = skipped[x] / all;
    const tall = fired[x] > 0 ? Math.max(Math.round(worst[x] / most * room), 3) : 0;
    if (share > 0) missed.fill(Math.max(Math.round(share * room), 3), from, Math.max(x + 1, from + 2));
    for (let column = from; column <= x; column++) {
      image.fill(column, line - 2, 2, due);
      // A late fire keeps its place; only columns with fires on time extend to their neighbour.
      if (tall > 0 && worst[x] <= limit && isLate[column] === 0) image.fill(column, line + 1, tall, busy);
    }
    if (tall > 0 && worst[x] > limit) {
      for (let column = x; column < Math.min(x + 2, pixels); column++) {
        image.fill(column, line + 1, room, 0);
        image.fill(column, line + 1, tall, late);
        isLate[column] = 1;
      }
    }
    last = x;
  }
  if (last < 0) return;
  image.put();
  // Columns of one height form one area. A wide area has room for the pattern.
  for (let x = 1, from = 0; x <= pixels; x++) {
    if (x < pixels && missed[x] === missed[from]) continue;
    if (missed[from] > 0) pen.fill(from, line - missed[from], x - from, missed[from], x - from < 6 ? colours.late : pattern(pen.context, colours.late, 5));
    from = x;
  }
  pen.under(() => {
    for (let x = 1, from = 0; x <= pixels; x++) {
      if (x < pixels && causes[x] === causes[from]) continue;
      const fill = causes[from] < 0 ? null : causeFill(pen.context, causes[from]);
      if (fill) pen.fill(from, 3, x - from, pen.height - 6, fill);
      from = x;
    }
  });
}
