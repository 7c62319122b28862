// @ts-check
// The data of the page, decoded once.

import { firstCallout } from "./report-vocabulary.js";
import { part } from "./report-page.js";

/** @typedef {ReturnType<typeof threadOf>} Thread */
/** @typedef {ReturnType<typeof timerOf>} Timer */
/** @typedef {ReturnType<typeof frameSourceOf>} FrameSource */
/** @typedef {{name: string, start: Float64Array, value: Float64Array}} ProgramState value: the number of a name + 1; 0 = none */
/**
 * Sums over equal parts of the span. A column that is left out in the data contains zeros.
 * @template {string} Name
 * @typedef {{width: number, count: number, columns: Object<string, Float64Array>, of: (name: Name) => Float64Array, outcome: {missed: Float64Array, reason: Int8Array} | undefined}} Bins
 */
/** @typedef {import("./page-data.js").PageData} PageData */
/** @typedef {import("./page-data.js").PageThreadLane} PageThreadLane */
/** @typedef {import("./page-data.js").PageTimerLane} PageTimerLane */
/** @typedef {import("./page-data.js").PageBins} PageBins */
/** @typedef {import("./page-data.js").ThreadColumn} ThreadColumn */
/** @typedef {import("./page-data.js").TimerColumn} TimerColumn */
/** @typedef {import("./page-data.js").PageFrameLane} PageFrameLane */
/** @typedef {import("./page-data.js").FrameColumn} FrameColumn */
/** @typedef {ReturnType<typeof detail>} Detail */

performance.mark("report-start");

/** @type {PageData} */
export const data = JSON.parse(part("data", HTMLScriptElement).text);
export const names = data.timeline.names;
export const unit = data.unitNs;
export const origin = BigInt(data.fromNs);
export const spanNs = Math.max(Number(data.spanNs), 1);

/** Beyond this span, floating-point numbers cannot represent every nanosecond. */
const isHuge = spanNs > Number.MAX_SAFE_INTEGER;

/** @param {string} text */
function bytesOf(text) {
  // The function is newer than the types of the checker.
  const decoder = /** @type {{fromBase64?: (text: string) => Uint8Array}} */ (/** @type {unknown} */ (Uint8Array));
  if (decoder.fromBase64) return decoder.fromBase64(text);
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

/**
 * Returns the number of values in a column. A zero is followed by the number of further zeros.
 * @param {Uint8Array} bytes
 */
function countOf(bytes) {
  let count = 0;
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === 0) {
      let more = 0, scale = 1;
      do { i++; more += (bytes[i] & 127) * scale; scale *= 128; } while (bytes[i] & 128);
      count += 1 + more;
    } else {
      while (bytes[i] & 128) i++;
      count++;
    }
  }
  return count;
}

/**
 * Returns the numbers of a column; with `growing` they are stored as differences. In a huge span, `.exact` holds them
 * as integers.
 * @returns {Float64Array & {exact?: BigInt64Array}}
 * @param {string} text
 */
export function column(text, growing = false) {
  const bytes = bytesOf(text || "");
  /** @type {Float64Array & {exact?: BigInt64Array}} */
  const values = new Float64Array(countOf(bytes));
  const exact = isHuge ? new BigInt64Array(values.length) : null;
  let at = 0, last = 0, exactLast = 0n;
  for (let i = 0; i < bytes.length; i++) {
    let value = 0, scale = 1, big = 0n, shift = 0n;
    const isZero = bytes[i] === 0;
    if (isZero) i++;
    for (;;) {
      value += (bytes[i] & 127) * scale;
      if (exact) { big |= BigInt(bytes[i] & 127) << shift; shift += 7n; }
      if (!(bytes[i] & 128)) break;
      scale *= 128;
      i++;
    }
    for (let n = isZero ? value + 1 : 1; n > 0; n--) {
      const step = isZero ? 0 : value;
      last = growing ? last + step : step;
      values[at] = last;
      if (exact) {
        exactLast = (growing ? exactLast : 0n) + (isZero ? 0n : big);
        exact[at] = exactLast;
        if (growing) values[at] = Number(exactLast);
      }
      at++;
    }
  }
  if (exact) values.exact = exact;
  return values;
}

/**
 * Converts time units to nanoseconds, in place.
 * @param {any} values
 */
