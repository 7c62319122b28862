import TraceAnalysis

/// Where in the time line a finding leads: its evidence, else where its subject was at its worst, else everywhere.
struct FindingPlaces {
  struct Place {
    let startNs: UInt64
    let lengthNs: UInt64
    let words: String
  }

  private let analysis: Analysis
  private let worstOfTimer: [String: Place]

  init(_ analysis: Analysis, _ timeline: TimelineBuilder) {
    self.analysis = analysis
    let unit = analysis.trace.timeUnitNs
    let lanes = Dictionary(timeline.timers.map { ($0.timer, $0) }, uniquingKeysWith: { first, _ in first })
    var found: [String: Place] = [:]
    for timer in analysis.timers {
      guard let worst = lanes[timer.id]?.worst else { continue }
      let place = Place(
        startNs: worst.lowerBound &* unit, lengthNs: (worst.upperBound &- worst.lowerBound) &* unit,
        words: "overdue the longest")
      if place.lengthNs > found[timer.name]?.lengthNs ?? 0 { found[timer.name] = place }
    }
    worstOfTimer = found
  }

  func of(_ finding: Finding) -> [Place] {
    let evidence = finding.evidence.compactMap { evidence in
      evidence.startNs.map { start in
        place(
          start, evidence.durationNs ?? 0,
          evidence.note + (evidence.callout.map { ": \(harmless($0, limit: 60))" } ?? ""))
      }
    }
    if !evidence.isEmpty { return evidence }
    if let worst = worstOfTimer[finding.subject] {
      return [place(worst.startNs, worst.lengthNs, worst.words)]
    }
    if let callout = analysis.callouts.filter({ $0.name == finding.subject && !$0.name.isEmpty })
      .max(by: { $0.longestNs < $1.longestNs })
    {
      return [place(callout.longestStartNs, callout.longestNs, "its longest callout")]
    }
    let trace = analysis.trace
    return [Place(startNs: trace.fromNs, lengthNs: trace.toNs &- trace.fromNs, words: "the whole span")]
  }

  private func place(_ start: UInt64, _ length: UInt64, _ words: String) -> Place {
    Place(
      startNs: start, lengthNs: length,
      words: "\(Units.moment(start)), \(Units.duration(length)) \(words)")
  }
}
