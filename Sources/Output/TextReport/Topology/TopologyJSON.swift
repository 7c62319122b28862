import LoopTopology
import ReportWriting
import TraceAnalysis
import TraceTables

/// Writes the contents of a run loop, or the difference of two, as JSON. docs/reference/commands/topology.md defines each key.
package enum TopologyJSON {
  private static let commonItems = TopologyTables.placed(
    "common_items", "items of the common modes, with the modes that contain them")

  private static let snapshot = ResultTable<TopologySnapshot>(
    "snapshot", "time and reason of a trace's snapshot; null = the text is a dump"
  ) {
    Column("loop", "name of the loop") { $0.loop }
    InventoryTables.momentOfSnapshot
  }

  private static let findings = ResultTable<(finding: TopologyFinding, loop: Topology)>(
    "findings", "problems that the description shows"
  ) {
    Column("kind", TopologyFinding.Kind.allCases.map(\.name).joined(separator: ", ")) {
      $0.finding.kind.name
    }
    Column("address", "address of the timer or source, hexadecimal; null for a mode") {
      $0.finding.item.map { TopologyTables.hex($0.address) }
    }
    Column("callout", "name of the callout; null = it has no name") { $0.finding.item?.callout?.name }
    Column("modes", "modes that contain the item, or the mode itself") { $0.finding.modes }
    Column("overdue_ns", "how long the timer has been overdue; else null") {
      $0.finding.overdueNs.map { UInt64(max($0, 0)) }
    }
  }

  package static let document = JSONDocument<(loop: Topology, place: DumpPlace)>(
    "rltrace.topology/1", "contents of a run loop"
  ) {
    Column("file", "") { $0.place.file }
    Column("line", "line where the dump begins; null = a snapshot of a trace") { $0.place.line }
    Column.row(snapshot, ifAny: { $0.place.snapshot })
    Column("form", "form of the description: apple or linux; null = unknown, or a snapshot") {
      $0.loop.form?.name
    }
    Column("loop", "address of the loop, hexadecimal") { TopologyTables.hex($0.loop.address) }
    Column("stopped", "whether the run was asked to stop") { $0.loop.isStopped }
    Column("current_mode", "mode of the innermost run; null = no run was active") { $0.loop.currentMode }
    Column("common_modes", "") { $0.loop.commonModes }
    Column(
      "cut_line",
      "line where the text ends inside the dump, so that the loop may hold more; null = the dump is complete"
    ) {
      $0.loop.cut?.line
    }
    Column.rows(findings) { row in row.loop.findings.map { ($0, row.loop) } }
    Column.rows(commonItems) { $0.loop.inventory.filter(\.isCommon) }
    Column.rows(TopologyTables.modes) { row in row.loop.modes.map { ($0, row.loop) } }
  }

  private typealias Side = (place: DumpPlace, currentMode: String?)

  private static let side = ResultTable<Side>("side", "one of the two run loops") {
    Column("file", "") { $0.place.file }
    Column("line", "line where the dump begins; null = a snapshot of a trace") { $0.place.line }
    Column.row(snapshot, ifAny: { $0.place.snapshot })
    Column("current_mode", "mode of the innermost run; null = no run was active") { $0.currentMode }
  }

  private static let moved = ResultTable<TopologyDifference.Pair>(
    "moved", "items whose modes, or whose membership in the common modes, changed"
  ) {
    Column.row(TopologyTables.placed("base", "item in the base")) { $0.base }
    Column.row(TopologyTables.placed("other", "item in the other run loop")) { $0.other }
  }

  private typealias FieldChange = (field: ItemField, pair: TopologyDifference.Pair)

  private static let fields = ResultTable<FieldChange>("fields", "fields that differ") {
    Column("field", "key of the field in the items") { $0.field.name }
    Column("base", "value in the base; null = unknown") { value($0.field, $0.pair.base) }
    Column("other", "value in the other run loop; null = unknown") { value($0.field, $0.pair.other) }
  }

  private static let changed = ResultTable<TopologyDifference.Pair>("changed", "items whose fields changed") {
    Column.row(TopologyTables.placed("base", "item in the base")) { $0.base }
    Column.row(TopologyTables.placed("other", "item in the other run loop")) { $0.other }
    Column.rows(fields) { pair in pair.fields.map { ($0, pair) } }
  }

  private static func value(_ field: ItemField, _ placed: PlacedItem) -> Value {
    switch field.value(of: placed.item) {
    case .integer(let number): .signed(number)
    case .ns(let ns): .integer(ns)
    case .truth(let isSo): .truth(isSo)
    case .activities(let mask): TopologyTables.names(mask).value
    case .text(let text): .text(text)
    case nil: .unknown
    }
  }

  package typealias Document = (difference: TopologyDifference, base: DumpPlace, other: DumpPlace)

  package static let differenceDocument = JSONDocument<Document>(
    "rltrace.topology-diff/1", "differences of two run loops"
  ) {
    Column.row(side, as: "base") { ($0.base, $0.difference.baseCurrentMode) }
    Column.row(side, as: "other") { ($0.other, $0.difference.otherCurrentMode) }
    Column("same_process", "whether both belong to one process, so that addresses identify items") {
      $0.difference.isSameProcess
    }
    Column("added_modes", "") { $0.difference.addedModes }
    Column("removed_modes", "") { $0.difference.removedModes }
    Column("added_common_modes", "") { $0.difference.addedCommonModes }
    Column("removed_common_modes", "") { $0.difference.removedCommonModes }
    Column.rows(TopologyTables.placed("added", "items that only the other run loop contains")) {
      $0.difference.added
    }
    Column.rows(TopologyTables.placed("removed", "items that only the base contains")) {
      $0.difference.removed
    }
    Column.rows(moved) { $0.difference.moved }
    Column.rows(changed) { $0.difference.changed }
    Column("alike", "number of items that are equal in both") { $0.difference.alike }
  }
}
