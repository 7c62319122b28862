import TraceAnalysis
import TraceFacts
import TraceFormat
import TraceReplay
import TraceTables

/// Writes the exported tables into a new SQLite database, with indexes and views.
///
/// Column names are those of the CSV files. Rows of passes and due points are inserted while the trace is read.
package final class SQLiteExporter: FactSink {
  private let database: SQLiteDatabase
  private let context: RecordContext
  private var tables: [(table: ExportTable, rows: SQLiteDatabase.Insertion)] = []
  /// The tables that are filled while the trace is read.
  private var passRows: [(insertion: SQLiteDatabase.Insertion, row: RowBuffer)] = []
  private var pointRows: [(insertion: SQLiteDatabase.Insertion, row: RowBuffer)] = []
  private var error: SQLiteExportError?
  private var skippedRows: SkippedRowLimit

  /// Creates the tables in the file at `path`, which must be empty or not exist.
  package init(path: String, reader: TraceReader) throws(SQLiteExportError) {
    database = try SQLiteDatabase(path: path)
    context = RecordContext(reader)
    skippedRows = SkippedRowLimit(reader)
    for table in ExportTable.allCases {
      let columns = table.columns.map { "\(Self.quoted($0.name)) \($0.sqlType)" }
      try database.execute("CREATE TABLE \(Self.quoted(table.name)) (\(columns.joined(separator: ", ")));")
      let marks = repeatElement("?", count: columns.count).joined(separator: ", ")
      let rows = try SQLiteDatabase.Insertion(
        "INSERT INTO \(Self.quoted(table.name)) VALUES (\(marks));", columns: columns.count, in: database)
      switch table.source {
      case .passes: passRows.append((rows, RowBuffer(columns: columns.count)))
      case .points: pointRows.append((rows, RowBuffer(columns: columns.count)))
      case .results: tables.append((table, rows))
      }
    }
  }

  package func pass(_ pass: PassFact) {
    for place in passRows.indices {
      passRows[place].row.set(Recorded(pass, context))
      insert(passRows[place].row, passRows[place].insertion)
    }
  }

  package func points(_ points: PointFact) {
    for place in pointRows.indices where skippedRows.hasRoom(for: points) {
      pointRows[place].row.set(Recorded(points, context))
      insert(pointRows[place].row, pointRows[place].insertion)
    }
  }

  /// Only passes and fires have rows.
  package func passes(_ passes: EqualPassFacts) { passes.reportPasses(to: self, withFires: true) }

  /// Notes about data of the trace that the tables omit.
  package var omissions: [Note] { skippedRows.omissions }

  /// Inserts the other rows, creates indexes and views, and closes the database.
  package func finish(_ analysis: Analysis) throws(SQLiteExportError) {
    for (table, rows) in tables {
      if case .results(let results) = table.source { results(analysis) { insert($0, rows) } }
    }
    if let error { throw error }
    (tables, passRows, pointRows) = ([], [], [])
    for index in SQLiteViews.indexes { try database.execute(index) }
    for view in SQLiteViews.views { try database.execute(view) }
    try database.close()
  }

  private func insert(_ cells: [Value], _ rows: SQLiteDatabase.Insertion) {
    guard error == nil else { return }
    do throws(SQLiteExportError) { try rows.insert(cells) } catch { self.error = error }
  }

  private func insert(_ row: RowBuffer, _ rows: SQLiteDatabase.Insertion) {
    guard error == nil else { return }
    do throws(SQLiteExportError) { try rows.insert(row) } catch { self.error = error }
  }

  static func quoted(_ name: String) -> String { "\"\(name)\"" }
}

/// The views answer the usual questions without a join.
enum SQLiteViews {
  static let indexes = [
    "CREATE INDEX passes_start ON passes(start_ns);",
    "CREATE INDEX timer_fires_due ON timer_fires(timer, due_ns);",
  ]

  static let views = [
    """
    CREATE VIEW starving_timers AS
      SELECT name, due, fired, skipped, round(100.0 * skipped / due, 1) AS skipped_percent
      FROM timers WHERE skipped > 0 ORDER BY skipped_percent DESC, skipped DESC;
    """,
    """
    CREATE VIEW longest_callouts AS
      SELECT kind, name, thread, count, time_ns, longest_ns, longest_start_ns
      FROM callouts ORDER BY longest_ns DESC;
    """,
    """
    CREATE VIEW busy_by_mode AS
      SELECT loop, mode, thread, time_ns, busy_ns, round(100.0 * busy_ns / nullif(time_ns, 0), 1) AS busy_percent
      FROM modes ORDER BY busy_ns DESC;
    """,
    """
    CREATE VIEW late_fires AS
      SELECT name, due_ns, end_ns, lateness_ns, cause, mode
      FROM timer_fires WHERE outcome = 'fired' AND lateness_ns > 0 ORDER BY lateness_ns DESC;
    """,
  ]
}
