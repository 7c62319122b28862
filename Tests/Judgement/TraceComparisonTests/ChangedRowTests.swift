import JudgementReport
import ReportWriting
import TestSupport
import Testing
import TraceAnalysis

@testable import TraceComparison

/// The matching of timers and callouts that changed between two builds.
@Suite struct ChangedRowTests {
  private static func timer(
    _ closure: Int, _ modes: [String], every ms: UInt64 = 50, site: String = "Chat.open() Chat.swift:10"
  ) -> Subject {
    .timer(
      TimerIdentity(
        name: "closure #\(closure) in Chat.open()", site: site, intervalNs: ms * 1_000_000, modes: modes))
  }

  private static func callout(_ name: String, kind: String = "mainQueueBlock") -> Subject {
    .callout(thread: "main", kind: kind, name: name)
  }

  private static let common = ["default", "picker"]

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let base: [Subject]
    let new: [Subject]
    /// Places in BASE by place in NEW.
    let partner: [Int: Int]
  }

  static let cases = [
    Case(
      testDescription: "two timers of one function were added to a mode",
      base: [timer(2, ["default"]), timer(3, ["default"], every: 100)],
      new: [timer(2, common), timer(3, common, every: 100)], partner: [0: 0, 1: 1]),
    Case(
      testDescription: "the intervals are equal, so the closures decide, in any order",
      base: [timer(2, ["default"]), timer(3, ["default"])],
      new: [timer(3, common), timer(2, common, site: "Chat.open() Chat.swift:12")], partner: [0: 1, 1: 0]),
    Case(
      testDescription: "only one of two timers was added to a mode, in a rebuilt program",
      base: [timer(2, ["default"]), timer(3, ["default"])],
      new: [
        timer(2, common, site: "Chat.open() Chat.swift:11"),
        timer(3, ["default"], site: "Chat.open() Chat.swift:20"),
      ],
      partner: [0: 0, 1: 1]),
    Case(
      testDescription: "other closures could be any of the old ones",
      base: [timer(2, ["default"]), timer(3, ["default"])], new: [timer(3, common), timer(4, common)],
      partner: [:]),
    Case(
      testDescription: "BASE has one more timer, so no match is certain",
      base: [timer(2, ["default"]), timer(3, ["default"])], new: [timer(2, common)], partner: [:]),
    Case(
      testDescription: "timers of the same name differ only by their modes",
      base: [timer(2, ["default"]), timer(2, ["tracking"])], new: [timer(2, common), timer(2, ["other"])],
      partner: [:]),
    Case(
      testDescription: "the unchanged timer of the same name is matched first",
      base: [timer(2, ["default"]), timer(2, ["tracking"])], new: [timer(2, common), timer(2, ["default"])],
      partner: [0: 1, 1: 0]),
    Case(
      testDescription: "mode and interval changed",
      base: [timer(2, ["default"])], new: [timer(2, common, every: 60)], partner: [0: 0]),
    Case(
      testDescription: "two intervals of one place are ambiguous",
      base: [timer(2, ["default"]), timer(3, ["default"], every: 100)],
      new: [timer(2, ["default"], every: 60), timer(3, ["default"], every: 70)], partner: [:]),
    Case(
      testDescription: "the work moved to another closure of the function",
      base: [
        callout("closure #1 in closure #2 in Library.add(album:)"), callout("closure #1 in Store.load()"),
      ],
      new: [callout("closure #1 in Store.load()"), callout("closure #3 in Library.add(album:)")],
      partner: [0: 1, 1: 0]),
    Case(
      testDescription: "two new closures of the function are ambiguous",
      base: [callout("closure #1 in closure #2 in f()")],
      new: [callout("closure #1 in f()"), callout("closure #1 in closure #1 in closure #1 in f()")],
      partner: [:]),
    Case(
      testDescription: "another kind or function is another callout",
      base: [callout("closure #1 in f()")],
      new: [
        callout("closure #1 in closure #1 in f()", kind: "timer"), callout("closure #1 in closure #1 in g()"),
      ],
      partner: [:]),
  ]

  @Test(arguments: cases)
  func matching(example: Case) {
    #expect(RowMatching(example.base, example.new).partner == example.partner)
    let back = Dictionary(uniqueKeysWithValues: example.partner.map { ($1, $0) })
    #expect(RowMatching(example.new, example.base).partner == back)
  }

  @Test func changesInWords() {
    #expect(
      Self.timer(2, Self.common, every: 60, site: "Chat.go()").changes(from: Self.timer(2, ["default"])) == [
        "interval: 50.0 ms → 60.0 ms", "modes: default → default, picker",
        "site: Chat.open() Chat.swift:10 → Chat.go()",
      ])
    let moved = Self.callout("closure #2 in f()").changes(
      from: Self.callout("closure #1 in closure #1 in f()"))
    #expect(moved == ["name: closure #1 in closure #1 in f() → closure #2 in f()"])
    #expect(Self.callout("closure #2 in f()").changes(from: Self.callout("closure #1 in f()")).isEmpty)
  }

  /// A few fires of a timer were a second late in BASE and are on time in NEW. They are too few for a statistical test,
  /// but the table shows them.
  @Test func lateFiresOfAMatchedTimer() throws {
    func trace(modes: [Int]) -> String {
      var main = HandTrace.tick(due: 50_000, modes: modes) + HandTrace.asleep
      for point in 0..<20 where point == 0 || point > 10 || modes.count > 1 {
        let due = 50_000 + point * 100_000
        // A timer that is only in mode 1 fires its first point at 1.1 s, and skips the next ten.
        let time = modes.count == 1 && point == 0 ? 1_100_000 : due
        main += """
          \(time) AfterWaiting.low m1 #1
          \(time) timer.due m1 #2 due=\(due)
          \(time) timer.begin m1 #2
          \(time + 10) timer.end m1 #2
          \(time + 10) BeforeTimers.low m1 #1
          \(time + 10) BeforeSources.low m1 #1
          \(time + 10) BeforeWaiting.low m1 #1

          """
      }
      return HandTrace(main: main + "2100000 AfterWaiting.low m1 #1\n2100000 Exit.low m1 #1").text()
    }
    let comparison = try AlignmentTests.compare(trace(modes: [1]), trace(modes: [1, 2]))
    let row = try #require(comparison.rows.first { $0.subject.kind == "timer" })
    #expect(row.presence == .both && row.changes == ["modes: mode 1 → mode 1, mode 2"])
    #expect(comparison.hasOtherLateness(row))
    let lateness = try #require(row.distributions.first { $0.measure == .lateness })
    #expect(lateness.base.max >= 1_000_000_000 && lateness.new.max < 1_000_000)
    let lines = ComparisonText(comparison, showsAll: false, style: TextStyle(isColoured: false))
      .lines(baseFile: "a", newFile: "b")
    let heading = try #require(lines.firstIndex(of: "Skipped and late fires of timers"))
    #expect(lines[heading + 1].contains("base skipped  p99 late"), "\(lines[heading + 1])")
    #expect(lines[heading + 2].hasPrefix("  \"tick\" every 100 ms ") && lines[heading + 2].contains("1.05 s"))
    #expect(lines.contains("Changed timers and callouts"))
    let same = try AlignmentTests.compare(trace(modes: [1]), trace(modes: [1]))
    #expect(!same.rows.contains(where: same.hasOtherLateness))
  }
}
