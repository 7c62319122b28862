import Foundation
import LoopTopology
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// The recorder's list of the items of a run loop must equal CoreFoundation's description.
@Suite(.ownThread) struct TopologySnapshotTests {
  /// The fields of an item that both the list and the description contain.
  private struct Item: Hashable, Comparable {
    var address: UInt64
    var kind: String
    var order: Int64?
    var activities: UInt64?
    var repeats: Bool?
    var intervalNs: UInt64?
    var modes: [String]
    var isCommon: Bool

    init(_ placed: PlacedItem) {
      address = placed.item.address
      kind = placed.item.kind.name
      order = placed.item.order
      activities = placed.item.activities?.bits
      repeats = placed.item.repeats
      intervalNs = placed.item.intervalNs
      modes = placed.modes
      isCommon = placed.isCommon
    }

    static func < (a: Item, b: Item) -> Bool { a.address < b.address }
  }

  /// Returns the valid items without the recorder's own two observers of a mode. CoreFoundation keeps a timer among
  /// the common items if it was invalidated while it was in no mode.
  private func items(_ topology: Topology) -> [Item] {
    topology.inventory.filter { $0.item.isValid != false }.map(Item.init).filter {
      $0.order != Int64.min && $0.order != Int64.max
    }.sorted()
  }

  /// Returns how much later each timer fires than the first.
  private func fires(_ topology: Topology, _ moment: (LoopItem) -> Int64?) -> [UInt64: Int64] {
    let moments = topology.inventory.filter { $0.item.kind == .timer }.compactMap { placed in
      moment(placed.item).map { (placed.item.address, $0) }
    }
    let first = moments.map(\.1).min() ?? 0
    return Dictionary(moments.map { ($0, $1 - first) }) { one, _ in one }
  }

  private func snapshots(_ run: RecordedProgram) throws -> [TopologySnapshot] {
    let reader = try openTrace(path: run.trace)
    return try TraceAnalyzer(reader).analyze().snapshots
  }

  private func dump(_ output: String, _ number: Int) throws -> Topology {
    var text = DumpText(Array(output.utf8))
    return try text.dump(number).topology
  }

  /// Before the first run, and in the middle of a stall.
  @Test func snapshotsEqualTheLoopsDescriptions() throws {
    let run = try RecordedProgram(Program.loopPrograms, ["inventory", "stalled"])
    #expect(run.recorded.status == 0 && run.recorded.errors.isEmpty, "\(run.recorded.errors)")
    let snapshots = try snapshots(run)
    try #require(snapshots.map(\.reason) == [.start, .stall])
    for (number, snapshot) in snapshots.enumerated() {
      let described = try dump(run.recorded.output, number + 1)
      #expect(snapshot.isWhole && !snapshot.hasUnseenItems && snapshot.loop == "main")
      #expect(items(snapshot.topology) == items(described), "snapshot \(number)")
      #expect(snapshot.topology.address == described.address)
      #expect(snapshot.topology.commonModes == described.commonModes)
      #expect(snapshot.topology.modes.map(\.name) == described.modes.map(\.name))
      #expect(snapshot.topology.currentMode == described.currentMode)
      // The trace's time unit is 10 ns.
      let (own, of) = (fires(snapshot.topology, \.firesInNs), fires(described, \.firesAtTicks))
      #expect(Set(own.keys) == Set(of.keys))
      for (address, moment) in own { #expect((moment - (of[address] ?? 0)).magnitude <= 20) }
    }
    // One timer was added, two observers were removed: one by the program, one after its only call.
    let difference = TopologyDifference(base: snapshots[0].topology, other: snapshots[1].topology)
    #expect(difference.isSameProcess)
    #expect(difference.added.map(\.item.intervalNs) == [500_000_000])
    #expect(difference.removed.map(\.item.order).sorted { ($0 ?? 0) < ($1 ?? 0) } == [0, 1_999_000])
    #expect(difference.moved.isEmpty && difference.changed.isEmpty)
  }

  /// CFRunLoop's rules for common modes hold for items that are added and removed in any order.
  @Test(arguments: 1...6) func shuffledItems(seed: Int) throws {
    let run = try RecordedProgram(Program.loopPrograms, ["shuffled", "\(seed)"])
    let snapshot = try #require(try snapshots(run).first)
    let described = try dump(run.recorded.output, 1)
    #expect(snapshot.isWhole && !snapshot.hasUnseenItems)
    #expect(items(snapshot.topology) == items(described))
    #expect(snapshot.topology.commonModes == described.commonModes)
    #expect(snapshot.topology.modes.map(\.name) == described.modes.map(\.name))
  }

  @Test func theCommandShowsThem() throws {
    let run = try RecordedProgram(Program.loopPrograms, ["inventory", "stalled"])
    let text = try Program.rltrace.run(["topology", run.trace])
    #expect(text.status == 0 && text.output.contains("before the first run"), "\(text.errors)")
    #expect(text.output.contains("closure #1 in LoopPrograms.addTimer") && text.output.contains("--index N"))
    // The program names the other modes and items.
    #expect(text.output.contains("\n  kCFRunLoopDefaultMode (CoreFoundation): the mode for "))
    #expect(!text.output.contains("\n  unknown: "), "\(text.output)")
    let difference = try Program.rltrace.run(
      ["topology", run.trace, "--diff", run.trace, "--diff-index", "2"])
    #expect(difference.output.contains("1 added, 2 removed, 0 moved, 0 changed"), "\(difference.output)")
    #expect(difference.output.contains("every 500 ms"))
    let none = try Program.rltrace.run(["topology", run.trace, "--index", "3"])
    #expect(none.status == 65 && none.errors.contains("has 2 snapshots"), "\(none.errors)")
    // The report shows the snapshots over time, the results of the runs, and the run that did not wait.
    let analysis = try Program.rltrace.run(["analyze", run.trace]).output
    #expect(analysis.contains("main: 2 snapshots") && analysis.contains("a mode of nothing"))
    #expect(analysis.contains("1 run of \"a mode of nothing\" returned at once instead of waiting"))
  }

  /// The program has no handler for the signal, which would end it.
  @Test func askedForByASignal() throws {
    let folder = try TemporaryFolder()
    let run = try Program(
      shell: """
        "$0" record -q -o out.rltrace -- "$1" timers 800 & recorder=$!
        for i in $(seq 100); do [ -e out.rltrace.spool ] && break; sleep 0.02; done
        sleep 0.4; kill -USR2 $recorder; wait $recorder
        """
    ).run([Program.rltrace.path, Program.loopPrograms.path], folder: folder.path)
    #expect(run.status == 0 && run.output == "fires 800\n", "\(run.errors)")
    let reader = try openTrace(path: folder.file("out.rltrace"))
    let snapshots = try TraceAnalyzer(reader).analyze().snapshots
    #expect(snapshots.map(\.reason).contains(.request), "\(snapshots.map(\.reason))")
    #expect(snapshots.last?.topology.currentMode == ModeName.default)
  }
}
