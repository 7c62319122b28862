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

  /// Returns the accounts of the gaps that callouts filled, by row of the callout table. O(stalls).
  func accounts(of stalls: [StallResult]) -> [Int32: CalloutAccount] {
    var accounts: [Int32: CalloutAccount] = [:]
    for stall in stalls {
      if let callout = stall.filledBy { accounts[callout.row, default: CalloutAccount()].add(stall) }
    }
    return accounts.filter { $0.value.gaps > 0 }
  }
}
