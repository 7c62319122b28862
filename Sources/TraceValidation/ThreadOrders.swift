import TraceFormat

/// What each thread's events may be next, over the blocks of a file in their order.
struct ThreadOrders {
  private var orders: [UInt32: ThreadOrder] = [:]
  /// Where blocks are missing, of one thread or of any: not yet passed, in file order.
  private var gaps: ArraySlice<(offset: UInt64, thread: UInt32?)>
  /// Gaps passed that any thread's blocks may have stood in.
  private var commonGaps = 0
  private let rules: ThreadOrder.Rules

  init(_ reader: TraceReader) throws(TraceFormatError) {
    gaps = reader.lostParts.filter { $0.events != .exactly(0) }.map { ($0.bytes.lowerBound, $0.thread) }[...]
    rules = ThreadOrder.Rules(
      hasHigh: reader.header.hasHighStamps, beginning: reader.beginning, modes: reader.modes,
      mayBeginInside: !reader.info.contains { $0.key == InfoEntry.recorder },
      isBlind: try ThreadOrders.hasLossesElsewhere(reader))
  }

  /// What threads lost that had no ring stands on the recorder's own, without their names.
  private static func hasLossesElsewhere(_ reader: TraceReader) throws(TraceFormatError) -> Bool {
    let recorders = reader.recorderThreads
    let decoded = DecodedEvents()
    for (number, entry) in reader.blocks.enumerated()
    where entry.type == .events && recorders.contains(entry.thread) {
      do throws(TraceFormatError) {
        try reader.events(of: number, into: decoded)
      } catch {
        if case .system = error { throw error }
        return true
      }
      if decoded.hasArguments(kind: EventKind.lostEvents.rawValue) { return true }
    }
    return false
  }

  /// Events of the entry's thread are missing.
  mutating func forget(_ entry: BlockEntry) {
    pass(entry)
    orders[entry.thread, default: ThreadOrder(rules)].forget()
  }

  mutating func follow(_ events: DecodedEvents, _ entry: BlockEntry, _ problems: inout ProblemList) {
    pass(entry)
    orders[entry.thread, default: ThreadOrder(rules)].follow(events, commonGaps, &problems)
  }

  private mutating func pass(_ entry: BlockEntry) {
    while let gap = gaps.first, gap.offset < entry.offset {
      gaps.removeFirst()
      guard let thread = gap.thread else {
        commonGaps += 1
        continue
      }
      orders[thread, default: ThreadOrder(rules)].forget()
    }
  }
}
