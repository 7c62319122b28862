import RunLoopModel
import TraceFormat

/// Replays one loop of a recording on the model: arrivals from outside at their recorded times, callouts with their
/// recorded lengths and reactions, or with those that a change gives them.
final class LoopReplay {
  /// The source of the time that the loop itself takes between two steps.
  enum Overheads {
    /// As recorded, in the recorded order.
    case recorded
    /// The median of such steps.
    case median
  }

  let recording: Recording
  let history: LoopHistory
  let arrivals: Arrivals
  let plan: ChangePlan
  let overheads: Overheads
  let repeats: Repeats
  let shifts: Shifts
  /// The arrivals in the order of their effects.
  let stimuli: [(time: UInt64, stimulus: Arrivals.Stimulus, number: Int)]
  let clock: VirtualClock
  let loop: ModelRunLoop
  let events: [RecordedEvent]
  let thread: RecordedThread
  /// Receives each event of the loop's thread.
  let receive: (ReplayedEvent) -> Void
  /// Receives each event that a change moves to another thread.
  let receiveMoved: (ReplayedEvent) -> Void

  /// The items, indexed by life.
  var items: [ReplayItem?]
  /// The next segment to play, for each place in `LoopHistory.segments`.
  var nextSegment: [Int]
  /// The modes of the runs, the innermost last; and the mode of the innermost run, 0 = outside of runs.
  var modes: [UInt8] = []
  var mode: UInt8 = 0
  let hasHighStamps: Bool
  /// A step whose following segment has not been played. After a callout and after the entry, the loop checks its time
  /// limit first; only then does the time until the next step elapse.
  var pending: EventKind?
  var waits: Waits
  var nextWait = 0
  let isFollowing: Bool
  /// For a replay that follows the recording: the number of equal events, and the first difference.
  var followed = 0
  var firstDifference: Divergence?
  /// Shifts that may explain the first difference.
  var explanations: [Shifts] = []
  /// The number of waits whose recorded end has passed.
  var checkedWaits = 0
  private(set) lazy var waitEndCheck: () -> Void = { [unowned self] in checkWaitEnd() }
  private lazy var stimulusAction: () -> Void = { [unowned self] in arriveNext() }
  /// The state of code that runs as often as recorded.
  let own = Instance(isOwn: true)
  /// Arrivals that a change merges with others.
  var droppedArrivals: Set<Arrivals.EventPlace> = []
  /// Facts that the replay had to assume.
  var notes = ReplayNotes()
  private(set) lazy var medianLatencyNs = waits.latenciesNs.median
  private(set) lazy var mediansNs = history.segments.map { all in
    all.filter { $0.end == $0.start + 1 && Int($0.end) < events.count }
      .map { recordedNs(events[Int($0.start)].time, events[Int($0.end)].time) }.median
  }
  private(set) var nextStimulus = 0
  /// The time of the last arrival, and whether it woke the loop.
  private var lastArrival = (time: UInt64.max, wakes: false)
  /// The arrival under way, the last one for the main queue, and when the loop was last woken, on the clock.
  private(set) var stimulus: Int?
  var mainQueueStimulus: Int?
  var lastWakeNs: UInt64 = LoopReplay.startNs
  private var suspendedNs: UInt64 = 0
  private(set) var nextSuspension = 0
  private var nextObject: UInt32
  /// The virtual time of the trace's origin. Not 0, because the loop uses a deadline of 0 for "do not wait".
  static let startNs: UInt64 = 1_000_000_000_000
  /// A replay ends here, after 36 years.
  static let endOfTimeNs: UInt64 = 1 << 60

  init(
    _ recording: Recording, _ history: LoopHistory, _ arrivals: Arrivals, _ plan: ChangePlan,
    overheads: Overheads = .recorded, waits: Waits = Waits(), isFollowing: Bool = false,
    repeats: Repeats = .inOrder, shifts: Shifts = Shifts(), ends: TimeLimits.Ends = .exact,
    receive: @escaping (ReplayedEvent) -> Void, receiveMoved: @escaping (ReplayedEvent) -> Void = { _ in }
  ) {
    self.recording = recording
    self.history = history
    self.arrivals = arrivals
    self.plan = plan
    self.overheads = overheads
    self.repeats = repeats
    self.shifts = shifts
    stimuli = arrivals.stimuli(shifts)
    self.receive = receive
    self.receiveMoved = receiveMoved
    nextSegment = [Int](repeating: 0, count: history.segments.count)
    thread = recording.threads[history.place]
    events = thread.events
    let total = recording.reader.eventCount
    clock = VirtualClock(now: LoopReplay.startNs, work: Int(total) * WhatIfLimits.whatIfWork + 100_000)
    loop = ModelRunLoop(clock: clock, isMain: history.isMain)
    // In virtual time, a run ends at its limit.
    if !recording.isVirtual {
      loop.limits = TimeLimits(ends: ends, slackNs: Shifts.longestNs)
    }
    self.waits = waits
    self.isFollowing = isFollowing
    hasHighStamps = recording.reader.header.hasHighStamps
    items = [ReplayItem?](repeating: nil, count: recording.lives.count)
    nextObject = (recording.lives.map { ObjectID($0.object).slot }.max() ?? 0) + 1
    loop.onActivity = { [unowned self] in activity($0, isAfter: $1) }
    loop.onDrain = { [unowned self] in drain(isBegin: $0) }
  }

