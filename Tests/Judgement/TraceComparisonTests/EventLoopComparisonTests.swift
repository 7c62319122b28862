import TestSupport
import Testing
import TraceAnalysis

@testable import TraceComparison

/// Passes of an event loop, which count for their callouts. Times of traces are microseconds.
@Suite struct EventLoopComparisonTests {
  /// The source0s `refresh` and `sync` wake a loop in turn. `parse()` holds the passes of `refresh`, and `render()`
  /// those of `sync`, for these milliseconds, with a sample every 10 ms.
  ///
  /// `kind`: 1 = the loop waits for an epoll set, 0 = it is a CFRunLoop. `areMoments`: a callout takes no time, as a
  /// wake-up of an event loop; else it takes the whole pass. `serves`: the callouts in a pass of one of them.
  private func trace(
    _ refreshes: [Int], _ syncs: [Int], kind: Int = 1, areMoments: Bool = true,
    serves: (Int) -> [Int] = { [$0] }
  ) throws -> [UInt8] {
    var main = [
      "0 loop.create m1 #1 name=1 kind=\(kind)", "0 loop.addCommonMode m1 #1 mode=1",
      "0 source.create m1 #2 name=8 version=0 order=0 site=0",
      "0 source.create m1 #3 name=9 version=0 order=0 site=0", "0 Entry.low m1 #1",
    ]
    var samples: [String] = []
    var time = 10_000
    let passes = zip(refreshes, syncs).flatMap { [(2, 4112, $0), (3, 4128, $1)] }
    for (object, function, ms) in passes {
      let end = time + ms * 1000
      samples += stride(from: time + 1000, to: end, by: 10_000).map {
        "\($0) thread.stack thread=1 reason=1 frame=\(function) frame=4097"
      }
      main += ["\(time) BeforeTimers.low m1 #1", "\(time) BeforeSources.low m1 #1"]
      for callout in serves(object) {
        main += [
          "\(time) source0.begin m1 #\(callout)", "\(areMoments ? time : end) source0.end m1 #\(callout)",
        ]
      }
      main += ["\(end) BeforeWaiting.low m1 #1", "\(end + 50_000) AfterWaiting.low m1 #1"]
      time = end + 50_000
    }
    main.append("\(time) Exit.low m1 #1")
    return try assembleTrace(
      SampledTrace(
        functions: ["main()", "parse()", "render()", "refresh", "sync"],
        samples: samples.joined(separator: "\n"), main: main.joined(separator: "\n")
      ).text())
  }

  private func passes(_ comparison: Comparison, of name: String) -> ComparedDistribution? {
    comparison.rows.first { $0.subject == .callout(thread: "main", kind: "source0", name: name) }?
      .distribution(.pass)
  }

