import TraceFormat

/// Something that the recorder saw of the recorded process from outside.
struct RecorderNote: Sendable {
  /// When it was seen.
  var moment: ClockReading
  /// Nil: only the clocks are worth telling.
  var event: Event?
  /// Readings of the clocks around it, in order of time.
  var clocks: [ClockReading] = []

  struct Event: Sendable {
    var kind: EventKind
    var arguments: [UInt64]
  }
}

/// Notes on their way to the drain. Thread-safe.
final class RecorderNotes: Sendable {
  private let waiting = Locked<[RecorderNote]>([])

  func add(_ note: RecorderNote) { waiting.withLock { $0.append(note) } }

  /// What was added since the last call, in order of time.
  func takeAll() -> [RecorderNote] {
    let taken = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    return taken.sorted { $0.moment.monotonicNs < $1.moment.monotonicNs }
  }
}
