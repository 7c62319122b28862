import RunLoopVocabulary

/// Limits on everything that comes from a file. No recorder of this project writes more; a reader refuses more.
public enum TraceLimits {
  public static let eventsPerBlock = 1 << 16
  public static let argumentsPerEvent = 255
  /// Keeps the largest event block below `eventBytesPerBlock`.
  public static let argumentsPerBlock = 1 << 20
  public static let eventBytesPerBlock = 1 << 24
  public static let payloadBytes = 1 << 25
  public static let decodedBytesPerBlock = 1 << 25
  public static let stringBytes = 1 << 16
  public static let strings = 1 << 20
  public static let threads = 1 << 16
  public static let modes = 255
  public static let infoEntries = 1 << 12
  public static let syncPoints = 1 << 20
  public static let blocks = 1 << 19
  /// A longer index stands in several blocks.
  public static let entriesPerIndexBlock = 1 << 16
  /// All definition blocks of a file but sync points together, decompressed, and 64 for each entry.
  public static let definitionBytes = 1 << 25
  /// Of the text form. A fact of two long names that are escaped is the longest.
  public static let lineBytes = 1 << 20
  /// Deltas of this size and above are stored apart, as jumps.
  public static let deltaUnits: UInt64 = (1 << 31) - 2
  /// Events of a trace, however small its file.
  public static let eventsOfAnyTrace = 1 << 25
  /// So many more for each byte of the file.
  public static let eventsPerByte = 16

  /// All of them, in the order of the file's parts.
  public static let all: [Limit] = [
    refused("eventsOfAnyTrace", eventsOfAnyTrace, "events of a trace, however small its file"),
    refused("eventsPerByte", eventsPerByte, "events more for each byte of the file"),
    refused("blocks", blocks, "blocks of a trace"),
    refused("entriesPerIndexBlock", entriesPerIndexBlock, "entries of an index block"),
    refused("payloadBytes", payloadBytes, "payload of a block, as stored"),
    refused("decodedBytesPerBlock", decodedBytesPerBlock, "payload of a block, decompressed"),
    refused("eventsPerBlock", eventsPerBlock, "events in a block; also sync points in a block"),
    refused(
      "eventBytesPerBlock", eventBytesPerBlock, "payload of a block of events, as stored and decompressed"),
    refused("argumentsPerEvent", argumentsPerEvent, "arguments of an event"),
    refused("argumentsPerBlock", argumentsPerBlock, "arguments of all events of a block"),
    Limit(
      "deltaUnits", deltaUnits, of: "time units from one event to the next",
      beyond: "stored apart, as a jump"),
    refused(
      "definitionBytes", definitionBytes,
      "all definition blocks of a trace but sync points, decompressed, and 64 bytes for each entry"),
    refused("strings", strings, "strings of a trace, and the largest id"),
    Limit(
      "stringBytes", stringBytes, of: "UTF-8 bytes of a string",
      beyond: "a writer cuts it at a character, a reader refuses the trace"),
    refused("threads", threads, "threads of a trace; the largest index is one less"),
    refused("modes", modes, "modes in a block"),
    refused("infoEntries", infoEntries, "facts of a trace"),
    refused("syncPoints", syncPoints, "sync points of a trace"),
    Limit("lineBytes", lineBytes, of: "bytes of a line of the text form", beyond: "the text is refused"),
  ]

  private static func refused(_ name: String, _ value: Int, _ of: String) -> Limit {
    Limit(name, value, of: of, beyond: "the trace is refused")
  }
}
