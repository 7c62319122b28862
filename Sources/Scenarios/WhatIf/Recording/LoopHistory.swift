import TraceFormat

/// The past of one loop, arranged for a replay: the steps of the loop itself, and the program's code in between.
///
/// The run loop makes activities and callouts. All other events of the thread are *reactions*: the program made them
/// in a callout, or between two steps of the loop.
struct LoopHistory {
  let loop: UInt32
  /// The place of its thread in `Recording.threads`.
  let place: Int
  let isMain: Bool

  /// The index of steps of one kind and mode: their segments are interchangeable.
  static func stepIndex(_ kind: EventKind, mode: UInt8) -> Int { Int(kind.rawValue) << 8 | Int(mode) }

  /// The events after a step of the loop, up to its next step.
  struct Segment {
    /// The index of the step's event.
    var start: Int32
    /// The index of the next step's event, or where the events end.
    var end: Int32
  }

  /// The segments after the steps of each kind and mode, in order.
  private(set) var segments: [[Segment]] = []
  /// By `stepIndex`: the place in `segments`; -1 = no such step.
  private(set) var segmentsOfStep = [Int16](repeating: -1, count: 1 << 16)
  /// The times at which the loop's waits ended, in order; nil for one that is open at the end.
  private(set) var waitEnds: [UInt64?] = []
  /// For each life of a timer, its callouts in order: the due point in time units (nil = not recorded), and the index
  /// of the begin.
  private(set) var fires: [Int32: [(due: UInt64?, begin: Int32)]] = [:]
  /// For each life of a block, the begin of its callout.
  private(set) var blocks: [Int32: Int32] = [:]
  /// The begins of the loop's callouts of sources, blocks and drains, with the times at which the loop could have seen
  /// their causes.
  private(set) var looks: [Look] = []
  /// For each life of a source, the begins of its callouts.
  private(set) var performs: [Int32: [Int32]] = [:]
  /// The begins of callouts of the program's observers.
  private(set) var observers: [Int32] = []
  /// Whether the recording shows the drains of the main queue. An embedded recorder records their blocks alone.
  private(set) var hasDrains = false
  /// The first and last event of the thread's own code.
  let topLevel: Range<Int>
  /// The program's loops around equal runs, by the begin of the first run.
  private(set) var series: [Int32: RunSeries] = [:]
  /// The indices of events that steps of the loop imply, so that segments leave them out.
  private(set) var implied: Set<Int32> = []

  /// A callout, and the last moment at which its cause can have arrived.
  struct Look {
    var begin: Int32
    /// In time units.
    var arrival: UInt64
  }

  /// Runs of one mode, one directly after the other: with one time limit, as in `while !done { run(for: limit) }`, or
  /// up to one deadline, as in `RunLoop.run(until:)`.
  struct RunSeries {
    var begins: [Int32]
    /// The index of the end of the last run.
    var end: Int32
    /// The time at which the last run timed out, in nanoseconds since the origin; nil = each run has the same limit.
    var deadlineNs: UInt64?
  }

  private var events: [RecordedEvent]
  private let hasHighStamps: Bool

  init(_ recording: Recording, loop: UInt32, place: Int) {
    self.loop = loop
    self.place = place
    let thread = recording.threads[place]
    isMain = recording.reader.threads[thread.index]?.isMain ?? false
    hasHighStamps = recording.reader.header.hasHighStamps
    events = thread.events
    topLevel = events.startIndex..<events.endIndex
    findImplied(recording.lives)
    walkCode(topLevel, thread)
    if !recording.isVirtual { findSeries(thread, unitNs: recording.unitNs) }
    for place in segments.indices { segments[place].sort { $0.start < $1.start } }
    events = []
  }

