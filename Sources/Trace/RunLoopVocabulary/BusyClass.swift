/// Apple's classes of busy intervals.
package enum BusyClass: String, Sendable, Named {
  case briefUnresponsiveness = "brief_unresponsiveness"
  case microhang
  case hang
  case severeHang = "severe_hang"

  /// The shortest busy time, in nanoseconds, that Apple considers a hang.
  package static let hangNs = BusyClass.microhang.fromNs

  /// The class of a busy interval; nil below 100 ms.
  package init?(ns: UInt64) {
    guard let found = BusyClass.allCases.last(where: { ns >= $0.fromNs }) else { return nil }
    self = found
  }

  /// The shortest interval of the class, in nanoseconds.
  package var fromNs: UInt64 {
    switch self {
    case .briefUnresponsiveness: 100_000_000
    case .microhang: 250_000_000
    case .hang: 500_000_000
    case .severeHang: 2_000_000_000
    }
  }

  package var name: String { rawValue }

  /// Returns whether a busy interval lies mostly outside any run of the loop. Both lengths have the same unit.
  @inlinable
  package static func isMostlyOutside(_ length: UInt64, outside: UInt64) -> Bool { outside > length / 2 }

  /// Returns the length of a busy interval that counts as a hang: the whole interval, or its part inside runs if most
  /// of it was outside.
  @inlinable
  package static func hangLength(_ length: UInt64, outside: UInt64) -> UInt64 {
    isMostlyOutside(length, outside: outside) ? length &- outside : length
  }
}
