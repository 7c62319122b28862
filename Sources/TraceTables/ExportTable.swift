import TraceAnalysis
import TraceReplay

/// A table that an analysis is exported as.
public struct ExportTable: Sendable {
  public let name: String
  /// What a row is.
  package let about: String
  package let columns: [(name: String, about: String)]
  package let source: Source
  /// Which gaps are listed changes it.
  public let dependsOnGaps: Bool

  /// Where its rows come from.
  package enum Source: Sendable {
    /// The results, one row after the other.
    case results(@Sendable (Analysis, _ add: ([Value]) -> Void) -> Void)
    case passes(@Sendable (Recorded<PassRecord>) -> [Value])
    case points(@Sendable (Recorded<PointRecord>) -> [Value])
  }

  init<Row>(_ table: ResultTable<Row>, dependsOnGaps: Bool = false, _ source: Source) {
    name = table.name
    about = table.about
    columns = table.tableColumns.map { ($0.name, $0.about) }
    self.source = source
    self.dependsOnGaps = dependsOnGaps
  }

  init<Row>(
    _ table: ResultTable<Row>, dependsOnGaps: Bool = false, _ rows: @escaping @Sendable (Analysis) -> [Row]
  ) {
    self.init(
      table, dependsOnGaps: dependsOnGaps,
      .results { analysis, add in
        for row in rows(analysis) { add(table.cells(row)) }
      })
  }
}
