/// The processor time of the threads whose state was sampled in a stall, from their start to their last sample.
package struct ProcessorUse: Sendable, Equatable {
  package var cpuNs: UInt64
  /// The time in which the threads were ready to run but had no processor.
  package var waitedNs: UInt64

  package init(cpuNs: UInt64, waitedNs: UInt64) {
    self.cpuNs = cpuNs
    self.waitedNs = waitedNs
  }

  /// The factor by which the lack of a processor stretched the threads' work, at least 1.
  package var stretch: Double { 1 + Double(waitedNs) / Double(max(cpuNs, 1)) }
}
