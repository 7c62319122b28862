// @ts-check
// The sampled stacks of stalls: decoded once, described in words, and added up for the flame graph.

import { column, data, names } from "./report-data.js";
import { counted, duration, short } from "./report-format.js";

/** @typedef {{name: string, image: string, isOwn: boolean}} StackFunction */
/** @typedef {{function: number, file: string, line: number, isInlined: boolean}} StackFrame */
/** @typedef {ReturnType<typeof stallOf>} Stall */
/**
 * A function in a graph, below its caller. `frames` holds the indices of its frames.
 * @typedef {{function: number, total: number, self: number, above: StackNode | null, below: Map<number, StackNode>, frames: Set<number>}} StackNode
 */

const stallData = data.stalls ?? { omitted: 0, rows: [], tree: undefined };
const treeOf = (/** @type {keyof import("./page-data.js").PageStackTree} */ name) => column(stallData.tree?.[name] ?? "");
const named = (/** @type {number} */ number) => (number > 0 ? names[number - 1] : "");

/** @type {StackFunction[]} */
export const stackFunctions = (() => {
  const name = treeOf("name"), image = treeOf("image"), own = treeOf("own");
  return [...name.keys()].map((i) => ({ name: named(name[i]), image: named(image[i]), isOwn: own[i] === 1 }));
})();

/** @type {StackFrame[]} */
export const stackFrames = (() => {
  const of = treeOf("function"), file = treeOf("file"), line = treeOf("line"), inlined = treeOf("inlined");
  return [...of.keys()].map((i) => ({ function: of[i], file: named(file[i]), line: line[i], isInlined: inlined[i] === 1 }));
})();

const nodeAbove = treeOf("parent"), nodeFrame = treeOf("frame");

/**
 * Returns the frames of a stack, outermost first.
 * @param {number | undefined} node
 */
export function framesOf(node) {
  const found = [];
  for (let at = node === undefined ? 0 : node + 1; at > 0; at = nodeAbove[at - 1]) found.push(nodeFrame[at - 1]);
  return found.reverse();
}

/** @param {import("./page-data.js").PageStall} row */
function stallOf(row) {
  const start = column(row.sampled.start, true), length = column(row.sampled.length), node = column(row.sampled.node);
  return {
    place: row.place, start: row.start, length: row.length,
    thread: row.thread, after: row.after, samples: row.samples,
    callout: row.callout === undefined ? "" : names[row.callout],
    blamed: row.blamed, blamedNs: row.blamedNs,
    cause: row.cause ?? "", rule: row.rule ?? "", remedy: row.remedy ?? "",
    confidence: row.confidence, why: row.why, facts: row.facts,
    point: row.point,
    owner: row.owner ? { name: names[row.owner.name], isDeadlock: row.owner.deadlock === true, point: row.owner.point } : null,
    sampled: [...start.keys()].map((i) => ({ start: start[i], length: length[i], node: node[i] })),
  };
}

/** @type {Stall[]} */
export const stalls = stallData.rows.map(stallOf);
export const stallsOmitted = stallData.omitted;

/**
 * Returns the stalls of a thread that overlap a time range.
 * @param {number} thread
 * @param {number} a
 * @param {number} b
 */
export const stallsIn = (thread, a, b) => stalls.filter((stall) => stall.thread === thread && stall.start <= b && stall.start + stall.length >= a);

// MARK: Words

/**
 * Returns the file's name without its folders, and the line.
 * @param {StackFrame} frame
 */
export function placeOf(frame) {
  const file = frame.file.slice(frame.file.lastIndexOf("/") + 1);
  return file && frame.line > 0 ? file + ":" + frame.line : file;
}

/**
 * Returns a description such as `readFiles() main.swift:41`.
 * @param {number} frame
 */
export function frameWords(frame, limit = 80) {
  const place = placeOf(stackFrames[frame]);
  return short(stackFunctions[stackFrames[frame].function].name, limit) + (place ? " " + place : "");
}

/**
 * Returns lines that name the code that held the loop, and the cause.
 * @param {Stall} stall
 */
export function stallWords(stall) {
  const who = stall.blamed === undefined
    ? "no function of the program itself is on its stacks"
    : "blocked " + duration(stall.blamedNs) + " by " + frameWords(stall.blamed);
  return [who, (stall.cause || "cause not known") + ", confidence " + stall.confidence + ", " + counted(stall.samples, "sample")];
}

/**
 * Returns the innermost function and the program's own function that called it: `fsync ‹ readFiles()`.
 * @param {number} node
 */
export function stackWords(node) {
  const frames = framesOf(node), inner = frames.length - 1;
  if (inner < 0) return "";
  let own = inner;
  while (own >= 0 && !stackFunctions[stackFrames[frames[own]].function].isOwn) own--;
  const leaf = stackFunctions[stackFrames[frames[inner]].function].name;
  return own < 0 || own === inner ? leaf : leaf + " ‹ " + stackFunctions[stackFrames[frames[own]].function].name;
}

/**
 * Returns a stack in lines, innermost first.
 * @param {number} node
 */
