import EmbeddedFiles
import Foundation
import ReportWriting
import TraceFleet
import TraceResults

/// A fleet as a page of its own: differences between builds, a heat map of two keys, hang time over days, what costs most,
/// and the groups. It has no script, loads nothing and escapes every name.
package struct FleetPage {
  /// Rows beyond these are counted. A page of 1,000 groups is smaller than 2 MB.
  private static let groupsShown = 1_000
  private static let ranked = 20
  private static let heatSide = 30
  private static let daysShown = 60

  private let fleet: Fleet
  private let keys: [String]
  private let judgement: FleetJudgement?

  package init(_ fleet: Fleet, by keys: [String], judgement: FleetJudgement?) {
    (self.fleet, self.keys, self.judgement) = (fleet, keys, judgement)
  }

  package func html() throws -> String {
    let (all, groups) = (FleetGroup.whole(fleet), FleetGroup.all(fleet, by: keys))
    var context: [String: Any] = [
      "css": PageStyle.common + EmbeddedFile.text("fleet.css"), "title": "\(all.sessions) sessions",
      "summary": FleetWords.header(fleet, all, groups: groups.count), "headline": headline(all), "tone": tone,
      "judgement": judgement.map { [comparison($0)] } ?? [], "heat": heat().map { [$0] } ?? [],
      "trend": trend().map { [$0] } ?? [],
      "ranked": [
        ranked(
          all, .stalls, "Functions that blocked the loop longest", "function", "time", name: 0, about: 2),
        ranked(all, .timers, "Timers by lateness", "timer", "overdue", name: 0, about: 1),
        ranked(
          all, .frames, "Frame sources with the most hitch time", "timer", "hitch time", name: 0, about: nil),
        ranked(
          all, .callouts, "Callouts with the most time of their own", "callout", "time", name: 1, about: 0),
        ranked(all, .queues, "Queues whose work waited longest", "queue", "waited", name: 0, about: 1),
        ranked(all, .states, "States with the most hang time", "value", "hang time", name: 1, about: 0),
      ].compactMap(\.self),
    ]
    context["groupHeading"] = keys.isEmpty ? "fleet" : keys.joined(separator: ", ")
    let hasFrames = groups.contains { $0.frames != nil }
    var columns = [
      "sessions", "hang time per hour", "sessions with hang", "busy", "skipped", "pass p50", "pass p99",
    ]
    if hasFrames { columns.append("hitch ratio") }
    context["groupColumns"] = columns
    context["groups"] = groups.prefix(Self.groupsShown).map { group -> [String: Any] in
      let hitches = hasFrames ? [FleetWords.rate(group.frames)] : []
      let cells = [
        "\(group.sessions)", FleetWords.time(group.hangNsPerHour),
        FleetWords.percent(group.sessionsWithHangs), FleetWords.percent(group.busyShare),
        FleetWords.percent(group.skippedShare), FleetWords.time(group.pass(0.5)),
        FleetWords.time(group.pass(0.99)),
      ]
      return ["name": harmless(group.values, limit: 100), "cells": cells + hitches]
    }
    context["moreGroups"] =
      groups.count > Self.groupsShown
      ? ["\(groups.count - Self.groupsShown) more groups: \(Hint.fleetCSV)."] : []
    return try Markup.render(context, EmbeddedFile.text("fleet.mustache"), parts: [:])
  }

  // MARK: Builds

  private var tone: String {
    guard let judgement else { return "unknown" }
    return judgement.isUndecided ? "unknown" : judgement.regressions.isEmpty ? "good" : "bad"
  }

  private func headline(_ all: FleetGroup) -> String {
    guard let judgement else {
      return
        "Hang time \(FleetWords.time(all.hangNsPerHour)) per hour; \(FleetWords.percent(all.sessionsWithHangs)) of the sessions have a hang"
    }
    return judgement.headline
  }

  private func comparison(_ judgement: FleetJudgement) -> [String: Any] {
    let shown = judgement.differences
    return [
      "method": judgement.method + ". Means are weighted by the groups of the base.",
      "hasRows": !shown.isEmpty,
      "rows": shown.prefix(Self.groupsShown).map { row in
        [
          "level": row.stratum.isEmpty ? "question" : "part",
          "tone": row.outcome == .minor ? "quiet" : row.outcome.rawValue,
          "word": row.outcome.rawValue, "what": harmless(row.title, limit: 100),
          "base": row.question.text(row.test.baseMean), "new": row.question.text(row.test.newMean),
          "difference": row.differenceText, "p": row.test.pText,
          "sessions": "\(row.test.baseSessions) / \(row.test.newSessions)",
        ] as [String: Any]
      },
      "moreRows": shown.count > Self.groupsShown
        ? ["\(shown.count - Self.groupsShown) more: \(Hint.fleetJSON)."] : [],
      "few": judgement.few.map { [$0] } ?? [],
    ]
  }

  // MARK: Heat map

  /// Hang time per hour by two keys, if at least two are given.
  private func heat() -> [String: Any]? {
    guard keys.count >= 2 else { return nil }
    let cells = fleet.merged(by: Array(keys.prefix(2))).mapValues { FleetGroup($0) }
    let (rows, moreRows) = mostCommon(cells, place: 0)
    let (columns, moreColumns) = mostCommon(cells, place: 1)
    let largest = cells.values.compactMap(\.hangNsPerHour).max() ?? 0
    func name(_ value: String) -> String { value.isEmpty ? "?" : harmless(value) }
    return [
      "title": "Hang time per hour by \(harmless(keys[0])) and \(harmless(keys[1]))",
      "legend": "Darker is more, up to \(FleetWords.time(largest)). Below: the number of sessions.",
      "more": [moreRows, moreColumns].compactMap(\.self),
      "corner": "\(harmless(keys[0])) \\ \(harmless(keys[1]))", "columns": columns.map(name),
      "rows": rows.map { row in
        [
          "name": name(row),
          "cells": columns.map { column in
            let cell = cells[[row, column]]
            let step =
              largest > 0 ? Int(clamping: ((cell?.hangNsPerHour ?? 0) / largest * 4).rounded(.up)) : 0
            return [
              "step": min(max(step, 0), 4), "words": FleetWords.time(cell?.hangNsPerHour),
              "sessions": cell.map { "\($0.sessions)" } ?? "0",
            ] as [String: Any]
          },
        ] as [String: Any]
      },
    ]
  }

  /// Returns the values of a key that have the most sessions, in the order of their names, and a sentence about the
  /// others.
  private func mostCommon(
    _ cells: [[String]: FleetGroup], place: Int
  ) -> (values: [String], more: String?) {
    var sessions: [String: UInt64] = [:]
    for (values, cell) in cells {
      sessions[values[place]] = cell.sessions.saturated(adding: sessions[values[place], default: 0])
    }
    let ranked = sessions.keys.sorted { (sessions[$1] ?? 0, $0) < (sessions[$0] ?? 0, $1) }
    let left = ranked.count - Self.heatSide
    return (
      ranked.prefix(Self.heatSide).sorted(),
      left > 0
        ? "\(Phrase.count(left, "more value", "more values")) of \(harmless(keys[place])) with fewer sessions: see the groups below."
        : nil
    )
  }

  // MARK: Days

  /// The share of sessions with a hang over days, for each build or for the fleet, with 95 % Wilson intervals.
  private func trend() -> [String: Any]? {
    guard fleet.keys.contains("day") else { return nil }
    var lines: [(name: String, side: String, of: [[String]: SessionSummary])] = []
    if let judgement {
      for (number, side) in [judgement.base, judgement.new].enumerated() {
        let days = fleet.merged(by: ["day"]) { keys in side.allSatisfy { keys[$0.key] == $0.value } }
        lines.append(
          (number == 0 ? judgement.names.base : judgement.names.new, number == 0 ? "base" : "new", days))
      }
    } else {
      lines.append(("all sessions", "new", fleet.merged(by: ["day"])))
    }
    let allDays = Set(lines.flatMap { $0.of.keys.map { $0[0] } }).filter { !$0.isEmpty }.sorted()
    let days = Array(allDays.suffix(Self.daysShown))
    guard days.count > 1 else { return nil }
    func interval(_ summary: SessionSummary) -> (low: Double, mean: Double, high: Double)? {
      let (n, k) = (
        Double(summary.sum(.loops, "sessions")), Double(summary.sum(.loops, "sessions_with_hangs"))
      )
      guard n > 0 else { return nil }
      let (p, z) = (min(k / n, 1), 1.96)
      let middle = (p + z * z / (2 * n)) / (1 + z * z / n)
      let half = z / (1 + z * z / n) * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot()
      return (max(0, middle - half), p, min(1, middle + half))
    }
    let top = max(lines.flatMap { $0.of.values.compactMap { interval($0)?.high } }.max() ?? 0, 0.01)
    func x(_ day: Int) -> Double { 70 + 920 * Double(day) / Double(max(days.count - 1, 1)) }
    func y(_ share: Double) -> Double { 190 - 180 * share / top }
    func text(_ number: Double) -> String { String(format: "%.1f", number) }
    let drawn = lines.map { line -> [String: Any] in
      var (points, path): ([[String: Any]], String) = ([], "")
      for (place, day) in days.enumerated() {
        guard let summary = line.of[[day]], let share = interval(summary) else { continue }
        path += (path.isEmpty ? "M" : "L") + "\(text(x(place))) \(text(y(share.mean)))"
        points.append([
          "x": text(x(place)), "y": text(y(share.mean)), "low": text(y(share.low)),
          "high": text(y(share.high)),
        ])
      }
      return ["side": line.side, "name": line.name, "path": path, "points": points]
    }
    let every = max(1, days.count / 8)
    return [
      "title": "Sessions with a hang, by day",
      "legend": "Bars are 95 % intervals."
        + (days.count < allDays.count ? " These are the newest \(days.count) of \(allDays.count) days." : ""),
      "words": "Share of sessions with a hang from \(days[0]) to \(days[days.count - 1])", "lines": drawn,
      "grid": [0, 0.5, 1].map { share in
        [
          "y": text(y(top * share)), "textY": text(y(top * share) + 4),
          "words": FleetWords.percent(top * share),
        ]
      },
      "days": stride(from: 0, to: days.count, by: every).map {
        [
          "x": text(x($0)), "words": harmless(days[$0]),
          "anchor": $0 > days.count * 9 / 10 ? "end" : "middle",
        ]
      },
    ]
  }

  // MARK: What costs most

  private func ranked(
    _ all: FleetGroup, _ list: SummaryList, _ title: String, _ heading: String, _ measure: String, name: Int,
    about: Int?
  ) -> [String: Any]? {
    func number(_ row: SummaryRow, _ field: String) -> UInt64 { row.number(field, of: list) }
    let rows = all.summary.rows(list).filter { !$0.identity[name].isEmpty && number($0.row, list.time) > 0 }
    guard !rows.isEmpty else { return nil }
    let largest = rows.map { number($0.row, list.time) }.max() ?? 0
    return [
      "title": title, "heading": heading, "measure": measure,
      "rows": rows.prefix(Self.ranked).map { identity, row in
        [
          "name": harmless(identity[name], limit: 120),
          "about": about.map { harmless(identity[$0], limit: 60) } ?? "",
          "value": Units.duration(number(row, list.time)),
          "percent": largest > 0 ? Int(clamping: Double(number(row, list.time)) / Double(largest) * 100) : 0,
          "sessions": "\(number(row, "sessions"))", "longest": Units.duration(number(row, list.longest)),
          "session": row.longestIn.map { [["link": Self.link($0), "name": harmless($0, limit: 40)]] } ?? [],
        ] as [String: Any]
      },
      "more": rows.count > Self.ranked ? ["\(rows.count - Self.ranked) more."] : [],
    ]
  }

  /// Returns the address of a session's report beside the page.
  private static func link(_ session: String) -> String {
    let file = session.split(separator: "/").last.map(String.init) ?? session
    return Markup.link("./\(file.hasSuffix(".rltrace") ? String(file.dropLast(8)) : file).html")
  }
}
