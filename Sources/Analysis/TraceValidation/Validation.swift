import TraceFormat

/// Checks whether a trace is sound: each checksum, the structure, and the order of each thread's events.
///
/// The memory used does not grow with the trace's length. Problems beyond the limit are only counted.
package struct Validation: Sendable {
  /// The problems in file order.
  package let problems: [Problem]
  /// The number of problems beyond the limit. It applies separately to illegal events, to lost parts and to the
  /// index.
  package let omitted: UInt64
  /// The most severe fault; nil = the trace is sound.
  package let fault: Fault?
  package let loss: Loss
  /// The numbers of events and event blocks that could be read.
  package let events: UInt64
  package let eventBlocks: Int

  /// Reads the whole trace. Throws when the file cannot be read, or exceeds a limit.
  package init(
    _ reader: TraceReader, limit: Int, progress: ((Double) -> Void)? = nil
  ) throws(TraceFormatError) {
    var wrong = ProblemList(limit: limit)
    var blockOrder = BlockOrder()
    var orders = try ThreadOrders(reader)
    var references = References(reader, limit: max(limit, 1))
    let decoded = DecodedEvents()
    var (events, eventBlocks): (UInt64, Int) = (0, 0)
    for (number, entry) in reader.blocks.enumerated() where entry.type == .events {
      progress?(Double(number) / Double(reader.blocks.count))
      (wrong.block, wrong.entry) = (number, entry)
      do throws(TraceFormatError) {
        try reader.events(of: number, into: decoded)
      } catch {
        if case .system = error { throw error }
        orders.forget(entry)
        continue
      }
      guard blockOrder.accepts(entry) else {
        reader.noteMisplaced(block: number)
        orders.forget(entry)
        continue
      }
      eventBlocks += 1
      events += UInt64(decoded.count)
      try orders.follow(decoded, entry, &wrong)
      references.look(at: decoded, &wrong)
    }
    let parts = reader.lostParts
    let lost = parts.prefix(limit).map(Problem.init)
    let index = reader.indexContradictions
    let indexed = index.list.prefix(limit).map(Problem.init)
    problems = (wrong.problems + lost + indexed).ordered { ($0.offset, $0.block) < ($1.offset, $1.block) }
    omitted = wrong.omitted + UInt64(clamping: parts.count - lost.count + index.count - indexed.count)
    let indexFault: Fault? = index.count > 0 ? .damaged : nil
    fault = (parts.map { Fault($0.error) } + [wrong.fault, indexFault].compactMap(\.self)).max()
    loss = reader.loss
    self.events = events
    self.eventBlocks = eventBlocks
  }
}

extension Problem {
  init(_ contradiction: IndexContradictions.One) {
    self.init(
      fault: .damaged, what: contradiction.what, block: contradiction.block, offset: contradiction.offset)
  }

  init(_ part: LostPart) {
    let size = part.bytes.upperBound - part.bytes.lowerBound
    self.init(
      fault: Fault(part.error), what: "\(part.error.reason); \(size) bytes and \(part.events) cannot be used",
      block: part.block, offset: part.bytes.lowerBound, time: part.thread == nil ? nil : part.earliest,
      thread: part.thread)
  }
}
