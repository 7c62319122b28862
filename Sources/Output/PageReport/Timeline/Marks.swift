import TraceAnalysis
import TraceReplay

/// A span of a thread that a timeline draws by itself: a pass, a phase, or a callout. Times are in the trace's units.
struct SpanMark: Equatable {
  var start: UInt64
  var end: UInt64
  var what: What
  var mode: UInt8
  /// For a phase or a pass, the number of runs around it; for a callout, the number of callouts around it.
  var depth: UInt8

  struct What: Hashable {
    /// 0 = a pass; then a phase by `Phase.rawValue`; from `firstCallout` on, the kind of a callout.
    var kind: UInt8
    /// For a callout: the string id of its name, or its object if it has no name.
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

/// The outcome of one due point of a timer class, or of several consecutive skipped ones. Times are in the trace's
/// units.
struct PointMark: Equatable {
  /// The due point. For a fire without a known due point, the time of the fire.
  var due: UInt64
  var lastDue: UInt64
  /// Nil for skipped points.
  var end: UInt64?
  /// `DueOutcome.rawValue`; the next number for a fire without a known due point.
  var outcome: UInt8
  static let firedUnknown = UInt8(DueOutcome.allCases.count)
  /// `Cause.rawValue` of the largest part of a late fire's lateness, else of the cause at the due point, or
  /// `unknownCause`.
  var cause: UInt8
  static let unknownCause: UInt8 = 255
  var mode: UInt8
  // The last property, so that the bytes before it fit into the padding of the optional one. There are many marks.
  var count: UInt64

  /// The time from the due point to its outcome; 0 for an early fire and for skipped points.
  var late: UInt64 { end.map { $0 > due ? $0 - due : 0 } ?? 0 }
}
