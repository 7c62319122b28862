// The payload of an event block: a directory, then columns. See docs/trace-format.md for the byte tables.
//
//   varint kinds                     different kinds in the block, ascending by code
//   per kind:
//     u8     code
//     varint count                   events of the kind
//     varint objects                 entries of its object dictionary
//     varint unmatched               ends: how many stand before the first begin of the block; else 0
//     varint arguments               fixed arguments
//     u8     hasRest                 1: arguments beyond the fixed ones follow, counted per event
//     u8     predictor x arguments   0 = the column's previous value, 1 = the event's own time
//   varint columns
//   per column: varint plain bytes, varint stored bytes (0 = stored as is)
//   the columns, in this order:
//     shape lengths, shape bytes, shape ids, literals, mode runs, jumps, object dictionaries,
//     per kind: delta codes, delta bits, object codes,
//               per fixed argument: codes, bits; if hasRest: counts, codes, bits

/// Numbers that encoder and decoder share.
enum EventBlockLayout {
  /// Events a shape may hold; one 32-byte copy expands it.
  static let shapeLength = 32
  /// Shapes of a block; id 255 says that the events stand in the literals.
  static let shapesMax = 255
  static let literalShape: UInt8 = 255
  /// Columns before the first kind's.
  static let leadingColumns = 7

  static let predictPrevious: UInt8 = 0
  static let predictEventTime: UInt8 = 1

  /// A shape ends before this kind: one pass of the loop, usually one shape.
  static let shapeStart = EventKind.beforeTimersLow.rawValue

  /// Bytes of an object code: 0 = as predicted, else 1 + index in the dictionary.
  enum ObjectCodeWidth: Int {
    case byte = 1
    case short = 2
    case word = 4
  }

  static func objectCodeWidth(dictionary count: Int) -> ObjectCodeWidth {
    count < 255 ? .byte : count < 65535 ? .short : .word
  }
}

/// One kind's entry of the directory.
struct KindDirectoryEntry {
  var code: UInt8
  /// Of its columns, among those of all kinds.
  var start: Int
  var count: Int
  var objects: Int = 0
  var unmatched: Int = 0
  var arguments: Int = 0
  var hasRest = false
  var predictors: [UInt8] = []

  /// Columns that belong to the kind.
  var columns: Int { 3 + 2 * arguments + (hasRest ? 3 : 0) }
}
