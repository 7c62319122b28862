import Synchronization
import TraceFormat
import TraceRecorder

/// A phase in the life of an app. The raw value is the code in the trace.
public enum LifeCyclePhase: UInt64, Sendable, CaseIterable {
  case launching = 1
  case active, inactive, background, suspended, foreground, terminating
}

/// Something that a program began and ends once.
private struct Begun: ~Copyable, Sendable {
  let tracer: RunLoopTracer
  let object: UInt32
  private let isOver = Atomic(false)

  init(_ tracer: RunLoopTracer, _ object: UInt32) {
    self.tracer = tracer
    self.object = object
  }

  /// Records the end; nothing the second time.
  func end(_ kind: EventKind) {
    guard !isOver.exchange(true, ordering: .relaxed) else { return }
    tracer.say(kind, object: object, [])
  }
}

/// A background task as the program sees it, from `RunLoopTracer.beginBackgroundTask` on. Thread-safe.
public final class BackgroundTaskMark: Sendable {
  private let task: Begun

  fileprivate init(tracer: RunLoopTracer, object: UInt32) { task = Begun(tracer, object) }

  /// The program ended the task. Later calls, and one after `expired`, are recorded no more.
  public func end() { task.end(.backgroundTaskEnd) }

  /// The system took the task away: its budget is used up.
  public func expired() { task.end(.backgroundTaskExpired) }
}

/// An expensive service that is on, location for one, from `RunLoopTracer.beginService` to `end`. Thread-safe.
public final class ServiceMark: Sendable {
  private let service: Begun

  fileprivate init(tracer: RunLoopTracer, object: UInt32) { service = Begun(tracer, object) }

  /// The program switched it off. Later calls are recorded no more.
  public func end() { service.end(.serviceEnd) }
}

/// What a program says about itself.
extension RunLoopTracer {
  /// Sets a mark with a name in the trace.
  public func mark(_ name: String) { say(.mark, object: 0, [UInt64(string(name))]) }

  /// A life-cycle phase begins.
  public func lifeCycle(_ phase: LifeCyclePhase) { say(.lifeCycle, object: 0, [phase.rawValue]) }

  /// A background task begins; `budget` in seconds is what the system granted, nil when it did not say.
  public func beginBackgroundTask(name: String, budget: Double? = nil) -> BackgroundTaskMark {
    let object = preload?.makeObject() ?? recorder.makeObject()
    let budgetNs = budget.map { UInt64(min(max($0, 0), 1e9) * 1e9) } ?? 0
    say(.backgroundTaskBegin, object: object, [UInt64(string(name)), budgetNs])
    return BackgroundTaskMark(tracer: self, object: object)
  }

  /// An expensive service is switched on: one that keeps hardware awake or the process running.
  public func beginService(name: String) -> ServiceMark {
    let object = preload?.makeObject() ?? recorder.makeObject()
    say(.serviceBegin, object: object, [UInt64(string(name))])
    return ServiceMark(tracer: self, object: object)
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
