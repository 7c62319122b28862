import TraceAnalysis

/// Hangs as pages show them, and their positions in the span.
extension Analysis {
  /// The length of the analyzed span.
  var spanNs: UInt64 { trace.toNs &- trace.fromNs }

  /// Returns the time from the beginning of the span to a moment.
  func sinceBeginning(_ ns: UInt64) -> UInt64 { ns > trace.fromNs ? ns - trace.fromNs : 0 }

  /// The hangs in time order, including uncertain ones.
  var hangs: [BusyInterval] { busy.filter(\.isHangIfCertain).ordered { $0.startNs < $1.startNs } }

  /// Returns what held the loop: the function that the stacks show, else the callout with the most time.
  func holder(of hang: BusyInterval) -> String? {
    stall(of: hang)?.holder?.frame.sourcePlace ?? hang.callouts.first?.name
  }
}
