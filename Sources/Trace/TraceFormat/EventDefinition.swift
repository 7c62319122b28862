/// The meaning of an argument's 64 bits.
package enum ArgumentUnit: String, Sendable {
  /// A time in the trace's time units since its origin; may lie before the origin (two's complement).
  case time
  /// A duration in nanoseconds, whatever the trace's time unit is.
  case nanoseconds
  case count
  /// Two's complement.
  case signed
  /// An id of the string table; 0 = none.
  case string
  case mode
  case object
  case address
  /// A small number whose meaning is listed with the argument.
  case code
}

/// One argument of an event.
package struct ArgumentDefinition: Sendable {
  package let name: String
  package let unit: ArgumentUnit
  package let note: String
}

/// The effect of an event on the state that a reader of events keeps.
///
/// The end of a call or callout belongs to the innermost open one of its thread whose begin has the kind
/// `EventKind.begin` and the same object. Other activities than Entry belong to the innermost open run of their mode
/// and loop. Everything inside has then ended as well, even without a recorded end.
@usableFromInline package enum EventRole: Equatable, Sendable {
  /// A run of a loop reached an activity. The stamp was taken before all other observers or, if `isHigh`, after them.
  case activity(Activity, isHigh: Bool)
  /// A run function, or a function that waits for a queue, was called or returned.
  case callBegin, callEnd
  case calloutBegin(CalloutKind)
  case calloutEnd(CalloutKind)
  /// Introduces an object. The first argument is its name.
  case defines
  /// The object no longer exists.
  case ends
  /// The object enters or leaves the mode of the first argument. The second argument, if any, is the mode's loop.
  case joins, leaves
  /// The first argument is a due point: the one that the object waits for, or the one that the callout serves as it
  /// begins.
  case setsDue, answersDue
  /// The first argument is the new life-cycle phase.
  case setsPhase
  /// An observation by the recorder from outside the loops. May be evidence that the process did not run.
  case evidence
  /// Events of the thread are missing at this place.
  case loss
  /// Describes code of the process.
  case image
  /// Has no effect on that state.
  case happens
}

/// A row of the event table.
public struct EventDefinition: Sendable {
  /// The code in the trace.
  public let kind: EventKind
  /// The name in the text form and in documents.
  public let name: String
  package let role: EventRole
  /// The kind of object in the event's object field; empty = none.
  package let object: String
  package let arguments: [ArgumentDefinition]
  /// Whether the last argument may be repeated.
  package let isVariadic: Bool
  /// The minor version of format 1 that introduced the row.
  package let since: UInt16
  package let meaning: String

  /// Returns the argument at a position; nil beyond those that this version knows.
  package func argument(_ position: Int) -> ArgumentDefinition? {
    position < arguments.count ? arguments[position] : isVariadic ? arguments.last : nil
  }
}
