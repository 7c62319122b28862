/// The id of a mode in a trace; `outside` = outside any run.
@frozen public struct ModeID: Hashable, Comparable, Sendable {
  public let rawValue: UInt8

  @inlinable public init(_ rawValue: UInt8) { self.rawValue = rawValue }

  @inlinable public static var outside: ModeID { ModeID(0) }

  @inlinable public static func == (a: ModeID, b: ModeID) -> Bool { a.rawValue == b.rawValue }
  @inlinable public static func < (a: ModeID, b: ModeID) -> Bool { a.rawValue < b.rawValue }
}
