/// Limits on everything that comes from a file. No recorder of this project writes more; a reader refuses more.
public enum TraceLimits {
  public static let eventsPerBlock = 1 << 16
  public static let argumentsPerEvent = 255
  /// Keeps the largest event block below `payloadBytes`.
  public static let argumentsPerBlock = 1 << 22
  public static let payloadBytes = 1 << 26
  public static let decodedBytesPerBlock = 1 << 26
  public static let stringBytes = 1 << 16
  public static let strings = 1 << 20
  public static let threads = 1 << 16
  public static let modes = 255
  public static let infoEntries = 1 << 12
  public static let blocks = 1 << 24
  /// A longer index stands in several blocks.
  public static let entriesPerIndexBlock = 1 << 16
  /// All definition blocks of a file together, decompressed.
  public static let definitionBytes = 1 << 28
  /// Deltas of this size and above are stored apart, as jumps.
  public static let deltaUnits: UInt64 = (1 << 31) - 2
}