  /// A one-shot timer is invalidated when its callout ends. If that is recorded after the end, the step implies it.
  private mutating func findImplied(_ lives: [RecordedLife]) {
    for at in events.indices.dropFirst() where events[at].kind == .timerInvalidate {
      let before = events[at - 1]
      guard before.kind == .timerEnd, before.life == events[at].life, before.life >= 0,
        lives[Int(before.life)].intervalNs == 0
      else { continue }
      implied.insert(Int32(at))
    }
  }

  /// The minimum number of runs with one limit that form a loop of the program, and how far their limits and
  /// deadlines may differ, in nanoseconds.
  private static let fewestRuns = 3, limitTolerance: UInt64 = 1_000_000

  /// The modes in which the loop ran.
  var enteredModes: [UInt8] {
    (0...UInt8.max).filter { segmentsOfStep[LoopHistory.stepIndex(.entryLow, mode: $0)] >= 0 }
  }

  /// Finds loops of the program around equal runs.
  private mutating func findSeries(_ thread: RecordedThread, unitNs: UInt64) {
    var current: [Int32] = []
    var hasOneLimit = true, hasOneDeadline = true
    func limit(_ at: Int32) -> UInt64 { thread.argument(EventKind.RunBegin.timeoutNs, of: events[Int(at)]) }
    func returnsAfterSource(_ run: RecordedEvent) -> UInt64 {
      thread.argument(EventKind.RunBegin.returnAfterSource, of: run)
    }
    func deadline(_ at: Int32) -> UInt64 {
      let (sum, isBeyond) = (events[Int(at)].time &* unitNs).addingReportingOverflow(limit(at))
      return isBeyond ? .max : sum
    }
    func isNear(_ a: UInt64, _ b: UInt64) -> Bool { (a > b ? a - b : b - a) <= LoopHistory.limitTolerance }
    func close() {
      defer { (current, hasOneLimit, hasOneDeadline) = ([], true, true) }
      guard let first = current.first, let last = current.last else { return }
      let end = events[Int(last)].endAt
      if hasOneLimit {
        if current.count >= LoopHistory.fewestRuns { series[first] = RunSeries(begins: current, end: end) }
      } else if hasOneDeadline,
        events[Int(end)].time &* unitNs &+ LoopHistory.limitTolerance >= deadline(first)
      {
        series[first] = RunSeries(begins: current, end: end, deadlineNs: deadline(first))
      }
    }
    /// Adds a run to the current series if it is like the last one.
    func join(_ at: Int32) -> Bool {
      guard let last = current.last else { return true }
      let (before, event) = (events[Int(last)], events[Int(at)])
      guard before.mode == event.mode, returnsAfterSource(before) == returnsAfterSource(event) else {
        return false
      }
      let limits = hasOneLimit && isNear(limit(last), limit(at))
      let deadlines = hasOneDeadline && limit(at) != .max && isNear(deadline(last), deadline(at))
      guard limits || deadlines else { return false }
      (hasOneLimit, hasOneDeadline) = (limits, deadlines)
      return true
    }
    var at = 0
    while at < events.count {
      guard events[at].kind == .runBegin, let end = events[at].end else {
        close()
        at += 1
        continue
      }
      if !join(Int32(at)) { close() }
      current.append(Int32(at))
      at = end + 1
    }
    close()
  }

  /// Finds the runs in code of the program.
  private mutating func walkCode(_ range: Range<Int>, _ thread: RecordedThread) {
    var at = range.lowerBound
    while at < range.upperBound {
      if events[at].kind == .runBegin {
        let end = events[at].end ?? range.upperBound
        walkRun(at, end, thread)
        at = end
      }
      at += 1
    }
  }

  /// Whether a run loop makes such an event by itself.
  private static let isStep = (0...UInt8.max).map { kind in
    switch EventTable.role(of: kind) {
    case .activity?, .answersDue?: true
    case .calloutBegin(let callout)?, .calloutEnd(let callout)?: callout != .observer && callout != .work
    default: false
    }
  }

