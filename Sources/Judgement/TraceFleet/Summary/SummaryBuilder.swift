import TraceAnalysis
import TraceComparison
import TraceFormat

/// Makes the summary of one trace from its analysis.
package struct SummaryBuilder {
  /// Each list keeps the rows with the most time; one more row holds the rest, so that sums stay exact.
  package static let rowLimit = 64
  /// Queues, those whose work waited longest, that builds are judged by. Beyond: not judged.
  package static let judgedQueues = 16

  private var summary = SessionSummary()
  private let analysis: Analysis
  private let session: String

  /// `id` identifies the trace; `session` names it where a row says which session was longest.
  package static func summary(
    of analysis: Analysis, id: String, keys: [String: String], session: String
  ) -> SessionSummary {
    var builder = SummaryBuilder(analysis, session)
    builder.summary.id = id
    builder.summary.keys = keys
    builder.fill()
    builder.limitRows()
    builder.summary.measureCallouts()
    return builder.summary
  }

  private init(_ analysis: Analysis, _ session: String) {
    (self.analysis, self.session) = (analysis, session)
  }

  // MARK: Rows

  private mutating func add(
    _ list: SummaryList, _ identity: [String], _ numbers: [String: UInt64?],
    cells: [String: [UInt64: UInt64]] = [:]
  ) {
    var row = SummaryRow(list)
    for (name, number) in numbers {
      if let place = list.place(name) { row.numbers[place] = number.map { min($0, SessionSummary.most) } }
    }
    for (name, counts) in cells { if let place = list.place(name) { row.cells[place] = counts } }
    let longest = list.fields.firstIndex { $0.kind == .longest }
    if let longest, row.numbers[longest] != nil { row.longestIn = session }
    summary.add(row, identity, to: list.index)
  }

  private mutating func measure(_ question: Question, _ subject: String = "", _ value: UInt64) {
    add(
      .measures, [question.rawValue, subject], ["sessions": 1],
      cells: ["values": [SummaryCells.rounded(value): 1]])
  }

  private static func name(_ text: String) -> String { BuildFreeName(text).textWithClosures }

  private static func file(_ path: String?) -> String {
    path?.split(separator: "/").last.map(String.init) ?? ""
  }

  private mutating func fill() {
    let trace = analysis.trace
    let isLossy = trace.lostEvents > 0 || !trace.clean || analysis.damage != nil || trace.damagedBlocks > 0
    add(
      .recordings, [trace.captureLevel.name],
      [
        "sessions": 1, "span_ns": trace.toNs &- trace.fromNs, "suspended_ns": trace.suspendedNs,
        "lossy_sessions": isLossy ? 1 : 0, "lost_events": trace.lostEvents,
      ])
    // An import of hangs alone has no loops.
    let main = analysis.inputDelay?.thread ?? trace.threads.first(where: \.isMain)?.index
    func role(_ thread: UInt32?) -> String { thread != nil && thread == main ? "main" : "other" }
    addLoops()
    for mode in analysis.modes {
      add(
        .modes, [mode.mode, role(mode.thread)],
        [
          "time_ns": mode.timeNs, "busy_ns": mode.busyNs, "passes": mode.passes, "polls": mode.polls,
          "wakes": mode.wakes, "wakes_for_nothing": mode.emptyWakes,
          "longest_pass_ns": mode.passNs.count > 0 ? mode.passNs.max : nil,
        ],
        cells: [
          "pass_ns": SummaryCells.cells(of: mode.passNs),
          "wake_to_callout_ns": SummaryCells.cells(of: mode.wakeToCalloutNs),
        ])
    }
    for busy in analysis.busy where busy.thread == main {
      guard let found = BusyClass(ns: busy.hangLengthNs), !busy.isUncertain else { continue }
      add(.busy, [found.name], ["count": 1, "time_ns": busy.hangLengthNs, "longest_ns": busy.hangLengthNs])
    }
    addTimers()
    addFrames()
    for callout in analysis.callouts {
      add(
        .callouts, [callout.kind, Self.name(callout.name), role(callout.thread)],
        [
          "sessions": 1, "count": callout.count, "self_ns": callout.selfNs, "longest_ns": callout.longestNs,
        ])
    }
    addQueues()
    addStates()
    for stall in analysis.stalls {
      add(
        .stalls, [stall.blamed?.name ?? "", Self.file(stall.blamed?.image), stall.cause.rawValue],
        [
          "sessions": 1, "count": 1, "time_ns": stall.durationNs, "samples": stall.samples,
          "longest_ns": stall.durationNs,
        ])
    }
    for finding in analysis.findings {
      add(
        .findings, [finding.rule.rawValue, finding.severity.name],
        ["sessions": 1, "subjects": finding.findings, "weight_ns": finding.weight])
    }
    countSessionsOnce()
  }

  /// A session counts once for each row, even if it has several results for that row.
  private mutating func countSessionsOnce() {
    for (number, list) in SummaryList.all.enumerated() {
      guard let place = list.place("sessions") else { continue }
      for identity in summary.lists[number].keys { summary.lists[number][identity]?.numbers[place] = 1 }
    }
  }

  private mutating func addLoops() {
    guard let input = analysis.inputDelay else { return }
    let main = input.thread
    let loops = analysis.loops.filter { $0.thread.index == main }
    let time = loops.map(\.timeNs).saturatedSum
    let busy = loops.map(\.busyNs).saturatedSum
    add(
      .loops, [],
      [
        "sessions": 1, "time_ns": time, "busy_ns": busy, "hangs": input.hangs, "hang_ns": input.hangNs,
        "sessions_with_hangs": input.hangs > 0 ? 1 : 0,
      ])
    guard time > 0 else { return }
    measure(.hangTime, "", UInt64(clamping: Double(input.hangNs) / Double(time) * 3.6e12))
    measure(.hasHang, "", input.hangs > 0 ? 1 : 0)
    measure(.busyShare, "", Self.ppm(busy, of: time))
    measure(.inputDelay, "", input.delay.p99)
    var passes = Distribution()
    for mode in analysis.modes where mode.thread == main {
      passes = passes.merging(mode.passNs)
      if mode.timeNs > 0 { measure(.busyShareOfMode, mode.mode, Self.ppm(mode.busyNs, of: mode.timeNs)) }
    }
    if passes.count > 0 { measure(.pass, "", passes.p90) }
  }

  private static func ppm(_ part: UInt64, of whole: UInt64) -> UInt64 {
    UInt64(clamping: Double(part) / Double(max(whole, 1)) * 1_000_000)
  }

  private mutating func addTimers() {
    var all: (due: UInt64, skipped: UInt64) = (0, 0)
    var lateness = Distribution()
    for timer in analysis.timers {
      guard let ledger = timer.ledger else { continue }
      var numbers: [String: UInt64?] = [
        "sessions": 1, "due": ledger.due, "fired": timer.fired, "skipped": ledger.skipped,
        "withdrawn": ledger.withdrawn, "pending": ledger.pending, "overdue_ns": ledger.latenessNs.sum,
        "longest_lateness_ns": ledger.latenessNs.count > 0 ? ledger.latenessNs.max : nil,
      ]
      for cause in Cause.allCases {
        // Most of these numbers are zero. Zeros are left out, because merging treats a missing number as zero.
        if let skipped = ledger.skippedBy[cause], skipped > 0 { numbers["skipped_\(cause.name)"] = skipped }
        if let late = ledger.ledgerNs[cause], late > 0 { numbers["overdue_\(cause.name)_ns"] = late }
      }
      let modes = timer.modeNames
      add(
        .timers, [Self.name(timer.name), modes], numbers,
        cells: ["lateness_ns": SummaryCells.cells(of: ledger.latenessNs)])
      all = (all.due.saturated(adding: ledger.due), all.skipped.saturated(adding: ledger.skipped))
      lateness = lateness.merging(ledger.latenessNs)
      if ledger.due > 0 {
        measure(.skippedOfTimer, Self.name(timer.name), Self.ppm(ledger.skipped, of: ledger.due))
      }
    }
    if all.due > 0 { measure(.skipped, "", Self.ppm(all.skipped, of: all.due)) }
    if lateness.count > 0 { measure(.lateness, "", lateness.p90) }
  }

  private mutating func addFrames() {
    let sources = analysis.frames.judged
    for source in sources {
      add(
        .frames, [Self.name(source.name)],
        [
          "sessions": 1, "frames": source.frames, "on_time": source.onTime, "late": source.late,
          "hitches": source.hitches, "hitch_ns": source.hitchNs, "active_ns": source.activeNs,
          "longest_hitch_ns": source.hitches > 0 ? source.longestHitchNs : nil,
        ])
    }
    measure(.hitchRatio, "", sources.hitchTime)
  }

  private mutating func measure(_ question: Question, _ subject: String, _ time: HitchTime) {
    guard let ratio = time.ratio else { return }
    measure(question, subject, UInt64(clamping: ratio * 1000))
  }

  private mutating func addQueues() {
    var waits: [String: Distribution] = [:]
    for queue in analysis.work.queues {
      let (wait, run) = (queue.waitsSoFarNs, queue.runsSoFarNs)
      let name = queue.hasName ? Self.name(queue.name) : ""
      add(
        .queues, [name, queue.kind?.name ?? ""],
        [
          "sessions": 1, "queued": queue.queued, "slices": queue.begun, "waited_ns": wait.sum,
          "ran_ns": run.sum, "longest_wait_ns": wait.count > 0 ? wait.max : nil,
        ], cells: ["wait_ns": SummaryCells.cells(of: wait), "run_ns": SummaryCells.cells(of: run)])
      if !name.isEmpty, !queue.isRemainder, wait.count > 0 {
        waits[name] = waits[name]?.merging(wait) ?? wait
      }
    }
    let longest = waits.ordered { ($1.value.sum, $0.key) < ($0.value.sum, $1.key) }
    for (name, wait) in longest.prefix(Self.judgedQueues) { measure(.waitForQueue, name, wait.p90) }
  }

  private mutating func addStates() {
    // Without a value other than none, the trace does not have the state.
    guard let values = analysis.split?.values, values.contains(where: { $0.value != nil }) else { return }
    for row in values {
      let value = row.value ?? ""
      var numbers: [String: UInt64?] = [
        "sessions": 1, "time_ns": row.timeNs, "busy_ns": row.busyNs, "hangs": row.hangs,
        "hang_ns": row.hangNs, "longest_hang_ns": row.hangs > 0 ? row.longestHangNs : nil, "due": row.due,
        "skipped": row.skipped, "overdue_ns": row.overdueNs,
      ]
      if row.frames.activeNs > 0 {
        numbers["hitches"] = row.frames.hitches
        numbers["hitch_ns"] = row.frames.hitchNs
        numbers["frames_active_ns"] = row.frames.activeNs
      }
      add(.states, [row.state, value], numbers)
      if !value.isEmpty { measure(.hitchRatioInState, "\(row.state)=\(value)", row.frames) }
      guard row.timeNs > 0, !value.isEmpty else { continue }
      let perHour = UInt64(clamping: Double(row.hangNs) / Double(row.timeNs) * 3.6e12)
      measure(.hangTimeInState, "\(row.state)=\(value)", perHour)
    }
  }

  // MARK: Limits

  /// Merges the rows of each list beyond the limit into one. Measures beyond it are left out: they cannot be added.
  private mutating func limitRows() {
    for (place, list) in SummaryList.all.enumerated() where summary.lists[place].count > Self.rowLimit {
      let rows = summary.rows(list)
      for (identity, row) in rows.dropFirst(Self.rowLimit) {
        summary.lists[place][identity] = nil
        guard list.name != SummaryList.measures.name else { continue }
        summary.add(row, list.identity.map { _ in SummaryList.others }, to: place)
      }
      if let count = list.place("sessions"), list.name != SummaryList.measures.name {
        summary.lists[place][list.identity.map { _ in SummaryList.others }]?.numbers[count] = 1
      }
    }
  }
}
