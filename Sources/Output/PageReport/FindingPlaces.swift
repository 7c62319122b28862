import TraceAnalysis

/// Finds the place in the timeline for a finding: its evidence, else the worst moment of its subject, else the whole
/// span.
struct FindingPlaces {
  struct Place {
    let startNs: UInt64
    let lengthNs: UInt64
    let words: String

    /// The place as part of the page's address: `from-to`.
    var link: String { "\(startNs)-\(startNs &+ max(lengthNs, 1))" }
  }

  private let analysis: Analysis
  /// The worst places by `TimerResult.id`, for each cause and for all causes (nil).
  private var worstOfTimer: [Int: [Cause?: Place]] = [:]

  init(_ analysis: Analysis, _ timeline: TimelineBuilder) {
    self.analysis = analysis
    let unit = analysis.trace.timeUnitNs
    func place(_ worst: Range<UInt64>) -> Place {
      Place(
        startNs: worst.lowerBound &* unit, lengthNs: (worst.upperBound &- worst.lowerBound) &* unit,
        words: "overdue, the longest time")
    }
    for lane in 0..<timeline.timers.count {
      guard let worst = timeline.timers[lane].worst else { continue }
      var places: [Cause?: Place] = [nil: place(worst)]
      for cause in Cause.allCases {
        places[cause] = timeline.timers[lane].worstOfCause[cause.rawValue].map(place)
      }
      worstOfTimer[timeline.timers[lane].timer] = places
    }
  }

  func of(_ finding: Finding) -> [Place] { finding.subjects.flatMap(ofSubject) }

  private func ofSubject(_ finding: Finding) -> [Place] {
    let evidence = finding.evidence.compactMap { evidence in
      evidence.startNs.map { start in
        place(
          start, evidence.durationNs ?? 0,
          evidence.note + (evidence.callout.map { ": \(harmless($0, limit: 60))" } ?? ""))
      }
    }
    if !evidence.isEmpty { return evidence }
    if finding.rule == .starvedByItself, let timer = analysis.timers.first(where: { $0.id == finding.timer }),
      let longest = analysis.callouts.first(where: {
        $0.kind == CalloutKind.timer.rawValue && $0.name == timer.name
          && $0.longestNs == timer.longestCalloutNs
      })
    {
      return [place(longest.longestStartNs, longest.longestNs, "in the longest callout")]
    }
    if let places = finding.timer.flatMap({ worstOfTimer[$0] }),
      let worst = places[finding.heldUpBy] ?? places[nil]
    {
      return [place(worst.startNs, worst.lengthNs, worst.words)]
    }
    if let callout = analysis.callouts.filter({ $0.name == finding.subject && !$0.name.isEmpty })
      .max(by: { $0.longestNs < $1.longestNs })
    {
      return [place(callout.longestStartNs, callout.longestNs, "in the longest callout")]
    }
    let trace = analysis.trace
    return [Place(startNs: trace.fromNs, lengthNs: trace.toNs &- trace.fromNs, words: "the whole span")]
  }

  /// Returns the evidence without a place: sums, in words.
  func facts(_ finding: Finding) -> [String] {
    finding.evidence.filter { $0.startNs == nil }.compactMap { evidence in
      let what = [evidence.callout.map { harmless($0, limit: 60) }, evidence.durationNs.map(Units.duration)]
        .compactMap { $0 }.joined(separator: ", ")
      // Evidence that is only in the sentence is not repeated.
      if what.isEmpty { return evidence.note.isEmpty ? nil : evidence.note }
      return evidence.note.isEmpty ? what : "\(what): \(evidence.note)"
    }
  }

  private func place(_ start: UInt64, _ length: UInt64, _ words: String) -> Place {
    Place(
      startNs: start, lengthNs: length,
      words: "\(Units.moment(start)), \(Units.duration(length)) \(words)")
  }
}
