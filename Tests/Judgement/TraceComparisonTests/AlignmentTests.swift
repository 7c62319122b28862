import JudgementReport
import ReportWriting
import TestSupport
import Testing
import TraceAnalysis
import TraceComparison

/// The alignment of the rows of two traces. Times are microseconds.
@Suite struct AlignmentTests {
  static func compare(_ base: String, _ new: String) throws -> Comparison {
    try compare(assembleTrace(base), assembleTrace(new))
  }

  static func compare(
    _ base: [UInt8], _ new: [UInt8], gapThresholdNs: UInt64 = 250_000_000,
    relevant: RelevantDifference = .standard
  ) throws -> Comparison {
    func analysis(_ bytes: [UInt8]) throws -> Analysis {
      var options = AnalysisOptions()
      options.replay.gapThresholdNs = gapThresholdNs
      options = Comparison.options(options, relevant: relevant)
      return try TraceAnalyzer(openTrace(bytes), options: options).analyze()
    }
    return Comparison(
      base: try analysis(base), new: try analysis(new), gapThresholdNs: gapThresholdNs, relevant: relevant)
  }

  /// Returns a trace with a timer of 100 ms in the given modes, due at 50 ms. The loop runs mode 1 and, from 40 to
  /// 360 ms, mode 2.
  private func trace(modes: [Int], extra: String = "", more: String = "") -> String {
    let rest = (modes.contains(2) ? [50_000, 150_000, 250_000, 350_000] : []).map {
      """
      \($0) AfterWaiting.low m2 #1
      \($0) timer.due m2 #2 due=\($0)
      \($0) timer.begin m2 #2
      \($0 + 100) timer.end m2 #2
      \($0 + 200) BeforeTimers.low m2 #1
      \($0 + 200) BeforeSources.low m2 #1
      \($0 + 200) BeforeWaiting.low m2 #1

      """
    }.joined()
    let late =
      modes.contains(2)
      ? ""
      : """
      400000 timer.due m1 #2 due=50000
      400000 timer.begin m1 #2
      400100 timer.end m1 #2

      """
    return HandTrace(
      main: HandTrace.tick(due: 50_000, modes: modes) + extra + """
        0 Entry.low m1 #1
        10 BeforeTimers.low m1 #1
        20 BeforeSources.low m1 #1
        30 source0.begin m1 #3
        40000 Entry.low m2 #1
        40000 BeforeTimers.low m2 #1
        40000 BeforeSources.low m2 #1
        40000 BeforeWaiting.low m2 #1

        """ + rest + """
          360000 AfterWaiting.low m2 #1
          360000 Exit.low m2 #1
          360000 source0.end m1 #3
          360100 BeforeWaiting.low m1 #1
          400000 AfterWaiting.low m1 #1

          """ + late + more + """
          401000 BeforeTimers.low m1 #1
          401010 Exit.low m1 #1
          """
    ).text()
  }

  @Test func aTimerThatWasPutIntoAnotherModeIsTheSame() throws {
    let comparison = try Self.compare(trace(modes: [1]), trace(modes: [1, 2]))
    let row = try #require(comparison.rows.first { $0.subject.kind == "timer" })
    #expect(comparison.rows.count { $0.subject.kind == "timer" } == 1)
    #expect(row.presence == .both && row.changes == ["modes: mode 1 → mode 1, mode 2"])
    let skipped = try #require(row.counts.first { $0.measure == .skipped })
    #expect(skipped.base == 3 && skipped.new == 0)
    // Three of four may be chance.
    #expect(comparison.verdict.outcome == .different && comparison.verdict.reasons.isEmpty)
  }

