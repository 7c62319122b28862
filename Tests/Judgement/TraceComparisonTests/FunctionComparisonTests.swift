import ReportWriting
import TestSupport
import Testing
import TraceAnalysis

@testable import JudgementReport
@testable import TraceComparison

/// Functions that explain a difference, by sampled stacks. Times of traces are microseconds.
@Suite struct FunctionComparisonTests {
  /// The milliseconds for which `read()` and then `parse()` holds a gap.
  private typealias Held = (read: Int, parse: Int)

  /// A gap has a sample every 10 ms. `leads`: the milliseconds before the first one, for one gap after another.
  /// `isReversed`: `parse()` is first.
  private func trace(_ gaps: [Held], leads: [Int] = [1], isReversed: Bool = false) throws -> [UInt8] {
    var main = ["0 Entry.low m1 #1"]
    var samples: [String] = []
    var time = 100_000
    for (number, gap) in gaps.enumerated() {
      let lead = leads[number % leads.count]
      let middle = time + (isReversed ? gap.parse : gap.read) * 1000
      let end = time + (gap.read + gap.parse) * 1000
      samples += stride(from: time + lead * 1000, to: end, by: 10_000).map { sample in
        "\(sample) thread.stack thread=1 reason=1 frame=\((sample < middle) != isReversed ? 4112 : 4128) frame=4097"
      }
      main += [
        "\(time) AfterWaiting.low m1 #1", "\(end) BeforeTimers.low m1 #1",
        "\(end + 1000) BeforeWaiting.low m1 #1",
      ]
      time = end + 100_000
    }
    main += ["\(time) AfterWaiting.low m1 #1", "\(time) Exit.low m1 #1"]
    return try assembleTrace(
      SampledTrace(
        functions: ["main()", "read()", "parse()"], samples: samples.joined(separator: "\n"),
        main: main.joined(separator: "\n")
      ).text())
  }

  private func compare(_ base: [Held], _ new: [Held]) throws -> Comparison {
    try AlignmentTests.compare(trace(base), trace(new))
  }

  private func text(_ comparison: Comparison, all: Bool = false) -> String {
    ComparisonText(comparison, showsAll: all, style: TextStyle(isColoured: false))
      .lines(baseFile: "a", newFile: "b").joined(separator: "\n")
  }

