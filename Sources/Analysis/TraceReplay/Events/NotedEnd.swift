import TraceFormat

/// How the recorded process ended, as its recorder noted it.
package struct NotedEnd: Sendable, Equatable {
  package var time: Moment
  /// Negative: the status is not known, or a signal ended the process.
  package var status: Int64
  /// 0 = no signal, or not known.
  package var signal: UInt64
  package var isByRecorder: Bool

  /// Finds the last process end among the events. O(1) if there is none.
  init?(_ events: DecodedEvents) {
    let kind = EventKind.processEnd
    guard events.hasArguments(kind: kind.rawValue) else { return nil }
    let columns = EventColumns(events)
    guard let place = (0..<events.count).last(where: { columns.kind($0) == kind }) else { return nil }
    let ordinal = (0..<place).count { columns.kind($0) == kind }
    func argument(_ position: Int) -> UInt64? {
      events.argument(position, kind: kind.rawValue, ordinal: ordinal)
    }
    time = columns.time(place)
    status = argument(EventKind.ProcessEnd.status).map { Int64(bitPattern: $0) } ?? -1
    signal = argument(EventKind.ProcessEnd.signal) ?? 0
    isByRecorder = argument(EventKind.ProcessEnd.byRecorder) == 1
  }

  /// Reads the end from the recorder's own threads without analyzing the trace. Skips damaged blocks.
  package static func read(_ reader: TraceReader) -> NotedEnd? {
    let recorders = reader.recorderThreads
    let events = DecodedEvents()
    var last: NotedEnd?
    for (number, entry) in reader.blocks.enumerated()
    where entry.type == .events && recorders.contains(entry.thread) {
      guard (try? reader.events(of: number, into: events)) != nil else { continue }
      last = NotedEnd(events) ?? last
    }
    return last
  }
}
