import JudgementReport
import PageReport
import ReportWriting
import TestSupport
import Testing
import TraceAnalysis
@testable import TraceComparison

/// Two builds of one program that differ only in code addresses and the numbers of closures.
@Suite struct RebuildTests {
  // MARK: Names

  @Test(arguments: [
    ("closure #1 in f() (app+0x1234)", "closure # in f()"),
    ("f() (app+0x12) < main (app+0xFE)", "f() < main"),
    ("closure #12 in closure #3 in Feed.go()", "closure # in closure # in Feed.go()"),
    ("implicit closure #2 in f()", "implicit closure # in f()"), ("libc.so.6+0x2a1ca", "libc.so.6"),
    ("app+0x12 < 0x55d0c0ffee", "app < 0x"), ("<Feed: 0x600003a1>", "<Feed: 0x>"),
    ("(secret in _0123ABCD4567) in app", "(secret) in app"), ("App.swift:12", "App.swift"),
    ("Sources/App.swift:12:7", "Sources/App.swift"), ("run::h0123456789abcdef", "run"), ("f.llvm.4711", "f"),
    ("queue #12", "queue #"), ("work #7", "work #"), ("task #1", "task #"),
    // Nothing in these names depends on the build.
    ("my queue #7", "my queue #7"), ("queue #7b", "queue #7b"),
    ("refresh", "refresh"), ("tick 10:30", "tick 10:30"), ("closure #x", "closure #x"), ("0x", "0x"),
    ("(a+b)", "(a+b)"), ("b0x12", "b0x12"), ("", ""), ("(app+0x12", "(app"), ("page.2:3", "page.2:3"),
    ("Zeit 0x", "Zeit 0x"), ("in _short", "in _short"), ("è (ö+0x1)", "è"),
  ])
  func names(name: String, text: String) { #expect(BuildFreeName(name).text == text) }

  @Test func anyNameIsRead() {
    var random = SeededGenerator(seed: 5)
    let pieces = [
      " ", "(", ")", "+", "0x", "12", "ab", "closure #", "::h", "0123456789abcdef", " in _", ".llvm.", ":",
      ".", "swift",
      "é", "\u{202E}", "99999999999999999999999",
    ]
    for _ in 0..<5000 {
      let name = (0..<(random.next() % 12)).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }
        .joined()
      let once = BuildFreeName(name)
      #expect(once.text.utf8.count <= name.utf8.count)
    }
  }

  // MARK: Traces

  /// A program of one build: the names of its closures and the addresses of its code.
  private struct Build {
    var first = "closure #1 in Feed.go()"
    var second = "closure #2 in Feed.go()"
    var sites = ("Feed.go() (app+0x150f) < main (app+0x1917)", "Feed.go() (app+0x1536) < main (app+0x1917)")
    var source = "closure #1 in Feed.listen() (app+0x1600)"
    /// The lengths of the callouts, in microseconds.
    var lengths = (first: 3000, second: 9000)
    /// The length of one callout of the source, in microseconds.
    var hang = 20_000
    var hasSource = true

    /// Returns a trace with two timers with the same interval, and a source.
    func bytes() throws -> [UInt8] {
      var main = ""
      for (object, name, site) in [(2, 2, 3), (3, 4, 5)] {
        main += """
          0 timer.create #\(object) name=\(name) interval_ns=100000000 tolerance_ns=0 due=50000 site=\(site)
          0 timer.add #\(object) mode=1 loop=1

          """
      }
      if hasSource {
        main += "0 source.create #4 name=6 version=0 order=0 site=7\n0 source.add #4 mode=1 loop=1\n"
      }
      main += HandTrace.asleep
      for fire in 0..<20 {
        let due = 50_000 + fire * 100_000
        let between = due + lengths.first
        let end = between + lengths.second
        main += """
          \(due) AfterWaiting.low m1 #1
          \(due) timer.due m1 #2 due=\(due)
          \(due) timer.begin m1 #2
          \(between) timer.end m1 #2
          \(between) timer.due m1 #3 due=\(due)
          \(between) timer.begin m1 #3
          \(end) timer.end m1 #3
          \(end) BeforeTimers.low m1 #1
          \(end) BeforeSources.low m1 #1
          \(end) BeforeWaiting.low m1 #1

          """
      }
      let end = 3_000_000
      main += """
        \(end) AfterWaiting.low m1 #1
        \(end) BeforeTimers.low m1 #1
        \(end) BeforeSources.low m1 #1
        \(end) source0.begin m1 #4
        \(end + hang) source0.end m1 #4
        \(end + hang) BeforeTimers.low m1 #1
        \(end + hang) Exit.low m1 #1
        """
      if !hasSource {
        main = main.split(separator: "\n").filter { !$0.contains("#4") }.joined(separator: "\n")
      }
      var text = HandTrace(main: main).text()
      let names = [
        "tick": first, "App.swift:10": sites.0, "parse": second, "App.swift:20": sites.1, "draw": source,
      ]
      for (plain, name) in names { text = text.replacing("\"\(plain)\"", with: "\"\(name)\"") }
      return try assembleTrace(text)
    }
  }

