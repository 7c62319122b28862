import Foundation
import JudgementReport
import ReportWriting
import TestSupport
import Testing
import TraceAnalysis
import TraceTables

@testable import TraceComparison

/// Differences that decide the verdict, and minor ones.
@Suite struct RelevanceTests {
  /// Returns a loop that a source wakes at intervals of `every`, with callouts of the given lengths, all in
  /// microseconds. The trace's time unit is a microsecond divided by `scale`.
  private func trace(_ callouts: [Int], every: Int = 10_000, lost: Int = 0, scale: Int = 1) -> String {
    var time = every
    var main = "0 source.create #4 name=7 version=1 order=0 site=5\n0 Entry.low m1 #1\n"
    main += ["BeforeTimers", "BeforeSources", "BeforeWaiting"].map { "0 \($0).low m1 #1\n" }.joined()
    for length in callouts {
      let (begin, end) = (time * scale, (time + length) * scale)
      main += """
        \(begin) AfterWaiting.low m1 #1
        \(begin) source1.begin m1 #4
        \(end) source1.end m1 #4
        \(end) BeforeTimers.low m1 #1
        \(end) BeforeSources.low m1 #1
        \(end) BeforeWaiting.low m1 #1

        """
      time += max(every, length + 100)
    }
    if lost > 0 { main += "\(time * scale) lostEvents m1 count=\(lost)\n" }
    main += "\(time * scale) AfterWaiting.low m1 #1\n\(time * scale) Exit.low m1 #1"
    return HandTrace(main: main).text().replacing(
      "unit=1us", with: "unit=\(scale == 1 ? "1us" : "\(1000 / scale)ns")")
  }

  private func compare(
    _ base: String, _ new: String, _ relevant: RelevantDifference = .standard
  ) throws -> Comparison {
    try AlignmentTests.compare(assembleTrace(base), assembleTrace(new), relevant: relevant)
  }

  private func text(_ comparison: Comparison, all: Bool = false) -> String {
    ComparisonText(comparison, showsAll: all, style: TextStyle(isColoured: false))
      .lines(baseFile: "a", newFile: "b").joined(separator: "\n")
  }

  /// The earlier hang still exists, but its length is uncertain: that is not an improvement.
  @Test func anUncertainHangIsNotGone() throws {
    let held = HandTrace.held(at: 100, for: 3_000_000)
    let signs = "1000000 mark name=9\n1200000 mark name=9\n1300000 mark name=9"
    let certain = HandTrace(main: held, worker: signs).text()
    let uncertain = HandTrace(
      main: held, worker: signs, recorder: "1300100 heartbeat late_ns=300000000 cpu_ns=100"
    ).text()
    for (base, new) in [(certain, uncertain), (uncertain, certain)] {
      let comparison = try compare(base, new)
      #expect(comparison.verdict.reasons.isEmpty, "\(comparison.verdict.reasons.map(\.text))")
      #expect(comparison.notes.contains { $0.contains("whose length is uncertain") })
    }
  }

