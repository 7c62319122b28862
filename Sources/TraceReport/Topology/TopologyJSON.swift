import LoopTopology
import TraceAnalysis
import TraceTables

/// Writes the contents of a run loop, or the difference of two, as JSON. docs/reference/commands/topology.md defines each key.
public enum TopologyJSON {
  /// Writes the JSON in pieces, so that the whole text is never in memory.
  public static func write(
    _ topology: Topology, _ place: DumpPlace, to write: @escaping (String) throws -> Void
  ) throws {
    try document.write([(topology, place)], to: write)
  }

  /// Writes a difference in pieces.
  public static func write(
    _ difference: TopologyDifference, base: DumpPlace, other: DumpPlace,
    to write: @escaping (String) throws -> Void
  ) throws {
    try differenceDocument.write([(difference, base, other)], to: write)
  }

  /// Returns the JSON Schema of the document.
  public static func jsonSchema() throws -> String { try document.jsonSchema() }
  public static func differenceSchema() throws -> String { try differenceDocument.jsonSchema() }

  private static let commonItems = TopologyTables.placed(
    "common_items", "added to the common modes, with the modes that have them")

  private static let snapshot = ResultTable<TopologySnapshot>(
    "snapshot", "of a trace: when and why it was taken; null of a dump"
  ) {
    Column("loop", "its name") { $0.loop }
    Column("time_ns", "since the trace's origin") { $0.timeNs }
    Column("reason", "start: before the loop's first run; stall; request: somebody asked") { $0.reason.name }
    Column("whole", "false = events of it were lost, or beyond the recorder's limit") { $0.isWhole }
    Column("unseen", "the loop may hold items that the recorder did not see added") { $0.hasUnseenItems }
  }

  private static let findings = ResultTable<(finding: TopologyFinding, loop: Topology)>(
    "findings", "what is wrong, as far as the description shows it"
  ) {
    Column("kind", "overdue_in_other_modes, overdue, signalled_in_other_modes or empty_mode") {
      $0.finding.kind.name
    }
    Column("address", "of the timer or source, hexadecimal; null for a mode") {
      $0.finding.item.map { TopologyTables.hex($0.address) }
    }
    Column("callout", "null where it has no name") { $0.finding.item?.callout?.name }
    Column("modes", "that hold it, or the mode itself") { $0.finding.modes }
    Column("overdue_ns", "how long the timer's fire date has passed; else null") {
      $0.finding.overdueNs.map { UInt64(max($0, 0)) }
    }
  }

  private static let document = JSONDocument<(loop: Topology, place: DumpPlace)>(
    "rltrace.topology/1", "what a run loop holds"
  ) {
    Column("file", "") { $0.place.file }
    Column("line", "that the dump begins in; null of a snapshot of a trace") { $0.place.line }
    Column.row(snapshot, ifAny: { $0.place.snapshot })
    Column("form", "apple or linux: whose description it is; null = not known, or a snapshot") {
      $0.loop.form?.name
    }
    Column("loop", "its address, hexadecimal") { TopologyTables.hex($0.loop.address) }
    Column("stopped", "the run is to end") { $0.loop.isStopped }
    Column("current_mode", "null = no run was active") { $0.loop.currentMode }
    Column("common_modes", "") { $0.loop.commonModes }
    Column(
      "cut_line", "where the text ends before the dump does: the loop may hold more; null = the dump is whole"
    ) {
      $0.loop.cut?.line
    }
    Column.rows(findings) { row in row.loop.findings.map { ($0, row.loop) } }
    Column.rows(commonItems) { $0.loop.inventory.filter(\.isCommon) }
    Column.rows(TopologyTables.modes) { row in row.loop.modes.map { ($0, row.loop) } }
  }

  private typealias Side = (place: DumpPlace, currentMode: String?)

  private static let side = ResultTable<Side>("side", "one of the two dumps") {
    Column("file", "") { $0.place.file }
    Column("line", "that the dump begins in; null of a snapshot of a trace") { $0.place.line }
    Column.row(snapshot, ifAny: { $0.place.snapshot })
    Column("current_mode", "null = no run was active") { $0.currentMode }
  }

  private static let moved = ResultTable<TopologyDifference.Pair>("moved", "in other modes, or common now") {
    Column.row(TopologyTables.placed("base", "before")) { $0.base }
    Column.row(TopologyTables.placed("other", "after")) { $0.other }
  }

  private typealias FieldChange = (field: ItemField, pair: TopologyDifference.Pair)

  private static let fields = ResultTable<FieldChange>("fields", "those that differ") {
    Column("field", "its key in the items") { $0.field.name }
    Column("base", "null = not known") { value($0.field, $0.pair.base) }
    Column("other", "null = not known") { value($0.field, $0.pair.other) }
  }

  private static let changed = ResultTable<TopologyDifference.Pair>("changed", "with other fields") {
    Column.row(TopologyTables.placed("base", "before")) { $0.base }
    Column.row(TopologyTables.placed("other", "after")) { $0.other }
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

  private typealias Document = (difference: TopologyDifference, base: DumpPlace, other: DumpPlace)

  private static let differenceDocument = JSONDocument<Document>(
    "rltrace.topology-diff/1", "what the other run loop has that the base has not"
  ) {
    Column.row(side, as: "base") { ($0.base, $0.difference.baseCurrentMode) }
    Column.row(side, as: "other") { ($0.other, $0.difference.otherCurrentMode) }
    Column("same_process", "addresses tell items apart") { $0.difference.isSameProcess }
    Column("added_modes", "") { $0.difference.addedModes }
    Column("removed_modes", "") { $0.difference.removedModes }
    Column("added_common_modes", "") { $0.difference.addedCommonModes }
    Column("removed_common_modes", "") { $0.difference.removedCommonModes }
    Column.rows(TopologyTables.placed("added", "items that only the other has")) { $0.difference.added }
    Column.rows(TopologyTables.placed("removed", "items that only the base has")) { $0.difference.removed }
    Column.rows(moved) { $0.difference.moved }
    Column.rows(changed) { $0.difference.changed }
    Column("alike", "items that are the same in both") { $0.difference.alike }
  }
}
