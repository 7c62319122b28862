import RunLoopVocabulary

/// Limits on everything that comes from a file. No recorder of this project exceeds them, and readers refuse what
/// does.
package enum TraceLimits {
  package static let eventsPerBlock = 1 << 16
  package static let argumentsPerEvent = 255
  /// Keeps the largest event block below `eventBytesPerBlock`.
  package static let argumentsPerBlock = 1 << 20
  package static let eventBytesPerBlock = 1 << 24
  package static let payloadBytes = 1 << 25
  package static let decodedBytesPerBlock = 1 << 25
  package static let stringBytes = 1 << 16
  package static let strings = 1 << 20
  package static let threads = 1 << 16
  package static let modes = 255
  package static let infoEntries = 1 << 12
  package static let syncPoints = 1 << 20
  package static let blocks = 1 << 19
  /// A longer index is split over several blocks.
  package static let entriesPerIndexBlock = 1 << 16
  /// The bytes of all definition blocks of a file except sync points, decompressed, plus 64 for each entry.
  package static let definitionBytes = 1 << 25
  /// The bytes of a line of the text form. The longest line is a fact with two long escaped names.
  package static let lineBytes = 1 << 20
  /// Deltas of at least this size are stored separately, as jumps.
  package static let deltaUnits: UInt64 = (1 << 31) - 2
  /// The number of events that a trace may have, however small its file.
  package static let eventsOfAnyTrace = 1 << 25
  /// The number of further events for each byte of the file.
  package static let eventsPerByte = 16

  /// All limits, in the order of the file's parts.
  package static let all: [Limit] = [
    Limit(
      "eventsOfAnyTrace", eventsOfAnyTrace, of: "events, however small the file", refusing: "trace"
    ),
    Limit(
      "eventsPerByte", eventsPerByte, of: "additional events for each byte of the file", refusing: "trace"),
    Limit("blocks", blocks, of: "blocks", refusing: "trace"),
    Limit("entriesPerIndexBlock", entriesPerIndexBlock, of: "entries of an index block", refusing: "trace"),
    Limit("payloadBytes", payloadBytes, of: "payload of a block, stored", refusing: "trace"),
    Limit(
      "decodedBytesPerBlock", decodedBytesPerBlock, of: "payload of a block, decompressed", refusing: "trace"),
    Limit(
      "eventsPerBlock", eventsPerBlock, of: "events, or sync points, of a block",
      refusing: "trace"),
    Limit(
      "eventBytesPerBlock", eventBytesPerBlock,
      of: "payload of a block of events, stored and decompressed", refusing: "trace"),
    Limit("argumentsPerEvent", argumentsPerEvent, of: "arguments of an event", refusing: "trace"),
    Limit(
      "argumentsPerBlock", argumentsPerBlock, of: "arguments of all events of a block", refusing: "trace"),
    Limit(
      "deltaUnits", deltaUnits, of: "time units from one event to the next",
      beyond: "stored as a jump"),
    Limit(
      "definitionBytes", definitionBytes,
      of: "definition blocks except sync points, decompressed, plus 64 bytes for each entry",
      refusing: "trace"),
    Limit("strings", strings, of: "strings, and the largest id", refusing: "trace"),
    Limit(
      "stringBytes", stringBytes, of: "UTF-8 bytes of a string",
      beyond: "writers cut it at a character, readers refuse the trace"),
    Limit("threads", threads, of: "threads; the largest index is one less", refusing: "trace"),
    Limit("modes", modes, of: "modes in a block", refusing: "trace"),
    Limit("infoEntries", infoEntries, of: "facts", refusing: "trace"),
    Limit("syncPoints", syncPoints, of: "sync points", refusing: "trace"),
    Limit("lineBytes", lineBytes, of: "bytes of a line of text", refusing: "text"),
  ]
}
