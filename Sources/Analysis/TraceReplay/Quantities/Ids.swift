import TraceFormat

// The ids of a trace. `ObjectID` is declared by the format, `ModeID` by the vocabulary.

/// The id of a string in the trace's string table.
public struct StringID: Hashable, Comparable, Sendable {
  public let rawValue: UInt32
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }
  public static var none: StringID { StringID(0) }
  public static func < (a: StringID, b: StringID) -> Bool { a.rawValue < b.rawValue }
}

/// A run loop, identified by its object.
package struct LoopID: Hashable, Sendable {
  package let object: ObjectID
  package init(_ object: ObjectID) { self.object = object }
}

/// The index of a row in the trace's thread table.
package struct ThreadIndex: Hashable, Sendable {
  package let rawValue: UInt32
  package init(_ rawValue: UInt32) { self.rawValue = rawValue }
}
