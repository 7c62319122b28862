import TraceAnalysis
import TraceReplay

/// A span of a thread that a time line draws one by one: a pass, a phase, or a callout. Time units of the trace.
struct SpanMark: Equatable {
  var start: UInt64
  var end: UInt64
  var what: What
  var mode: UInt8
  /// Runs around a phase or a pass; callouts around a callout.
  var depth: UInt8

  struct What: Hashable {
    /// 0 a pass, then a phase by `Phase.rawValue`; from `firstCallout` on the kind of a callout.
    var kind: UInt8
    /// Of a callout: its name's string id; the object, where it has no name.
    var name: UInt32 = 0
    var object: UInt32 = 0

    static let firstCallout: UInt8 = 100
    static let pass = What(kind: 0)
    static func phase(_ phase: Phase) -> What { What(kind: UInt8(phase.rawValue)) }
    static func callout(kind: UInt8, name: UInt32, object: UInt32) -> What {
      What(kind: kind &+ firstCallout, name: name, object: name == 0 ? object : 0)
    }
  }
}

/// What became of one due point of a timer class, or of several that were skipped in a row. Time units of the trace.
struct PointMark: Equatable {
  /// When it was due; of a fire whose due point nobody knew, when it fired.
  var due: UInt64
  var lastDue: UInt64
  /// Nil for skipped ones.
  var end: UInt64?
  /// `DueOutcome.rawValue`; one more than those of a fire whose due point nobody knew.
  var outcome: UInt8
  static let firedUnknown = UInt8(DueOutcome.allCases.count)
  /// `Cause.rawValue` of what took most of a late fire's lateness, else of what held at the due point, or `unknownCause`.
  var cause: UInt8
  static let unknownCause: UInt8 = 255
  var mode: UInt8
  // Last, so that the bytes before it fit in behind the optional one: there are many marks.
  var count: UInt64

  /// From the due point to what became of it; 0 when that came early, and of skipped ones.
  var late: UInt64 { end.map { $0 > due ? $0 - due : 0 } ?? 0 }
}
