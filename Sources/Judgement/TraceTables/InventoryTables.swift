import LoopTopology
import TraceAnalysis

/// Tables of the contents of run loops, as the recorder wrote them, and of the results of their runs.
package enum InventoryTables {
  /// When and why a snapshot was taken, and whether it is complete.
  package static let momentOfSnapshot: [Column<TopologySnapshot>] = [
    Column("time_ns", "moment of the snapshot, in nanoseconds since the trace's origin") { $0.timeNs },
    Column(
      "reason",
      "start: before the loop's first run; stall: the loop stalled; request: a user asked for it; end: the loop never ran, and its thread or the program ended"
    ) { $0.reason.name },
    Column("whole", "false = events of the snapshot were lost, or are beyond the recorder's limit") {
      $0.isWhole
    },
    Column("unseen", "whether the loop may hold items that the recorder did not see added") {
      $0.hasUnseenItems
    },
  ]

  package static let snapshots = ResultTable<TopologySnapshot>(
    "snapshots", "snapshots of the contents of loops, one row per moment and loop"
  ) {
    Column("loop", "the loop's name") { $0.loop }
    momentOfSnapshot
    Column("current_mode", "mode of the innermost run; null = no run was active") { $0.topology.currentMode }
    Column("common_modes", "", in: .document) { $0.topology.commonModes }
    Column("items", "number of different items") { $0.topology.inventory.count }
  }

  package static let inventory = ResultTable<InventoryItem>(
    "topology",
    "contents of loops, one row per source, observer or timer in a mode, over all snapshots of the loop"
  ) {
    Column("loop", "the loop's name") { $0.loop }.named("loop", at: 2, in: .page)
    Column("mode", "") { $0.mode }.named("mode", "The mode that contains the item.", at: 1, in: .page)
    Column("kind", "source0, source1, observer, timer") { $0.item.kind.name }.headed("kind", at: 3, in: .page)
    Column("name", "name of what the item calls; empty = unknown") { $0.item.callout?.name ?? "" }
      .named("item", "The name of what the item calls.", at: 4, in: .page)
    Column("object", "number of the object in the trace") { UInt64($0.object) }
    Column("common", "whether it was added to the common modes") { $0.isCommon }.headed(
      "common", at: 5, in: .page)
    Column("order", "order among the mode's items, the lowest first; null for timers") { $0.item.order }
    Column(Heading("order", "The order among the mode's items. The lowest comes first.", at: 6, in: .page)) {
      $0.item.order.map { "\($0)" } ?? ""
    }
    Column("activities", "activities that an observer observes", in: .document) { names($0.item) }
    Column(Heading("activities", "The activities that an observer observes.", at: 7, in: .page)) {
      names($0.item)?.joined(separator: " ") ?? ""
    }
    Column("repeats", "for an observer: false = the loop calls it once") { $0.item.repeats }
    Column("interval_ns", "interval of a timer; 0 = it fires once") { $0.item.intervalNs }
      .headed("interval", "The interval of a timer. 0 = it fires once.", at: 8, in: .page)
    Column(
      "fires_in_ns", "time to a timer's next fire at the last snapshot that contains it; negative = overdue"
    ) {
      $0.item.firesInNs
    }
    Column("snapshots", "number of snapshots that contain it") { $0.snapshots }.headed(
      "snapshots", "The number of snapshots that contain the item.", at: 9, in: .page)
    Column("added_ns", "first snapshot that contains it; null = the loop's first snapshot contains it") {
      $0.addedNs
    }
    .moment { _ in 1 }.headed(
      "added by", "The first snapshot that contains the item, if it is not the loop's first snapshot.",
      at: 10, in: .page)
    Column("gone_ns", "first whole snapshot after the last one that contains it; null = it stayed") {
      $0.goneNs
    }
    .moment { _ in 1 }.headed(
      "gone by", "The first whole snapshot that no longer contains the item.", at: 11, in: .page)
  }

  private static func names(_ item: LoopItem) -> [String]? {
    item.activities.map { $0.isAll ? ["all"] : $0.activities.map(\.name) }
  }

  package static let runs = ResultTable<RunsResult>(
    "runs", "calls to run a loop that returned, one row per mode of a loop, by the reason of the return"
  ) {
    Column("loop", "the loop's name") { $0.loop }.named("loop", at: 2, in: .page)
    Column("mode", "mode that the call asked for") { $0.mode }.named("mode", at: 1)
    Column.thread { $0.thread }
    Column("calls", "calls to CFRunLoopRunInMode and similar functions") { $0.calls }.headed("calls", at: 3)
    result(.finished, "finished", "calls that returned because the mode held no sources or timers", at: 4)
    Column("empty", "finished calls that returned at once, without a run, because the mode was empty") {
      $0.empty
    }
    .headed("at once", "Finished calls that returned at once because the mode was empty.", at: 5)
    result(.stopped, "stopped", "calls that CFRunLoopStop ended", at: 6)
    result(.timedOut, "timed_out", "calls that returned because their time limit was reached", at: 7)
    result(
      .handledSource, "handled_source", "calls that returned after the loop handled a source, as requested",
      at: 8)
  }

  private static func result(_ result: RunResult, _ name: String, _ about: String, at place: Int)
    -> Column<RunsResult>
  {
    Column(name, about) { $0.returns[result] ?? 0 }.headed(result.words, at: place)
  }
}