  /// Only one of two functions got slower.
  @Test func theSlowerFunctionIsNamed() throws {
    let base = (0..<8).map { (read: 200 + $0 % 3, parse: 150 + $0 % 4) }
    let slower = (0..<8).map { (read: 200 + $0 % 3, parse: 350 + $0 % 4) }
    for (first, second, isWorse) in [(base, slower, true), (slower, base, false)] {
      let comparison = try compare(first, second)
      #expect(comparison.verdict.reasons.contains { $0.isWorse == isWorse })
      #expect(comparison.functions.map(\.name) == ["parse()", "read()"])
      let named = try #require(comparison.changedFunctions.first)
      #expect(comparison.changedFunctions.count == 1 && named.name == "parse()" && named.isWorse == isWorse)
      #expect(named.base.gaps == 8 && named.new.gaps == 8)
      let change = try #require(named.changeNs)
      #expect(change.contains(isWorse ? 200_000_000 : -200_000_000))
      #expect(!change.contains(isWorse ? 190_000_000 : -190_000_000))
      #expect(text(comparison).contains("Functions that explain the difference"))
      #expect(text(comparison).contains("parse() holds gaps in mode (main)"))
      #expect(text(comparison, all: true).contains("read()"))
      let json = try ComparisonJSON.encode(comparison, baseFile: "a", newFile: "b")
      #expect(json.contains("\"change_low_ns\""))
      // The line of the function in NEW is marked if it got slower there.
      let root = SourceRoot("/src", currentFolder: "/src")
      let report = AnnotationReport(comparison, file: "/src/new.rltrace", root: root).github
      #expect(
        report.contains("::warning file=app.swift,line=9,title=parse()::parse() holds gaps") == isWorse,
        "\(report)")
    }
  }

  /// Two runs of one program, whose times vary by a fifth.
  @Test(arguments: 1...20) func noFunctionIsNamedByChance(seed: UInt64) throws {
    var state = seed
    func varied(_ ms: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return ms - ms / 10 + Int(state >> 33) % (ms / 5)
    }
    func run() -> [Held] { (0..<10).map { _ in (varied(200), varied(150)) } }
    let comparison = try compare(run(), run())
    #expect(comparison.changedFunctions.isEmpty, "\(comparison.changedFunctions.map(\.sentence))")
  }

  /// BASE has no gap from 250 ms on, so its functions held less. That is known of a function which holds more in NEW, and
  /// of no other one.
  @Test func withoutGapsOnOneSide() throws {
    let short = (0..<8).map { (read: 40 + $0 % 3, parse: 60) }
    let long = (0..<8).map { (read: 40 + $0 % 3, parse: 400 + $0 % 5) }
    let comparison = try compare(short, long)
    #expect(comparison.changedFunctions.map(\.name) == ["parse()"])
    let named = try #require(comparison.changedFunctions.first)
    #expect(named.base.gaps == 0 && named.isWorse)
    let change = try #require(named.changeNs)
    #expect((140_000_000...152_000_000).contains(change.lowerBound))
    #expect((402_000_000...410_000_000).contains(change.upperBound))
    #expect(named.sentence.contains("; BASE has no gap as long; change +15"))
    // Both functions together exceed the threshold, neither of them alone.
    let both = (0..<8).map { _ in (read: 200, parse: 200) }
    #expect(try compare(short, both).changedFunctions.isEmpty)
  }

  /// The common caller is on top, and the function with more time is red.
  @Test func theFlameGraphOfBothTraces() throws {
    let base = (0..<8).map { _ in (read: 200, parse: 150) }
    let comparison = try compare(base, base.map { ($0.read, 350) })
    let flames = try #require(DifferenceFlames(comparison.base, comparison.new)).context
    let boxes = try #require(flames["boxes"] as? [[String: Any]])
    let tones = boxes.map { "\(($0["words"] as? String ?? "").prefix(4)) \($0["tone"] as? String ?? "")" }
    #expect(
      tones.contains("pars more") && tones.contains("read less") && tones.first?.hasPrefix("main") == true)
    #expect(boxes.count == 3 && flames["height"] as? String == "32")
    let calm = try HandTrace(main: HandTrace.asleep).analysis()
    let isThere = DifferenceFlames(comparison.base, calm) != nil
    #expect(!isThere)
  }

  /// Nothing shows what ran long before the first sample, so the function of that sample is not to blame.
  @Test func theTimeLongBeforeTheFirstSampleDoesNotCount() throws {
    let base = try trace((0..<8).map { (read: 200 + $0 % 3, parse: 150) })
    let late = try trace((0..<8).map { (read: 300 + $0 % 3, parse: 150) }, leads: [101])
    let comparison = try AlignmentTests.compare(base, late)
    let isWorse = comparison.verdict.reasons.contains { $0.isWorse }
    #expect(isWorse && comparison.functions.count == 2 && comparison.changedFunctions.isEmpty)
  }

  /// The time between samples of two functions is shared, so that their order does not matter. The last sample of the
  /// first function is 1 to 10 ms before its end, 5.5 ms on average. It gets 5 ms of them, so it seems to hold 0.5 ms less
  /// than it does, and the second function 0.5 ms more.
  @Test func functionsInAnotherOrderHoldAsLong() throws {
    let gaps = (0..<10).map { (read: 200 + $0, parse: 150 + $0) }
    let comparison = try AlignmentTests.compare(trace(gaps), trace(gaps, isReversed: true))
    #expect(comparison.functions.count == 2)
    for function in comparison.functions {
      let (base, new) = (function.base.meanNs, function.new.meanNs)
      #expect(max(base, new) - min(base, new) <= 1_000_000, "\(function.name): \(base) and \(new) ns")
    }
  }

  /// A first function that is shorter than the time before most first samples is often not seen. The next one gets no
  /// more and no less for that.
  @Test func aShortFirstFunctionLeavesItsNeighbourAlone() throws {
    let leads = Array(1...20)
    let long = leads.map { _ in (read: 30, parse: 50) }
    let short = leads.map { _ in (read: 10, parse: 50) }
    let comparison = try AlignmentTests.compare(
      trace(long, leads: leads), trace(short, leads: leads), gapThresholdNs: 50_000_000)
    let parse = try #require(comparison.functions.first { $0.name == "parse()" })
    let (base, new) = (parse.base.meanNs, parse.new.meanNs)
    #expect(max(base, new) - min(base, new) <= 1_000_000, "\(base) and \(new) ns")
    #expect(comparison.changedFunctions.allSatisfy { $0.name == "read()" })
  }

  @Test func fewGapsProveNothing() throws {
    let base = (0..<4).map { _ in (read: 200, parse: 150) }
    let slower = (0..<4).map { _ in (read: 200, parse: 350) }
    let functions = try compare(base, slower).functions
    #expect(functions.count == 2 && functions.allSatisfy { $0.pValue == nil && $0.difference == .none })
  }

  @Test func withoutStacksThereAreNoFunctions() throws {
    let trace = try assembleTrace(HandTrace(main: HandTrace.held(at: 0, for: 400_000)).text())
    let comparison = try AlignmentTests.compare(trace, trace)
    #expect(comparison.functions.isEmpty)
    let json = try ComparisonJSON.encode(comparison, baseFile: "a", newFile: "b")
    #expect(!json.contains("\"functions\""))
  }

  /// Values of the usual tables.
  @Test(arguments: [
    (2.776, 4.0, 0.05), (4.604, 4, 0.01), (2.228, 10, 0.05), (3.169, 10, 0.01), (2.021, 40, 0.05),
  ])
  func studentsDistribution(value: Double, freedom: Double, p: Double) {
    #expect(abs(StudentT.pValue(value, error: 1, freedom) / p - 1) < 0.07)
    if p == 0.05 { #expect(abs(StudentT.quantile(freedom) / value - 1) < 0.02) }
    #expect(StudentT.pValue(0, error: 0, freedom) == 1 && StudentT.pValue(1, error: 0, freedom) == 0)
  }
}
