import TraceResults

/// The views of the screen; each is a table.
package enum WatchView: Character, CaseIterable, Sendable {
  case loops = "l"
  case modes = "m"
  case timers = "t"
  case callouts = "c"
  case unserved = "u"
  case stalls = "s"
  case findings = "f"
  /// The queues whose work waits, if queues were recorded.
  case backlog = "b"

  /// The views that have something to show.
  static func shown(_ analysis: Analysis) -> [WatchView] {
    allCases.filter { $0 != .backlog || analysis.work.isRecorded }
  }

  /// The name with its key in brackets, such as `[t]imers`.
  var tab: String { "[\(rawValue)]\(String(describing: self).dropFirst())" }
}

/// A table of the screen: the first column is elastic, the others are as wide as their cells.
struct WatchTable {
  struct Cell {
    let text: String
    /// The value by which the column is sorted, greatest first; nil = by text.
    let value: Double?

    init(_ text: String, _ value: Double? = nil) {
      self.text = text
      self.value = value
    }

    static func count(_ number: UInt64) -> Cell { Cell("\(number)", Double(number)) }
    static func time(_ ns: UInt64) -> Cell { Cell(Units.duration(ns), Double(ns)) }
  }

  struct Row {
    var cells: [Cell]
    /// Whether the row is about something that is wrong now.
    var isAlarming = false
    /// Further lines about the row.
    var details: [String] = []
  }

  let columns: [String]
  var rows: [Row]
  /// The column by which the rows are initially sorted.
  let sorted: Int

  init(_ view: WatchView, _ analysis: Analysis) {
    switch view {
    case .loops: self = WatchTable.loops(analysis)
    case .modes: self = WatchTable.modes(analysis)
    case .timers: self = WatchTable.timers(analysis)
    case .callouts: self = WatchTable.callouts(analysis)
    case .unserved: self = WatchTable.unserved(analysis)
    case .stalls: self = WatchTable.stalls(analysis)
    case .findings: self = WatchTable.findings(analysis)
    case .backlog: self = WatchTable.backlog(analysis)
    }
  }

  private init(_ columns: [String], sorted: Int, _ rows: [Row]) {
    self.columns = columns
    self.sorted = sorted
    self.rows = rows
  }

  private static func thread(_ index: UInt32?, _ analysis: Analysis) -> String {
    guard let index, let thread = analysis.trace.threads.first(where: { $0.index == index }) else {
      return "–"
    }
    return thread.shownName
  }

  private static func loops(_ analysis: Analysis) -> WatchTable {
    WatchTable(
      ["LOOP", "THREAD", "NOW", "BUSY", "PASSES", "RUNS"], sorted: 3,
      LoopNow.all(analysis).map { now in
        Row(
          cells: [
            Cell(harmless(now.loop.loop)), Cell(thread(now.loop.thread.index, analysis)), Cell(now.text),
            Cell(now.share, now.utilisation?.share ?? -1), .count(now.loop.passes), .count(now.loop.runs),
          ], isAlarming: now.isHang)
      })
  }

  private static func modes(_ analysis: Analysis) -> WatchTable {
    WatchTable(
      ["MODE", "THREAD", "TIME", "BUSY", "PASSES", "WAKES", "p99 PASS"], sorted: 2,
      analysis.modes.map { mode in
        Row(cells: [
          Cell(harmless(mode.mode)), Cell(thread(mode.thread, analysis)), .time(mode.timeNs),
          .time(mode.busyNs),
          .count(mode.passes), .count(mode.wakes), .time(mode.passNs.p99),
        ])
      })
  }

  private static func timers(_ analysis: Analysis) -> WatchTable {
    WatchTable(
      ["TIMER", "EVERY", "DUE", "FIRED", "SKIPPED", "p99 LATE", "OVERDUE"], sorted: 6,
      analysis.timers.filter { $0.fired > 0 || ($0.ledger?.due ?? 0) > 0 || $0.life.live > 0 }.map { timer in
        let ledger = timer.ledger
        let overdueNs = (ledger?.pending ?? 0) > 0 ? ledger?.pendingOverdueNs ?? 0 : 0
        let skipped =
          ledger?.skippedBy.filter { $0.value > 0 }.ordered { $0.value > $1.value }.map {
            "\($0.value) \($0.key.name)"
          } ?? []
        return Row(
          cells: [
            Cell(timer.function.map { harmless($0.sourcePlace, limit: 80) } ?? harmless(timer.name)),
            Cell(timer.intervalText, Double(timer.intervalNs)),
            ledger.map { .count($0.due) } ?? Cell("–", -1), .count(timer.fired),
            ledger.map { .count($0.skipped) } ?? Cell("–", -1),
            ledger.map { .time($0.latenessNs.p99) } ?? Cell("–", -1),
            Cell(overdueNs > 0 ? Units.duration(overdueNs) : "", Double(overdueNs)),
          ], isAlarming: overdueNs >= max(timer.intervalNs, BusyClass.hangNs / 5) && timer.intervalNs > 0,
          details: [
            "name \(harmless(timer.name, limit: 200)), thread \(thread(timer.thread, analysis))",
            "in \(harmless(timer.modeNames, limit: 200)); longest callout \(Units.duration(timer.longestCalloutNs))",
          ] + (skipped.isEmpty ? [] : ["skipped: \(skipped.joined(separator: ", "))"])
            + (ledger?.notableBlockers.prefix(3).map {
              "delayed by \($0.kind) \"\(harmless($0.name))\": \(Units.duration($0.latenessNs)), \($0.points) skipped"
            } ?? [])
            + (timer.maker.map { ["created in \(harmless($0.sourcePlace, limit: 200))"] } ?? []))
      })
  }

