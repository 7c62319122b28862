import LoopTopology
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat
import TraceReplay

/// Snapshots of the items of a loop. Times of the traces are microseconds.
@Suite struct TopologyTests {
  private func snapshot(_ at: UInt64, reason: Int, _ items: [String], count: Int? = nil) -> String {
    ([
      "\(at) topology.begin m1 #1 reason=\(reason) address=0xabc unseen=0",
      "\(at) topology.mode m1 #1 state=1", "\(at) topology.mode m2 #1 state=0",
      "\(at) topology.mode m4 #1 state=3",
    ] + items.map { "\(at) topology.item \($0)" } + [
      "\(at) topology.end m1 #1 items=\(count ?? items.count) omitted=0"
    ]).joined(separator: "\n")
  }

  private let timer =
    "m1 #7 kind=3 name=2 order=0 address=0x70 activities=0 repeats=0 interval_ns=5000 tolerance_ns=0 due=130"
  private let source =
    "m1 #8 kind=0 name=7 order=-2 address=0x80 activities=0 repeats=0 interval_ns=0 tolerance_ns=0"
  private let observer =
    "m2 #9 kind=2 name=6 order=4 address=0x90 activities=160 repeats=1 interval_ns=0 tolerance_ns=0"

  private var trace: HandTrace {
    HandTrace(
      main: [
        "0 loop.create #1 name=1", snapshot(100, reason: 1, [timer, "m3 #7", "m2 #7", source]),
        snapshot(200, reason: 2, [timer, "m3 #7", "m2 #7", observer]),
      ].joined(separator: "\n"))
  }

  @Test func itemsOfALoop() throws {
    let analysis = try trace.analysis()
    #expect(findingFaults(analysis) == [])
    let snapshots = analysis.snapshots
    #expect(snapshots.map(\.reason) == [.start, .stall] && snapshots.map(\.timeNs) == [100_000, 200_000])
    #expect(snapshots.allSatisfy { $0.isWhole && $0.loop == "loop" })
    let first = snapshots[0].topology
    #expect(first.currentMode == "mode 1" && first.commonModes == ["mode 1", "mode 4"])
    // Mode 4 never had an item, so it does not exist.
    #expect(first.modes.map(\.name) == ["mode 1", "mode 2"])
    #expect(first.commonItems.map(\.address) == [0x70] && first.modes[0].sources0.map(\.order) == [-2])
    #expect(first.modes[0].timers.map(\.firesInNs) == [30_000] && first.modes[1].timers.count == 1)
    #expect(first.modes[0].timers[0].callout?.name == "tick")
    let rows = analysis.inventory.map {
      "\($0.mode) \($0.item.kind) \($0.item.callout?.name ?? "") \($0.snapshots) "
        + "\($0.addedNs.map { "\($0)" } ?? "-") \($0.goneNs.map { "\($0)" } ?? "-")"
    }
    #expect(
      rows == [
        "mode 1 source0 read 1 - 200000", "mode 1 timer tick 2 - -", "mode 2 observer draw 1 200000 -",
        "mode 2 timer tick 2 - -",
      ])
  }

  /// When events of a snapshot were lost, or its thread ended, the items found are shown and none counts as gone.
  @Test func halfASnapshot() throws {
    let cut = [
      "0 loop.create #1 name=1", snapshot(100, reason: 1, [timer, source]),
      snapshot(200, reason: 3, [timer], count: 2), "300 topology.begin m1 #1 reason=3 address=0 unseen=1",
    ]
    let analysis = try HandTrace(main: cut.joined(separator: "\n")).analysis()
    #expect(analysis.snapshots.map(\.isWhole) == [true, false, false])
    #expect(analysis.snapshots.map(\.hasUnseenItems) == [false, false, true])
    #expect(analysis.inventory.allSatisfy { $0.goneNs == nil })
  }

  @Test func textFormAndBack() throws {
    let bytes = try assembleTrace(trace.text())
    let text = try dumpTrace(openTrace(bytes))
    #expect(try assembleTrace(text) == bytes)
    #expect(text.contains("topology.item m3 #7") && text.contains("kind=2"))
  }

  @Test func redactionRenamesItems() throws {
    let original = try trace.analysis()
    let redacted = try redactTrace(openTrace(assembleTrace(trace.text())))
    let copy = try TraceAnalyzer(redacted).analyze()
    #expect(copy.inventory.map(\.object) == original.inventory.map(\.object))
    let names = copy.inventory.compactMap(\.item.callout?.name)
    #expect(names.count == 4 && names.allSatisfy { $0.hasPrefix("item ") }, "\(names)")
    #expect(!(try dumpTrace(redacted).contains("0x70")))
  }

  @Test func runsByTheirResults() throws {
    let run = """
      10 run.begin m1 #1 timeout_ns=1000000000 return_after_source=0
      20 Entry.low m1 #1
      30 Exit.low m1 #1
      40 run.end m1 #1 result=3
      50 run.begin m2 #1 timeout_ns=18446744073709551615 return_after_source=0
      60 run.end m2 #1 result=1
      """
    let analysis = try HandTrace(main: run).analysis()
    #expect(analysis.runs.map(\.mode) == ["mode 1", "mode 2"])
    #expect(analysis.runs.map(\.returns) == [[.timedOut: 1], [.finished: 1]])
    #expect(analysis.runs.map(\.empty) == [0, 1])
    let found = try #require(analysis.findings.first { $0.rule == .emptyRuns })
    #expect(found.severity == .info && found.text.contains("1 run of \"mode 2\" returned at once"))
  }
}