  private func compare(_ base: Build, _ new: Build) throws -> Comparison {
    try AlignmentTests.compare(try base.bytes(), try new.bytes())
  }

  private func expectSame(_ comparison: Comparison) {
    #expect(comparison.verdict.outcome == .same, "\(comparison.verdict.headline)")
    #expect(comparison.rows.allSatisfy { $0.presence == .both && $0.changes.isEmpty }, "\(comparison.rows)")
    #expect(comparison.findings.isEmpty)
  }

  private static let rebuilt = Build(
    sites: ("Feed.go() (app+0x2673) < main (app+0x2bc7)", "Feed.go() (app+0x1f1b) < main (app+0x2bc7)"),
    source: "closure #1 in Feed.listen() (app+0x0100)")

  @Test func codeAtOtherAddresses() throws {
    expectSame(try compare(Build(), Self.rebuilt))
    let addresses = Build(
      sites: ("0x55d0c0ffee", "0x55d0c0ff1e"), source: "0x55d0c0ff00")
    let others = Build(sites: ("0x7f10c0ffee", "0x7f10c0ff1e"), source: "0x7f10c0ff00")
    expectSame(try compare(addresses, others))
    // The rows pair the same timers in the same order, so no difference shows.
    for row in try compare(Build(), Self.rebuilt).rows { #expect(row.difference == .none, "\(row.subject)") }
  }

  @Test func closuresWithOtherNumbers() throws {
    let renumbered = Build(first: "closure #2 in Feed.go()", second: "closure #3 in Feed.go()")
    let comparison = try compare(Build(), renumbered)
    expectSame(comparison)
    for row in comparison.rows { #expect(row.difference == .none, "\(row.subject)") }
    let second = comparison.rows.filter {
      $0.subject == .callout(thread: "main", kind: "timer", name: "closure #3 in Feed.go()")
    }
    #expect(second.first?.times?.base.meanNs == 9_000_000)
  }

  /// A program without symbols: only the offsets distinguish its code.
  @Test func offsetsAlone() throws {
    let base = Build(first: "app+0x1000", second: "app+0x1100", source: "app+0x1200")
    let new = Build(first: "app+0x1100", second: "app+0x1200", source: "app+0x1300")
    let comparison = try compare(base, new)
    expectSame(comparison)
    for row in comparison.rows { #expect(row.difference == .none, "\(row.subject)") }
  }

  /// A real change is reported for the right closure.
  @Test func aSlowerClosureOfARebuiltProgram() throws {
    var slower = Self.rebuilt
    slower.first = "closure #4 in Feed.go()"
    slower.second = "closure #5 in Feed.go()"
    slower.lengths.second = 12_000
    let comparison = try compare(Build(), slower)
    #expect(comparison.verdict.outcome == .worse)
    #expect(
      comparison.verdict.reasons.contains {
        $0.text.contains(
          "timer \"closure #5 in Feed.go()\" (main) takes longer: median 12.0 ms, was 9.00 ms")
      }, "\(comparison.verdict.reasons)")
    var gone = Self.rebuilt
    gone.hasSource = false
    #expect(
      try compare(Build(), gone).rows.filter { $0.presence != .both }.map(\.subject.kind).allSatisfy {
        $0 == "callout" || $0 == "source"
      })
  }

  // MARK: Hangs and findings

  @Test(arguments: [(300, 4000), (300, 600), (300, 310), (20, 300), (20, 30)])
  func hangsAreAlwaysCompared(base: Int, new: Int) throws {
    let (short, long) = (Build(hang: base * 1000), Build(hang: new * 1000))
    let comparison = try compare(short, long)
    let row = try #require(comparison.rows.first { $0.subject == .trace })
    let hangs = try #require(row.hangs)
    #expect(hangs.base.longestNs == (base < 250 ? 0 : UInt64(base) * 1_000_000))
    #expect(hangs.new.longestNs == (new < 250 ? 0 : UInt64(new) * 1_000_000))
    let isWorse = new >= 250 && new * 4 >= base * 5
    #expect(comparison.verdict.reasons.contains { $0.isWorse && $0.text.contains("hang") } == isWorse)
    let back = try compare(long, short)
    #expect(back.verdict.reasons.contains { !$0.isWorse && $0.text.contains("hang") } == isWorse)
    let text = ComparisonText(comparison, showsAll: false, style: TextStyle(isColoured: false))
      .lines(baseFile: "a", newFile: "b").joined(separator: "\n")
    #expect(text.contains("Hangs of 250 ms or more, by the mode in which they began\n"))
    #expect(text.contains("none in either trace") == (new < 250))
    #expect(try ComparisonJSON.encode(comparison, baseFile: "a", newFile: "b").contains("\"longest_ns\""))
  }

  @Test func aLongerHangIsReportedAsLonger() throws {
    let comparison = try compare(Build(hang: 300_000), Build(hang: 4_000_000))
    let reasons = comparison.verdict.reasons.map(\.text)
    #expect(
      reasons.contains("the longest hang that began in mode 1 (main) is longer: 4.00 s, was 300 ms"),
      "\(reasons)")
    // The finding leads the headline.
    #expect(comparison.verdict.headline.contains("finding RL002 is an error, was a warning"))
  }

