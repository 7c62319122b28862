// The lanes of the time line: what each shows, and how it is drawn.

const colours = {};

/** Colours are in the style sheet, for both themes. */
function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["paper", "ink", "quiet", "line", "shade", "veil", "late", "busy", "busy-soft", "mode-0", "mode-1", "mode-2", "mode-3", "mode-4", "mode-5"]) {
    colours[name] = style.getPropertyValue("--" + name).trim();
  }
  patterns.clear();
}

const patterns = new Map();

/** A fill that is told apart without its colour: stripes at an angle, by number. */
function pattern(context, colour, number) {
  const key = colour + number;
  if (!patterns.has(key)) {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 8;
    const pen = tile.getContext("2d");
    pen.strokeStyle = colour;
    pen.fillStyle = colour;
    pen.globalAlpha = number === 0 ? 0.85 : 0.3;
    pen.fillRect(0, 0, 8, 8);
    pen.globalAlpha = 1;
    pen.lineWidth = 2;
    const lines = [[], [[-2, 10, 10, -2], [-6, 6, 6, -6], [2, 14, 14, 2]], [[-2, -2, 10, 10], [-6, 2, 6, 14], [2, -6, 14, 6]], [[4, 0, 4, 8]], [[0, 4, 8, 4]], [[4, 0, 4, 8], [0, 4, 8, 4]]][number % 6];
    for (const [x, y, x2, y2] of lines) { pen.beginPath(); pen.moveTo(x, y); pen.lineTo(x2, y2); pen.stroke(); }
    patterns.set(key, context.createPattern(tile, "repeat"));
  }
  return patterns.get(key);
}

const modeFill = (context, mode) => pattern(context, colours["mode-" + (mode % 6)], mode % 6);

/** What a lane is drawn with: the canvas's context and size, and the visible part of time. */
class Pen {
  constructor(canvas, view) {
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    this.context = canvas.getContext("2d");
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, width, height);
    Object.assign(this, { width, height, a: view.a, b: view.b, scale: width / (view.b - view.a) });
  }
  x(time) { return (time - this.a) * this.scale; }
  fill(x, y, width, height, style) {
    // To set a colour costs more than to fill with it.
    if (style !== this.style) this.context.fillStyle = this.style = style;
    this.context.fillRect(x, y, width, height);
  }
  label(text, x, y, room, colour = colours.ink) {
    if (room < 24) return;
    this.context.font = "11px system-ui, sans-serif";
    this.context.fillStyle = this.style = colour;
    const letters = Math.floor((room - 6) / 6);
    if (letters >= 3) this.context.fillText(short(text, letters), x + 3, y);
  }
}

/** Draws shares of each pixel's time, stacked from below: `times[category][pixel]` in nanoseconds. */
function drawShares(pen, times, fills, top, height, flat) {
  const pixels = times.length > 0 ? times[0].length : 0, stacked = new Float64Array(pixels);
  times.forEach((time, category) => {
    // Neighbours of one height are one rectangle.
    let from = 0, y = -1, tall = 0;
    for (let x = 0; x <= pixels; x++) {
      const share = x < pixels && time[x] > 0 ? Math.max(Math.round(Math.min(time[x] * pen.scale, 1) * height), 1) : 0;
      const low = x < pixels ? Math.max(top + height - stacked[x] - share, top) : -1;
      if (x < pixels && share === tall && low === y) continue;
      if (tall > 0) pen.fill(from, y, x - from, tall, x - from < 4 && flat ? flat[category] : fills[category]);
      [from, y, tall] = [x, low, share];
    }
    for (let x = 0; x < pixels; x++) if (time[x] > 0) stacked[x] += Math.max(Math.round(Math.min(time[x] * pen.scale, 1) * height), 1);
  });
}

