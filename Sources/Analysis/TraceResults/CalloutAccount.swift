import RunLoopVocabulary

/// The time that callouts of one kind and name spent on a processor, ready without one, and blocked. It covers the
/// listed gaps that such callouts filled, if their thread was sampled in them.
package struct CalloutAccount: Sendable {
  /// The number of these gaps, and their length.
  package var gaps: UInt64 = 0
  package var gapsNs: UInt64 = 0
  /// The part of `gapsNs` from the first reading of the thread's times in each gap to the last. The next three times
  /// are parts of it.
  package var coveredNs: UInt64 = 0
  package var cpuNs: UInt64 = 0
  package var waitedNs: UInt64 = 0
  package var blockedNs: UInt64 = 0
  /// The most that these times can be in `gapsNs`.
  package var cpuAtMostNs: UInt64 = 0
  package var waitedAtMostNs: UInt64 = 0
  /// The time that samples with a wait represent, by cause.
  package var waitsNs: [StallCause: UInt64] = [:]
  package init() {}

  /// Adds a gap, unless the times of its thread are not known.
  package mutating func add(_ stall: StallResult) {
    let evidence = stall.evidence
    guard let cpu = evidence.cpuNs, let waited = evidence.waitedNs, let blocked = evidence.blockedNs else {
      return
    }
    gaps &+= 1
    gapsNs = gapsNs.saturated(adding: stall.durationNs)
    coveredNs = coveredNs.saturated(adding: evidence.spanNs)
    cpuNs = cpuNs.saturated(adding: cpu)
    waitedNs = waitedNs.saturated(adding: waited)
    blockedNs = blockedNs.saturated(adding: blocked)
    cpuAtMostNs = cpuAtMostNs.saturated(adding: evidence.cpuAtMostNs ?? stall.durationNs)
    waitedAtMostNs = waitedAtMostNs.saturated(adding: evidence.waitedAtMostNs ?? stall.durationNs)
    for (cause, ns) in stall.causes where cause.isWait {
      waitsNs[cause] = (waitsNs[cause] ?? 0).saturated(adding: ns)
    }
  }
}
