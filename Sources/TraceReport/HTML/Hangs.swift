import TraceAnalysis

/// What pages show of hangs, and where in the span.
extension Analysis {
  /// Of the analyzed span.
  var spanNs: UInt64 { trace.toNs &- trace.fromNs }

  /// From the span's beginning to a moment.
  func sinceBeginning(_ ns: UInt64) -> UInt64 { ns > trace.fromNs ? ns - trace.fromNs : 0 }

  /// In the order of time.
  var hangs: [BusyInterval] { busy.filter(\.isHangIfCertain).sorted { $0.startNs < $1.startNs } }

  /// Of the longest stall that began in it, where stacks were sampled.
  func stall(of hang: BusyInterval) -> StallResult? {
    stalls.filter {
      $0.thread == hang.thread && $0.startNs >= hang.startNs
        && $0.startNs &- hang.startNs < hang.durationNs &+ hang.suspendedNs
    }.max { $0.durationNs < $1.durationNs }
  }

  /// Who held the loop: the function that the stacks blame, else the longest callout.
  func holder(of hang: BusyInterval) -> String? {
    stall(of: hang)?.blamed?.sourcePlace ?? hang.callouts.first?.name
  }
}
