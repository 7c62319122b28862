// @ts-check
// Lanes of frame sources: frames that were on time, late or missing, and what made them late. Lanes of states.

import { causeNames, frameColumns, frameOutcomes, lateFrame, outcomeNames, wrongMode } from "./report-vocabulary.js";
import { names, spanNs, statesEnd, timers } from "./report-data.js";
import { counted, duration, grouped, moment, short, significant } from "./report-format.js";
import { colours, pattern } from "./report-pen.js";
import { binRange, firstPoint, pointsIn } from "./report-marks.js";
import { eachPart, markSummed } from "./report-lanes.js";
import { spanLane } from "./report-spans.js";
import { drawDue } from "./report-timers.js";

/** @typedef {import("./report-data.js").FrameSource} FrameSource */
/** @typedef {import("./report-data.js").ProgramState} ProgramState */
/** @typedef {import("./report-data.js").Timer} Timer */
/** @typedef {import("./page-data.js").PageHitch} PageHitch */
/** @typedef {import("./report-pen.js").Pen} Pen */

// MARK: Hitches

/**
 * Returns the facts about a hitch, each a name and a value.
 * @param {PageHitch} hitch
 * @returns {[string, string][]}
 */
function hitchFacts(hitch) {
  const time = hitch.causeLength === undefined ? "" : ", " + duration(hitch.causeLength);
  /** @type {[string, string][]} */
  const facts = [["hitch", duration(hitch.length) + " from " + moment(hitch.start, 1)], ["cause", causeNames[hitch.cause] + time]];
  if (hitch.blamed !== undefined) facts.push([hitch.cause === wrongMode ? "mode" : "callout", names[hitch.blamed]]);
  if (hitch.function !== undefined) facts.push(["function", names[hitch.function]]);
  return facts;
}

/** @param {[string, string][]} facts */
const factLines = (facts) => facts.map(([name, value]) => name + ": " + short(value, 120));

/**
 * Creates the lane of a source's hitches: the times in which a frame was overdue.
 * @param {FrameSource} source
 */
export function hitchLane(source) {
  if (source.hitches.length === 0) return null;
  const spans = source.hitches.map((hitch) => ({
    start: hitch.start, length: hitch.length, ink: "mark-text", words: factLines(hitchFacts(hitch)), fill: () => colours.hang,
    label: duration(hitch.length) + "  " + (hitch.blamed === undefined ? causeNames[hitch.cause] : names[hitch.blamed]),
  }));
  return spanLane("hitches of " + source.name, spans, {
    frames: source, selects: true, tip: "times in which a frame was overdue",
    sum: () => [[counted(source.hitchCount, "hitch", "hitches") + ", " + duration(source.hitchTime), true]],
    detailsAt(/** @type {number} */ time, /** @type {number} */ slack) {
      const hitch = source.hitches.find((one) => one.start - slack <= time && time <= one.start + one.length + slack);
      return hitch ? { words: "a frame was overdue", facts: hitchFacts(hitch) } : null;
    },
  });
}

// MARK: Frames

/**
 * Returns the number of frames that were due before a moment.
 * @param {FrameSource} source
 * @param {number} time
 */
function framesBefore(source, time) {
  let low = 0, high = source.due.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (source.due[middle] >= time) high = middle; else low = middle + 1;
  }
  return low;
}

/**
 * Returns the frame at a moment, or the nearest one within `slack`; -1 if there is none, or if frames are not kept
 * there.
 * @param {FrameSource} source
 * @param {number} time
 * @param {number} slack
 */
function frameAt(source, time, slack) {
  let best = -1, distance = slack;
  if (!source.detail.covers(time, time)) return best;
  for (let i = framesBefore(source, time - source.longest - slack); i < source.due.length && source.due[i] <= time + slack; i++) {
    const off = Math.max(source.due[i] - time, time - source.due[i] - source.length[i], 0);
    if (off <= distance) [best, distance] = [i, off];
  }
  return best;
}

/**
 * Returns what happened to the frame at a moment, in words and as facts; null if there is nothing.
 * @param {FrameSource} source
 * @param {number} time
 * @param {number} slack
 * @returns {{words: string, facts: [string, string][]} | null}
 */
function frameDetails(source, time, slack) {
  const i = frameAt(source, time, slack), due = source.due[i];
  const hitch = source.hitches.find((one) => (i < 0 ? one.start <= time && time <= one.start + one.length : one.due === due));
  const facts = hitch ? hitchFacts(hitch) : [];
  if (i < 0) return hitch ? { words: "a frame was overdue", facts } : null;
  const ready = moment(due + source.length[i], 1) + ", " + duration(source.length[i]) + " later";
  return { words: "frame " + frameOutcomes[source.outcome[i]], facts: [["due", moment(due, 1)], ["ready", ready], ...facts] };
}