  private static func callouts(_ analysis: Analysis) -> WatchTable {
    WatchTable(
      ["CALLOUT", "KIND", "COUNT", "TIME", "SELF", "LONGEST", "NOW"], sorted: 3,
      analysis.callouts.map { callout in
        let open = analysis.openCallouts.first {
          $0.kind == callout.kind && $0.name == callout.name && $0.thread == callout.thread
        }
        return Row(
          cells: [
            Cell(callout.function.map { harmless($0.sourcePlace, limit: 80) } ?? harmless(callout.name)),
            Cell(callout.kind), .count(callout.count), .time(callout.timeNs), .time(callout.selfNs),
            .time(callout.longestNs),
            Cell(open.map { Units.duration($0.durationNs) } ?? "", Double(open?.durationNs ?? 0)),
          ], isAlarming: (open?.durationNs ?? 0) >= BusyClass.hangNs,
          details: ["name \(harmless(callout.name, limit: 200)), thread \(thread(callout.thread, analysis))"]
            + callout.timeNsByMode.map { "\(Units.duration($0.ns)) in \(harmless($0.mode))" }
            + (callout.maker.map { ["created in \(harmless($0.sourcePlace, limit: 200))"] } ?? []))
      })
  }

  private static func unserved(_ analysis: Analysis) -> WatchTable {
    WatchTable(
      ["WORK", "KIND", "COUNT", "WAITED", "WHY"], sorted: 3,
      analysis.unserved.map { work in
        Row(
          cells: [
            Cell(work.name.isEmpty ? "–" : harmless(work.name)), Cell(work.kind.words), .count(work.count),
            .time(work.waitedNs), Cell(work.reason.name),
          ], isAlarming: work.isUnserved,
          details: work.blocker.isEmpty
            ? [] : ["behind \(work.blockerKind) \"\(harmless(work.blocker, limit: 200))\""])
      })
  }

  private static func stalls(_ analysis: Analysis) -> WatchTable {
    WatchTable(
      ["STALL", "AT", "FOR", "CALLOUT", "CAUSE"], sorted: 1,
      analysis.stalls.map { stall in
        Row(
          cells: [
            Cell(harmless(stall.place ?? stall.entry ?? "no stack of the program's own code", limit: 80)),
            Cell(Units.moment(stall.startNs), Double(stall.startNs)), .time(stall.durationNs),
            Cell(harmless(stall.callout)), Cell(stall.cause.words),
          ], isAlarming: stall.durationNs >= BusyClass.hangNs,
          details: stall.stack.prefix(12).map { "  \(harmless($0.sourcePlace, limit: 200))" })
      })
  }

  private static func findings(_ analysis: Analysis) -> WatchTable {
    WatchTable(
      ["FINDING", "RULE", "SEVERITY"], sorted: -1,
      analysis.findings.map { finding in
        Row(
          cells: [Cell(finding.brief), Cell(finding.rule.rawValue), Cell(finding.severity.name)],
          isAlarming: finding.severity == .error, details: ["\(finding.text)"])
      })
  }

  private static func backlog(_ analysis: Analysis) -> WatchTable {
    var rows = QueueNow.all(analysis).map { now in
      Row(
        cells: [
          Cell(harmless(now.queue.name)), Cell(now.kind), .count(now.queue.openWaitNs.count),
          Cell(now.waited, Double(now.waitedNs)), Cell(now.runs),
        ], isAlarming: now.isAlarming, details: now.slices.map { "runs \($0)" })
    }
    if rows.isEmpty, analysis.trace.lostEvents > 0 {
      rows = [Row(cells: [Cell("not known: events were lost")] + Array(repeating: Cell(""), count: 4))]
    }
    return WatchTable(["QUEUE", "KIND", "WAIT", "OLDEST", "RUNS NOW"], sorted: 3, rows)
  }
}