function inNs(values) {
  if (unit !== 1) for (let i = 0; i < values.length; i++) values[i] *= unit;
  if (values.exact) for (let i = 0; i < values.length; i++) values.exact[i] *= BigInt(unit);
  return values;
}

/**
 * Decodes sums over equal parts of the span. Times are in nanoseconds.
 * @template {string} Name
 * @param {PageBins} source
 * @param {(name: string) => boolean} isTime
 * @returns {Bins<Name>}
 */
function bins(source, isTime) {
  /** @type {Object<string, Float64Array>} */
  const columns = {};
  for (const [name, text] of Object.entries(source.columns)) {
    const values = column(text);
    if (isTime(name)) inNs(values);
    const full = new Float64Array(source.count);
    full.set(values.subarray(0, source.count));
    columns[name] = full;
  }
  return {
    width: source.width * unit, count: source.count, columns,
    of: (/** @type {string} */ name) => columns[name] || (columns[name] = new Float64Array(source.count)),
    // Computed once by the timers' lanes.
    outcome: undefined,
  };
}

/**
 * Returns where marks are complete.
 * @param {import("./page-data.js").PageDetailOfPageSpanMarks | import("./page-data.js").PageDetailOfPageDueMarks | import("./page-data.js").PageDetailOfPageFrameMarks} source
 */
function detail(source) {
  /** @type {[number, number][]} */
  const spans = source.spans.map(([a, b]) => [a * unit, source.whole ? Math.max(b * unit, spanNs) : b * unit]);
  return {
    isWhole: source.whole, spans, total: source.total, kept: source.kept,
    covers: (/** @type {number} */ a, /** @type {number} */ b) => source.whole || spans.some(([from, to]) => from <= a && b <= to),
  };
}

/** Spans that do not overlap each other, in order. */
export class SpanSet {
  constructor() {
    /** @type {any} an array of numbers; a typed array once sealed */
    this.start = [];
    /** @type {any} */
    this.end = [];
    /** @type {any} */
    this.shape = [];
    /** @type {Uint32Array | undefined} */
    this.byLength = undefined;
  }
  seal() {
    this.start = Float64Array.from(this.start);
    this.end = Float64Array.from(this.end);
    this.shape = Int32Array.from(this.shape);
    return this;
  }
  /**
   * Returns the index of the first span that ends after `time`.
   * @param {number} time
   */
  first(time) {
    let low = 0, high = this.end.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.end[middle] > time) high = middle; else low = middle + 1;
    }
    return low;
  }
  /** Returns the indices of all spans, the longest first. */
  longest() {
    this.byLength ??= Uint32Array.from(this.start.keys()).sort((x, y) => (this.end[y] - this.start[y]) - (this.end[x] - this.start[x]));
    return this.byLength;
  }
  /**
   * Returns the start of the next span after `time`, or, with a negative direction, of the last one before it; null
   * if there is none.
   * @param {number} time
   * @param {number} direction
   */
  step(time, direction) {
    let i = this.first(time);
    if (direction > 0) { while (i < this.start.length && this.start[i] <= time) i++; } else { i = Math.min(i, this.start.length - 1); while (i >= 0 && this.start[i] >= time) i--; }
    return i >= 0 && i < this.start.length ? this.start[i] : null;
  }
  /**
   * Returns the index of the span at `time`, or within `slack` of it; -1 if there is none.
   * @param {number} time
   */
  at(time, slack = 0) {
    const i = this.first(time);
    if (i < this.start.length && this.start[i] <= time) return i;
    if (i < this.start.length && this.start[i] - time <= slack) return i;
    return i > 0 && time - this.end[i - 1] <= slack ? i - 1 : -1;
  }
}

export const shapes = data.timeline.shapes;
export const kinds = data.timeline.kinds;
export const modeNames = data.timeline.modes;

/**
 * Decodes the activity of a thread: `phases`, `passes`, and `callouts` by nesting depth.
 * @param {PageThreadLane} source
 */