/**
 * Returns the numbers of frames in a time range, and its hitches. Without marks, the frames are those of whole columns.
 * @param {FrameSource} source
 * @param {number} a
 * @param {number} b
 */
export function frameStatistics(source, a, b) {
  const counts = frameColumns.map(() => 0), isExact = source.detail.covers(a, b), [from, to] = binRange(source.bins, a, b);
  if (isExact) {
    for (let i = framesBefore(source, a); i < source.due.length && source.due[i] < b; i++) counts[source.outcome[i]]++;
  } else {
    frameColumns.forEach((name, outcome) => { for (let i = from; i < to; i++) counts[outcome] += source.bins.of(name)[i]; });
  }
  const hitches = source.hitches.filter((hitch) => hitch.start < b && hitch.start + hitch.length > a);
  const longest = hitches.reduce((most, hitch) => Math.max(most, hitch.length), 0);
  return { isExact, from: isExact ? a : from * source.bins.width, to: isExact ? b : Math.min(to * source.bins.width, spanNs), counts, hitches, longest };
}

/** @param {ReturnType<typeof frameStatistics>} found */
export function frameCountWords({ counts, hitches, longest }) {
  const words = counts.map((count, outcome) => (count > 0 || outcome <= lateFrame ? grouped(count) + " " + frameOutcomes[outcome] : "")).filter(Boolean);
  return words.join(", ") + (hitches.length > 0 ? "; " + counted(hitches.length, "hitch", "hitches") + ", the longest " + duration(longest) : "");
}

/**
 * Returns the lines of a summary of a source, each with a flag: true = a problem.
 * @param {FrameSource} source
 * @returns {[string, boolean][]}
 */
function frameSum(source) {
  const { counts } = frameStatistics(source, 0, spanNs), missing = source.missing ?? 0, late = counts[lateFrame];
  /** @type {[string, boolean][]} */
  const lines = [];
  if (source.ratio !== undefined) lines.push([significant(source.ratio) + " ms/s: " + source.band, source.ratio > 0]);
  if (late + missing === 0) lines.push([grouped(counts[0]) + " on time", false]);
  else lines.push([grouped(late) + " late, " + grouped(missing) + " missing", true]);
  return lines;
}

/**
 * Creates the lane of a source's frames. Each is a block from its due point until it was ready: a low one if it was on
 * time, a high one if it was late. A due point without a frame has a cross.
 * @param {FrameSource} source
 */
export function frameLane(source) {
  const timer = timers.find((one) => one.id === source.timer);
  return {
    title: "frames of " + source.name, note: "every " + duration(source.interval), frames: source, height: 34, detail: source.detail,
    tip: "without the time of a render server", sum: () => frameSum(source),
    draw(/** @type {Pen} */ pen) {
      drawFrames(pen, source);
      if (timer) drawMissing(pen, source, timer);
      markSummed(pen, source.detail);
    },
    detailsAt: (/** @type {number} */ time, /** @type {number} */ slack) => frameDetails(source, time, slack),
    at(/** @type {number} */ time, /** @type {number} */ slack) {
      const found = frameDetails(source, time, slack);
      if (found) return [found.words, ...factLines(found.facts)];
      return source.detail.covers(time, time) ? [] : frameBinWords(source, time);
    },
    /** Goes to the next late frame. */
    step(/** @type {number} */ time, /** @type {number} */ direction) {
      let i = framesBefore(source, time);
      if (direction < 0) i--; else while (source.due[i] <= time) i++;
      while (i >= 0 && i < source.due.length && source.outcome[i] !== lateFrame) i += direction;
      return source.due[i] ?? null;
    },
  };
}

/**
 * @param {FrameSource} source
 * @param {number} time
 */
function frameBinWords(source, time) {
  const [i] = binRange(source.bins, time, time), width = source.bins.width;
  return [
    "this column sums up " + duration(width) + ": " + frameCountWords(frameStatistics(source, i * width, (i + 1) * width)),
    "the page has no individual frames here",
  ];
}

const lowFrame = 9, highFrame = 18;

/**
 * @param {Pen} pen
 * @param {FrameSource} source
 */
function drawFrames(pen, source) {
  const floor = pen.height - 3;
  const fills = frameOutcomes.map((_, outcome) => (outcome === 0 ? colours.busy : outcome === lateFrame ? colours.late : pattern(pen.context, colours.quiet, 1)));
  eachPart(source.detail, pen, (/** @type {number} */ a, /** @type {number} */ b) => {
    // Late frames come last, so that the others do not hide them.
    for (const isLate of [false, true]) {
      const height = isLate ? highFrame : lowFrame;
      let drawn = -2;
      for (let i = framesBefore(source, a - source.longest); i < source.due.length && source.due[i] < b; i++) {
        if ((source.outcome[i] === lateFrame) !== isLate) continue;
        const x = Math.max(Math.floor(pen.x(source.due[i])), -2);
        const right = Math.min(Math.max(Math.ceil(pen.x(source.due[i] + source.length[i])), x + (isLate ? 2 : 1)), pen.width + 2);
        // Many narrow frames share a pixel.
        if (right <= drawn) continue;
        pen.fill(x, floor - height, right - x, height, fills[source.outcome[i]]);
        drawn = right;
      }
    }
  }, (/** @type {number} */ a, /** @type {number} */ b) => drawFrameSums(pen, source, a, b, floor));
}

