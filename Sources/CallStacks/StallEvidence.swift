import RunLoopVocabulary

/// What is known of a stall beside its stacks. Nil = not known, which is not zero.
public struct StallEvidence: Hashable, Sendable {
  /// The thread's time on a processor, as a share of the stall.
  public var cpuShare: Double?
  /// The system call that the thread slept in, by its name.
  public var systemCall: String?
  /// What that waited for.
  public var descriptor: DescriptorKind
  public var isSuspended: Bool

  public init(
    cpuShare: Double? = nil, systemCall: String? = nil, descriptor: DescriptorKind = .unknown,
    isSuspended: Bool = false
  ) {
    self.cpuShare = cpuShare
    self.systemCall = systemCall
    self.descriptor = descriptor
    self.isSuspended = isSuspended
  }
}
