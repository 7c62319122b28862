import TraceResults

/// The hangs that Instruments lists, compared with the busy intervals of the imported trace.
package struct HangComparison {
  package typealias Span = InstrumentsTrace.Span

  /// Hangs of equal start and length, within `toleranceNs`.
  package private(set) var equal = 0
  package private(set) var different: [(theirs: Span, ours: Span)] = []
  /// Hangs of Instruments without a busy interval.
  package private(set) var onlyTheirs: [Span] = []
  /// Busy intervals of 250 ms or more that Instruments does not list.
  package private(set) var onlyOurs: [Span] = []

  package static let toleranceNs: UInt64 = 1_000_000
  private static let shown = 10

  /// Both lists in any order. O(n log n + m log m), if the spans of each list do not overlap.
  package init(theirs: [Span], ours: [Span]) {
    let ours = ours.ordered { $0.startNs < $1.startNs }
    var matched = Set<Int>()
    var first = 0
    for hang in theirs.ordered(by: { $0.startNs < $1.startNs }) {
      while first < ours.count, HangComparison.end(ours[first]) <= hang.startNs { first += 1 }
      var best: (place: Int, ns: UInt64)?
      var place = first
      while place < ours.count, ours[place].startNs < HangComparison.end(hang) {
        let overlap =
          min(HangComparison.end(ours[place]), HangComparison.end(hang))
          - max(ours[place].startNs, hang.startNs)
        if overlap > best?.ns ?? 0 { best = (place, overlap) }
        place += 1
      }
      guard let best else {
        onlyTheirs.append(hang)
        continue
      }
      matched.insert(best.place)
      let own = ours[best.place]
      if HangComparison.isNear(own.startNs, hang.startNs),
        HangComparison.isNear(own.durationNs, hang.durationNs)
      {
        equal += 1
      } else {
        different.append((hang, own))
      }
    }
    onlyOurs = ours.indices.filter { !matched.contains($0) && ours[$0].durationNs >= BusyClass.hangNs }.map {
      ours[$0]
    }
  }

  private static func end(_ span: Span) -> UInt64 { span.startNs &+ span.durationNs }

  private static func isNear(_ a: UInt64, _ b: UInt64) -> Bool { max(a, b) - min(a, b) <= toleranceNs }

  /// The comparison in words.
  package var lines: [String] {
    let theirs = equal + different.count + onlyTheirs.count
    var lines = [
      "Instruments lists \(Phrase.count(theirs, "hang", "hangs")); \(equal) of them equal busy intervals of the trace"
        + " within \(Units.duration(HangComparison.toleranceNs))"
    ]
    func add(_ differences: [String]) {
      lines += differences.prefix(HangComparison.shown)
      let rest = differences.count - HangComparison.shown
      if rest > 0 { lines.append("  and \(rest) more of this kind") }
    }
    add(
      different.map { theirs, ours in
        "  different: \(HangComparison.words(theirs)); the trace has \(HangComparison.words(ours))"
      })
    add(onlyTheirs.map { "  only in Instruments: \(HangComparison.words($0)), \(harmless($0.name))" })
    add(onlyOurs.map { "  only in the trace: \(HangComparison.words($0))" })
    return lines
  }

  private static func words(_ span: Span) -> String {
    "\(Units.duration(span.durationNs)) at \(Units.moment(span.startNs))"
  }
}
