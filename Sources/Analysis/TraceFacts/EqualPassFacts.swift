/// The facts of consecutive passes of one run that all have the same sequence of event kinds. Adding up a whole batch
/// is faster than adding them up one by one. Valid only during the sink's call.
@safe @usableFromInline package struct EqualPassFacts {
  /// One fact of each pass.
  @usableFromInline package struct Step: Sendable, Equatable {
    @usableFromInline package enum What: Sendable, Equatable {
      /// Reported only if it took any time.
      case phase(Phase)
      /// The end of the previous pass.
      case pass
      /// `kind` is the kind of its begin event; `number` counts the callouts of a pass.
      case callout(kind: UInt8, number: Int)
      /// A timer's fire without a known due point. `number` counts the fires of a pass.
      case fire(number: Int)
    }

    package var what: What
    /// The events at which the fact begins and ends, counted from the first event of the pass. A negative number
    /// means an event of the previous pass.
    package var start: Int
    package var end: Int

    package init(_ what: What, start: Int, end: Int) {
      (self.what, self.start, self.end) = (what, start, end)
    }
  }

  /// The object of a callout, and the string id of its name, 0 = none.
  @usableFromInline package struct Called: Sendable {
    @usableFromInline package var object: UInt32
    @usableFromInline package var name: UInt32

    @inlinable
    package init(object: UInt32, name: UInt32) { (self.object, self.name) = (object, name) }
  }

  /// The timer of a fire, as in `PointFact`. -1 = the timer is beyond the limit, and the fire is not reported.
  @usableFromInline package struct Fire: Sendable {
    @usableFromInline package var timer: Int
    @usableFromInline package var object: UInt32
    @usableFromInline package var name: UInt32
    @usableFromInline package var site: UInt32
    @usableFromInline package var createdBefore: UInt32

    @inlinable
    package init(timer: Int, object: UInt32, name: UInt32, site: UInt32, createdBefore: UInt32) {
      (self.timer, self.object, self.name) = (timer, object, name)
      (self.site, self.createdBefore) = (site, createdBefore)
    }
  }

  /// The properties that all passes share.
  package struct Common {
    package var thread: UInt32
    package var mode: UInt8
    package var depth: Int
    package var calloutDepth: Int
    /// The numbers of events, callouts and fires in each pass.
    package var length: Int
    package var callouts: Int
    package var fires: Int

    package init(
      thread: UInt32, mode: UInt8, depth: Int, calloutDepth: Int, length: Int, callouts: Int, fires: Int
    ) {
      (self.thread, self.mode, self.depth, self.calloutDepth) = (thread, mode, depth, calloutDepth)
      (self.length, self.callouts, self.fires) = (length, callouts, fires)
    }
  }

  package let thread: UInt32
  package let mode: UInt8
  /// The number of runs around the passes' run.
  package let depth: Int
  /// The number of callouts around the callouts in the passes.
  package let calloutDepth: Int
  package let count: Int
  /// Whether the pass before the first one has the same shape and ends with the start of the first one.
  package let continuesPrevious: Bool
  /// The facts of each pass, in order. The first pass has the facts that begin in the pass before it only
  /// if `continuesPrevious` is true.
  package let steps: [Step]
  @usableFromInline package let length: Int
  @usableFromInline package let callouts: Int
  @usableFromInline let firesOfPass: Int
  /// The events, the callouts and the fires of each pass.
  @usableFromInline package let times: UnsafePointer<UInt64>
  @usableFromInline package let called: UnsafePointer<Called>
  @usableFromInline let fires: UnsafePointer<Fire>

  /// Creates the facts. The caller keeps the memory during the sink's call.
  package init(
    _ common: Common, count: Int, continuesPrevious: Bool, _ steps: [Step], times: UnsafePointer<UInt64>,
    called: UnsafePointer<Called>,
    fires: UnsafePointer<Fire>
  ) {
    (thread, mode) = (common.thread, common.mode)
    (depth, calloutDepth) = (common.depth, common.calloutDepth)
    (length, callouts, firesOfPass) = (common.length, common.callouts, common.fires)
    (self.count, self.continuesPrevious, self.steps) = (count, continuesPrevious, steps)
    unsafe (self.times, self.called, self.fires) = (times, called, fires)
  }

  /// Creates a copy that refers to other memory.
  package init(_ facts: EqualPassFacts, times: UnsafePointer<UInt64>, called: UnsafePointer<Called>) {
    (thread, mode, depth, calloutDepth) = (facts.thread, facts.mode, facts.depth, facts.calloutDepth)
    (length, callouts, firesOfPass) = (facts.length, facts.callouts, 0)
    (count, continuesPrevious, steps) = (facts.count, facts.continuesPrevious, facts.steps)
    unsafe (self.times, self.called, self.fires) = (times, called, facts.fires)
  }

  /// When the first pass began; if `continuesPrevious`, when the pass before it began.
  @usableFromInline package var start: UInt64 { time(continuesPrevious ? -1 : 0, 0) }
  /// When the last event of the last pass occurred.
  @usableFromInline package var end: UInt64 { time(count &- 1, length &- 1) }

  /// Returns the time of the event at a step's place in a pass, in time units.
  @inlinable @inline(__always)
  package func time(_ pass: Int, _ place: Int) -> UInt64 {
    // SAFETY: steps lie in their passes or in the previous pass.
    unsafe times[pass &* length &+ place]
  }

  @inlinable @inline(__always)
  package func called(_ pass: Int, callout number: Int) -> Called {
    // SAFETY: callers take `number` from a step, and steps hold only valid numbers.
    unsafe called[pass &* callouts &+ number]
  }

  @inlinable @inline(__always)
  package func fire(_ pass: Int, _ number: Int) -> Fire {
    // SAFETY: callers take `number` from a step, and steps hold only valid numbers.
    unsafe fires[pass &* firesOfPass &+ number]
  }

  /// Returns the first pass that has a step.
  @usableFromInline package func first(_ step: Step) -> Int { step.start >= 0 || continuesPrevious ? 0 : 1 }

  /// Passes the facts on one by one.
  package func report(to sink: any FactSink) {
    let wantsBegins = sink.wantsBegins
    var phases = continuesPrevious ? phasesBefore : PhaseTimes()
    for pass in 0..<count {
      // Spans that begin at an event, outer first, come after all that end there.
      var begun = 0
      for step in steps where first(step) <= pass {
        if wantsBegins { reportBegins(of: pass, before: step.end, &begun, to: sink) }
        let (start, end) = (time(pass, step.start), time(pass, step.end))
        switch step.what {
        case .phase(let phase):
          if end > start {
            phases[phase.rawValue] &+= end &- start
            sink.phase(
              PhaseFact(thread: thread, mode: mode, depth: depth, phase: phase, start: start, end: end))
          }
          if wantsBegins, phase == .waiting { sink.wait(WaitEnd(thread: thread, end: end)) }
        case .pass: reportPass(start, end, &phases, to: sink)
        case .callout(let kind, let number):
          let called = called(pass, callout: number)
          sink.callout(
            CalloutFact(
              thread: thread, kind: kind, object: called.object, name: called.name, mode: mode,
              depth: calloutDepth, start: start, end: end, nested: 0, suspended: 0))
        case .fire(let number): reportFire(pass, number, at: start, to: sink)
        }
      }
      if wantsBegins { reportBegins(of: pass, before: length, &begun, to: sink) }
    }
  }

  /// Passes on only the passes and, if they are wanted, the fires of timers, one by one.
  package func reportPasses(to sink: any FactSink, withFires wantsFires: Bool) {
    var phases = continuesPrevious ? phasesBefore : PhaseTimes()
    let steps = steps.filter { step in
      switch step.what {
      case .phase, .pass: true
      case .callout: false
      case .fire: wantsFires
      }
    }
    for pass in 0..<count {
      for step in steps where first(step) <= pass {
        let (start, end) = (time(pass, step.start), time(pass, step.end))
        switch step.what {
        case .phase(let phase): phases[phase.rawValue] &+= end &- start
        case .pass: reportPass(start, end, &phases, to: sink)
        case .callout: break
        case .fire(let number): reportFire(pass, number, at: start, to: sink)
        }
      }
    }
  }

  @inline(__always)
  private func reportPass(_ start: UInt64, _ end: UInt64, _ phases: inout PhaseTimes, to sink: any FactSink) {
    sink.pass(PassFact(thread: thread, mode: mode, start: start, end: end, phases: phases, nested: 0))
    phases = PhaseTimes()
  }

  @inline(__always)
  private func reportFire(_ pass: Int, _ number: Int, at start: UInt64, to sink: any FactSink) {
    let fire = fire(pass, number)
    if fire.timer >= 0 { sink.points(PointFact(fire, at: start, mode: mode)) }
  }

  /// Reports the spans of a pass that begin before an event. `begun`: the number of events that were handled so far.
  private func reportBegins(of pass: Int, before place: Int, _ begun: inout Int, to sink: any FactSink) {
    while begun < place {
      defer { begun &+= 1 }
      let start = time(pass, begun)
      func begin(_ what: SpanBegin.What) {
        sink.begin(SpanBegin(thread: thread, mode: mode, start: start, what: what))
      }
      if begun == 0 { begin(.pass) }
      for step in steps where step.start == begun {
        switch step.what {
        case .phase(.waiting): begin(.wait)
        case .callout(let kind, let number):
          let called = called(pass, callout: number)
          begin(.callout(kind: kind, object: called.object, name: called.name, depth: calloutDepth))
        case .phase, .pass, .fire: break
        }
      }
    }
  }
}

extension EqualPassFacts {
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

extension PointFact {
  fileprivate init(_ fire: EqualPassFacts.Fire, at time: UInt64, mode: UInt8) {
    self.init(
      timer: fire.timer, object: fire.object, name: fire.name, site: fire.site,
      createdBefore: fire.createdBefore, outcome: .fired, count: 1, due: nil, lastDue: nil, end: time,
      lateness: 0, causes: CauseAmounts(), cause: nil, mode: mode)
  }
}
