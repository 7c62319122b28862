/// Facts about a trace that its definitions state.
extension TraceReader {
  /// The time from which the trace has all events: 0, or later when the recording kept only its newest part. Earlier
  /// events restate the state at that time. Never later than one unit after the last event.
  package var beginning: UInt64 {
    let stated = number(InfoEntry.beginsAt)
    return stated > lastTime ? lastTime.addingReportingOverflow(1).partialValue : stated
  }

  /// The number of events that the recording dropped to keep its newest part.
  package var droppedEvents: UInt64 { number(InfoEntry.droppedEvents) }

  /// The number of event blocks that the recorder stored flat, because events came faster than it compresses.
  /// 0 also if the recorder was killed.
  package var flatBlocks: UInt64 { number(InfoEntry.flatBlocks) }

  /// The interval between two heartbeats of the recorder; nil when the recording does not state it.
  package var heartbeatNs: UInt64? { numbers(InfoEntry.heartbeat).first }

  /// The program or library that wrote the recording, with its version; nil when the recording does not state it.
  package var writer: String? {
    info.first { $0.key == InfoEntry.recorder || $0.key == InfoEntry.library }?.value
  }

  /// The format of a trace that may have content which this reader skips; nil for the formats that it knows.
  package var newerFormat: NewerFormat? {
    header.minor > FileHeader.minor
      ? NewerFormat(minor: header.minor, writer: writer.map { String($0.prefix(NewerFormat.writerLimit)) })
      : nil
  }

  /// The recorder's own threads, whose events do not show that the program ran. If the recording states nothing about
  /// its recorder, they are the threads without a system id except the main one.
  package var recorderThreads: Set<UInt32> {
    let listed = numbers(InfoEntry.recorderThread)
    guard listed.isEmpty, heartbeatNs == nil else { return Set(listed.map(UInt32.init(clamping:))) }
    return Set(threads.values.filter { $0.osThread == 0 && !$0.isMain }.map(\.index))
  }

  private func number(_ key: String) -> UInt64 { numbers(key).first ?? 0 }

  private func numbers(_ key: String) -> [UInt64] {
    info.filter { $0.key == key }.compactMap { UInt64($0.value) }
  }
}