  /// The interval and the site of a timer may change as long as its name is unique.
  @Test func weakerKeys() throws {
    let base = trace(modes: [1])
    let slower = base.replacing("interval_ns=100000000", with: "interval_ns=90000000")
    #expect(
      try Self.compare(base, slower).rows.first { $0.subject.kind == "timer" }?.changes == [
        "interval: 100 ms → 90.0 ms"
      ])
    let elsewhere = base.replacing("\"App.swift:10\"", with: "\"Feed.swift:12\"")
    #expect(
      try Self.compare(base, elsewhere).rows.first { $0.subject.kind == "timer" }?.changes == [
        "site: App.swift:10 → Feed.swift:12"
      ])
    let second =
      "0 timer.create #9 name=2 interval_ns=7000000 tolerance_ns=0 due=900000 site=5\n0 timer.add #9 mode=1 loop=1\n"
    let two = trace(modes: [1], extra: second)
    let twoOthers = two.replacing("interval_ns=100000000", with: "interval_ns=90000000")
      .replacing("interval_ns=7000000 ", with: "interval_ns=8000000 ")
      .replacing("\"App.swift:10\"", with: "\"Other.swift:1\"").replacing(
        "\"App.swift:20\"", with: "\"Other.swift:2\"")
    let rows = try Self.compare(two, twoOthers).rows.filter { $0.subject.kind == "timer" }
    #expect(rows.map(\.presence) == [.new, .new, .base, .base])
  }

  /// IDs, order and times do not affect the alignment.
  @Test func neitherIdsNorTimesMatter() throws {
    let base = trace(modes: [1])
    let others = base.replacing(" #2", with: " #72").replacing(" #3", with: " #73").replacing(
      " #1", with: " #71"
    )
    .replacing("loop=1", with: "loop=71")
    #expect(others != base)
    #expect(try Self.compare(base, others).verdict.outcome == .same)
    let later = base.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
      let fields = line.split(separator: " ", maxSplits: 1)
      guard line.hasPrefix("  "), let time = Int(fields.first ?? ""), fields.count == 2,
        fields[1].contains("#")
      else {
        return String(line)
      }
      let words = fields[1].split(separator: " ").map { word in
        word.hasPrefix("due=") ? "due=\((Int(word.dropFirst(4)) ?? 0) + 2_000_000)" : String(word)
      }
      return "  \(time + 2_000_000) " + words.joined(separator: " ")
    }.joined(separator: "\n")
    let comparison = try Self.compare(base, later)
    #expect(
      comparison.rows.allSatisfy { $0.difference == .none },
      "\(comparison.rows.filter { $0.difference > .none })")
  }

  @Test func rowsOfOneTraceOnly() throws {
    let extra = "0 source.create #4 name=7 version=1 order=0 site=5\n"
    let more = "400300 source1.begin m1 #4\n400400 source1.end m1 #4\n"
    let comparison = try Self.compare(trace(modes: [1]), trace(modes: [1], extra: extra, more: more))
    let new = comparison.rows.filter { $0.presence == .new }
    #expect(
      new.map(\.subject) == [
        .callout(thread: "main", kind: "source1", name: "read")
      ])
    let back = try Self.compare(trace(modes: [1], extra: extra, more: more), trace(modes: [1]))
    #expect(back.rows.count { $0.presence == .base } == 1)
    let text = ComparisonText(comparison, showsAll: false, style: TextStyle(isColoured: false))
      .lines(baseFile: "a", newFile: "b").joined(separator: "\n")
    #expect((text + "\n").contains("Only in NEW\n  source1 \"read\" (main): 1 callout\n"))
  }

  @Test(arguments: [
    "modes", "location-cached", "timer-starvation", "five-causes", "leave-and-return", "detect-chain",
    "watchdog-phases",
  ])
  func aTraceAndItself(sample: String) throws {
    let bytes = try SampleTraces.bytes(virtual: sample)
    let comparison = try Self.compare(bytes, bytes)
    #expect(comparison.verdict.outcome == .same && comparison.verdict.reasons.isEmpty)
    #expect(comparison.verdict.headline == "No difference.")
    #expect(
      comparison.rows.allSatisfy { $0.difference == .none && $0.presence == .both }
        && comparison.findings.isEmpty)
    #expect(
      comparison.rows.flatMap(\.distributions).allSatisfy {
        $0.test.map { $0.delta == 0 && $0.pValue == 1 } ?? true
      })
  }

  /// An example of an improvement: the program asks once instead of for each row.
  @Test func locationPermission() throws {
    let comparison = try Self.compare(
      SampleTraces.bytes(virtual: "location-uncached"), SampleTraces.bytes(virtual: "location-cached"))
    #expect(comparison.verdict.outcome == .better)
    #expect(
      comparison.verdict.headline.contains(
        "finding RL026 is gone: callouts take long while tracking, 10.0 ms on average"))
    #expect(
      comparison.verdict.reasons.map(\.text).contains(
        "source0 \"touch events\" (main) takes less time: median 2.00 ms, was 10.0 ms (large effect)"))
    #expect(
      comparison.verdict.reasons.contains {
        !$0.isWorse && $0.text.contains("passes of UITrackingRunLoopMode (main) are shorter")
      })
    #expect(comparison.findings.map(\.finding.rule) == [.slowWhileTracking])
    #expect(comparison.findings.map(\.presence) == [.base])
    let touch = comparison.rows.first {
      $0.subject == .callout(thread: "main", kind: "source0", name: "touch events")
    }
    let times = try #require(touch?.times)
    #expect(times.base.meanNs == 10_000_000 && times.new.meanNs == 2_000_000)
  }
}
