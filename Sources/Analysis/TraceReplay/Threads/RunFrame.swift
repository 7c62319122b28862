import TraceFormat

/// One run of a loop on a thread's stack of runs.
struct RunFrame {
  var cell: RowAddress<ModeCell>
  var loop: LoopID
  var mode: ModeID
  /// Whether the run began with a recorded Entry. Otherwise the recording began inside the run.
  var isExplicit: Bool
  /// Whether the loop is an event loop.
  var isOfEventLoop: Bool
  var passOpen = false
  /// `outside` = the run had no activity since events were lost, so it may be over.
  var phase = Phase.entry.rawValue
  /// When the current phase began, or continued after a nested run.
  var phaseStart: Moment
  var entered: Moment
  /// When the run really began. `entered` moves with suspensions.
  var began: Moment
  /// The time that runs of the mode had waited by then.
  var waitedBefore: Length
  var passStart: Moment = .origin
  /// The phases since the pass (or the run) began, indexed by `Phase.rawValue`.
  var phases = PhaseTimes()
  var nested: Length = .zero
  /// The suspension since the pass began. It is in no phase.
  var suspended: Length = .zero
  /// Whether the pass waited.
  var waited = false
  /// Whether a monitor that observes the common modes sees the run's activities.
  var isSeen = true
  /// When the activity's other observers began.
  var observersSince: Moment = .origin
  /// The observers that were running when a nested run began; written only then.
  var observing = Observing()
  /// The run's last wake when a nested run began; written only then.
  var lastWake = LastWake()
  var passNumber: UInt64 = 0
  /// The number of callouts that were open when the run began. They enclose the run and do not delay anything inside
  /// it.
  var enclosingCallouts = 0
  /// The time limit of the run's call; nil = the call was not recorded.
  var timeoutNs: UInt64?
  /// The number of passes of the thread before the run's first pass.
  var passesBefore: UInt64 = 0
  /// The kinds of callouts that the surrounding run had served.
  var servedAround = Served()

  /// Returns whether an activity belongs to the run.
  @inline(__always)
  func isOf(_ stamp: Stamp) -> Bool { mode == stamp.mode && loop == stamp.loop }

  /// Returns the length of the open pass up to `time`. Its phases have ended by then.
  @inline(__always)
  func passLength(until time: Moment) -> Length {
    time &- passStart &- phases.length(Phase.waiting) &- nested &- suspended
  }

  /// Moves the start of the open pass forward by its waits, nested runs and suspensions before `time`.
  mutating func leavePausesOut(until time: Moment) {
    var pauses = phases.length(Phase.waiting) &+ nested &+ suspended
    if phase == Phase.waiting.rawValue { pauses &+= time.since(phaseStart) }
    passStart = min(passStart &+ pauses, time)
  }

  /// Returns how long the run has waited in its finished passes. Zero in a cell that threads share: not known.
  func loopWait(lane: Int) -> Length {
    guard cell.pointee.lane == lane else { return .zero }
    return cell.pointee.phases.length(Phase.waiting).without(waitedBefore)
  }

  func noteLastPass() { cell.pointee.lastPass = max(cell.pointee.lastPass, passStart) }
}
