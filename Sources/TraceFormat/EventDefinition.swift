/// What an argument's 64 bits mean.
public enum ArgumentUnit: String, Sendable {
  /// A moment, in the trace's time units since its origin; may lie before the origin (two's complement).
  case time
  /// A length of time in nanoseconds, whatever the trace's time unit is.
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
public struct ArgumentDefinition: Sendable {
  public let name: String
  public let unit: ArgumentUnit
  public let note: String
}

/// What an event does to the state that a reader of events keeps.
public enum EventRole: Equatable, Sendable {
  /// A run of a loop is at an activity: before all other observers, or behind them (high).
  case activity(Activity, isHigh: Bool)
  /// A run function is called, and returns.
  case callBegin, callEnd
  case calloutBegin(CalloutKind)
  case calloutEnd(CalloutKind)
  /// Brings an object, which the first argument names.
  case defines
  /// The object is gone.
  case ends
  /// The object is in the mode of the first argument from now on, or no longer; the second is the mode's loop.
  case joins, leaves
  /// The first argument is the due point that the object waits for, or that the callout beginning now answers.
  case setsDue, answersDue
  /// The first argument is the life-cycle phase from now on.
  case setsPhase
  /// The recorder saw it from outside: it may mean that the process did not run.
  case evidence
  /// Events of the thread are missing here.
  case loss
  /// Describes code of the process.
  case image
  /// Happens, and is over.
  case happens
}

/// One row of the event table.
public struct EventDefinition: Sendable {
  public let kind: EventKind
  /// The name in text form and in documents.
  public let name: String
  public let role: EventRole
  /// What the event's object field names; empty = nothing.
  public let object: String
  public let arguments: [ArgumentDefinition]
  /// The last argument may be repeated.
  public let isVariadic: Bool
  /// Minor version of format 1 that brought the row.
  public let since: UInt16
  public let meaning: String

  /// The argument at a position; nil beyond what this version knows.
  func argument(_ position: Int) -> ArgumentDefinition? {
    position < arguments.count ? arguments[position] : isVariadic ? arguments.last : nil
  }
}