  /// The passes of `sync` hide the change in those of the mode.
  @Test func theSlowerFunctionIsNamed() throws {
    let syncs = (0..<8).map { 300 + $0 % 4 }
    let base = try trace((0..<8).map { 400 + $0 % 3 }, syncs)
    let slower = try trace((0..<8).map { 480 + $0 % 3 }, syncs)
    for (first, second, isWorse) in [(base, slower, true), (slower, base, false)] {
      let comparison = try AlignmentTests.compare(first, second)
      let reasons = comparison.verdict.reasons.map(\.text)
      #expect(comparison.verdict.outcome == (isWorse ? .worse : .better), "\(reasons)")
      let change = isWorse ? "longer" : "shorter"
      #expect(
        reasons.contains { $0.hasPrefix("passes with source0 \"refresh\" (main) are \(change): median ") },
        "\(reasons)")
      let mode = try #require(comparison.rows.first { $0.subject.kind == "mode" }?.distribution(.pass))
      #expect(mode.base.count == 15 && mode.difference < .relevant)
      #expect(passes(comparison, of: "sync")?.difference == Difference.none)
      #expect(comparison.functions.count == 2 && comparison.changedFunctions.map(\.name) == ["parse()"])
      #expect(comparison.changedFunctions.first?.isWorse == isWorse)
      #expect(comparison.changedFunctions.first?.callout == "source0 refresh")
    }
  }

  /// No pass is as long as a hang.
  @Test(arguments: [0, 1]) func aRemovedBlockCounts(kind: Int) throws {
    let short = (0..<8).map { 3 + $0 % 2 }
    let comparison = try AlignmentTests.compare(
      trace((0..<8).map { 200 + $0 % 3 }, short, kind: kind, areMoments: kind == 1),
      trace(short, short, kind: kind, areMoments: kind == 1), gapThresholdNs: 50_000_000)
    let finding = try #require(
      comparison.findings.first { $0.finding.rule == (kind == 1 ? "RL035" : "RL036") },
      "\(comparison.findings.map(\.finding.text))")
    #expect(finding.presence == .base && finding.difference == .relevant)
  }

  /// Two runs of one program, whose times vary by a fifth.
  @Test(arguments: 1...20) func twoRunsAreTheSame(seed: UInt64) throws {
    var state = seed
    func varied(_ ms: Int) -> [Int] {
      (0..<8).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return ms - ms / 10 + Int(state >> 33) % (ms / 5)
      }
    }
    let (base, new) = (try trace(varied(400), varied(300)), try trace(varied(400), varied(300)))
    let comparison = try AlignmentTests.compare(base, new)
    #expect(passes(comparison, of: "refresh") != nil)
    #expect(comparison.verdict.outcome == .same, "\(comparison.verdict.headline)")
    #expect(comparison.changedFunctions.isEmpty)
  }

  /// Nothing lists these passes.
  @Test func shortPassesCount() throws {
    let refreshes = (0..<40).map { 5 + $0 % 2 }
    let syncs = refreshes.map { _ in 3 }
    let comparison = try AlignmentTests.compare(
      trace(refreshes, syncs), trace(refreshes.map { $0 + 3 }, syncs))
    let refresh = try #require(passes(comparison, of: "refresh"))
    #expect(refresh.base.count == 40 && refresh.base.sum == 220_000_000)
    #expect(refresh.new.count == 40 && refresh.new.sum == 340_000_000 && refresh.difference == .relevant)
    #expect(comparison.verdict.outcome == .worse && comparison.functions.isEmpty)
  }

  /// Longer callouts make longer passes. That is one reason, not two.
  @Test func calloutsThatTakeTime() throws {
    let syncs = (0..<8).map { 300 + $0 % 4 }
    let comparison = try AlignmentTests.compare(
      trace((0..<8).map { 400 + $0 % 3 }, syncs, areMoments: false),
      trace((0..<8).map { 480 + $0 % 3 }, syncs, areMoments: false))
    let reasons = comparison.verdict.reasons.map(\.text)
    #expect(passes(comparison, of: "refresh")?.difference == .relevant)
    #expect(reasons.contains { $0.hasPrefix("source0 \"refresh\" (main) takes longer") }, "\(reasons)")
    #expect(!reasons.contains { $0.hasPrefix("passes with source0") }, "\(reasons)")
  }

  /// It is not known which of several callouts took the time of a pass. A CFRunLoop has lengths of callouts.
  @Test(arguments: [(1, [2, 3], 8), (1, [2], 4), (0, [2, 3], nil)] as [(Int, [Int], UInt64?)])
  func passesCountForTheirCallouts(kind: Int, served: [Int], count: UInt64?) throws {
    let times = [300, 301, 302, 303]
    let bytes = try trace(times, times, kind: kind, serves: { $0 == 2 ? served : [3] })
    let comparison = try AlignmentTests.compare(bytes, bytes)
    #expect(passes(comparison, of: "refresh")?.base.count == (count == nil ? nil : 4))
    #expect(passes(comparison, of: "sync")?.base.count == count)
  }

  /// Another callout may run in the passes that became longer, in both traces or only in the new one.
  @Test(arguments: [true, false]) func passesOfSeveralCallouts(isInBoth: Bool) throws {
    let syncs = (0..<8).map { 300 + $0 % 4 }
    let serves = { (isSlower: Bool, object: Int) in
      object == 3 ? isInBoth ? [3] : [] : isInBoth || isSlower ? [2, 3] : [2]
    }
    let base = try trace((0..<8).map { 400 + $0 % 3 }, syncs, serves: { serves(false, $0) })
    let slower = try trace((0..<8).map { 480 + $0 % 3 }, syncs, serves: { serves(true, $0) })
    for (first, second, isWorse) in [(base, slower, true), (slower, base, false)] {
      let verdict = try AlignmentTests.compare(first, second).verdict
      let change = "passes with source0 \"refresh\" (main) are \(isWorse ? "longer" : "shorter"): "
      #expect(verdict.outcome == (isWorse ? .worse : .better), "\(verdict.reasons.map(\.text))")
      #expect(verdict.reasons.contains { $0.text.hasPrefix(change) })
    }
  }
}
