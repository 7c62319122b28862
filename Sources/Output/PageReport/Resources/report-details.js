// @ts-check
// The details of one mark of the timeline, docked beside the lanes, with buttons for the previous and the next mark.

import { causeNames } from "./report-vocabulary.js";
import { element, isolated, part } from "./report-page.js";
import { modeNames, spanNs } from "./report-data.js";
import { duration, moment } from "./report-format.js";
import { blockerOf, nearestPoint, outcomeWords } from "./report-marks.js";
import { draw, placeOverlays, show, timeline } from "./report-timeline.js";

/** @typedef {import("./report-data.js").Timer} Timer */
/** @typedef {{lane: any, canvas: HTMLCanvasElement}} Row */

/** @type {Row | null} */
let current = null;

/**
 * Returns the facts about a due point, each a name and a value, and the callout that delayed it.
 * @param {Timer} timer
 * @param {number} i
 */
function pointFacts(timer, i) {
  const due = timer.due[i], late = timer.late[i], blocker = blockerOf(timer, i);
  /** @type {[string, string][]} */
  const facts = [["due", moment(due, 1)]];
  if (timer.outcome[i] === 0) facts.push(["fired", moment(due + late, 1)], ["lateness", late > 0 ? duration(late) : "none"]);
  if (timer.count[i] > 1) facts.push(["points", String(timer.count[i]) + " within " + duration(timer.stretch[i])]);
  facts.push(["cause", causeNames[timer.cause[i]] || "not known"]);
  const mode = modeNames[timer.mode[i]];
  if (mode !== undefined) facts.push(["mode", mode]);
  if (blocker) facts.push(["callout", blocker.name + ", " + duration(blocker.ran) + " of the lateness"]);
  return { facts, blocker };
}

/**
 * @param {Row} row
 * @param {number} time
 */
export function showDetails(row, time) {
  const box = part("details", HTMLElement), slack = (timeline.view.b - timeline.view.a) / 100, { lane } = row;
  current = row;
  timeline.cursor = time;
  timeline.blamed = null;
  const head = element("h3"), close = element("button", "Close", { type: "button" });
  head.append(isolated(lane.title));
  const lines = element("div"), point = lane.timer ? nearestPoint(lane.timer, time, slack) : -1;
  const found = point >= 0 ? { words: outcomeWords(lane.timer, point), ...pointFacts(lane.timer, point) } : lane.detailsAt?.(time, slack);
  if (found) {
    const { facts, blocker } = found, list = element("dl", "", { class: "facts" });
    for (const [name, value] of facts) {
      const line = element("div"), known = element("dd");
      known.append(isolated(value));
      line.append(element("dt", name), known);
      list.append(line);
    }
    lines.append(element("p", found.words), list);
    if (blocker) timeline.blamed = { ...blocker, row, at: lane.timer.due[point] + lane.timer.late[point] };
  } else {
    const said = lane.at(time, slack);
    for (const words of said.length > 0 ? said : ["nothing at this moment"]) { const line = element("p"); line.append(isolated(words)); lines.append(line); }
  }
  const previous = stepButton("‹ Previous", -1), next = stepButton("Next ›", 1), bar = element("div", "", { class: "toolbar" });
  bar.append(previous, next, close);
  close.addEventListener("click", hideDetails);
  box.replaceChildren(head, element("p", moment(time, slack / 10), { class: "quiet" }), lines, bar);
  box.hidden = false;
  draw();
}

/**
 * @param {string} words
 * @param {number} direction
 */
function stepButton(words, direction) {
  const to = current?.lane.step?.(timeline.cursor ?? 0, direction) ?? null;
  const button = element("button", words, { type: "button", "data-step": String(direction) });
  button.disabled = to === null;
  button.addEventListener("click", () => {
    if (to === null || !current) return;
    const { a, b } = timeline.view;
    if (to < a || to > b) show(Math.max(to - (b - a) / 2, 0), Math.min(to + (b - a) / 2, spanNs));
    showDetails(current, to);
    /** @type {HTMLButtonElement | null} */ (part("details", HTMLElement).querySelector(`[data-step="${direction}"]`))?.focus();
  });
  return button;
}

export function hideDetails() {
  part("details", HTMLElement).hidden = true;
  current = timeline.blamed = null;
  placeOverlays();
  draw();
}
