// What lies in a part of time: for drawing, for the pointer, and for the statistics of a selection.

/** Calls `body` with begin, end and shape of each of a set's spans in a part of time. */
function eachSpan(set, a, b, body) {
  for (let i = set.first(a); i < set.start.length && set.start[i] < b; i++) body(set.start[i], set.end[i], set.shape[i], i);
}

/** The points of a skipped row are at equal distances: those with index from…to lie in a part of time. */
function pointsIn(timer, i, a, b) {
  const count = timer.count[i], due = timer.due[i];
  if (count <= 1) return due >= a && due < b ? [0, 1] : [0, 0];
  const distance = timer.stretch[i] / (count - 1);
  if (distance <= 0) return due >= a && due < b ? [0, count] : [0, 0];
  const from = Math.max(0, Math.ceil((a - due) / distance - 1e-9));
  const to = Math.min(count, Math.ceil((b - due) / distance - 1e-9));
  return [from, Math.max(from, to)];
}

/** The first mark of a timer that may reach into the time behind `time`. */
function firstPoint(timer, time) {
  let low = 0, high = timer.due.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timer.due[middle] >= time) high = middle; else low = middle + 1;
  }
  // Rows of skipped points and late fires before it reach into it.
  while (low > 0 && timer.due[low - 1] + Math.max(timer.stretch[low - 1], timer.late[low - 1]) >= time) low--;
  return Math.max(0, low - 1);
}

/** The parts of a bin set that lie in a part of time, rounded outwards. */
function binRange(bins, a, b) {
  const from = Math.min(bins.count - 1, Math.max(0, Math.floor(a / bins.width)));
  return [from, Math.min(bins.count, Math.max(from + 1, Math.ceil(b / bins.width)))];
}

/** Instead of a mode: sums that several share. */
const severalModes = -1;

/** What a thread did in a part of time. Without marks, of whole columns, and `from`, `to` say of which. */
function threadStatistics(thread, a, b) {
  const result = { isExact: thread.detail.covers(a, b), from: a, to: b, passes: 0, busy: 0, waiting: 0, worst: 0, callouts: 0, modes: new Map() };
  if (result.isExact) {
    let busySince = null;
    eachSpan(thread.phases, a, b, (start, end, shape) => {
      const [what, mode] = shapes[shape];
      const from = Math.max(start, a), to = Math.min(end, b);
      result.modes.set(mode, (result.modes.get(mode) || 0) + to - from);
      if (what === waiting) {
        result.waiting += to - from;
        if (busySince !== null) result.worst = Math.max(result.worst, from - busySince);
        busySince = to;
      } else {
        result.busy += to - from;
        if (busySince === null) busySince = from;
      }
      result.last = to;
      result.lastIsBusy = what !== waiting;
    });
    if (busySince !== null && result.lastIsBusy) result.worst = Math.max(result.worst, result.last - busySince);
    for (const set of thread.passes) eachSpan(set, a, b, (start) => { if (start >= a) result.passes++; });
    for (const set of thread.callouts) eachSpan(set, a, b, (start) => { if (start >= a) result.callouts++; });
  } else {
    const bins = thread.bins, [from, to] = binRange(bins, a, b);
    result.from = from * bins.width;
    result.to = Math.min(to * bins.width, spanNs);
    for (let i = from; i < to; i++) {
      for (let phase = 0; phase < phaseNames.length; phase++) result[phase === waiting ? "waiting" : "busy"] += bins.of("phase" + phase)[i];
      thread.modes.forEach((mode, place) => {
        const time = bins.of("mode" + place)[i];
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

/** What became of a timer's due points in a part of time. */
function timerStatistics(timer, a, b) {
  const result = { isExact: timer.detail.covers(a, b), from: a, to: b, fired: 0, skipped: 0, withdrawn: 0, pending: 0, worst: 0, causes: new Float64Array(16) };
  if (result.isExact) {
    for (let i = firstPoint(timer, a); i < timer.due.length && timer.due[i] < b; i++) {
      const [from, to] = pointsIn(timer, i, a, b);
      if (to === from) continue;
      const outcome = outcomeNames[timer.outcome[i]] || outcomeNames[0];
      result[outcome] += to - from;
      if (outcome !== "fired" || timer.late[i] > 0) result.causes[timer.cause[i]] += to - from;
      if (outcome === "fired") result.worst = Math.max(result.worst, timer.late[i]);
    }
  } else {
    const bins = timer.bins, [from, to] = binRange(bins, a, b);
    result.from = from * bins.width;
    result.to = Math.min(to * bins.width, spanNs);
    for (let i = from; i < to; i++) {
      for (const name of outcomeNames) result[name] += bins.of(name)[i];
      result.worst = Math.max(result.worst, bins.of("worst")[i]);
      for (let cause = 0; cause < causeNames.length; cause++) result.causes[cause] += bins.of("cause" + cause)[i];
    }
  }
  result.due = result.fired + result.skipped + result.withdrawn + result.pending;
  return result;
}

/** A span's shape in words. */
function shapeWords(shape, length) {
  const [what, mode, depth, name] = shapes[shape];
  const inMode = ", " + short(modeNames[mode]);
  if (what === 0) return "pass of " + duration(length) + (depth > 0 ? ", nested" : "") + inMode;
  if (what >= firstCallout) return kinds[what - firstCallout] + " “" + short(names[name], 80) + "”, " + duration(length) + inMode;
  return (what === waiting ? "waiting, " : "phase " + phaseNames[what] + ", ") + duration(length) + inMode + (depth > 0 ? ", nested " + depth + " deep" : "");
}

function pointWords(timer, i) {
  const cause = causeNames[timer.cause[i]] || "cause not known";
  const outcome = outcomes[timer.outcome[i]];
  if (timer.outcome[i] === 0) return "due at " + moment(timer.due[i], 1) + ", fired " + (timer.late[i] > 0 ? duration(timer.late[i]) + " late (" + cause + ")" : "on time");
  if (timer.outcome[i] === 1) return counted(timer.count[i], "point") + " skipped from " + moment(timer.due[i], 1000) + " (" + cause + ")";
  return outcome + ", due at " + moment(timer.due[i], 1) + " (" + cause + ")";
}
