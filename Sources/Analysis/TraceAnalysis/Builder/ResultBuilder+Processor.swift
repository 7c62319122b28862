import TraceReplay
import TraceResults

extension ResultBuilder {
  /// Returns the processor use of the sampled threads, from the last state of each.
  func processorUse(_ book: StackBook) -> ProcessorUse? {
    let last = Dictionary(book.states.map { ($0.osThread, $0) }) { $0.time <= $1.time ? $1 : $0 }.values
    let known = last.compactMap { state -> (cpu: UInt64, waited: UInt64)? in
      // No thread is older than the longest duration. A damaged trace may claim it.
      guard let cpu = state[.cpu], let waited = state[.waited], cpu > 0,
        max(cpu, waited) <= DurationText.longestNs
      else { return nil }
      return (cpu, waited)
    }
    guard !known.isEmpty else { return nil }
    return ProcessorUse(cpuNs: known.map(\.cpu).saturatedSum, waitedNs: known.map(\.waited).saturatedSum)
  }

  /// Returns the callouts with the accounts of the gaps that they filled. O(callouts + stalls).
  func withAccounts(_ callouts: [CalloutResult], of stalls: [StallResult]) -> [CalloutResult] {
    let filled = Dictionary(grouping: stalls.filter { $0.filledBy != nil }) {
      CalloutKey($0.thread, $0.callout)
    }
    guard !filled.isEmpty else { return callouts }
    return callouts.map { callout in
      guard !callout.isRemainder,
        let own = filled[CalloutKey(callout.thread, "\(callout.kind) \(callout.name)")]
      else { return callout }
      let account = own.reduce(into: CalloutAccount()) { $0.add($1) }
      return with(callout) { $0.account = account.gaps > 0 ? account : nil }
    }
  }
}

/// A kind and name of callouts on a thread, as `StallResult` has them.
private struct CalloutKey: Hashable {
  let thread: UInt32
  let callout: String

  init(_ thread: UInt32, _ callout: String) {
    self.thread = thread
    self.callout = callout
  }
}