  /// Plays the thread from its first event to its last.
  func play() {
    for (number, span) in recording.suspensions.enumerated() {
      // Other events at the same moment happen before the stop.
      clock.schedule(at: ns(span.lowerBound) + 1) { [unowned self] in
        if nextSuspension == number { suspend() }
      }
    }
    for time in waits.inferredWakes {
      clock.schedule(at: ns(time), .timeout) { [unowned self] in loop.wakeUp() }
    }
    // Observers or the recorder made these modes. The trace does not show where observers were added.
    for mode in history.enteredModes { loop.assumeMode(recording.modeName(mode)) }
    scheduleStimulus()
    let isOpen = events.contains { $0.end == nil && ($0.kind == .runBegin || $0.kind.isCalloutBegin) }
    if isOpen {
      clock.schedule(at: ns(recording.reader.lastTime + 1), .timeout) { [clock] in clock.stop() }
    }
    guard let first = events.first else { return }
    elapse(ns: first.time * recording.unitNs)
    play(history.topLevel, from: first.time, own, nil)
    if clock.workLeft < 0 { notes.isExhausted = true }
    if loop.waitedForever { notes.waitsForever = true }
    // Replayed times of the real loop are not exact.
    let slack = recording.isVirtual ? 0 : Shifts.longestNs / recording.unitNs
    notes.outlives = items.contains { item in
      guard let item, let end = recording.lives[Int(item.life)].end, let model = item.model else {
        return false
      }
      return model.isValid || item.end > end + slack
    }
    notes.duePointsAtLimits = loop.duePointsAtLimits
    notes.unknownOrders = loop.unknownOrders
    notes.goesBeyond = now > recording.reader.lastTime + 1
    // Breaks the cycle of references: remaining actions hold the items.
    items = []
  }

  // MARK: Time

  /// Converts a time of the trace to the clock.
  func ns(_ time: UInt64) -> UInt64 { LoopReplay.startNs &+ time &* recording.unitNs }

  /// The current time, in the trace's units.
  var now: UInt64 { time(clock.now) }

  /// Converts a time of the clock to the trace's units; it may lie before the origin (two's complement).
  func time(_ ns: UInt64) -> UInt64 {
    if recording.unitNs == 1 { return ns &- LoopReplay.startNs }
    return UInt64(bitPattern: Int64(bitPattern: ns &- LoopReplay.startNs) / Int64(recording.unitNs))
  }

  /// Lets time pass while the thread works. A suspension interrupts the work.
  func elapse(ns: UInt64) {
    guard ns > 0 else { return }
    guard clock.now < LoopReplay.endOfTimeNs, ns < LoopReplay.endOfTimeNs else {
      notes.isExhausted = true
      return clock.stop()
    }
    if recording.suspensions.isEmpty {
      if !clock.isStopped { clock.advance(by: ns) }
      return
    }
    var left = ns
    while left > 0, !clock.isStopped {
      let before = clock.now, frozen = suspendedNs
      clock.advance(by: left)
      let passed = (clock.now - before) - (suspendedNs - frozen)
      left = left > passed ? left - passed : 0
    }
  }

  /// Stops the process, as recorded.
  private func suspend() {
    let span = recording.suspensions[nextSuspension]
    nextSuspension += 1
    let length = (span.upperBound - span.lowerBound) * recording.unitNs
    suspendedNs += length
    let end = ns(span.upperBound)
    if end > clock.now { clock.jump(by: end - clock.now) }
  }

  /// Stops the process if the recording has a stop at this moment. No time passes before the stop.
  func suspendIfDue() {
    while nextSuspension < recording.suspensions.count,
      ns(recording.suspensions[nextSuspension].lowerBound) <= clock.now
    {
      suspend()
    }
  }

  /// The recorded time between two moments, in nanoseconds, without the time in which the process was stopped.
  func recordedNs(_ from: UInt64, _ to: UInt64) -> UInt64 {
    guard to > from else { return 0 }
    let stopped = recording.suspensions.isEmpty ? 0 : recording.suspended(from, to)
    return (to - from - stopped) * recording.unitNs
  }

  // MARK: Output

