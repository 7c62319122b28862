/// Limits on everything that comes from a file. No recorder of this project exceeds them, and readers refuse what
/// does.
package enum TraceLimits {
  /// Events, however small the file. Beyond: trace refused.
  package static let eventsOfAnyTrace = 1 << 25
  /// Additional events for each byte of the file. Beyond: trace refused.
  package static let eventsPerByte = 16
  /// Blocks. Beyond: trace refused.
  package static let blocks = 1 << 19
  /// Entries of an index block. Beyond: trace refused. A longer index is split over several blocks.
  package static let entriesPerIndexBlock = 1 << 16
  /// Payload of a block, stored. Beyond: trace refused.
  package static let payloadBytes = 1 << 25
  /// Payload of a block, decompressed. Beyond: trace refused.
  package static let decodedBytesPerBlock = 1 << 25
  /// Events, or sync points, of a block. Beyond: trace refused.
  package static let eventsPerBlock = 1 << 16
  /// Payload of a block of events, stored and decompressed. Beyond: trace refused.
  package static let eventBytesPerBlock = 1 << 24
  /// Arguments of an event. Beyond: trace refused.
  package static let argumentsPerEvent = 255
  /// Arguments of all events of a block. Beyond: trace refused. Keeps the largest event block below
  /// `eventBytesPerBlock`.
  package static let argumentsPerBlock = 1 << 20
  /// Time units from one event to the next. Beyond: stored as a jump.
  package static let deltaUnits: UInt64 = 2_147_483_646
  /// Definition blocks except sync points, decompressed, plus 64 bytes for each entry. Beyond: trace refused.
  package static let definitionBytes = 1 << 25
  /// Strings, and the largest id. Beyond: trace refused.
  package static let strings = 1 << 20
  /// UTF-8 bytes of a string. Beyond: writers cut it at a character, readers refuse the trace.
  package static let stringBytes = 1 << 16
  /// Threads; the largest index is one less. Beyond: trace refused.
  package static let threads = 1 << 16
  /// Modes in a block. Beyond: trace refused.
  package static let modes = 255
  /// Facts. Beyond: trace refused.
  package static let infoEntries = 1 << 12
  /// Sync points. Beyond: trace refused.
  package static let syncPoints = 1 << 20
  /// Bytes of a line of text. Beyond: text refused. The longest line is a fact with two long escaped names.
  package static let lineBytes = 1 << 20
}
