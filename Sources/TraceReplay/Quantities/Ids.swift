import TraceFormat

// What a trace calls things by number. `ObjectID` is the format's.

/// A text of the trace's table of strings.
public struct StringID: Hashable, Comparable, Sendable {
  public let rawValue: UInt32
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }
  public static var none: StringID { StringID(0) }
  public static func < (a: StringID, b: StringID) -> Bool { a.rawValue < b.rawValue }
}

/// A mode; of no run, `outside`.
public struct ModeID: Hashable, Comparable, Sendable {
  public let rawValue: UInt8
  public init(_ rawValue: UInt8) { self.rawValue = rawValue }
  public static var outside: ModeID { ModeID(0) }
  public static func < (a: ModeID, b: ModeID) -> Bool { a.rawValue < b.rawValue }
}

/// A run loop: the object that it is.
package struct LoopID: Hashable, Sendable {
  package let object: ObjectID
  package init(_ object: ObjectID) { self.object = object }
}

/// A row of the trace's table of threads.
package struct ThreadIndex: Hashable, Sendable {
  package let rawValue: UInt32
  package init(_ rawValue: UInt32) { self.rawValue = rawValue }
}
