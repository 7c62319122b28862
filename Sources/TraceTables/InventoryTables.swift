import LoopTopology
import TraceAnalysis

/// Tables of the contents of run loops, as the recorder wrote them, and of the results of their runs.
package enum InventoryTables {
  package static let snapshots = ResultTable<TopologySnapshot>(
    "snapshots", "moments at which the recorder wrote down what a loop holds, one row per moment and loop"
  ) {
    Column("loop", "the loop's name") { $0.loop }
    Column("time_ns", "since the trace's origin") { $0.timeNs }
    Column("reason", "start: before its first run; stall; request: somebody asked") { $0.reason.name }
    Column("whole", "false = events of it were lost, or beyond the recorder's limit") { $0.isWhole }
    Column("unseen", "the loop may hold items that the recorder did not see added") { $0.hasUnseenItems }
    Column("current_mode", "of the innermost run; null = none was active") { $0.topology.currentMode }
    Column("common_modes", "", in: .document) { $0.topology.commonModes }
    Column("items", "different ones") { $0.topology.inventory.count }
  }

  package static let inventory = ResultTable<InventoryItem>(
    "topology", "one row per source, observer and timer in a mode, over all snapshots of its loop"
  ) {
    Column("loop", "the loop's name") { $0.loop }.named("loop", at: 2, in: .page)
    Column("mode", "") { $0.mode }.named("mode", "That it is in.", at: 1, in: .page)
    Column("kind", "source0, source1, observer, timer") { $0.item.kind.name }.headed("kind", at: 3, in: .page)
    Column("name", "of what it calls; empty where nobody knows it") { $0.item.callout?.name ?? "" }
      .named("item", "What it calls.", at: 4, in: .page)
    Column("object", "its number in the trace") { UInt64($0.object) }
    Column("common", "added to the common modes") { $0.isCommon }.headed("common", at: 5, in: .page)
    Column("order", "lower is first; null of timers") { $0.item.order }
    Column(Heading("order", "Lower is first.", at: 6, in: .page)) { $0.item.order.map { "\($0)" } ?? "" }
    Column("activities", "of an observer, what it is told of", in: .document) { names($0.item) }
    Column(Heading("activities", "What an observer is told of.", at: 7, in: .page)) {
      names($0.item)?.joined(separator: " ") ?? ""
    }
    Column("repeats", "of an observer, false = it is called once") { $0.item.repeats }
    Column("interval_ns", "of a timer, 0 = it fires once") { $0.item.intervalNs }
      .headed("interval", "Of a timer; 0 = it fires once.", at: 8, in: .page)
    Column("fires_in_ns", "of a timer, at the last snapshot that has it; negative = overdue") {
      $0.item.firesInNs
    }
    Column("snapshots", "that have it") { $0.snapshots }.headed(
      "snapshots", "That have it.", at: 9, in: .page)
    Column("added_ns", "the first snapshot that has it; null = the loop's first one") { $0.addedNs }
      .moment { _ in 1 }.headed(
        "added by", "The first snapshot that has it, if not the loop's first.", at: 10, in: .page)
    Column("gone_ns", "the first snapshot behind the last that has it; null = it stayed") { $0.goneNs }
      .moment { _ in 1 }.headed("gone by", "The first snapshot that has it no more.", at: 11, in: .page)
  }

  private static func names(_ item: LoopItem) -> [String]? {
    item.activities.map { $0.isAll ? ["all"] : $0.activities.map(\.name) }
  }

  package static let runs = ResultTable<RunsResult>(
    "runs", "calls for runs that returned, one row per mode of a loop, by why they did"
  ) {
    Column("loop", "the loop's name") { $0.loop }.named("loop", at: 2, in: .page)
    Column("mode", "that was asked for") { $0.mode }.named("mode", at: 1)
    Column.thread { $0.thread }
    Column("calls", "of CFRunLoopRunInMode and its like") { $0.calls }.headed("calls", at: 3)
    result(.finished, "finished", "the mode had no sources and timers, or no longer any", at: 4)
    Column("empty", "of those, without a run: nothing was in the mode, so the call returned at once") {
      $0.empty
    }
    .headed("at once", "Nothing was in the mode.", at: 5)
    result(.stopped, "stopped", "by CFRunLoopStop", at: 6)
    result(.timedOut, "timed_out", "its time was over", at: 7)
    result(.handledSource, "handled_source", "a source was handled, which was to end it", at: 8)
  }

  private static func result(_ result: RunResult, _ name: String, _ about: String, at place: Int)
    -> Column<RunsResult>
  {
    Column(name, about) { $0.returns[result] ?? 0 }.headed(result.words, at: place)
  }
}