  @Test func aTinyShiftIsMinor() throws {
    let base = trace((0..<200).map { 1110 + $0 % 5 })
    let new = trace((0..<200).map { 1130 + $0 % 5 })
    let comparison = try compare(base, new)
    #expect(comparison.verdict.outcome == .same && comparison.verdict.reasons.isEmpty)
    let mode = try #require(comparison.rows.first { $0.subject.kind == "mode" })
    let pass = try #require(mode.distributions.first { $0.measure == .pass })
    #expect(pass.difference == .minor && pass.test?.effect == .large && pass.relevantTest?.delta == 0)
    #expect(mode.difference == .minor)
    // The minor differences are counted, and --all lists them.
    let short = text(comparison)
    #expect(short.contains("Verdict: No relevant difference."))
    #expect(
      short.replacing("\n    ", with: " ").contains(
        "Minor differences: 2 distributions differ by less than 5 % or 100 µs. --all shows"
      ), "\(short)")
    #expect(!short.contains("Distributions\n"))
    #expect(text(comparison, all: true).contains("minor +"))
    let json = try ComparisonJSON.encode(comparison, baseFile: "a", newFile: "b")
    #expect(json.contains("\"difference\" : \"minor\"") && json.contains("\"ns\" : 100000"))
    // The strictest option counts every difference.
    let strict = try compare(base, new, .any)
    #expect(strict.verdict.outcome == .worse && strict.relevant == .any)
  }

  /// A quarter of the callouts take longer. Half as long again is minor by default; six times as long is not.
  @Test func smallEffects() throws {
    func some(_ length: Int) -> String { trace((0..<400).map { $0 % 4 == 0 ? length : 2000 }) }
    for (length, isRelevant) in [(3000, false), (12_000, true)] {
      let comparison = try compare(some(2000), some(length))
      let callout = try #require(comparison.rows.first { $0.subject.kind == "callout" })
      let duration = try #require(callout.distributions.first { $0.measure == .duration })
      #expect(duration.relevantTest?.effect == .small)
      #expect(duration.difference == (isRelevant ? .relevant : .minor))
      #expect(comparison.verdict.outcome == (isRelevant ? .worse : .same), "\(comparison.verdict.headline)")
      // The percentile that shows the difference, and the medians, which do not.
      if isRelevant { #expect(comparison.verdict.headline.contains("p90 12.0 ms, was 2.0")) }
      if isRelevant { #expect(comparison.verdict.headline.contains("; medians 2.0")) }
      var finer = RelevantDifference.standard
      finer.effect = .small
      #expect(try compare(some(2000), some(length), finer).verdict.outcome == .worse)
    }
  }

  /// The machine gave the thread a processor for half of the time: a factor of 2 is explained, more is not.
  @Test(arguments: [(3500, true, "same"), (3500, false, "worse"), (5000, true, "worse")])
  func timesThatTheLackOfAProcessorExplains(length: Int, isBusy: Bool, outcome: String) throws {
    let state =
      "0 thread.state thread=1 state=82 system_call=0 cpu_ns=100000000 waited_ns=100000000 voluntary_switches=0 "
      + "involuntary_switches=9 minor_faults=0 major_faults=0 read_bytes=0 written_bytes=0 awaited_thread=0 descriptor=0\n"
    let base = trace((0..<100).map { 2000 + $0 % 9 })
    let new = trace((0..<100).map { length + $0 % 9 })
    let loaded = isBusy ? new.replacing("  0 source.create", with: "  \(state)  0 source.create") : new
    for (first, second) in [(base, loaded), (loaded, base)] {
      let comparison = try compare(first, second)
      let expected = outcome == "worse" && first == loaded ? "better" : outcome
      #expect(comparison.verdict.outcome.rawValue == expected, "\(comparison.verdict.headline)")
      #expect(comparison.notes.contains { $0.contains("beyond a factor of 2.00") } == isBusy)
    }
  }

  /// A thread that becomes ready on a busy machine waits for the time slice of another one.
  @Test func waitsOnABusyMachine() {
    let busy = RelevantDifference.standard.stretched(by: [ProcessorUse(cpuNs: 100, waitedNs: 20), nil])
      .ofWaits
    #expect(!busy.separates(27_000, 1_800_000) && busy.separates(1_000_000, 9_000_000))
    let quiet = RelevantDifference.standard.stretched(by: [nil, nil]).ofWaits
    #expect(quiet.separates(27_000, 1_800_000))
  }

  @Test func aFifthLongerIsWorse() throws {
    let comparison = try compare(
      trace((0..<100).map { 2000 + $0 % 9 }), trace((0..<100).map { 2400 + $0 % 9 }))
    #expect(comparison.verdict.outcome == .worse)
    #expect(comparison.verdict.headline.contains("source1 \"read\" (main) takes longer: median 2.4"))
    #expect(text(comparison).contains("Times of callouts"))
  }

  /// One callout in ten is slower: every call of one source. The passes hardly change, but the source's callout does.
  @Test func aRareCalloutIsSeen() throws {
    func rare(_ length: Int) -> String {
      trace(Array(repeating: 1000, count: 180)).replacing("\nend", with: "")
        + "\n"
        + (0..<20).map { number in
          let time = 4_000_000 + number * 10_000
          return """
              \(time) Entry.low m1 #1
              \(time) BeforeTimers.low m1 #1
              \(time) BeforeSources.low m1 #1
              \(time) source0.begin m1 #9
              \(time + length) source0.end m1 #9
              \(time + length) BeforeTimers.low m1 #1
              \(time + length) Exit.low m1 #1
            """
        }.joined(separator: "\n") + "\nend"
    }
    let comparison = try compare(rare(1000), rare(1200))
    let mode = try #require(comparison.rows.first { $0.subject.kind == "mode" })
    #expect(mode.distributions.first { $0.measure == .pass }?.difference != .relevant)
    #expect(comparison.verdict.outcome == .worse)
    #expect(comparison.verdict.reasons.count == 1, "\(comparison.verdict.reasons)")
    #expect(comparison.verdict.headline.contains("takes longer: median 1.20 ms, was 1.00 ms"))
  }

  /// No single callout is 100 µs longer, but together they take more than a third of the time.
  @Test func manyShortCallouts() throws {
    let comparison = try compare(
      trace(Array(repeating: 20, count: 2000), every: 200),
      trace(Array(repeating: 90, count: 2000), every: 200)
    )
    #expect(comparison.verdict.outcome == .worse)
    #expect(
      comparison.verdict.headline.contains(
        "all callouts of source1 \"read\" (main) together take more of the time: 45.0 %, was 10.0 %"),
      "\(comparison.verdict.headline)")
  }

  /// A gap counts from 250 ms on. A gap of 251 ms instead of one of 249 ms is not an additional gap.
  @Test(arguments: [
    (249, 251, false), (239, 251, false), (230, 251, true), (10, 251, true), (260, 300, false),
  ])
  func gapsNearTheThreshold(base: Int, new: Int, isRelevant: Bool) throws {
    for (a, b) in [(base, new), (new, base)] {
      let comparison = try compare(trace([a * 1000], every: 500_000), trace([b * 1000], every: 500_000))
      let mode = try #require(comparison.rows.first { $0.subject.kind == "mode" })
      let differs = (base >= 250) != (new >= 250)
      for measure in [Measure.gaps, .hangs] {
        let count = try #require(mode.counts.first { $0.measure == measure })
        #expect(count.difference == (isRelevant ? .relevant : differs ? .minor : .none), "\(a) \(b)")
      }
      // Finding RL002 appears and disappears with the hang, and is as relevant.
      #expect(comparison.findings.allSatisfy { $0.difference == (isRelevant ? .relevant : .minor) })
      #expect(comparison.findings.isEmpty == !differs)
      #expect(comparison.verdict.outcome == (isRelevant ? b > a ? .worse : .better : .same))
    }
  }

  /// A recording of twice the length has twice as many passes and wake-ups, and counts as the same.
  @Test func countsGoByRate() throws {
    let short = trace((0..<300).map { 50 + $0 % 7 })
    let long = trace((0..<600).map { 50 + $0 % 7 })
    let comparison = try compare(short, long)
    #expect(comparison.verdict.outcome == .same)
    let mode = try #require(comparison.rows.first { $0.subject.kind == "mode" })
    let wakes = try #require(mode.counts.first { $0.measure == .wakes })
    #expect(wakes.base == 301 && wakes.new == 601 && wakes.difference == .minor)
    // Twice the wake-ups in the same time are different, but neither better nor worse.
    let busy = trace((0..<600).map { 50 + $0 % 7 }, every: 5000)
    let other = try compare(short, busy)
    #expect(other.verdict.reasons.isEmpty && other.verdict.outcome == .different)
    #expect(
      other.rows.first { $0.subject.kind == "mode" }?.counts.first { $0.measure == .wakes }?.difference
        == .relevant)
    // A few more may be chance.
    let more = try compare(short, trace((0..<320).map { 50 + $0 % 7 }, every: 9375))
    #expect(
      more.rows.first { $0.subject.kind == "mode" }?.counts.first { $0.measure == .wakes }?.difference
        == .minor)
  }

  /// Skipped fires count by their share of the due points, if chance does not explain the difference.
  @Test(arguments: [
    (0, 1, 400, false), (0, 4, 400, false), (0, 8, 400, true), (100, 106, 400, false), (100, 140, 400, true),
    (0, 1, 20, false), (2, 3, 20, false), (0, 2, 20, false), (0, 7, 20, true),
  ])
  func skippedFires(base: Int, new: Int, points: Int, isRelevant: Bool) throws {
    func skips(_ count: Int) -> String {
      // Points at intervals of 10 ms; the loop wakes for all but the skipped ones.
      var main = HandTrace.tick(due: 10_000, interval: 10_000) + HandTrace.asleep
      var point = 1
      while point <= points {
        let skipped = point == min(100, points / 2) ? count : 0
        let time = (point + skipped) * 10_000
        main += """
          \(time) AfterWaiting.low m1 #1
          \(time) timer.due m1 #2 due=\(point * 10_000)
          \(time) timer.begin m1 #2
          \(time + 10) timer.end m1 #2
          \(time + 10) BeforeTimers.low m1 #1
          \(time + 10) BeforeSources.low m1 #1
          \(time + 10) BeforeWaiting.low m1 #1

          """
        point += skipped + 1
      }
      return HandTrace(
        main: main
          + "\(points * 10_000 + 5000) AfterWaiting.low m1 #1\n\(points * 10_000 + 5000) Exit.low m1 #1"
      ).text()
    }
    let comparison = try compare(skips(base), skips(new))
    let timer = try #require(comparison.rows.first { $0.subject.kind == "timer" })
    let count = try #require(timer.counts.first { $0.measure == .skipped })
    #expect(count.base == UInt64(base) && count.new == UInt64(new))
    #expect(count.difference == (isRelevant ? .relevant : .minor))
    #expect(comparison.verdict.reasons.contains { $0.text.contains("skipped") } == isRelevant)
  }

  /// With another time unit, the same times fall into other buckets.
  @Test func otherTimeUnit() throws {
    let lengths = (0..<300).map { 1500 + $0 * 7 }
    let comparison = try compare(trace(lengths), trace(lengths, scale: 10))
    #expect(comparison.verdict.outcome == .same && comparison.verdict.reasons.isEmpty)
    #expect(comparison.rows.flatMap(\.distributions).allSatisfy { $0.difference == .none })
    #expect(comparison.notes.contains { $0.contains("time units differ") })
    // Nanoseconds can represent any unit.
    #expect(comparison.base.trace.toNs == comparison.new.trace.toNs)
  }

  /// Events that the recorder lost are not evidence about the program.
  @Test func lostEvents() throws {
    let lengths = (0..<50).map { 500 + $0 % 7 }
    let comparison = try compare(trace(lengths), trace(lengths, lost: 12))
    #expect(comparison.new.trace.lostEvents == 12)
    #expect(comparison.findings.contains { $0.finding.rule == .lostEvents && $0.difference == .minor })
    #expect(comparison.verdict.reasons.isEmpty)
    #expect(comparison.notes.contains { $0.contains("NEW lost 12 events") })
    #expect(text(comparison).contains("NEW lost 12 events"))
  }
}
