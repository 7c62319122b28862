// @ts-check
// The description of one stall below its flame graph: the facts and the representative stack.

import { element, isolated, part } from "./report-page.js";
import { duration, moment, short } from "./report-format.js";
import { frameWords, framesOf, placeOf, stackFrames, stackFunctions } from "./report-stacks.js";
import { threads } from "./report-data.js";

/** @typedef {import("./report-stacks.js").Stall} Stall */

/**
 * Shows all facts about one stall: the blamed function, the cause, the confidence, and the stack that represents most
 * of it. Hides the description when `stall` is undefined.
 * @param {Stall | undefined} stall
 */
export function describeStall(stall) {
  const box = part("flame-stall", HTMLElement);
  box.hidden = !stall;
  box.replaceChildren();
  if (!stall) return;
  const thread = threads.find(({ index }) => index === stall.thread);
  const line = (/** @type {string} */ name, /** @type {string} */ words) => {
    if (!words) return;
    const made = element("p");
    made.append(element("b", name), " ", isolated(words));
    box.append(made);
  };
  line("Stall", duration(stall.length) + " at " + moment(stall.start) + " after " + stall.after + (thread ? ", thread " + thread.name : "") + (stall.callout ? ", in " + short(stall.callout, 80) : ""));
  line("Blamed", stall.blamed === undefined ? "no function of the program itself" : frameWords(stall.blamed, 120) + " for " + duration(stall.blamedNs));
  line("Cause", (stall.cause || "no rule applies") + (stall.rule ? ", by rule " + stall.rule : ""));
  line("Confidence", stall.confidence + (stall.why.length > 0 ? ": " + stall.why.join("; ") : ""));
  line("Thread", stall.facts.join("; "));
  line("Remedy", stall.remedy);
  stackList(box, "The stack with the longest time in this stall", stall.point, stall.blamed);
  if (stall.owner) stackList(box, (stall.owner.isDeadlock ? "Deadlock with " : "It waits for ") + stall.owner.name, stall.owner.point, undefined);
}

/**
 * Adds a stack, innermost frame first, below a title that opens and closes it.
 * @param {HTMLElement} box
 * @param {string} title
 * @param {number | undefined} node
 * @param {number | undefined} blamed
 */
function stackList(box, title, node, blamed) {
  const details = element("details"), list = element("ol", "", { class: "stack" });
  const summary = element("summary");
  summary.append(isolated(title));
  for (const frame of framesOf(node).reverse()) {
    const { name, image, isOwn } = stackFunctions[stackFrames[frame].function];
    const item = element("li", "", { class: [isOwn ? "own" : "", frame === blamed ? "blamed" : ""].filter(Boolean).join(" ") });
    item.append(isolated(short(name, 200)), " ", element("span", [placeOf(stackFrames[frame]), image, frame === blamed ? "blamed" : ""].filter(Boolean).join(" · "), { class: "quiet" }));
    list.append(item);
  }
  details.append(summary, list);
  details.open = blamed !== undefined;
  if (list.childElementCount > 0) box.append(details); else if (blamed === undefined) box.append(element("p", title));
}
