import ReportWriting
import TraceFleet
import TraceResults

/// Writes a fleet as text for people.
package struct FleetText {
  private static let shown = 10

  private let fleet: Fleet
  private let keys: [String]
  private let judgement: FleetJudgement?
  private let style: TextStyle

  /// `keys`: the keys by which rows are grouped.
  package init(_ fleet: Fleet, by keys: [String], judgement: FleetJudgement?, style: TextStyle) {
    (self.fleet, self.keys, self.judgement, self.style) = (fleet, keys, judgement, style)
  }

  package var lines: [String] {
    let (all, groups) = (FleetGroup.whole(fleet), FleetGroup.all(fleet, by: keys))
    var lines = style.wrapped(FleetWords.header(fleet, all, groups: groups.count))
    if let judgement { lines += self.judgement(judgement) }
    lines += style.section("Groups", table(groups, by: keys))
    if fleet.keys.contains("day") {
      lines += style.section("Days", table(FleetGroup.all(fleet, by: ["day"]), by: ["day"]))
    }
    lines += style.section(
      "Functions that blocked the loop longest", rows(all, .stalls, ["function", "cause"], count: "count"))
    lines += style.section("Timers", timers(all))
    lines += style.section(
      "Frame sources with the most hitch time", rows(all, .frames, ["timer"], count: "hitches"))
    lines += style.section(
      "Callouts with the most time of their own", rows(all, .callouts, ["name", "kind"], count: "count"))
    lines += style.section(
      "Queues whose work waited longest", rows(all, .queues, ["queue", "kind"], count: "slices"))
    lines += style.section(
      "States with the most hang time", rows(all, .states, ["state", "value"], count: "hangs"))
    lines += style.section("Findings", findings(all))
    return lines
  }

  // MARK: Builds

  private func judgement(_ judgement: FleetJudgement) -> [String] {
    let names = judgement.names
    var lines = ["", style.strong("\(names.base) against \(names.new)")] + style.wrapped(judgement.method)
    if judgement.isUndecided {
      return lines
        + style.wrapped(
          "Undecided: fewer than \(StratifiedTest.fewestSessions) comparable sessions on one side.")
    }
    var rows = TextTable(
      ["", "what", "base", "new", "difference, 95 %", "p", "sessions"], leftColumns: 2, wholeColumns: [0])
    var last = ""
    for row in judgement.differences {
      let test = row.test
      // Parts of the fleet follow their question.
      let what = row.what == last && !row.place.isEmpty ? "  " + row.place : row.title
      last = row.what
      rows.add([
        word(row), elided(what, limit: 100),
        row.question.text(test.baseMean), row.question.text(test.newMean), row.differenceText, test.pText,
        "\(test.baseSessions)/\(test.newSessions)",
      ])
    }
    let regressions = judgement.regressions.count
    if !rows.isEmpty { lines += rows.lines(style: style) }
    if regressions > 0 { lines += style.wrapped(judgement.headline) }
    lines.append(
      regressions > 0
        ? style.alarm(Phrase.count(regressions, "regression", "regressions"))
        : style.good(
          "No relevant regression was found in \(Phrase.count(judgement.tested, "question", "questions")).")
    )
    if let few = judgement.few { lines += style.wrapped("Too few sessions: \(few)") }
    return lines
  }

  private func word(_ row: FleetJudgement.Row) -> String {
    switch row.outcome {
    case .worse: row.question.decides ? "WORSE" : "worse"
    case .better: "better"
    default: "minor"
    }
  }

  // MARK: Tables

  private func table(_ groups: [FleetGroup], by keys: [String]) -> [String] {
    let hasFrames = groups.contains { $0.frames != nil }
    var table = TextTable(
      [
        keys.isEmpty ? "" : keys.joined(separator: ", "), "sessions", "hangs/h", "with hang", "busy",
        "skipped",
        "wrong mode", "pass p50", "p99", "late p99",
      ] + (hasFrames ? ["hitches"] : []), wholeColumns: [0])
    let percent = FleetWords.percent
    for group in groups.prefix(Self.shown * 4) {
      table.add(
        [
          elided(group.values, limit: max(style.width / 3, 16)), "\(group.sessions)",
          FleetWords.time(group.hangNsPerHour),
          percent(group.sessionsWithHangs), percent(group.busyShare), percent(group.skippedShare),
          percent(group.starvedShare), FleetWords.time(group.pass(0.5)),
          FleetWords.time(group.pass(0.99)), FleetWords.time(group.lateness(0.99)),
        ] + (hasFrames ? [FleetWords.rate(group.frames)] : []))
    }
    let rest = groups.count - Self.shown * 4
    return groups.isEmpty
      ? [] : table.lines(style: style) + (rest > 0 ? ["\(rest) more groups: \(Hint.csv)"] : [])
  }

  private func rows(
    _ all: FleetGroup, _ list: SummaryList, _ names: [String], count: String
  ) -> [String] {
    let found = all.summary.rows(list).filter { !($0.identity.first ?? "").isEmpty }
    var table = TextTable(
      names + ["sessions", "count", "time", "longest", "longest in"], leftColumns: names.count)
    for (identity, row) in found.prefix(Self.shown) {
      let texts = names.map { name in list.identity.firstIndex { $0.name == name }.map { identity[$0] } ?? ""
      }
      func number(_ field: String) -> UInt64 { row.number(field, of: list) }
      table.add(
        texts.map { harmless($0, limit: 60) } + [
          "\(number("sessions"))", "\(number(count))", Units.duration(number(list.time)),
          Units.duration(number(list.longest)), harmless(row.longestIn ?? "", limit: 24),
        ])
    }
    return found.isEmpty ? [] : table.lines(style: style)
  }

  private func timers(_ all: FleetGroup) -> [String] {
    let found = all.summary.rows(.timers)
    var table = TextTable(
      ["timer", "modes", "sessions", "due", "skipped", "wrong mode", "busy", "overdue", "longest"],
      leftColumns: 2)
    for (identity, row) in found.prefix(Self.shown) {
      func number(_ field: String) -> UInt64 { row.number(field, of: .timers) }
      table.add([
        harmless(identity[0], limit: 60), harmless(identity[1], limit: 40), "\(number("sessions"))",
        "\(number("due"))",
        "\(number("skipped"))", "\(number("skipped_wrong_mode"))", "\(number("skipped_busy"))",
        Units.duration(number("overdue_ns")), Units.duration(number("longest_lateness_ns")),
      ])
    }
    return found.isEmpty ? [] : table.lines(style: style)
  }

  private func findings(_ all: FleetGroup) -> [String] {
    let found = all.summary.rows(.findings)
    var table = TextTable(["rule", "severity", "sessions", "share of sessions"], leftColumns: 2)
    let judged = max(all.sessions - min(all.lossy, all.sessions), 1)
    for (identity, row) in found.prefix(Self.shown) {
      let sessions = row.number("sessions", of: .findings)
      table.add([
        harmless(identity[0], limit: 20), harmless(identity[1], limit: 20), "\(sessions)",
        Units.percent(sessions, of: judged),
      ])
    }
    return found.isEmpty ? [] : table.lines(style: style)
  }
}
