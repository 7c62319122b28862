import CRLTraceShims
import TraceFormat

extension Spool {
  /// Why a trace cannot be what the recorder of this spool had written, as the end of a sentence; nil when nothing
  /// speaks against it.
  func obstacle(toPart part: TraceReader, isSegment: Bool) -> String? {
    if let process = otherProcess(of: part) {
      return
        "is of \(Int32(process).map { "process \($0)" } ?? "no process"), and the spool of process \(programID)"
    }
    if hasOtherClock(part) {
      return "is of another recording than the spool: its times count from another moment"
    }
    // A recorder that was killed while it gave its trace the final name had emptied the spool before.
    if !isSegment, part.isClean, holdsEvents {
      return "is a whole trace, and not what a killed recorder had written"
    }
    return nil
  }

  /// Whether the trace is of another recording than this spool. Without a moment in it, nothing speaks for this one.
  public func isOther(than trace: TraceReader) -> Bool {
    trace.syncPoints.isEmpty || otherProcess(of: trace) != nil || hasOtherClock(trace)
  }

  /// Whether the trace began before the process of this spool recorded.
  public func isLater(than trace: TraceReader) -> Bool {
    trace.syncPoints.first.map { $0.realtimeNs < origin.realtimeNs } ?? false
  }

  /// The process that a trace is of; nil when it may be this one.
  private func otherProcess(of trace: TraceReader) -> String? {
    let process = trace.info.first { $0.key == InfoEntry.process }?.value
    return process == "\(programID)" ? nil : process
  }

  private func hasOtherClock(_ trace: TraceReader) -> Bool {
    guard let point = trace.syncPoints.first else { return false }
    return !isOnClockLine(point, unitNs: trace.header.timeUnit.nanoseconds)
  }

  /// Whether a moment has the time that this spool's recording gives it.
  private func isOnClockLine(_ point: SyncPoint, unitNs: UInt64) -> Bool {
    let elapsed = Double(Int64(bitPattern: point.monotonicNs &- origin.monotonicNs))
    // A line that was laid through its first milliseconds runs apart by far less.
    return abs(Double(point.time) * Double(unitNs) - elapsed) <= 1e6 + abs(elapsed) / 1000
  }

  /// Whether a ring holds something that was not written.
  private var holdsEvents: Bool {
    (0..<usedRings).contains {
      ring($0).state != RLT_RING_FREE && ring($0).head != start($0)
    }
  }
}
