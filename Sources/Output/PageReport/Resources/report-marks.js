// @ts-check
// The contents of a time range: for drawing, for the pointer, and for the statistics of a selection.

import { busyCause, causeNames, firstCallout, ownCallout, outcomeNames, outcomes, phaseNames, waiting } from "./report-vocabulary.js";
import { data, kinds, modeNames, names, shapes, spanNs, threads } from "./report-data.js";
import { counted, duration, moment, short, significant } from "./report-format.js";

/** @typedef {import("./report-data.js").Thread} Thread */
/** @typedef {import("./report-data.js").Timer} Timer */
/** @typedef {import("./report-data.js").SpanSet} SpanSet */

/**
 * Calls `body` with the start, end and shape of each span of a set in a time range.
 * @param {SpanSet} set
 * @param {number} a
 * @param {number} b
 * @param {(start: number, end: number, shape: number) => void} body
 */
function eachSpan(set, a, b, body) {
  for (let i = set.first(a); i < set.start.length && set.start[i] < b; i++) body(set.start[i], set.end[i], set.shape[i]);
}

/**
 * Returns the range of indices of a skipped row's points in a time range. The points are at equal distances.
 * @param {Timer} timer
 * @param {number} i
 * @param {number} a
 * @param {number} b
 */
export function pointsIn(timer, i, a, b) {
  const count = timer.count[i], due = timer.due[i];
  if (count <= 1) return due >= a && due < b ? [0, 1] : [0, 0];
  const distance = timer.stretch[i] / (count - 1);
  if (distance <= 0) return due >= a && due < b ? [0, count] : [0, 0];
  const from = Math.max(0, Math.ceil((a - due) / distance - 1e-9));
  const to = Math.min(count, Math.ceil((b - due) / distance - 1e-9));
  return [from, Math.max(from, to)];
}

/**
 * Returns the first mark of a timer that may extend beyond `time`.
 * @param {Timer} timer
 * @param {number} time
 */
export function firstPoint(timer, time) {
  let low = 0, high = timer.due.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timer.due[middle] >= time) high = middle; else low = middle + 1;
  }
  // Earlier rows of skipped points and late fires may extend beyond it.
  while (low > 0 && timer.due[low - 1] + Math.max(timer.stretch[low - 1], timer.late[low - 1]) >= time) low--;
  return Math.max(0, low - 1);
}

/**
 * Returns the bins in a time range, rounded outwards.
 * @param {import("./report-data.js").Bins<never>} bins
 * @param {number} a
 * @param {number} b
 */
export function binRange(bins, a, b) {
  const from = Math.min(bins.count - 1, Math.max(0, Math.floor(a / bins.width)));
  return [from, Math.min(bins.count, Math.max(from + 1, Math.ceil(b / bins.width)))];
}

/**
 * Returns how long the process did not run in a time range. This is neither busy nor waiting.
 * @param {number} a
 * @param {number} b
 */
function suspendedIn(a, b) {
  return data.suspensions.reduce((sum, [start, length]) => sum + Math.max(Math.min(start + length, b) - Math.max(start, a), 0), 0);
}

/**
 * Returns `longest` or the length of a time range without its suspension, whichever is longer. The suspension is
 * computed only if it matters.
 * @param {number} longest
 * @param {number} a
 * @param {number} b
 */
const longerOf = (longest, a, b) => (b - a > longest ? Math.max(longest, b - a - suspendedIn(a, b)) : longest);

/** Used in place of a mode in sums that several modes share. */
export const severalModes = -1;

/**
 * Returns statistics of a thread in a time range. Phases contain no suspension. Without marks, the statistics cover
 * whole columns, and `from` and `to` are their ends.
 * @param {Thread} thread
 * @param {number} a
 * @param {number} b
 */