/** Single spans where they are kept, else sums: `category` of a shape, null = not drawn. */
function drawSpans(pen, thread, sets, fills, category, binNames, top, height, words, flat) {
  const pixels = Math.max(1, Math.ceil(pen.width));
  const times = fills.map(() => new Float64Array(pixels));
  const putShare = (into, a, b, share) => {
    const x0 = pen.x(a), x1 = pen.x(b);
    const first = Math.max(0, Math.floor(x0)), last = Math.min(pixels - 1, Math.ceil(x1) - 1);
    for (let x = first; x <= last; x++) into[x] += share * (Math.min(x1, x + 1) - Math.max(x0, x)) / pen.scale;
  };
  const wide = [], kindOf = shapes.map((_, shape) => category(shape));
  const single = (a, b) => {
    for (const set of sets) {
      for (let i = set.first(a); i < set.start.length && set.start[i] < b; i++) {
        const shape = set.shape[i], kind = kindOf[shape];
        if (kind === null) continue;
        const from = Math.max(set.start[i], a), to = Math.min(set.end[i], b);
        if ((to - from) * pen.scale >= 2) wide.push([from, to, kind, shape, set.end[i] - set.start[i]]);
        else putShare(times[kind], from, to, 1);
      }
    }
  };
  const bins = thread.bins;
  const summed = (a, b) => {
    const [from, to] = binRange(bins, a, b);
    for (const [name, kind] of binNames) {
      const sums = bins.of(name), into = times[kind];
      for (let i = from; i < to; i++) {
        if (sums[i] > 0) putShare(into, Math.max(i * bins.width, a), Math.min((i + 1) * bins.width, b), sums[i] / bins.width);
      }
    }
  };
  eachPart(thread.detail, pen, single, summed);
  drawShares(pen, times, fills, top, height, flat);
  for (const [a, b, kind, shape, length] of wide) {
    const x = Math.max(pen.x(a), -2), right = Math.min(pen.x(b), pen.width + 2);
    pen.fill(x, top, Math.max(right - x, 1), height, fills[kind]);
    if (words && right - x >= 4) pen.fill(right - 0.5, top, 0.5, height, colours.paper);
    if (words) pen.label(words(shape, length), Math.max(x, 0), top + height / 2 + 4, right - Math.max(x, 0));
  }
}

