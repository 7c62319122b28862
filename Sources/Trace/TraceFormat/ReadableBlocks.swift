extension TraceReader {
  /// Decodes the event blocks of some `threads`, or of all, in file order, and passes each to `body`. The next block
  /// reuses the memory.
  ///
  /// Skips damaged blocks; `problem` then describes the damage. Calls `progress` with the share of events done,
  /// 0...1. Throws when reading fails, and what `body` throws.
  func forEachReadableBlock(
    of threads: Set<UInt32>? = nil, progress: ((Double) -> Void)? = nil,
    _ body: (DecodedEvents) throws(TraceFormatError) -> Void
  ) throws(TraceFormatError) {
    let events = DecodedEvents()
    let total = Double(max(eventCount, 1))
    var done: UInt64 = 0
    for (number, entry) in blocks.enumerated()
    where entry.type == .events && threads?.contains(entry.thread) != false {
      done += UInt64(entry.count)
      do throws(TraceFormatError) {
        try self.events(of: number, into: events)
      } catch {
        if case .system = error { throw error }
        continue
      }
      try body(events)
      progress?(Double(done) / total)
    }
  }
}
