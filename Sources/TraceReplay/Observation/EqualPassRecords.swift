/// The records of consecutive passes of one run with the same kinds of events and no others. Adding up many such
/// passes at once is faster than one by one. Valid only during the observer's call.
@safe public struct EqualPassRecords {
  /// One record of each pass.
  public struct Step: Sendable, Equatable {
    public enum What: Sendable, Equatable {
      /// Reported only if it took any time.
      case phase(Phase)
      /// The end of the previous pass.
      case pass
      /// `kind` is the kind of its begin event; `number` counts the callouts of a pass.
      case callout(kind: UInt8, number: Int)
      /// A timer's fire without a known due point. `number` counts the fires of a pass.
      case fire(number: Int)
    }

    public var what: What
    /// The events where it begins and ends, counted from the first event of the pass. A negative number is in the
    /// previous pass.
    public var start: Int
    public var end: Int
  }

  /// The object of a callout, and the string id of its name, 0 = none.
  public struct Called: Sendable {
    public var object: UInt32
    public var name: UInt32
  }

  /// The timer of a fire, as in `PointRecord`. -1 = the timer is beyond the limit, and the fire is not reported.
  public struct Fire: Sendable {
    public var timer: Int
    public var name: UInt32
    public var site: UInt32
    public var createdBefore: UInt32
  }

  /// The properties that all passes share.
  struct Common {
    var thread: ThreadIndex
    var mode: ModeID
    var depth: Int
    var calloutDepth: Int
    /// The number of events in a pass, and of its callouts and fires.
    var length: Int
    var callouts: Int
    var fires: Int
  }

  public let thread: UInt32
  public let mode: UInt8
  /// The number of runs around the passes' run.
  public let depth: Int
  /// The number of callouts around the callouts in the passes.
  public let calloutDepth: Int
  public let count: Int
  /// Whether the pass before the first one has the same shape and ends with the start of the first one.
  public let goesOn: Bool
  /// The records of each pass, in order. Records that begin in the previous pass exist for the first pass only if
  /// `goesOn`.
  public let steps: [Step]
  @usableFromInline let length: Int
  @usableFromInline let callouts: Int
  @usableFromInline let firesOfPass: Int
  /// The events, the callouts and the fires of each pass.
  @usableFromInline let times: UnsafePointer<UInt64>
  @usableFromInline let called: UnsafePointer<Called>
  @usableFromInline let fires: UnsafePointer<Fire>

  /// Creates the records. The caller keeps the memory during the observer's call.
  init(
    _ common: Common, count: Int, goesOn: Bool, _ steps: [Step], times: UnsafePointer<UInt64>,
    called: UnsafePointer<Called>,
    fires: UnsafePointer<Fire>
  ) {
    (thread, mode) = (common.thread.rawValue, common.mode.rawValue)
    (depth, calloutDepth) = (common.depth, common.calloutDepth)
    (length, callouts, firesOfPass) = (common.length, common.callouts, common.fires)
    (self.count, self.goesOn, self.steps) = (count, goesOn, steps)
    unsafe (self.times, self.called, self.fires) = (times, called, fires)
  }

  /// Creates a copy that refers to other memory.
  init(_ records: EqualPassRecords, times: UnsafePointer<UInt64>, called: UnsafePointer<Called>) {
    (thread, mode, depth, calloutDepth) = (records.thread, records.mode, records.depth, records.calloutDepth)
    (length, callouts, firesOfPass) = (records.length, records.callouts, 0)
    (count, goesOn, steps) = (records.count, records.goesOn, records.steps)
    unsafe (self.times, self.called, self.fires) = (times, called, records.fires)
  }

  /// When the first pass began; if `goesOn`, when the pass before it began.
  public var start: UInt64 { time(goesOn ? -1 : 0, 0) }
  /// When the last event of the last pass was.
  public var end: UInt64 { time(count &- 1, length &- 1) }

  /// Returns the time of the event at a step's place in a pass, in time units.
  @inlinable @inline(__always)
  public func time(_ pass: Int, _ place: Int) -> UInt64 {
    // SAFETY: steps lie in their passes or in the previous pass.
    unsafe times[pass &* length &+ place]
  }

  @inlinable @inline(__always)
  public func called(_ pass: Int, callout number: Int) -> Called {
    // SAFETY: the steps have the valid numbers.
    unsafe called[pass &* callouts &+ number]
  }

  @inlinable @inline(__always)
  public func fire(_ pass: Int, _ number: Int) -> Fire {
    // SAFETY: the steps have the valid numbers.
    unsafe fires[pass &* firesOfPass &+ number]
  }

  /// Returns the first pass that has a step.
  public func first(_ step: Step) -> Int { step.start >= 0 || goesOn ? 0 : 1 }

  /// Passes the records on one by one.
  public func report(to observer: any AnalysisObserver) {
    var phases = goesOn ? phasesBefore : PhaseTimes()
    for pass in 0..<count {
      for step in steps where first(step) <= pass {
        let (start, end) = (time(pass, step.start), time(pass, step.end))
        switch step.what {
        case .phase(let phase):
          guard end > start else { continue }
          phases[phase.rawValue] &+= end &- start
          observer.phase(
            PhaseRecord(thread: thread, mode: mode, depth: depth, phase: phase, start: start, end: end))
        case .pass:
          observer.pass(
            PassRecord(thread: thread, mode: mode, start: start, end: end, phases: phases, nested: 0))
          phases = PhaseTimes()
        case .callout(let kind, let number):
          let called = called(pass, callout: number)
          observer.callout(
            CalloutRecord(
              thread: thread, kind: kind, object: called.object, name: called.name, mode: mode,
              depth: calloutDepth, start: start, end: end, nested: 0, suspended: 0))
        case .fire(let number):
          let fire = fire(pass, number)
          if fire.timer >= 0 { observer.points(PointRecord(fire, at: start, mode: mode)) }
        }
      }
    }
  }
}

extension EqualPassRecords {
  /// The phases of the pass before the first one that ended in that pass.
  private var phasesBefore: PhaseTimes {
    var phases = PhaseTimes()
    for step in steps where step.start >= 0 {
      if case .phase(let phase) = step.what {
        phases[phase.rawValue] &+= time(-1, step.end) &- time(-1, step.start)
      }
    }
    return phases
  }
}

extension PointRecord {
  fileprivate init(_ fire: EqualPassRecords.Fire, at time: UInt64, mode: UInt8) {
    self.init(
      timer: fire.timer, name: fire.name, site: fire.site, createdBefore: fire.createdBefore, outcome: .fired,
      count: 1, due: nil, lastDue: nil, end: time, lateness: 0, causes: CauseAmounts(), cause: nil, mode: mode
    )
  }
}
