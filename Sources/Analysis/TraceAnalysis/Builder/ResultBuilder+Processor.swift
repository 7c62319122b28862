import TraceReplay
import TraceResults

extension ResultBuilder {
  /// Returns the processor use of the sampled threads, from the last state of each.
  func processorUse(_ book: StackBook) -> ProcessorUse? {
    let last = Dictionary(book.states.map { ($0.osThread, $0) }) { $0.time <= $1.time ? $1 : $0 }.values
    let known = last.compactMap { state -> (cpu: UInt64, waited: UInt64)? in
      guard let cpu = state[.cpu], let waited = state[.waited], cpu > 0 else { return nil }
      return (cpu, waited)
    }
    guard !known.isEmpty else { return nil }
    return ProcessorUse(cpuNs: known.map(\.cpu).saturatedSum, waitedNs: known.map(\.waited).saturatedSum)
  }
}
