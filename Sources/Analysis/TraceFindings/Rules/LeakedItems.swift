import TraceResults

extension RuleID { package static let leakedItems: RuleID = "RL034" }

extension FindingRule {
  /// Reports repeating timers or sources from one place that keep growing in number while almost none of them ends.
  static let leakedItems = FindingRule(
    .leakedItems, "timers or sources from one place keep accumulating",
    plural: .subjects("places leak timers or sources"), needs: [.callouts], of: ItemsOfPlace.all
  ) { place, analysis in
    // Each lost event may be the end of an item. How many events a damaged block holds need not be known.
    let unseenEnds = analysis.trace.damagedBlocks > 0 ? .max : analysis.trace.lostEvents
    return place.severity(unseenEnds: unseenEnds).map(place.finding)
  }
}

/// The repeating timers, or the sources, of one place on one thread. Items with the same creation site, or with the
/// same name, are of one place: the compiler may copy a function, and so its site, into several callers.
private struct ItemsOfPlace {
  private enum Kind { case timers, sources }

  private let kind: Kind
  private let name: String
  /// Such as `"tick" (every 100 ms)`.
  private let described: Sentence
  private let timer: Int?
  private let thread: UInt32?
  private let lives: [ItemLives]
  private let atTenths: [UInt64]

  static func all(_ analysis: Analysis) -> [ItemsOfPlace] { timers(analysis) + sources(analysis) }

  /// Timers from one place, with any intervals.
  private static func timers(_ analysis: Analysis) -> [ItemsOfPlace] {
    let repeating = analysis.timers.filter { $0.intervalNs > 0 }
    return places(repeating.map { ($0.thread, $0.site, $0.names) }).map { rows in
      // The class with the most live timers names the place.
      let sorted = rows.map { repeating[$0] }.ordered { ($1.life.live, $0.id) < ($0.life.live, $1.id) }
      return ItemsOfPlace(
        kind: .timers, name: sorted[0].name, described: sorted[0].described, timer: sorted[0].id,
        thread: sorted[0].thread, lives: sorted.map(\.life))
    }
  }

  private static func sources(_ analysis: Analysis) -> [ItemsOfPlace] {
    let all = analysis.sourceLives
    return places(all.map { ($0.thread, $0.site, [$0.name]) }).map { rows in
      let sorted = rows.map { all[$0] }.ordered { ($1.life.live, $0.name) < ($0.life.live, $1.name) }
      return ItemsOfPlace(
        kind: .sources, name: sorted[0].name, described: "\(name: sorted[0].name)", timer: nil,
        thread: sorted[0].thread, lives: sorted.map(\.life))
    }
  }

  /// Groups rows of a thread that share a site or a name. Returns the rows of each place, in the order of their first.
  private static func places(_ rows: [(thread: UInt32?, site: String, names: [String])]) -> [[Int]] {
    enum Key: Hashable { case site(String, UInt32?), name(String, UInt32?) }
    var places: [[Int]?] = []
    var placeOf: [Key: Int] = [:]
    for (number, row) in rows.enumerated() {
      let keys =
        (row.site.isEmpty ? [] : [Key.site(row.site, row.thread)]) + row.names.map { .name($0, row.thread) }
      let known = Set(keys.compactMap { placeOf[$0] })
      let place = known.min() ?? places.count
      if place == places.count { places.append([]) }
      for other in known where other != place {
        let moved = places[other] ?? []
        places[other] = nil
        places[place]? += moved
        for (key, at) in placeOf where at == other { placeOf[key] = place }
      }
      places[place]?.append(number)
      for key in keys { placeOf[key] = place }
    }
    return places.compactMap(\.self)
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
    let parts = lives.map(\.atTenths.count).min() ?? 0
    atTenths = (0..<parts).map { part in lives.map { $0.atTenths[part] }.saturatedSum }
  }

  private var live: UInt64 { atTenths.last ?? 0 }
  private var added: UInt64 { live &- min(live, atTenths.first ?? 0) }
  private var ended: UInt64 { lives.map(\.ended).saturatedSum }

  /// Returns nil if the number does not grow.
  func severity(unseenEnds: UInt64) -> Finding.Severity? {
    SeverityTable.growth(atTenths, unseenEnds: unseenEnds)
  }

  func finding(_ severity: Finding.Severity) -> Finding {
    let first = lives.map(\.firstNs).min() ?? 0
    let last = lives.map(\.lastNs).max() ?? 0
    let time = last &- min(first, last)
    let rate = Figure.rate("added_per_s", Double(added) / (Double(max(time, 1)) / 1e9))
    let words = kind == .timers ? "timers" : "sources"
    var finding = Finding(
      severity,
      "\(count: live, "live_\(words)") \(words) like \(described) exist at the end. \(rate) were added per second, and \(count: ended, "ended_\(words)") ended in all",
      advice: kind == .timers
        ? "Invalidate each timer when its owner goes away, or use one timer for all of them."
        : "Invalidate each source when its owner goes away, or use one source for all of them.",
      headline: Finding.Headline(.other(Figure.count("", live).text), "\(words) at the end"),
      evidence: [
        .span(first, time, "from the first that was added to the last"),
        .noting(
          "\(count: atTenths[1], "live_1"), \(count: atTenths[4], "live_4"), \(count: atTenths[7], "live_7") and \(count: live, "live_10") existed after the first, fourth, seventh and last tenth of the span"
        ),
      ],
      weight: live, subject: name)
    finding.timer = timer
    finding.thread = thread
    return finding
  }
}
