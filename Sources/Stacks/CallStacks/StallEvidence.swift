import RunLoopVocabulary

/// Facts about a stall besides its stacks. Nil = not known, which is not zero.
public struct StallEvidence: Hashable, Sendable {
  /// The thread's CPU time as a share of the stall.
  public var cpuShare: Double?
  /// The name of the system call in which the thread slept.
  public var systemCall: String?
  /// The descriptor that the system call waited for.
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
