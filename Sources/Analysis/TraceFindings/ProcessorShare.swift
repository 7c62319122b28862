import TraceResults

/// The times in which threads had a processor, and in which they were ready but had none.
struct ProcessorShare {
  private let spanNs: UInt64
  private let cpuNs: UInt64
  private let waitedNs: UInt64

  /// Adds up the evidence that has both times.
  init(_ evidence: [ThreadEvidence]) {
    let known = evidence.filter { $0.cpuNs != nil && $0.waitedNs != nil }
    spanNs = known.map(\.spanNs).saturatedSum
    cpuNs = known.compactMap(\.cpuNs).saturatedSum
    waitedNs = known.compactMap(\.waitedNs).saturatedSum
  }

  /// Whether the machine, not the program, took most of the time. Then the threads waited for a processor for a large
  /// share of the time, and at least as long as they had one or were blocked. All rules use this definition.
  var isLacking: Bool {
    let blockedNs = spanNs &- min(cpuNs.saturated(adding: waitedNs), spanNs)
    return waitedNs > 0 && waitedNs >= max(cpuNs, blockedNs)
      && isAtLeast(waitedNs, FindingLimits.muchWithoutProcessor, of: spanNs)
  }

  /// The shares as a further sentence.
  var sentence: Sentence {
    ". In the sampled \(ns: spanNs, "sampled_ns"), the thread had a processor for \(percent: cpuNs, of: spanNs, "cpu_percent") of the time and waited for one for \(percent: waitedNs, of: spanNs, "waited_percent"): the machine was busy"
  }

  /// Whether the sampled time is a large part of `ns`.
  func covers(_ ns: UInt64) -> Bool { isAtLeast(spanNs, 0.5, of: ns) }

  static let advice: Sentence =
    "Other threads or programs used the processor. Run fewer of them, use a machine with more processors, or give this thread a higher priority, and record again. Work that is still too long there belongs on another thread."
}

extension StallResult {
  /// The shares of a thread that computed, if it lacked a processor.
  var processorLack: ProcessorShare? {
    let share = ProcessorShare([evidence])
    return !cause.isWait && cause != .suspended && share.isLacking ? share : nil
  }
}

extension Analysis {
  /// The shares of the threads of hitches while the frames were late, if they lacked a processor for most of that
  /// time.
  func processorLack(in hitches: [HitchResult]) -> ProcessorShare? {
    let sampled = stalls.filter { stall in
      let end = stall.startNs.saturated(adding: stall.durationNs)
      return hitches.contains { hitch in
        hitch.thread == stall.thread && stall.startNs < hitch.lateToNs && end > hitch.lateFromNs
      }
    }
    let share = ProcessorShare(sampled.map(\.evidence))
    return share.isLacking && share.covers(hitches.map(\.durationNs).saturatedSum) ? share : nil
  }
}

extension HitchResult {
  fileprivate var lateFromNs: UInt64 { dueNs ?? startNs }
  fileprivate var lateToNs: UInt64 { readyNs ?? startNs.saturated(adding: durationNs) }
}