export function stackLines(node, most = 10) {
  const frames = framesOf(node).reverse(), lines = frames.slice(0, most).map((frame) => frameWords(frame));
  return frames.length > most ? [...lines, "… called by " + (frames.length - most) + " more frames"] : lines;
}

// MARK: Sums

/** Used in place of the outer functions that all stacks share. */
export const sharedCallers = -1;

/**
 * Returns the time that stacks represent, by node.
 * @param {Stall[]} of
 */
function weigh(of) {
  /** @type {Map<number, number>} */
  const weights = new Map();
  for (const stall of of) for (const { node, length } of stall.sampled) weights.set(node, (weights.get(node) ?? 0) + length);
  return weights;
}

/**
 * Outer frames that all stacks share are folded if there are at least `leastFolded` to fold. `sharedShown` of them
 * stay visible, and at least `loneShown` frames of the deepest stack.
 */
const leastFolded = 4, sharedShown = 2, loneShown = 10;

/**
 * Returns the stacks of stalls, outermost frame first, and the number of common outer frames to fold.
 * @param {Stall[]} of
 */
export function stacksOf(of) {
  const stacks = [...weigh(of)].map(([node, ns]) => ({ frames: framesOf(node), ns })).filter(({ frames }) => frames.length > 0);
  const first = stacks[0]?.frames ?? [];
  let shared = first.length;
  for (const { frames } of stacks) {
    let same = 0;
    while (same < shared && same < frames.length && stackFrames[frames[same]].function === stackFrames[first[same]].function) same++;
    shared = same;
  }
  const deepest = stacks.reduce((most, { frames }) => Math.max(most, frames.length), 0);
  const folded = Math.min(shared - sharedShown, deepest - loneShown);
  return { stacks, folded: folded >= leastFolded ? folded : 0, total: stacks.reduce((sum, { ns }) => sum + ns, 0) };
}

/**
 * @param {number} of
 * @param {StackNode | null} above
 * @returns {StackNode}
 */
const nodeOf = (of, above) => ({ function: of, total: 0, self: 0, above, below: new Map(), frames: new Set() });

/**
 * Adds up paths by function. Each path is a list of frames, which may include `sharedCallers`.
 * @param {{path: number[], ns: number}[]} paths
 */
function addUp(paths) {
  const root = nodeOf(NaN, null);
  for (const { path, ns } of paths) {
    let node = root;
    root.total += ns;
    for (const frame of path) {
      const of = frame === sharedCallers ? sharedCallers : stackFrames[frame].function;
      let next = node.below.get(of);
      if (!next) node.below.set(of, next = nodeOf(of, node));
      next.total += ns;
      if (frame !== sharedCallers) next.frames.add(frame);
      node = next;
    }
    node.self += ns;
  }
  return root;
}

/**
 * Returns the tree of calls, from the outermost function inwards.
 * @param {ReturnType<typeof stacksOf>} of
 * @param {boolean} isFolded
 */
export function callTree(of, isFolded) {
  return addUp(of.stacks.map(({ frames, ns }) => ({ path: foldedPath(frames, isFolded ? of.folded : 0), ns })));
}

/**
 * @param {number[]} frames
 * @param {number} folded
 */
const foldedPath = (frames, folded) => (folded > 0 ? [sharedCallers, ...frames.slice(folded)] : frames);

/**
 * Returns the callers of a function, from it outwards, and its callees, from it inwards. For recursion, the outermost
 * call counts.
 * @param {ReturnType<typeof stacksOf>} of
 * @param {number} wanted
 * @param {boolean} isFolded
 */
export function sandwichOf(of, wanted, isFolded) {
  const callers = [], callees = [];
  for (const { frames, ns } of of.stacks) {
    const at = frames.findIndex((frame) => stackFrames[frame].function === wanted);
    if (at < 0) continue;
    const outer = isFolded && at >= of.folded ? foldedPath(frames.slice(0, at), of.folded) : frames.slice(0, at);
    callers.push({ path: [frames[at], ...outer.reverse()], ns });
    callees.push({ path: frames.slice(at), ns });
  }
  return { callers: addUp(callers), callees: addUp(callees) };
}

/**
 * Returns each function once, with its total time and its own time, most time first.
 * @param {ReturnType<typeof stacksOf>} of
 * @param {boolean} isFolded
 */
export function functionSums(of, isFolded) {
  /** @type {Map<number, {function: number, total: number, self: number, frames: Set<number>}>} */
  const sums = new Map();
  for (const { frames, ns } of of.stacks) {
    const seen = new Set();
    frames.forEach((frame, place) => {
      const key = stackFrames[frame].function;
      if (isFolded && place < of.folded) return;
      const sum = sums.get(key) ?? { function: key, total: 0, self: 0, frames: new Set() };
      sums.set(key, sum);
      sum.frames.add(frame);
      if (!seen.has(key)) sum.total += ns;
      if (place === frames.length - 1) sum.self += ns;
      seen.add(key);
    });
  }
  return [...sums.values()].sort((x, y) => y.total - x.total || y.self - x.self);
}