  func emit(
    _ kind: EventKind, _ object: UInt32, _ arguments: [UInt64] = [], life: Int32 = -1, callout: Int32 = -1,
    mode: UInt8? = nil, argument: UInt64? = nil
  ) {
    if let kind = pending {
      pending = nil
      segment(kind)
    }
    guard !clock.isStopped else { return }
    let event = ReplayedEvent(
      time: now, kind: kind, mode: mode ?? self.mode, object: object, argument: argument,
      arguments: arguments,
      life: life, callout: callout)
    if isFollowing { follow(event) }
    if kind == .timerInvalidate || kind == .sourceInvalidate, life >= 0 {
      items[Int(life)]?.end = event.time
    }
    receive(event)
  }

  func newObject() -> UInt32 {
    defer { nextObject += 1 }
    return ObjectID(number: nextObject).rawValue
  }

  // MARK: Arrivals

  /// Returns the time at which an arrival happens. An arrival at the end of a suspension was due before it ended, so it
  /// comes first.
  private func arrivalNs(_ time: UInt64) -> UInt64 {
    guard !recording.suspensions.isEmpty,
      let span = recording.suspensions.first(where: { $0.upperBound == time })
    else { return ns(time) }
    return ns(span.lowerBound) + 1
  }

  /// Schedules the next arrival. Arrivals are in time order.
  private func scheduleStimulus() {
    guard nextStimulus < stimuli.count else { return }
    clock.schedule(at: arrivalNs(stimuli[nextStimulus].time), .action, stimulusAction)
  }

  private func arriveNext() {
    let time = stimuli[nextStimulus].time
    repeat {
      let next = stimuli[nextStimulus]
      nextStimulus += 1
      stimulus = next.number
      if isFollowing, lastArrival.time == time, !lastArrival.wakes { waits.openTies.insert(next.number) }
      arrive(next.stimulus)
      stimulus = nil
      lastArrival = (time, loop.isWaking)
    } while nextStimulus < stimuli.count && stimuli[nextStimulus].time == time
      && waits.joins(stimuli[nextStimulus].number)
    scheduleStimulus()
  }

  /// Wakes the loop.
  func wakeUp() {
    lastWakeNs = clock.now
    loop.wakeUp()
  }
}

/// An event of a replay.
struct ReplayedEvent {
  /// In time units.
  var time: UInt64
  var kind: EventKind
  var mode: UInt8
  var object: UInt32
  /// The only argument; nil = those of `arguments`.
  var argument: UInt64?
  var arguments: [UInt64]
  var life: Int32
  /// For the beginning of a callout: the beginning of the recorded callout that it repeats; -1 = none.
  var callout: Int32
}

/// The recorded callouts that additional callouts repeat.
enum Repeats {
  case inOrder, shortest, longest
}

/// Facts about a loop's waits, found by following the recording.
struct Waits {
  /// For each wait, how long the loop took to wake after something was ready, in nanoseconds.
  var latenciesNs: [UInt64] = []
  /// The times of wake-ups without a recorded reason, in time units.
  var inferredWakes: [UInt64] = []
  /// The suspensions that began when the loop was about to wake.
  var suspensionsAtWakes: Set<Int> = []
  /// Whether arrivals at the same moment come together, so that the loop cannot do anything in between.
  var joinsArrivals = true
  /// The arrivals that the recording allows to come together with the one before at the same moment, or after it: by the
  /// place in `Arrivals.stimuli`.
  var openTies: Set<Int> = []
  /// Whether open ties are decided the other way.
  var turnsOpenTies = false

  /// Whether an arrival comes together with the one before, which is at the same moment.
  func joins(_ arrival: Int) -> Bool {
    joinsArrivals != (turnsOpenTies && openTies.contains(arrival))
  }
}

/// Facts that a replay had to assume, or could not know.
struct ReplayNotes {
  /// The number of callouts without a recorded length, such as blocks that never ran.
  var unknownLengths = 0
  /// The items with additional callouts, which repeat recorded lengths and reactions.
  var repeatedLives: Set<Int32> = []
  /// The number of reactions that went to another loop, where they arrive at their recorded times.
  var crossings = 0
  var isExhausted = false
  /// With the change, runs nest without limit.
  var isTooDeep = false
  /// The number of due points that lie at the time limit of a run.
  var duePointsAtLimits = 0
  /// How often what a loop served first depended on when a mode was made, which the recording does not show.
  var unknownOrders = 0
  /// A run began in a mode without timers or sources.
  var hasBareRuns = false
  /// An item ends later than in the recording, or not at all.
  var outlives = false
  /// The replay continues after the end of the recording.
  var goesBeyond = false
  /// The loop waits for something that never comes.
  var waitsForever = false
}

extension Array where Element == UInt64 {
  /// The lower median; 0 if empty. O(n log n).
  var median: UInt64 { isEmpty ? 0 : sorted()[(count - 1) / 2] }
}
