/// The id of a mode in a trace; `outside` = outside any run.
@usableFromInline package struct ModeID: Hashable, Comparable, Sendable {
  @usableFromInline package let rawValue: UInt8

  @inlinable package init(_ rawValue: UInt8) { self.rawValue = rawValue }

  @inlinable package static var outside: ModeID { ModeID(0) }

  @inlinable package static func == (a: ModeID, b: ModeID) -> Bool { a.rawValue == b.rawValue }
  @inlinable package static func < (a: ModeID, b: ModeID) -> Bool { a.rawValue < b.rawValue }
}