export function threadStatistics(thread, a, b) {
  const result = { isExact: thread.detail.covers(a, b), from: a, to: b, passes: 0, busy: 0, waiting: 0, suspended: suspendedIn(a, b), worst: 0, callouts: 0, modes: new Map() };
  if (result.isExact) {
    /** @type {number | null} */
    let busySince = null;
    let last = 0, isBusyLast = false;
    eachSpan(thread.phases, a, b, (start, end, shape) => {
      const [what, mode] = shapes[shape];
      const from = Math.max(start, a), to = Math.min(end, b), length = to - from;
      result.modes.set(mode, (result.modes.get(mode) || 0) + length);
      if (what === waiting) {
        result.waiting += length;
        if (busySince !== null) result.worst = longerOf(result.worst, busySince, from);
        busySince = to;
      } else {
        result.busy += length;
        if (busySince === null) busySince = from;
      }
      last = to;
      isBusyLast = what !== waiting;
    });
    if (busySince !== null && isBusyLast) result.worst = longerOf(result.worst, busySince, last);
    for (const set of thread.passes) eachSpan(set, a, b, (start) => { if (start >= a) result.passes++; });
    for (const set of thread.callouts) eachSpan(set, a, b, (start) => { if (start >= a) result.callouts++; });
  } else {
    const bins = thread.bins, [from, to] = binRange(bins, a, b);
    result.from = from * bins.width;
    result.to = Math.min(to * bins.width, spanNs);
    for (let i = from; i < to; i++) {
      for (let phase = 0; phase < phaseNames.length; phase++) result[phase === waiting ? "waiting" : "busy"] += bins.of(`phase${phase}`)[i];
      thread.modes.forEach((mode, place) => {
        const time = bins.of(`mode${place}`)[i];
        const key = thread.isShared(place) ? severalModes : mode;
        if (time > 0) result.modes.set(key, (result.modes.get(key) || 0) + time);
      });
      result.passes += bins.of("passes")[i];
      result.callouts += bins.of("calloutCount")[i];
      result.worst = Math.max(result.worst, bins.of("worst")[i]);
    }
  }
  return result;
}

/** @type {Map<Thread, ReturnType<typeof threadStatistics>>} */
const whole = new Map();

/**
 * Returns the statistics of the whole span. Several places use them, so they are computed once.
 * @param {Thread} thread
 */
export function wholeStatistics(thread) {
  const found = whole.get(thread) ?? threadStatistics(thread, 0, spanNs);
  whole.set(thread, found);
  return found;
}

/**
 * Returns the busy part of a thread's time, in words.
 * @param {ReturnType<typeof threadStatistics>} found
 */
export function busyWords({ busy, waiting, suspended }) {
  if (busy + waiting > 0) return significant(100 * busy / (busy + waiting)) + " % busy";
  return suspended > 0 ? "suspended" : "";
}

/**
 * Returns the outcome of a timer's due points in a time range, and the causes of the skipped ones.
 * @param {Timer} timer
 * @param {number} a
 * @param {number} b
 */
export function timerStatistics(timer, a, b) {
  const result = { isExact: timer.detail.covers(a, b), from: a, to: b, fired: 0, skipped: 0, withdrawn: 0, pending: 0, due: 0, worst: 0, causes: new Float64Array(16) };
  if (result.isExact) {
    for (let i = firstPoint(timer, a); i < timer.due.length && timer.due[i] < b; i++) {
      const [from, to] = pointsIn(timer, i, a, b);
      if (to === from) continue;
      const outcome = outcomeNames[timer.outcome[i]] || outcomeNames[0];
      result[outcome] += to - from;
      if (outcome === "skipped") result.causes[timer.cause[i]] += to - from;
      if (outcome === "fired") result.worst = Math.max(result.worst, timer.late[i]);
    }
  } else {
    const bins = timer.bins, [from, to] = binRange(bins, a, b);
    result.from = from * bins.width;
    result.to = Math.min(to * bins.width, spanNs);
    for (let i = from; i < to; i++) {
      for (const name of outcomeNames) result[name] += bins.of(name)[i];
      result.worst = Math.max(result.worst, bins.of("worst")[i]);
      for (let cause = 0; cause < causeNames.length; cause++) result.causes[cause] += bins.of(`cause${cause}`)[i];
    }
  }
  result.due = result.fired + result.skipped + result.withdrawn + result.pending;
  return result;
}