  private mutating func walkRun(_ begin: Int, _ end: Int, _ thread: RecordedThread) {
    var step = begin, at = begin + 1
    // The latest possible arrival of what the loop finds next: the end of its wait, or the start of a pass after
    // callouts.
    var arrival = events[begin].time
    var hasCalled = false, due: UInt64?
    while at < end {
      let event = events[at]
      guard LoopHistory.isStep[Int(event.kind.rawValue)] else {
        if event.kind == .runBegin {
          let end = event.end ?? end
          walkRun(at, end, thread)
          at = end
        } else if event.kind == .observerBegin {
          let end = event.end ?? end
          observers.append(Int32(at))
          walkCode((at + 1)..<end, thread)
          at = end
        }
        at += 1
        continue
      }
      close(step, at)
      step = at
      switch event.kind {
      case .beforeTimersLow where hasCalled:
        arrival = event.time
        hasCalled = false
      case .afterWaitingLow:
        arrival = event.time
        hasCalled = false
      case .timerDue: due = thread.argument(EventKind.TimerDue.due, of: event)
      default: break
      }
      if event.kind.isCalloutBegin {
        hasCalled = true
        note(at, due, arrival)
        due = nil
        let calloutEnd = event.end ?? end
        if event.kind == .mainQueueDrainBegin {
          hasDrains = true
          // The blocks inside are steps as well.
          walkDrain(at, calloutEnd, arrival, thread)
        } else {
          walkCode((at + 1)..<calloutEnd, thread)
        }
        step = calloutEnd
        at = calloutEnd
      }
      at += 1
    }
    if step < end { close(step, end) }
  }

  private mutating func walkDrain(_ begin: Int, _ end: Int, _ arrival: UInt64, _ thread: RecordedThread) {
    var step = begin, at = begin + 1
    while at < end {
      if events[at].kind == .mainQueueBlockBegin {
        close(step, at)
        note(at, nil, arrival)
        let blockEnd = events[at].end ?? end
        walkCode((at + 1)..<blockEnd, thread)
        step = blockEnd
        at = blockEnd
      } else if events[at].kind == .runBegin {
        let runEnd = events[at].end ?? end
        walkRun(at, runEnd, thread)
        at = runEnd
      }
      at += 1
    }
    if step < end { close(step, end) }
  }

  /// Returns the begins of a timer's callouts; if it has none, those of all timers with its name.
  func begins(like life: Int32, _ recording: Recording) -> [Int32] {
    if let own = fires[life] { return own.map(\.begin) }
    let name = recording.lives[Int(life)].name
    return fires.filter { recording.lives[Int($0.key)].name == name }.values.joined().map(\.begin).sorted()
  }

  private mutating func note(_ at: Int, _ due: UInt64?, _ arrival: UInt64) {
    let event = events[at]
    switch event.kind {
    case .timerBegin: fires[event.life, default: []].append((due, Int32(at)))
    case .blockBegin, .mainQueueBlockBegin:
      blocks[event.life] = Int32(at)
      looks.append(Look(begin: Int32(at), arrival: arrival))
    default:
      if event.life >= 0 { performs[event.life, default: []].append(Int32(at)) }
      looks.append(Look(begin: Int32(at), arrival: arrival))
    }
  }

  private mutating func close(_ step: Int, _ next: Int) {
    let kind = events[step].kind
    if kind == (hasHighStamps ? .beforeWaitingHigh : .beforeWaitingLow) {
      let isOver = next < events.count && events[next].kind == .afterWaitingLow
      waitEnds.append(isOver ? events[next].time : nil)
      return
    }
    let start = implied.contains(Int32(step + 1)) ? step + 1 : step
    let step = LoopHistory.stepIndex(kind, mode: events[step].mode)
    if segmentsOfStep[step] < 0 {
      segmentsOfStep[step] = Int16(clamping: segments.count)
      segments.append([])
    }
    segments[Int(segmentsOfStep[step])].append(Segment(start: Int32(start), end: Int32(next)))
  }
}
