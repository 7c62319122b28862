// The payload of an event block: a directory, then columns. See docs/reference/trace-format.md for the byte tables.
//
//   varint kinds                     number of different kinds in the block, ascending by code
//   per kind:
//     u8     code
//     varint count                   events of the kind
//     varint objects                 entries of its object dictionary
//     varint unmatched               ends before the first begin of the block; 0 for other kinds
//     varint arguments               arguments that every event has
//     u8     hasRest                 1: some events have more arguments, counted per event
//     u8     predictor x arguments   0 = the column's previous value, 1 = the event's own time
//   varint columns
//   per column: varint plain bytes, varint stored bytes (0 = stored uncompressed)
//   the columns, in this order:
//     shape lengths, shape bytes, shape ids, literals, mode runs, jumps, object dictionaries,
//     per kind: delta codes, delta bits, object codes,
//               per fixed argument: codes, bits; if hasRest: counts, codes, bits
//     if object codes of a kind take more than a byte: the upper bytes of the dictionaries and of these codes; the
//     columns above then have only the lowest bytes
//
// A flat block has no kinds in its directory. Its columns are in the order of events:
//
//     kinds, mode runs, jumps, deltas (u16 or u32), objects (the same), argument counts, arguments (u64)

/// The numbers that encoder and decoder share.
enum EventBlockLayout {
  /// The maximum number of events in a shape. One 32-byte copy expands a shape.
  static let shapeLength = 32
  /// The maximum number of shapes in a block. Id 255 means that the events are among the literals.
  static let shapesMax = 255
  static let literalShape: UInt8 = 255
  /// The number of columns before those of the first kind.
  static let leadingColumns = 7
  /// The number of columns of a flat block.
  static let flatColumns = 7

  static let predictPrevious: UInt8 = 0
  static let predictEventTime: UInt8 = 1

  /// The kind that begins a new shape: a shape is usually one pass of the loop.
  static let shapeStart = EventKind.beforeTimersLow.rawValue

  /// The bytes of an object code. 0 = as predicted. Codes of one byte are 1 + an index in the dictionary; wider ones
  /// count back from the entries that the kind's earlier codes introduced: 1 = the next one, 2 = the last one.
  enum ObjectCodeWidth: Int {
    case byte = 1
    case short = 2
    case word = 4
  }

  static func objectCodeWidth(dictionary count: Int) -> ObjectCodeWidth {
    count < 255 ? .byte : count < 65535 ? .short : .word
  }

  /// The number of stored columns, without those of upper bytes.
  static func columns(_ directory: [KindDirectoryEntry]) -> Int {
    leadingColumns + directory.reduce(0) { $0 + $1.columns }
  }

  /// The number of columns with one of the upper bytes of a dictionary entry, which is an object.
  static let upperBytesOfObject = 3

  /// The number of columns of upper bytes: those of the object dictionaries, then of codes by kind. 0 if all codes
  /// take one byte.
  static func upperColumns(_ directory: [KindDirectoryEntry]) -> Int {
    let codes = directory.reduce(0) { $0 + $1.upperBytesOfCode }
    return codes == 0 ? 0 : upperBytesOfObject + codes
  }
}

/// The directory's entry for one kind.
struct KindDirectoryEntry {
  var code: UInt8
  /// The start of its columns among those of all kinds, in events.
  var start: Int
  var count: Int
  var objects: Int = 0
  var unmatched: Int = 0
  var arguments: Int = 0
  var hasRest = false
  var predictors: [UInt8] = []

  /// The number of bytes of an object code beyond the lowest.
  var upperBytesOfCode: Int { EventBlockLayout.objectCodeWidth(dictionary: objects).rawValue - 1 }

  /// The number of stored columns that belong to the kind, without those of upper bytes.
  var columns: Int { 3 + 2 * arguments + (hasRest ? 3 : 0) }
}
