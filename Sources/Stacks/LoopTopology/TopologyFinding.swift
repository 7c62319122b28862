import RunLoopVocabulary

/// A problem that a single description of a run loop shows.
package struct TopologyFinding: Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable, Named {
    /// A timer's fire date has passed, and the running mode does not contain the timer.
    case timerInOtherModes = "overdue_in_other_modes"
    /// A timer's fire date has passed, and the loop runs in no mode.
    case timerWithoutRun = "overdue_without_run"
    /// A timer's fire date has passed in the running mode.
    case timerOverdue = "overdue"
    /// A source is signalled, and the running mode does not contain the source.
    case sourceInOtherModes = "signalled_in_other_modes"
    /// A source is signalled, and the loop runs in no mode.
    case sourceWithoutRun = "signalled_without_run"
    /// The running mode contains nothing for which a run waits.
    case emptyMode = "empty_mode"

    package var name: String { rawValue }
  }

  package let kind: Kind
  /// Nil for a mode.
  package let item: LoopItem?
  /// The modes that hold the item, or the mode itself.
  package let modes: [String]
  /// For a timer, the time since its fire date.
  package let overdueNs: Int64?

  /// The minimum time since the fire date, not counting the tolerance. A timer that is less overdue is about to fire.
  package static let overdueFromNs: Int64 = 250_000_000
}

extension Topology {
  /// The findings, the most serious first. Nothing is derived from parts that the text does not have. A sleeping loop
  /// has a current mode; a loop without one is not run, so its timers do not fire.
  package var findings: [TopologyFinding] {
    guard statesCurrentMode else { return [] }
    let running = modes.first { $0.name == currentMode }
    // The current mode was cut off.
    if currentMode != nil, running == nil, cut != nil { return [] }
    var places: [UInt64: (item: LoopItem, modes: [String])] = [:]
    var order: [UInt64] = []
    for mode in modes {
      for item in mode.items {
        if places[item.address] == nil { order.append(item.address) }
        places[item.address, default: (item, [])].modes.append(mode.name)
      }
    }
    var found: [TopologyFinding] = []
    for (item, modes) in order.compactMap({ places[$0] }) where item.isValid != false {
      let runs = currentMode.map { modes.contains($0) }
      // A truncated mode may contain the item.
      if runs == false, running?.isCut == true { continue }
      if let overdue = item.overdueNs, item.isFiring != true {
        let kind = TopologyFinding.Kind.overdue(runs: runs)
        found.append(TopologyFinding(kind: kind, item: item, modes: modes, overdueNs: overdue))
      } else if item.kind == .source0, item.isSignalled == true, runs != true {
        let kind: TopologyFinding.Kind = runs == nil ? .sourceWithoutRun : .sourceInOtherModes
        found.append(TopologyFinding(kind: kind, item: item, modes: modes, overdueNs: nil))
      }
    }
    // In a common mode of the main loop, the main queue also counts.
    if let running, running.hasNoSourcesOrTimers, !running.isCut, cut == nil,
      !commonModes.contains(running.name)
    {
      found.append(TopologyFinding(kind: .emptyMode, item: nil, modes: [running.name], overdueNs: nil))
    }
    let kinds = TopologyFinding.Kind.allCases
    return found.enumerated().ordered { a, b in
      let ranks = [a, b].map { kinds.firstIndex(of: $0.element.kind) ?? 0 }
      return (ranks[0], b.element.overdueNs ?? 0, a.offset) < (ranks[1], a.element.overdueNs ?? 0, b.offset)
    }.map(\.element)
  }
}

extension TopologyFinding.Kind {
  /// `runs`: whether the running mode contains the timer; nil = no mode runs.
  fileprivate static func overdue(runs: Bool?) -> Self {
    guard let runs else { return .timerWithoutRun }
    return runs ? .timerOverdue : .timerInOtherModes
  }
}

extension LoopItem {
  /// The time since a timer's fire date. Nil for other items, if it exceeds the tolerance by less than `overdueFromNs`, or if the date is
  /// in the distant past, which means "now".
  fileprivate var overdueNs: Int64? {
    guard kind == .timer, let firesInNs, firesInNs < 0, firesInNs != Int64.min, nextFireDateS ?? 0 >= 0 else {
      return nil
    }
    let (overdue, isBeyond) = (-firesInNs).subtractingReportingOverflow(Int64(clamping: toleranceNs ?? 0))
    return isBeyond || overdue < TopologyFinding.overdueFromNs ? nil : -firesInNs
  }
}
