import CRLTraceShims
import TraceFormat

extension Spool {
  /// Returns why a trace cannot be the one that the recorder of this spool was writing, as the end of a sentence, or
  /// nil if nothing contradicts it.
  func obstacle(toPart part: TraceReader, isSegment: Bool) -> String? {
    if let process = otherProcess(of: part) {
      return
        "is from \(Int32(process).map { "process \($0)" } ?? "no process"), but the spool is from process "
        + "\(programID)"
    }
    if hasOtherClock(part) {
      return "is from a different recording than the spool: its times count from a different moment"
    }
    // A recorder that was killed while it gave its trace the final name had already emptied the spool.
    if !isSegment, part.isClean, holdsEvents {
      return "is a complete trace, not one that a killed recorder left"
    }
    return nil
  }

  /// Returns whether the trace belongs to a different recording than this spool. Without a sync point nothing
  /// connects it to this one.
  package func isOther(than trace: TraceReader) -> Bool {
    trace.syncPoints.isEmpty || otherProcess(of: trace) != nil || hasOtherClock(trace)
  }

  /// Returns whether the trace began before the process of this spool started recording.
  package func isLater(than trace: TraceReader) -> Bool {
    trace.syncPoints.first.map { $0.realtimeNs < origin.realtimeNs } ?? false
  }

  /// Returns the process of a trace, or nil if it may be the process of this spool.
  private func otherProcess(of trace: TraceReader) -> String? {
    let process = trace.info.first { $0.key == InfoEntry.process }?.value
    return process == "\(programID)" ? nil : process
  }

  private func hasOtherClock(_ trace: TraceReader) -> Bool {
    guard let point = trace.syncPoints.first else { return false }
    return !isOnClockLine(point, unitNs: trace.header.timeUnit.nanoseconds)
  }

  /// Returns whether a sync point has the time that the clock line of this spool gives it.
  private func isOnClockLine(_ point: SyncPoint, unitNs: UInt64) -> Bool {
    let elapsed = Double(Int64(bitPattern: point.monotonicNs &- origin.monotonicNs))
    // The drift of a line that was fixed in its first milliseconds is far smaller.
    return abs(Double(point.time) * Double(unitNs) - elapsed) <= 1e6 + abs(elapsed) / 1000
  }

  /// Whether a ring holds events that were not written.
  private var holdsEvents: Bool {
    (0..<usedRings).contains {
      ring($0).state != RLT_RING_FREE && ring($0).head != start($0)
    }
  }
}
