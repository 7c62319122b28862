import SystemSupport
import TraceFormat

/// Something that the recorder observed about the recorded process from outside.
struct RecorderNote: Sendable {
  /// When it was observed.
  var moment: ClockReading
  /// Nil if the note has only clocks or a fact.
  var event: Event?
  var fact: InfoEntry?
  /// Clock readings around it, in time order.
  var clocks: [ClockReading] = []

  struct Event: Sendable {
    var kind: EventKind
    var arguments: [UInt64]
  }

  /// The process ended. `end` nil = how it ended is not known.
  static func end(_ end: ProgramEnd?, byRecorder: Bool, at moment: ClockReading) -> RecorderNote {
    let (status, signal): (Int64, UInt64) =
      switch end {
      case .exited(let status): (Int64(status), 0)
      case .signalled(let number): (-1, UInt64(number))
      case nil: (-1, 0)
      }
    return RecorderNote(
      moment: moment,
      event: Event(
        kind: .processEnd, arguments: [UInt64(bitPattern: status), signal, byRecorder ? 1 : 0]))
  }

  /// The trace ends at that moment, but the process does not.
  static func end(_ end: TraceEnd, at moment: ClockReading) -> RecorderNote {
    RecorderNote(moment: moment, event: nil, fact: end.fact)
  }
}

/// Notes on their way to the drain. Thread-safe.
final class RecorderNotes: Sendable {
  private let waiting = Locked<[RecorderNote]>([])

  func add(_ note: RecorderNote) { waiting.withLock { $0.append(note) } }

  /// Returns the notes added since the last call, in time order.
  func takeAll() -> [RecorderNote] {
    let taken = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    return taken.ordered { $0.moment.monotonicNs < $1.moment.monotonicNs }
  }
}
