import TraceFormat
import TraceReplay

/// Checks the order of events on all threads, over the blocks of a file in file order.
struct ThreadOrders {
  private var orders: [UInt32: ThreadOrder] = [:]
  /// The places of missing blocks that have not been passed yet, in file order. Each belongs to one thread, or to
  /// any thread if nil.
  private var gaps: ArraySlice<(offset: UInt64, thread: UInt32?)>
  /// The number of passed gaps that may have held blocks of any thread.
  private var commonGaps = 0
  private let rules: EventSequence.Rules
  private let modes: [UInt8: String]
  private let beginning: UInt64
  /// The number of open items that may still be searched for the item that an event ends. A single event may have to
  /// pass hundreds of them.
  private var steps: Int

  init(_ reader: TraceReader) throws(TraceFormatError) {
    gaps = reader.lostParts.filter { $0.events != .exactly(0) }.map { ($0.bytes.lowerBound, $0.thread) }[...]
    rules = EventSequence.Rules(reader, isBlind: try ThreadOrders.hasLossesElsewhere(reader))
    modes = reader.modes
    beginning = reader.beginning
    steps = WorkBudget.steps(reader, ofAnyTrace: AnalysisLimits.stepsOfAnyTrace)
  }

  /// Returns whether events were lost on unknown threads: the recorder's own threads record the losses of threads
  /// without a ring, but not the names of those threads.
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

  /// Notes that events of the entry's thread are missing.
  mutating func forget(_ entry: BlockEntry) {
    pass(entry)
    order(entry.thread).forget()
  }

  mutating func follow(
    _ events: DecodedEvents, _ entry: BlockEntry, _ problems: inout ProblemList
  ) throws(TraceFormatError) {
    pass(entry)
    steps -= order(entry.thread).follow(events, commonGaps, &problems)
    guard steps < 0 else { return }
    throw .limit(
      offset: entry.offset, block: nil,
      what:
        "finding the starts of deeply nested runs and callouts needs more than \(AnalysisLimits.stepsOfAnyTrace) steps "
        + "plus \(AnalysisLimits.stepsPerByte) for each byte of the file (stepsPerByte)")
  }

  private mutating func order(_ thread: UInt32) -> ThreadOrder {
    if let known = orders[thread] { return known }
    let order = ThreadOrder(rules, modes: modes, beginning: beginning)
    orders[thread] = order
    return order
  }

  private mutating func pass(_ entry: BlockEntry) {
    while let gap = gaps.first, gap.offset < entry.offset {
      gaps.removeFirst()
      guard let thread = gap.thread else {
        commonGaps += 1
        continue
      }
      order(thread).forget()
    }
  }
}