  /// A finding is worse or better instead of new, and only if its measure is relevantly different.
  @Test func aFindingWhoseSeverityChanged() throws {
    for (base, new, isRelevant) in [(600, 4000, true), (1990, 2010, false)] {
      let (short, long) = (Build(hang: base * 1000), Build(hang: new * 1000))
      var rebuilt = long
      rebuilt.source = "closure #1 in Feed.listen() (app+0x9999)"
      for build in [long, rebuilt] {
        let comparison = try compare(short, build)
        let found = comparison.findings.filter { $0.finding.rule == .hang }
        #expect(found.map(\.presence) == [.both] && found.first?.former?.severity == .warning, "\(found)")
        #expect(found.first?.difference == (isRelevant ? .relevant : .minor))
        #expect(comparison.verdict.outcome == (isRelevant ? .worse : .same), "\(comparison.verdict.headline)")
        let back = try compare(build, short)
        let better = back.findings.filter { $0.finding.rule == .hang }
        #expect(better.map(\.isWorse) == [false] && better.first?.former?.severity == .error)
      }
      guard isRelevant else { continue }
      let comparison = try compare(short, rebuilt)
      #expect(
        comparison.verdict.reasons.contains {
          $0.text.contains("finding RL002 is an error, was a warning: ")
        })
      let text = ComparisonText(comparison, showsAll: false, style: TextStyle(isColoured: false))
        .lines(baseFile: "a", newFile: "b").joined(separator: "\n")
      #expect(text.contains("now error, was warning RL002 ") && !text.contains("new  error"))
    }
  }

  /// The verdict is green only when nothing is wrong.
  @Test func noGreenWithAnError() throws {
    func text(_ base: Build, _ new: Build) throws -> String {
      ComparisonText(try compare(base, new), showsAll: false, style: TextStyle(isColoured: true))
        .lines(baseFile: "a", newFile: "b").joined(separator: "\n")
    }
    let hung = Build(hang: 4_000_000)
    #expect(try text(Build(), Build()).contains("\u{1B}[32m"))
    for (base, new) in [(hung, hung), (hung, Build()), (hung, Build(hang: 3_000_000))] {
      let comparison = try compare(base, new)
      #expect(comparison.verdict.outcome == .same || comparison.verdict.outcome == .better)
      #expect(try !text(base, new).contains("\u{1B}[32m"))
      func side(_ build: Build) throws -> ComparisonPage.Side {
        let reader = try openTrace(build.bytes())
        let analysis = try TraceAnalyzer(reader).analyze()
        let glance = Glance(analysis, TimelineBuilder(reader), TraceNames(reader))
        return ComparisonPage.Side(file: "a", glance)
      }
      let page = try ComparisonPage(comparison).html(side(base), side(new))
      #expect(page.contains("class=\"verdict unknown\"") && !page.contains("class=\"verdict good\""))
    }
  }
}
