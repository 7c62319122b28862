import SystemSupport
import TraceFormat
import TraceRecorder

/// A task, service or interval that a program has begun. It ends once.
private struct Begun: Sendable {
  private let tracer: RunLoopTracer
  private let object: UInt32
  private let signpost: SignpostMirror.Interval?
  private let isOver = AtomicFlag()

  init(_ tracer: RunLoopTracer, _ object: UInt32, _ signpost: SignpostMirror.Interval?) {
    self.tracer = tracer
    self.object = object
    self.signpost = signpost
  }

  /// Records the end. Does nothing the second time.
  func end(_ kind: EventKind) {
    guard !isOver.exchange(true) else { return }
    signpost?.end()
    tracer.emit(kind, object: object, [])
    tracer.release(object)
  }
}

/// A background task, from `RunLoopTracer.beginBackgroundTask` to its end. Thread-safe.
public struct BackgroundTaskMark: Sendable {
  fileprivate let task: Begun

  /// Records that the program ended the task. Later calls, and calls after `expired`, are not recorded.
  public func end() { task.end(.backgroundTaskEnd) }

  /// Records that the system ended the task because its budget was used up.
  public func expired() { task.end(.backgroundTaskExpired) }
}

/// An expensive service that is on, such as location, from `RunLoopTracer.beginService` to `end`. Thread-safe.
public struct ServiceMark: Sendable {
  fileprivate let service: Begun

  /// Records that the program switched the service off. Later calls are not recorded.
  public func end() { service.end(.serviceEnd) }
}

/// An interval of the program, from `RunLoopTracer.beginInterval` to `end`. Thread-safe: any thread may end it.
public struct IntervalMark: Sendable {
  fileprivate let interval: Begun

  /// Records the end of the interval. Later calls are not recorded.
  public func end() { interval.end(.intervalEnd) }
}

/// Marks that a program sets.
extension RunLoopTracer {
  /// Sets a named mark in the trace.
  public func mark(_ name: String) {
    emit(.mark, object: 0, [UInt64(string(name))])
    signposts?.mark(name)
  }

  /// Begins a named interval that lasts until `end()`. Intervals may nest and overlap, even with the same name.
  public func beginInterval(_ name: String) -> IntervalMark {
    IntervalMark(interval: begin(.intervalBegin, name))
  }

  /// Calls `body` and records its duration as a named interval.
  public func interval<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
    let interval = beginInterval(name)
    defer { interval.end() }
    return try body()
  }

  /// Calls an asynchronous `body` and records its duration as a named interval. It may end on another thread.
  public func interval<Result>(
    awaiting name: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    let interval = beginInterval(name)
    defer { interval.end() }
    return try await body()
  }

  /// Records that a named state of the program, such as `screen`, has a value until the next call with this name, on any
  /// thread. An empty value ends the state. Results can be split by the values, so a state should have few of them:
  /// analyses keep 64. Each distinct text stays in memory until the recording ends.
  public func state(_ name: String, _ value: String) {
    emit(.state, object: 0, [UInt64(string(name)), UInt64(string(value))])
  }

  /// Records that a life-cycle phase begins.
  public func lifeCycle(_ phase: LifePhase) { emit(.lifeCycle, object: 0, [phase.rawValue]) }

  /// Records that a background task begins. `budget` is the time in seconds that the system granted; nil = not known.
  public func beginBackgroundTask(name: String, budget: Double? = nil) -> BackgroundTaskMark {
    let budgetNs = budget.map { UInt64(clamping: min($0, 1e9) * 1e9) } ?? 0
    return BackgroundTaskMark(task: begin(.backgroundTaskBegin, name, budgetNs))
  }

  /// Records that an expensive service is switched on: one that keeps hardware awake or the process running.
  public func beginService(name: String) -> ServiceMark {
    ServiceMark(service: begin(.serviceBegin, name))
  }

  private func begin(_ kind: EventKind, _ name: String, _ more: UInt64...) -> Begun {
    let object = preload?.makeObject() ?? recorder.makeObject()
    emit(kind, object: object, [UInt64(string(name))] + more)
    return Begun(self, object, signposts?.begin(name))
  }

  fileprivate func release(_ object: UInt32) {
    if let preload { preload.release(object: object) } else { recorder.release(object: object) }
  }

  private func string(_ text: String) -> UInt32 { preload?.string(text) ?? recorder.string(text) }

  fileprivate func emit(_ kind: EventKind, object: UInt32, _ arguments: [UInt64]) {
    if let preload {
      preload.emit(kind, object: object, arguments)
    } else {
      recorder.emit(kind, object: object, arguments: arguments)
    }
  }
}
