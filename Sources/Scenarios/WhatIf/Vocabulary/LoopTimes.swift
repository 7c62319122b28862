/// The times of a recording that can be replayed. Arithmetic with them fits 64 bits.
enum LoopTimes {
  /// In nanoseconds since the trace's origin: about nine years.
  static let latestNs: UInt64 = 1 << 58
}
