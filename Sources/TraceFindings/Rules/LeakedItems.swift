import TraceResults

extension RuleID { public static let leakedItems: RuleID = "RL034" }

extension FindingRule {
  /// Reports repeating timers or sources from one place that keep growing in number while almost none of them ends.
  static let leakedItems = FindingRule(
    .leakedItems, "timers or sources from one place keep accumulating",
    plural: .subjects("places leak timers or sources"), needs: [.callouts], of: ItemsOfPlace.all
  ) { place, analysis in place.isLeak ? place.finding() : nil }
}

/// The repeating timers, or the sources, of one creation site on one thread. Without a creation site they are grouped
/// by name.
private struct ItemsOfPlace {
  private enum Kind { case timers, sources }

  private let kind: Kind
  private let name: String
  /// Such as `"tick" (every 100 ms)`.
  private let described: Sentence
  private let timer: Int?
  private let thread: UInt32?
  private let lives: [ItemLives]
  private let atQuarters: [UInt64]

  static func all(_ analysis: Analysis) -> [ItemsOfPlace] {
    timers(analysis)
      + analysis.sourceLives.filter { $0.life.atQuarters.count == 5 }.map { source in
        ItemsOfPlace(
          kind: .sources, name: source.name, described: "\(name: source.name)", timer: nil,
          thread: source.thread, lives: [source.life])
      }
  }

  /// Timers from one place, with any intervals.
  private static func timers(_ analysis: Analysis) -> [ItemsOfPlace] {
    struct Place: Hashable {
      var place: String
      var thread: UInt32?
    }
    var order: [Place] = []
    var places: [Place: [TimerResult]] = [:]
    for timer in analysis.timers where timer.intervalNs > 0 && timer.life.atQuarters.count == 5 {
      let place = Place(place: timer.site.isEmpty ? timer.name : timer.site, thread: timer.thread)
      if places[place] == nil { order.append(place) }
      places[place, default: []].append(timer)
    }
    return order.compactMap { places[$0] }.map { timers in
      // The class with the most live timers names the place.
      let sorted = timers.ordered { ($1.life.live, $0.id) < ($0.life.live, $1.id) }
      return ItemsOfPlace(
        kind: .timers, name: sorted[0].name, described: sorted[0].described, timer: sorted[0].id,
        thread: sorted[0].thread, lives: sorted.map(\.life))
    }
  }

  private init(
    kind: Kind, name: String, described: Sentence, timer: Int?, thread: UInt32?, lives: [ItemLives]
  ) {
    self.kind = kind
    self.name = name
    self.described = described
    self.timer = timer
    self.thread = thread
    self.lives = lives
    atQuarters = (0..<5).map { quarter in lives.map { $0.atQuarters[quarter] }.saturatedSum }
  }

  private var live: UInt64 { atQuarters[4] }
  private var added: UInt64 { live &- min(live, atQuarters[0]) }
  private var ended: UInt64 { lives.map(\.ended).saturatedSum }

  /// Whether the number grows in every quarter of the span and almost none of the items ended.
  var isLeak: Bool {
    guard live >= FindingLimits.manyItems, !isAtLeast(ended, 0.1, of: live) else { return false }
    return (1..<5).allSatisfy { quarter in
      let (before, after) = (atQuarters[quarter - 1], atQuarters[quarter])
      return after > before && isAtLeast(after &- before, 0.1, of: added)
    }
  }

  func finding() -> Finding {
    let first = lives.map(\.firstNs).min() ?? 0
    let last = lives.map(\.lastNs).max() ?? 0
    let time = last &- min(first, last)
    let rate = Figure.rate("added_per_s", Double(added) / (Double(max(time, 1)) / 1e9))
    let words = kind == .timers ? "timers" : "sources"
    var finding = Finding(
      live >= FindingLimits.tooManyItems ? .error : .warning,
      "\(count: live, "live_\(words)") \(words) like \(described) exist at the end. \(rate) were added per second, and \(count: ended, "ended_\(words)") ended in all",
      advice: kind == .timers
        ? "Invalidate each timer when its owner goes away, or use one timer for all of them."
        : "Invalidate each source when its owner goes away, or use one source for all of them.",
      headline: Finding.Headline(.other(Figure.count("", live).text), "\(words) at the end"),
      evidence: [
        .span(first, time, "from the first that was added to the last"),
        .noting(
          "\(count: atQuarters[1], "live_1"), \(count: atQuarters[2], "live_2"), \(count: atQuarters[3], "live_3") and \(count: live, "live_4") existed after each quarter of the span"
        ),
      ],
      weight: live, subject: name)
    finding.timer = timer
    finding.thread = thread
    return finding
  }
}
