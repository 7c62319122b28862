import RunLoopVocabulary

/// Facts about a stall besides its stacks. Nil = not known, which is not zero.
package struct StallEvidence: Hashable, Sendable {
  /// The thread's CPU time as a share of the stall.
  package var cpuShare: Double?
  /// The name of the system call in which the thread slept.
  package var systemCall: String?
  /// The descriptor that the system call waited for.
  package var descriptor: DescriptorKind
  package var isSuspended: Bool
  /// Whether the thread had a processor, or was ready to run; false = it slept, or its state is not known.
  package var isRunning: Bool

  package init(
    cpuShare: Double? = nil, systemCall: String? = nil, descriptor: DescriptorKind = .unknown,
    isSuspended: Bool = false, isRunning: Bool = false
  ) {
    self.cpuShare = cpuShare
    self.systemCall = systemCall
    self.descriptor = descriptor
    self.isSuspended = isSuspended
    self.isRunning = isRunning
  }
}
