/// The code of an event. Codes that this version does not know are legal: readers skip and count them.
///
/// The event table is the only list of the known codes.
@frozen public struct EventKind: RawRepresentable, Hashable, Sendable, Comparable {
  public let rawValue: UInt8
  /// Creates the kind with a code, which this version need not know.
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }
  @inlinable package init(_ rawValue: UInt8) { self.init(rawValue: rawValue) }
  /// Compares the codes.
  @inlinable public static func == (a: EventKind, b: EventKind) -> Bool { a.rawValue == b.rawValue }
  /// Compares the codes.
  @inlinable public static func < (a: EventKind, b: EventKind) -> Bool { a.rawValue < b.rawValue }

  /// For the beginning of a callout or call: its end, which has the next code.
  @inlinable package var end: EventKind { EventKind(rawValue &+ 1) }
  /// For the end of a callout or call: its beginning.
  @inlinable package var begin: EventKind { EventKind(rawValue &- 1) }

  /// Creates the kind of an activity's stamp.
  @inlinable package init(_ activity: Activity, isHigh: Bool = false) {
    let low: EventKind =
      switch activity {
      case .entry: .entryLow
      case .beforeTimers: .beforeTimersLow
      case .beforeSources: .beforeSourcesLow
      case .beforeWaiting: .beforeWaitingLow
      case .afterWaiting: .afterWaitingLow
      case .exit: .exitLow
      }
    self = isHigh ? EventKind(low.rawValue &+ 1) : low
  }
}