/**
 * Draws the sums of columns: the more frames were late, the higher.
 * @param {Pen} pen
 * @param {FrameSource} source
 * @param {number} a
 * @param {number} b
 * @param {number} floor
 */
function drawFrameSums(pen, source, a, b, floor) {
  const bins = source.bins, [from, to] = binRange(bins, a, b), [onTime, late, unknown] = frameColumns.map(bins.of);
  for (let i = from; i < to; i++) {
    const all = onTime[i] + late[i] + unknown[i];
    if (all === 0) continue;
    const x = Math.floor(pen.x(Math.max(i * bins.width, a))), right = Math.max(Math.ceil(pen.x(Math.min((i + 1) * bins.width, b))), x + 1);
    const height = late[i] > 0 ? lowFrame + Math.ceil((highFrame - lowFrame) * late[i] / all) : lowFrame;
    pen.fill(x, floor - height, right - x, height, late[i] > 0 ? colours.late : colours.busy);
  }
}

/**
 * Draws the due points without a frame: crosses if there is room, otherwise bars.
 * @param {Pen} pen
 * @param {FrameSource} source
 * @param {Timer} timer
 */
function drawMissing(pen, source, timer) {
  const hasRoom = source.interval * pen.scale >= 9;
  let drawn = -2;
  eachPart(timer.detail, pen, (/** @type {number} */ a, /** @type {number} */ b) => {
    for (let i = firstPoint(timer, a); i < timer.due.length && timer.due[i] < b; i++) {
      if (outcomeNames[timer.outcome[i]] !== "skipped" || !isMissing(timer.cause[i])) continue;
      const [from, to] = pointsIn(timer, i, a, b), distance = timer.count[i] > 1 ? timer.stretch[i] / (timer.count[i] - 1) : 0;
      const place = (/** @type {number} */ point) => pen.x(timer.due[i] + point * distance);
      if (to === from) continue;
      if (hasRoom) {
        for (let point = from; point < to; point++) drawDue(pen, place(point), 15, false);
      } else if (place(to - 1) >= drawn) {
        const width = Math.max(place(to - 1) - place(from), 2);
        pen.fill(place(from), 3, width, 6, colours.late);
        drawn = place(from) + width;
      }
    }
  }, () => {});
}

/** Returns whether a point that was skipped for a cause had a chance of a frame. */
const isMissing = (/** @type {number} */ cause) => !["suspended", "unknown"].includes(causeNames[cause] ?? "unknown");

// MARK: States

/**
 * Returns the times in which a state of the program had a value.
 * @param {ProgramState} state
 */
function stateSpans(state) {
  /** @type {{start: number, length: number, value: number}[]} */
  const spans = [];
  for (let i = 0; i < state.start.length; i++) {
    const end = i + 1 < state.start.length ? state.start[i + 1] : statesEnd;
    if (state.value[i] > 0) spans.push({ start: state.start[i], length: Math.max(end - state.start[i], 0), value: state.value[i] - 1 });
  }
  return spans;
}

/**
 * Creates the lane of a state of the program: its values, one after the other.
 * @param {ProgramState} state
 */
export function stateLane(state) {
  const all = stateSpans(state), values = [...new Set(all.map(({ value }) => value))];
  const spans = all.map(({ start, length, value }) => ({
    start, length, label: names[value], outlined: true,
    words: "state " + short(state.name, 80) + ": " + short(names[value], 80) + ", " + duration(length) + " from " + moment(start),
    fill: () => (values.indexOf(value) % 2 === 0 ? colours.shade : colours["busy-soft"]),
  }));
  return spanLane("state " + state.name, spans, { note: statesEnd < spanNs ? "changes up to " + moment(statesEnd) + " only" : "" });
}

/**
 * Returns the values that a state has in a time range, in words.
 * @param {ProgramState} state
 * @param {number} a
 * @param {number} b
 */
export function stateWords(state, a, b) {
  const values = new Set(stateSpans(state).filter(({ start, length }) => start < b && start + length > a).map(({ value }) => value));
  const shown = [...values].slice(0, 6).map((value) => short(names[value], 80)).join(", ");
  return values.size > 6 ? shown + " and " + counted(values.size - 6, "more value") : shown || "no value";
}
