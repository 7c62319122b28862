import TraceFormat
import TraceRecorder

/// Something that a program began and ends once.
private struct Begun: Sendable {
  private let tracer: RunLoopTracer
  private let object: UInt32
  private let isOver = AtomicFlag()

  init(_ tracer: RunLoopTracer, _ object: UInt32) {
    self.tracer = tracer
    self.object = object
  }

  /// Records the end; nothing the second time.
  func end(_ kind: EventKind) {
    guard !isOver.exchange(true) else { return }
    tracer.say(kind, object: object, [])
    tracer.release(object)
  }
}

/// A background task as the program sees it, from `RunLoopTracer.beginBackgroundTask` on. Thread-safe.
public struct BackgroundTaskMark: Sendable {
  fileprivate let task: Begun

  /// The program ended the task. Later calls, and one after `expired`, are recorded no more.
  public func end() { task.end(.backgroundTaskEnd) }

  /// The system took the task away: its budget is used up.
  public func expired() { task.end(.backgroundTaskExpired) }
}

/// An expensive service that is on, location for one, from `RunLoopTracer.beginService` to `end`. Thread-safe.
public struct ServiceMark: Sendable {
  fileprivate let service: Begun

  /// The program switched it off. Later calls are recorded no more.
  public func end() { service.end(.serviceEnd) }
}

/// An interval of the program's own, from `RunLoopTracer.beginInterval` to `end`. Thread-safe: another thread than the one
/// that began it may end it.
public struct IntervalMark: Sendable {
  fileprivate let interval: Begun

  /// The interval is over. Later calls are recorded no more.
  public func end() { interval.end(.intervalEnd) }
}

/// What a program says about itself.
extension RunLoopTracer {
  /// Sets a mark with a name in the trace.
  public func mark(_ name: String) { say(.mark, object: 0, [UInt64(string(name))]) }

  /// An interval with a name begins; it lasts until `end()`. Intervals may nest and overlap, also those of one name.
  public func beginInterval(_ name: String) -> IntervalMark {
    IntervalMark(interval: begin(.intervalBegin, name))
  }

  /// Calls `body`, and records how long it took as an interval with a name.
  public func interval<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
    let interval = beginInterval(name)
    defer { interval.end() }
    return try body()
  }

  /// The same for a body that waits: it may end on another thread than it began on.
  public func interval<Result>(
    awaiting name: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    let interval = beginInterval(name)
    defer { interval.end() }
    return try await body()
  }

  /// A life-cycle phase begins.
  public func lifeCycle(_ phase: LifePhase) { say(.lifeCycle, object: 0, [phase.rawValue]) }

  /// A background task begins; `budget` in seconds is what the system granted, nil when it did not say.
  public func beginBackgroundTask(name: String, budget: Double? = nil) -> BackgroundTaskMark {
    let budgetNs = budget.map { UInt64(min(max($0, 0), 1e9) * 1e9) } ?? 0
    return BackgroundTaskMark(task: begin(.backgroundTaskBegin, name, budgetNs))
  }

  /// An expensive service is switched on: one that keeps hardware awake or the process running.
  public func beginService(name: String) -> ServiceMark {
    ServiceMark(service: begin(.serviceBegin, name))
  }

  private func begin(_ kind: EventKind, _ name: String, _ more: UInt64...) -> Begun {
    let object = preload?.makeObject() ?? recorder.makeObject()
    say(kind, object: object, [UInt64(string(name))] + more)
    return Begun(self, object)
  }

  fileprivate func release(_ object: UInt32) {
    if let preload { preload.release(object: object) } else { recorder.release(object: object) }
  }

  private func string(_ text: String) -> UInt32 { preload?.string(text) ?? recorder.string(text) }

  fileprivate func say(_ kind: EventKind, object: UInt32, _ arguments: [UInt64]) {
    if let preload {
      preload.emit(kind, object: object, arguments)
    } else {
      recorder.emit(kind, object: object, arguments: arguments)
    }
  }
}
