/// What an observer is told of passes of one run, one behind the other, that hold the same kinds of events and nothing
/// else: for whoever adds up many at once sooner than one by one. Valid while the observer is told.
@safe public struct EqualPassRecords {
  /// One record of each pass.
  public struct Step: Sendable, Equatable {
    public enum What: Sendable, Equatable {
      /// Told where it took any time.
      case phase(Phase)
      /// Of the pass before.
      case pass
      /// By the kind of its begin event; `number` counts the callouts of a pass.
      case callout(kind: UInt8, number: Int)
      /// Of a timer, for no due point that is known; `number` counts those of a pass.
      case fire(number: Int)
    }

    public var what: What
    /// Where it begins and ends: events from the first one of the pass on. Below 0: in the pass before.
    public var start: Int
    public var end: Int
  }

  /// The object of a callout, and the string id of its name, 0 = none.
  public struct Called: Sendable {
    public var object: UInt32
    public var name: UInt32
  }

  /// The timer of a fire, as in `PointRecord`; -1: it is beyond the limit, and nothing is told.
  public struct Fire: Sendable {
    public var timer: Int
    public var name: UInt32
    public var site: UInt32
    public var createdBefore: UInt32
  }

  /// What is the same for all of them.
  struct Common {
    var thread: ThreadIndex
    var mode: ModeID
    var depth: Int
    var calloutDepth: Int
    /// Events of a pass; its callouts, and those of timers.
    var length: Int
    var callouts: Int
    var fires: Int
  }

  public let thread: UInt32
  public let mode: UInt8
  /// Runs around theirs.
  public let depth: Int
  /// Callouts around those in the passes.
  public let calloutDepth: Int
  public let count: Int
  /// The pass before the first one is like them, and ends with it.
  public let goesOn: Bool
  /// The records of each pass, in order. The first pass has those that begin before it if it `goesOn`.
  public let steps: [Step]
  @usableFromInline let length: Int
  @usableFromInline let callouts: Int
  @usableFromInline let firesOfPass: Int
  /// Of each pass its events; its callouts; its fires.
  @usableFromInline let times: UnsafePointer<UInt64>
  @usableFromInline let called: UnsafePointer<Called>
  @usableFromInline let fires: UnsafePointer<Fire>

  /// Whoever makes it keeps the memory while the observer is told.
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

  /// The same, elsewhere in memory.
  init(_ records: EqualPassRecords, times: UnsafePointer<UInt64>, called: UnsafePointer<Called>) {
    (thread, mode, depth, calloutDepth) = (records.thread, records.mode, records.depth, records.calloutDepth)
    (length, callouts, firesOfPass) = (records.length, records.callouts, 0)
    (count, goesOn, steps) = (records.count, records.goesOn, records.steps)
    unsafe (self.times, self.called, self.fires) = (times, called, records.fires)
  }

  /// When the first one, or the one before that ends with it, began.
  public var start: UInt64 { time(goesOn ? -1 : 0, 0) }
  /// When the last event of the last pass was.
  public var end: UInt64 { time(count &- 1, length &- 1) }

  /// When the event at the place of a step of a pass was, in time units.
  @inlinable @inline(__always)
  public func time(_ pass: Int, _ place: Int) -> UInt64 {
    // SAFETY: steps lie in their passes, or in the pass before.
    unsafe times[pass &* length &+ place]
  }

  @inlinable @inline(__always)
  public func called(_ pass: Int, callout number: Int) -> Called {
    // SAFETY: steps have the numbers.
    unsafe called[pass &* callouts &+ number]
  }

  @inlinable @inline(__always)
  public func fire(_ pass: Int, _ number: Int) -> Fire {
    // SAFETY: steps have the numbers.
    unsafe fires[pass &* firesOfPass &+ number]
  }

  /// The first pass that has a step.
  public func first(_ step: Step) -> Int { step.start >= 0 || goesOn ? 0 : 1 }

  /// Tells them one by one.
  public func tell(_ observer: any AnalysisObserver) {
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
  /// Of the pass before the first one, those that ended in it.
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
