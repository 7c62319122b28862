import TraceFormat

/// One run of a loop on a thread's stack of runs.
struct RunFrame {
  var cell: RowAddress<ModeCell>
  var loop: LoopID
  var mode: ModeID
  /// Began with an Entry that was seen; else the recording began inside the run.
  var isExplicit: Bool
  var passOpen = false
  var phase = Phase.entry.rawValue
  /// When the present phase began, or went on after a nested run.
  var phaseStart: Moment
  var entered: Moment
  /// When it really began: a suspension moves `entered`.
  var began: Moment
  var passStart: Moment = .origin
  /// Phases since the pass (or the run) began, by `Phase.rawValue`.
  var phases = PhaseTimes()
  var nested: Length = .zero
  /// Since the pass began, in no phase.
  var suspended: Length = .zero
  /// The pass waited.
  var waited = false
  /// A monitor that observes the common modes sees its activities.
  var isSeen = true
  /// When the activity's other observers began.
  var observersSince: Moment = .origin
  /// Observers of the activity of this code ran when a nested run began.
  var isObserving = false
  var observed = EventKind(0)
  var passNumber: UInt64 = 0
  /// Callouts that were open when the run began: they enclose it, and hold nothing up inside it.
  var enclosingCallouts = 0
  /// How much time its call gives it; nil: that was not recorded.
  var timeoutNs: UInt64?
  /// Passes of the thread before the run's first one.
  var passesBefore: UInt64 = 0
  /// What the run around it had served.
  var servedAround = Served()

  func noteLastPass() { cell.pointee.lastPass = max(cell.pointee.lastPass, passStart) }
}

/// A callout that has begun and not ended.
struct OpenCallout {
  var kind: EventKind
  var object: ObjectID
  /// When it began, plus what it was suspended.
  var begin: Moment
  var suspended: Length = .zero
  /// Inside runs that it started.
  var nested: Length = .zero
  /// Of the callout table.
  var row: Int32
  /// Of a timer that is known, -1 else. The timer may be gone when its callout ends.
  var timerClass: Int32
  /// In callouts inside it; and of that, in the gap of this number.
  var inner: Length = .zero
  var innerInGap: Length = .zero
  var gap: UInt64 = 0
  /// The busy interval that has counted it.
  var busy: UInt64 = 0
}