/**
 * Returns a span's shape in words.
 * @param {number} shape
 * @param {number} length
 */
export function shapeWords(shape, length) {
  const [what, mode, depth, name] = shapes[shape];
  const inMode = ", " + short(modeNames[mode]);
  if (what === 0) return "pass of " + duration(length) + (depth > 0 ? ", nested" : "") + inMode;
  const kind = kinds[what - firstCallout];
  // Work of queues belongs to no mode.
  if (kind) return kind + " “" + short(names[name], 80) + "”, " + duration(length) + (kind === "work" ? "" : inMode);
  return (what === waiting ? "waiting, " : "phase " + phaseNames[what] + ", ") + duration(length) + inMode + (depth > 0 ? ", nested " + depth + " deep" : "");
}

/**
 * Returns the mark of a timer at a moment, or the nearest one within `slack`; -1 if there is none, or if marks are
 * not kept there.
 * @param {Timer} timer
 * @param {number} time
 * @param {number} slack
 */
export function nearestPoint(timer, time, slack) {
  let best = -1, distance = slack;
  if (!timer.detail.covers(time, time)) return best;
  for (let i = firstPoint(timer, time - slack); i < timer.due.length && timer.due[i] <= time + slack; i++) {
    const to = timer.due[i] + Math.max(timer.stretch[i], timer.late[i]);
    const off = time < timer.due[i] ? timer.due[i] - time : time > to ? time - to : 0;
    if (off <= distance) [best, distance] = [i, off];
  }
  return best;
}

/** @typedef {{thread: Thread, level: number, start: number, end: number, ran: number, name: string}} Blocker ran: how long it ran while the point was overdue */

/**
 * Returns the callout that kept a timer from firing, where marks are kept: the innermost one that ran for at least
 * half of the time for which the point was overdue.
 * @param {Timer} timer
 * @param {number} i
 * @returns {Blocker | null}
 */
export function blockerOf(timer, i) {
  if (timer.cause[i] !== busyCause && timer.cause[i] !== ownCallout) return null;
  const a = timer.due[i], b = a + Math.max(timer.late[i], timer.stretch[i]);
  const thread = threads.find((one) => one.index === timer.thread);
  if (!thread || b <= a || !thread.detail.covers(a, b)) return null;
  for (let level = thread.callouts.length - 1; level >= 0; level--) {
    let most = 0, found = /** @type {Blocker | null} */ (null);
    eachSpan(thread.callouts[level], a, b, (start, end, shape) => {
      const ran = Math.min(end, b) - Math.max(start, a);
      if (ran > most) [most, found] = [ran, { thread, level, start, end, ran, name: names[shapes[shape][3]] }];
    });
    if (most * 2 >= b - a) return found;
  }
  return null;
}

/**
 * Returns the outcome of a due point and its cause.
 * @param {Timer} timer
 * @param {number} i
 */
export function outcomeWords(timer, i) {
  const blocker = blockerOf(timer, i);
  const cause = (causeNames[timer.cause[i]] || "cause not known") + (blocker ? ": " + short(blocker.name, 80) : "");
  if (timer.outcome[i] === 0) return timer.late[i] > 0 ? duration(timer.late[i]) + " late, " + cause : "on time";
  if (timer.outcome[i] === 1) return counted(timer.count[i], "point") + " skipped from " + moment(timer.due[i], 1000) + ", " + cause;
  return outcomes[timer.outcome[i]] + ", due at " + moment(timer.due[i], 1) + ", " + cause;
}

/**
 * Returns the outcome, with the due time of a fire.
 * @param {Timer} timer
 * @param {number} i
 */
export const pointWords = (timer, i) => outcomeWords(timer, i) + (timer.outcome[i] === 0 ? "; due at " + moment(timer.due[i], 1) : "");