/** Cuts the visible time into parts with single marks and parts with sums. */
function eachPart(detail, pen, single, summed) {
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

/** A dotted line below what stands for many. */
function markSummed(pen, detail) {
  eachPart(detail, pen, () => {}, (a, b) => {
    for (let x = Math.floor(pen.x(a) / 4) * 4; x < pen.x(b); x += 4) pen.fill(x, pen.height - 1.5, 2, 1.5, colours.quiet);
  });
}

// MARK: Lanes of a thread

const phaseFills = () => [colours["busy-soft"], colours.busy];
/** What serves callouts, and lays out and draws, is what takes time: it is dark. */
const phaseCategory = [0, 0, 0, 1, 1, null, 1, 0];

function modeLane(thread) {
  return {
    title: "mode", thread, height: 22, detail: thread.detail,
    draw(pen) {
      const order = thread.modes, place = new Map(order.map((mode, i) => [mode, i]));
      const fills = order.map((mode) => modeFill(pen.context, mode));
      drawSpans(pen, thread, [thread.phases], fills, (shape) => place.get(shapes[shape][1]) ?? order.length - 1,
        order.map((_, i) => ["mode" + i, i]), 3, pen.height - 6, null,
        order.map((mode) => colours["mode-" + (mode % 6)]));
      this.name(pen);
      markSummed(pen, thread.detail);
    },
    /** Names stand where one mode runs for long. */
    name(pen) {
      if (!thread.detail.covers(pen.a, pen.b)) return;
      let from = null, mode = null, end = null;
      const flush = () => {
        if (from === null) return;
        const x = Math.max(pen.x(from), 0), right = Math.min(pen.x(end), pen.width);
        const text = short(modeNames[mode], 28);
        if (right - x > 40) {
          pen.context.font = "11px system-ui, sans-serif";
          const width = Math.min(pen.context.measureText(text).width + 8, right - x - 4);
          pen.fill(x + 2, 4, width, pen.height - 8, colours.paper);
          pen.label(text, x + 2, pen.height / 2 + 4, width);
        }
      };
      eachSpan(thread.phases, pen.a, pen.b, (start, stop, shape) => {
        if (shapes[shape][1] !== mode || start - end > 3 / pen.scale) {
          flush();
          [from, mode] = [start, shapes[shape][1]];
        }
        end = stop;
      });
      flush();
    },
    at(time, slack) { return wordsAt(thread, [thread.phases], time, slack, (shape) => "mode " + modeNames[shapes[shape][1]]); },
  };
}

function phaseLane(thread) {
  return {
    title: "phases", thread, height: 26, detail: thread.detail,
    draw(pen) {
      drawSpans(pen, thread, [thread.phases], phaseFills(), (shape) => phaseCategory[shapes[shape][0]],
        [0, 1, 2, 3, 4, 6, 7].map((phase) => ["phase" + phase, phaseCategory[phase]]), 3, pen.height - 6,
        (shape) => phaseNames[shapes[shape][0]]);
      markSummed(pen, thread.detail);
    },
    at(time, slack) { return wordsAt(thread, [thread.phases, ...thread.passes], time, slack); },
  };
}

function calloutLane(thread) {
  const rows = Math.max(thread.callouts.length, 1);
  return {
    title: "callouts", thread, height: 6 + rows * 18, detail: thread.detail,
    draw(pen) {
      for (let row = 0; row < rows; row++) {
        const sets = thread.callouts[row] ? [thread.callouts[row]] : [];
        drawSpans(pen, thread, sets, [colours["busy-soft"]], () => 0, row === 0 ? [["callouts", 0]] : [], 3 + row * 18, 16,
          (shape) => names[shapes[shape][3]]);
      }
      markSummed(pen, thread.detail);
    },
    at(time, slack) { return wordsAt(thread, thread.callouts, time, slack); },
  };
}

/** What is known of a moment of a thread, in lines. */
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

function binWords(thread, time) {
  const bins = thread.bins, [i] = binRange(bins, time, time);
  const found = threadStatistics(thread, i * bins.width, (i + 1) * bins.width);
  return [
    "this column stands for " + duration(bins.width) + ": " + counted(bins.of("passes")[i], "pass", "passes") + ", " + counted(bins.of("calloutCount")[i], "callout"),
    "busy " + duration(found.busy) + ", waiting " + duration(found.waiting) + (found.worst > 0 ? ", longest without a wait " + duration(found.worst) : ""),
    "single marks were not kept here",
  ];
}

// MARK: Lanes of spans

/** Spans from the analysis, all of them, each `{start, length, words}`. */
function spanLane(title, spans, options) {
  return {
    title, height: 22, ...options,
    draw(pen) {
      let lastX = -1;
      for (const span of spans) {
        if (span.start + span.length < pen.a || span.start > pen.b) continue;
        const x = Math.max(pen.x(span.start), -2), right = Math.min(pen.x(span.start + span.length), pen.width + 2);
        const width = Math.max(right - x, 2);
        const fill = span.fill(pen.context);
        pen.fill(x, 3, width, pen.height - 6, fill);
        if (span.outlined) { pen.context.strokeStyle = colours.quiet; pen.context.strokeRect(x + 0.5, 3.5, width - 1, pen.height - 7); }
        if (x > lastX) pen.label(span.label, Math.max(x, 0), pen.height / 2 + 4, right - Math.max(x, 0), span.ink ? colours[span.ink] : colours.ink);
        lastX = right;
      }
    },
    at(time, slack) {
      return spans.filter((span) => span.start - slack <= time && time <= span.start + span.length + slack).slice(0, 4).map((span) => span.words);
    },
  };
}

function lifeLane() {
  const spans = data.life.map((life) => ({
    start: life.start, length: life.length, label: names[life.name], outlined: true,
    words: life.what + " " + names[life.name] + ", " + duration(life.length) + " from " + moment(life.start),
    fill: () => (life.what === "phase" ? colours.shade : colours["busy-soft"]),
  }));
  for (const [start, length] of data.suspensions) {
    spans.push({ start, length, label: "suspended", outlined: true, words: "suspended for " + duration(length) + " from " + moment(start), fill: (context) => pattern(context, colours.quiet, 1) });
  }
  return spanLane("life cycle", spans, {});
}

function gapLane(thread) {
  const spans = data.gaps.filter((gap) => gap.thread === thread.index).sort((a, b) => a.start - b.start).map((gap) => ({
    start: gap.start, length: gap.length, label: duration(gap.length), ink: "paper",
    words: "gap of " + duration(gap.length) + " after " + gap.after + (gap.callout === undefined ? "" : ": " + short(names[gap.callout], 80)),
    fill: () => colours.late,
  }));
  return spans.length > 0 ? spanLane("gaps", spans, { thread }) : null;
}

// MARK: Lanes of timers

/** Due points hollow above the line, fires filled below, what lies between is lateness; skipped ones have a cross. */
function timerLane(timer) {
  return {
    title: timer.name, note: timer.kind, timer, height: 40, detail: timer.detail,
    draw(pen) { drawTimer(pen, timer); },
    at(time, slack) {
      if (!timer.detail.covers(time, time)) return pointBinWords(timer, time);
      let best = -1, distance = slack;
      for (let i = firstPoint(timer, time - slack); i < timer.due.length && timer.due[i] <= time + slack; i++) {
        const to = timer.due[i] + Math.max(timer.stretch[i], timer.late[i]);
        const off = time < timer.due[i] ? timer.due[i] - time : time > to ? time - to : 0;
        if (off <= distance) [best, distance] = [i, off];
      }
      return best < 0 ? [] : [pointWords(timer, best)];
    },
  };
}

function pointBinWords(timer, time) {
  const [i] = binRange(timer.bins, time, time);
  const found = timerStatistics(timer, i * timer.bins.width, (i + 1) * timer.bins.width);
  return [
    "this column stands for " + duration(timer.bins.width) + ": " + grouped(timer.bins.of("fired")[i]) + " fired, " + grouped(timer.bins.of("skipped")[i]) + " skipped" + (found.worst > 0 ? ", worst late " + duration(found.worst) : ""),
    "single points were not kept here",
  ];
}

function drawTimer(pen, timer) {
  const middle = pen.height / 2, pixels = Math.max(1, Math.ceil(pen.width));
  const sums = { fired: new Float64Array(pixels), skipped: new Float64Array(pixels), causes: new Int8Array(pixels).fill(-1) };
  const few = [];
  eachPart(timer.detail, pen, (a, b) => {
    const first = firstPoint(timer, a);
    let many = 0;
    for (let i = first; i < timer.due.length && timer.due[i] < b; i++) { const [from, to] = pointsIn(timer, i, a, b); many += to - from; }
    if (many > Math.max(pen.width * (b - a) / (pen.b - pen.a) / 3, 3)) addCrowd(pen, timer, a, b, first, sums);
    else few.push([a, b, first]);
  }, (a, b) => addPointSums(pen, timer, a, b, sums));
  drawColumns(pen, sums.fired, sums.skipped, sums.causes, middle);
  for (const [a, b, first] of few) drawPoints(pen, timer, a, b, middle, first);
  pen.fill(0, middle - 0.5, pen.width, 1, colours.line);
  markSummed(pen, timer.detail);
}

function causeFill(context, cause) {
  if (cause === wrongMode) return pattern(context, colours.late, 1);
  if (cause === busyCause || cause === 3) return colours["busy-soft"];
  if (cause === 7 || cause === 6) return null;
  return pattern(context, colours.quiet, 2);
}

function drawPoints(pen, timer, a, b, middle, first) {
  const context = pen.context;
  for (let i = first; i < timer.due.length && timer.due[i] < b; i++) {
    const end = timer.due[i] + Math.max(timer.stretch[i], timer.late[i]);
    if (end < a) continue;
    const band = timer.outcome[i] === 0 && timer.late[i] * pen.scale < 2 ? null : causeFill(context, timer.cause[i]);
    const x = pen.x(timer.due[i]), right = pen.x(end);
    if (band) pen.fill(Math.max(x, -2), 3, Math.min(Math.max(right - x, 2), pen.width + 4), pen.height - 6, band);
    const [from, to] = pointsIn(timer, i, a, b);
    const distance = timer.count[i] > 1 ? timer.stretch[i] / (timer.count[i] - 1) : 0;
    for (let point = from; point < to; point++) drawDue(pen, pen.x(timer.due[i] + point * distance), middle, timer.outcome[i]);
    if (timer.outcome[i] === 0 || timer.outcome[i] === 4) {
      const fired = pen.x(timer.due[i] + timer.late[i]);
      if (fired - x > 1) pen.fill(Math.max(x, -2), middle - 1, Math.min(fired - Math.max(x, -2), pen.width), 2, colours.late);
      pen.fill(fired - 1.5, middle + 2, 3, 11, timer.late[i] > 1e6 ? colours.late : colours.busy);
    }
  }
}

/** A point above the line: hollow, with a cross when it never fired. */
function drawDue(pen, x, middle, outcome) {
  const context = pen.context, top = middle - 13;
  // On what shows why it was late, it stands out.
  if (outcome !== 0 && outcome !== 4) pen.fill(x - 4, top - 1, 8, 13, colours.paper);
  context.lineWidth = 1;
  context.strokeStyle = outcome === 0 || outcome === 4 ? colours.quiet : colours.late;
  context.strokeRect(x - 1.5, top, 3, 11);
  if (outcome !== 0 && outcome !== 4) {
    context.beginPath();
    context.moveTo(x - 3, top + 3); context.lineTo(x + 3, top + 9);
    context.moveTo(x + 3, top + 3); context.lineTo(x - 3, top + 9);
    context.stroke();
  }
}

/** More points than pixels: how many of a column's were fired and skipped. */
function addCrowd(pen, timer, a, b, first, { fired, skipped, causes }) {
  const pixels = fired.length;
  for (let i = first; i < timer.due.length && timer.due[i] < b; i++) {
    const [from, to] = pointsIn(timer, i, a, b);
    const distance = timer.count[i] > 1 ? timer.stretch[i] / (timer.count[i] - 1) : 0;
    const isFire = timer.outcome[i] === 0 || timer.outcome[i] === 4;
    for (let point = from; point < to; point++) {
      const x = Math.floor(pen.x(timer.due[i] + point * distance));
      if (x < 0 || x >= pixels) continue;
      (isFire ? fired : skipped)[x]++;
      if (!isFire) causes[x] = timer.cause[i];
    }
    if (isFire && timer.late[i] * pen.scale >= 1) {
      const to = Math.min(pixels - 1, Math.floor(pen.x(timer.due[i] + timer.late[i])));
      for (let x = Math.max(0, Math.floor(pen.x(timer.due[i]))); x <= to; x++) if (causes[x] < 0) causes[x] = timer.cause[i];
    }
  }
}

function addPointSums(pen, timer, a, b, { fired, skipped, causes }) {
  const bins = timer.bins, [from, to] = binRange(bins, a, b), pixels = fired.length;
  const [done, dropped, withdrawn, pending] = ["fired", "skipped", "withdrawn", "pending"].map((name) => bins.of(name));
  const reasons = causeNames.map((_, cause) => bins.of("cause" + cause));
  for (let i = from; i < to; i++) {
    const x0 = pen.x(Math.max(i * bins.width, a)), x1 = pen.x(Math.min((i + 1) * bins.width, b));
    const missed = dropped[i] + withdrawn[i] + pending[i];
    let cause = -1;
    if (missed > 0) for (let c = 0, most = 0; c < 8; c++) if (reasons[c][i] > most) { cause = c; most = reasons[c][i]; }
    // Each pixel has its part of the bin.
    for (let x = Math.max(0, Math.floor(x0)); x <= Math.min(pixels - 1, Math.ceil(x1) - 1); x++) {
      const part = (Math.min(x1, x + 1) - Math.max(x0, x)) / (bins.width * pen.scale);
      fired[x] += done[i] * part;
      skipped[x] += missed * part;
      if (missed > 0) causes[x] = cause;
    }
  }
}

/** Above the line the points that were due, those that never fired in front; below it those that fired. */
function drawColumns(pen, fired, skipped, causes, middle) {
  let most = 0;
  for (let x = 0; x < fired.length; x++) most = Math.max(most, fired[x] + skipped[x]);
  if (most === 0) return;
  const room = middle - 5, scaled = (value) => Math.max(Math.round(value / most * room), 2);
  drawRuns(pen, fired.length, (x) => (causes[x] < 0 ? null : causeFill(pen.context, causes[x])), () => [3, pen.height - 6]);
  for (const [counts, fill, isAbove] of [[fired.map((count, x) => count + skipped[x]), colours.line, true], [skipped, colours.late, true], [fired, colours["busy-soft"], false]]) {
    drawRuns(pen, counts.length, (x) => (counts[x] > 0 ? fill : null), (x) => (isAbove ? [middle - 1 - scaled(counts[x]), scaled(counts[x])] : [middle + 1, scaled(counts[x])]));
  }
}

/** Columns of a pixel; neighbours that are alike are one rectangle. */
function drawRuns(pen, pixels, fillOf, boxOf) {
  let from = 0, fill = null, top = 0, height = 0;
  for (let x = 0; x <= pixels; x++) {
    const next = x < pixels ? fillOf(x) : null, [y, tall] = next ? boxOf(x) : [0, 0];
    if (x < pixels && next === fill && y === top && tall === height) continue;
    if (fill) pen.fill(from, top, x - from, height, fill);
    [from, fill, top, height] = [x, next, y, tall];
  }
}
