/// A moment of a recording: time units since its origin.
package struct Moment: Hashable, Comparable, Sendable {
  package let rawValue: UInt64

  package init(_ rawValue: UInt64) { self.rawValue = rawValue }

  package static var origin: Moment { Moment(0) }
  /// After everything that is recorded.
  package static var never: Moment { Moment(.max) }

  package static func < (a: Moment, b: Moment) -> Bool { a.rawValue < b.rawValue }

  // Wrapping arithmetic: a damaged trace may hold any times, and none of them may trap.
  package static func &- (a: Moment, b: Moment) -> Length { Length(a.rawValue &- b.rawValue) }
  package static func &+ (a: Moment, b: Length) -> Moment { Moment(a.rawValue &+ b.rawValue) }
  package static func &- (a: Moment, b: Length) -> Moment { Moment(a.rawValue &- b.rawValue) }
  package static func &+= (a: inout Moment, b: Length) { a = a &+ b }

  /// Returns the time since `earlier`, zero if `earlier` is not earlier.
  package func since(_ earlier: Moment) -> Length { self > earlier ? self &- earlier : .zero }

  /// Returns an earlier moment, at least the origin.
  func earlier(by length: Length) -> Moment { Moment(rawValue &- min(rawValue, length.rawValue)) }
}

/// A length of time, in time units.
package struct Length: Hashable, Comparable, Sendable {
  package let rawValue: UInt64

  package init(_ rawValue: UInt64) { self.rawValue = rawValue }

  package static var zero: Length { Length(0) }
  /// The shortest length.
  static var unit: Length { Length(1) }
  /// Longer than everything that is recorded.
  static var endless: Length { Length(.max) }

  package static func < (a: Length, b: Length) -> Bool { a.rawValue < b.rawValue }

  package static func &+ (a: Length, b: Length) -> Length { Length(a.rawValue &+ b.rawValue) }
  package static func &- (a: Length, b: Length) -> Length { Length(a.rawValue &- b.rawValue) }
  package static func &+= (a: inout Length, b: Length) { a = a &+ b }
  static func &* (a: Length, b: Int) -> Length { Length(a.rawValue &* UInt64(b)) }
  static func / (a: Length, b: UInt64) -> Length { Length(a.rawValue / b) }
  static func / (a: Length, b: Length) -> UInt64 { a.rawValue / b.rawValue }

  /// Returns the length without a part, zero if the part is longer.
  package func without(_ part: Length) -> Length { self &- min(self, part) }

  /// Returns the part of a busy interval of this length that counts as a hang.
  func asHang(outside: Length) -> Length {
    Length(BusyClass.hangLength(rawValue, outside: outside.rawValue))
  }
}
