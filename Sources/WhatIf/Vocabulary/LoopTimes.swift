/// Times of a recording that can be replayed: arithmetic with them stays in 64 bits.
enum LoopTimes {
  /// In nanoseconds since the trace's origin, nine years.
  static let latestNs: UInt64 = 1 << 58
}
