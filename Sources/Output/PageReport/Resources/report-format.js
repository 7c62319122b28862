// @ts-check
// Formats numbers and moments for people.

import { origin, spanNs } from "./report-data.js";

/** @type {[string, number][]} */
const units = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];

/** @param {any} value */
export function significant(value) {
  return value < 9.995 ? value.toFixed(2) : value < 99.95 ? value.toFixed(1) : String(Math.round(value));
}

/**
 * Returns a length with three digits and a unit, as in the tables.
 * @param {number} ns
 */
export function duration(ns) {
  if (ns < 999.5) return Math.round(ns) + " ns";
  if (ns < 999500) return significant(ns / 1e3) + " µs";
  if (ns < 999500000) return significant(ns / 1e6) + " ms";
  return significant(ns / 1e9) + " s";
}

/**
 * Returns an integer with thin spaces.
 * @param {any} value
 */
export function grouped(value) {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/**
 * @param {any} count
 * @param {string} one
 */
export function counted(count, one, many = one + "s") {
  return grouped(count) + " " + (count === 1 ? one : many);
}

/**
 * Converts nanoseconds since the beginning of the span to exact nanoseconds since the recording's origin.
 * @param {number} ns
 */
function exactly(ns) {
  return origin + BigInt(Math.round(ns));
}

/**
 * Returns a moment with as many digits as a step of `step` nanoseconds needs.
 * @param {number} ns
 */
export function moment(ns, step = 1000) {
  const all = exactly(ns);
  const digits = Math.min(9, Math.max(0, 9 - Math.floor(Math.log10(Math.max(step, 1)))));
  const whole = all / 1000000000n, part = String(all % 1000000000n).padStart(9, "0").slice(0, digits);
  return whole + (digits > 0 ? "." + part : "") + " s";
}

/**
 * Returns a step of 1, 2 or 5 for an axis: about one for each `wanted` part of `length`.
 * @param {number} length
 * @param {number} wanted
 */
export function niceStep(length, wanted) {
  const rough = Math.max(length / wanted, 1), scale = 10 ** Math.floor(Math.log10(rough));
  for (const factor of [1, 2, 5]) if (factor * scale >= rough) return factor * scale;
  return 10 * scale;
}

/**
 * Returns the label of a moment on an axis that ends at `end`. All labels have one unit.
 * @param {number} ns
 * @param {number} step
 * @param {number} end
 */
export function tickLabel(ns, step, end) {
  const last = exactly(end);
  if (last >= 1000000000n) return moment(ns, step);
  const [name, size] = units.find(([, size]) => Number(last) >= size) ?? units[3];
  return (Number(exactly(ns)) / size).toFixed(Math.max(0, Math.ceil(Math.log10(size / step)))) + " " + name;
}

/**
 * Returns a part of the span as in the address: `from-to`, nanoseconds since the recording's origin.
 * @param {[number, number]} span
 */
export function spanText([a, b]) {
  return exactly(a) + "-" + exactly(b);
}

/**
 * Parses the result of `spanText`; null for any other text.
 * @param {string | null | undefined} text
 * @returns {[number, number] | null}
 */
export function parseSpan(text) {
  const match = /^(\d{1,20})-(\d{1,20})$/.exec(text || "");
  if (!match) return null;
  const a = Number(BigInt(match[1]) - origin), b = Number(BigInt(match[2]) - origin);
  return b > a && b >= 0 && a <= spanNs ? [Math.max(a, 0), Math.min(b, spanNs)] : null;
}

/**
 * Returns a mode's name without the common prefix and suffix. Tooltips and the legend show the whole name.
 * @param {string} name
 */
export function modeWord(name) {
  const word = name.replace(/^(kCFRunLoop|NS|UI)/, "").replace(/(RunLoop)?Mode$/, "");
  return word || name;
}

export const short = (/** @type {string} */ text, limit = 40) => (text.length > limit ? text.slice(0, limit - 1) + "…" : text);
