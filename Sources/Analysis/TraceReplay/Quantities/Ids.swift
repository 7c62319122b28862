import TraceFormat

// The ids of a trace. `ObjectID` is declared by the format, `ModeID` by the vocabulary.

/// The id of a string in the trace's string table.
package struct StringID: Hashable, Comparable, Sendable {
  package let rawValue: UInt32
  package init(_ rawValue: UInt32) { self.rawValue = rawValue }
  package static var none: StringID { StringID(0) }
  package static func < (a: StringID, b: StringID) -> Bool { a.rawValue < b.rawValue }
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
