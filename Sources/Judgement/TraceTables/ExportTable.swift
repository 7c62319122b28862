import TraceAnalysis
import TraceFacts
import TraceReplay

/// A table that the analysis can export.
package struct ExportTable: Sendable {
  package let name: String
  /// A description of its rows.
  package let about: String
  package let columns: [(name: String, about: String, sqlType: String)]
  package let source: Source
  /// Whether the selection of listed gaps changes the table.
  package let dependsOnGaps: Bool
  /// Whether it has rows only if a state splits the results.
  package let dependsOnState: Bool

  /// The source of its rows.
  package enum Source: Sendable {
    /// The results of the analysis; passes one row after the other to `add`.
    case results(@Sendable (Analysis, _ add: ([Value]) -> Void) -> Void)
    /// The rows are written while the trace is read. The cells are those of `Recorded.write(to:)`.
    case passes(@Sendable (Recorded<PassFact>) -> [Value])
    case points(@Sendable (Recorded<PointFact>) -> [Value])
  }

  init<Row>(
    _ table: ResultTable<Row>, dependsOnGaps: Bool = false, dependsOnState: Bool = false, _ source: Source
  ) {
    name = table.name
    about = table.about
    columns = table.any.tableColumns.map { ($0.name, $0.about, $0.kind.sqlType) }
    self.source = source
    self.dependsOnGaps = dependsOnGaps
    self.dependsOnState = dependsOnState
  }

  init<Row>(
    _ table: ResultTable<Row>, dependsOnGaps: Bool = false, dependsOnState: Bool = false,
    _ rows: @escaping @Sendable (Analysis) -> [Row]
  ) {
    self.init(
      table, dependsOnGaps: dependsOnGaps, dependsOnState: dependsOnState,
      .results { analysis, add in
        for row in rows(analysis) { add(table.cells(row)) }
      })
  }
}