function threadOf(source) {
  const marks = source.detail.marks;
  const start = inNs(column(marks.start, true));
  const length = inNs(column(marks.length));
  const shape = column(marks.shape);
  const phases = new SpanSet(), markedModes = new Set();
  /** @type {SpanSet[]} */
  const passes = [];
  /** @type {SpanSet[]} */
  const callouts = [];
  for (let i = 0; i < start.length; i++) {
    const [what, mode, depth] = shapes[shape[i]];
    markedModes.add(mode);
    let set = phases;
    if (what === 0) set = passes[depth] || (passes[depth] = new SpanSet());
    else if (what >= firstCallout) {
      set = callouts[depth] || (callouts[depth] = new SpanSet());
    }
    set.start.push(start[i]);
    set.end.push(start[i] + length[i]);
    set.shape.push(shape[i]);
  }
  for (const list of [passes, callouts]) {
    for (let i = 0; i < list.length; i++) list[i] = (list[i] || new SpanSet()).seal();
  }
  const known = data.threads.find((thread) => thread.index === source.index);
  return {
    index: source.index, name: known ? known.name : "thread " + source.index, isMain: known?.main === true, modes: source.modes, markedModes,
    /** Returns whether the sums of a mode's column belong to several modes. */
    isShared: (/** @type {number} */ place) => source.sharesLastMode && place === source.modes.length - 1,
    bins: /** @type {Bins<ThreadColumn>} */ (bins(source.bins, (name) => name !== "passes" && name !== "calloutCount")),
    detail: detail(source.detail), phases: phases.seal(), passes, callouts,
  };
}

/**
 * Decodes the outcome of a timer class's due points.
 * @param {PageTimerLane} source
 */
function timerOf(source) {
  const marks = source.detail.marks;
  const due = inNs(column(marks.due, true));
  const fate = column(marks.fate);
  const known = /** @type {import("./page-data.js").PageTimer} */ (data.timers.find((timer) => timer.id === source.id));
  return {
    id: source.id, name: names[known.name], kind: known.kind, thread: known.thread, interval: known.interval,
    modes: known.modes.map((mode) => names[mode]), isCommon: known.common,
    bins: /** @type {Bins<TimerColumn>} */ (bins(source.bins, (name) => name === "worst" || name.startsWith("late"))),
    detail: detail(source.detail), due, late: inNs(column(marks.late)), stretch: inNs(column(marks.stretch)),
    count: column(marks.count), outcome: fate.map((value) => value >> 4), cause: fate.map((value) => value & 15),
    mode: column(marks.mode),
  };
}

/**
 * Decodes the frames of a source, and its hitches.
 * @param {PageFrameLane} source
 */
function frameSourceOf(source) {
  const marks = source.detail.marks, length = inNs(column(marks.length));
  return {
    timer: source.timer, name: names[source.name], thread: source.thread, interval: source.interval,
    hitchCount: source.hitches, hitchTime: source.hitchTime, missing: source.missing, ratio: source.ratio, band: source.band,
    bins: /** @type {Bins<FrameColumn>} */ (bins(source.bins, (name) => name === "longest")),
    detail: detail(source.detail), due: inNs(column(marks.due, true)), length, outcome: column(marks.outcome),
    /** The longest time until a frame was ready. */
    longest: length.reduce((/** @type {number} */ most, /** @type {number} */ one) => Math.max(most, one), 0),
    hitches: (data.hitches ?? []).filter((hitch) => hitch.timer === source.timer),
  };
}

// The main thread comes first, because users wait for it.
/** @type {Thread[]} */
export const threads = data.timeline.threads.map(threadOf).sort((x, y) => Number(y.isMain) - Number(x.isMain) || x.index - y.index);
/** @type {Timer[]} */
export const timers = data.timeline.timers.map(timerOf);
/** The queues: like threads that only run work. The levels of their callouts are rows of slices that ran at once. */
/** @type {Thread[]} */
export const queues = (data.timeline.queues?.lanes ?? []).map(({ name, lane }) => ({ ...threadOf(lane), name: names[name] }));
/** @type {FrameSource[]} */
export const frameSources = (data.timeline.frames ?? []).map(frameSourceOf);
/** @type {ProgramState[]} */
export const states = (data.timeline.states?.lanes ?? []).map((lane) => ({ name: names[lane.name], start: inNs(column(lane.start, true)), value: column(lane.value) }));
/** The page has no changes of states from this moment on. */
export const statesEnd = data.timeline.states?.cutAt === undefined ? spanNs : data.timeline.states.cutAt * unit;
export const lanesWithMarks = [...threads, ...queues, ...timers, ...frameSources];
