import TraceAnalysis
import TraceReplay
import TraceFormat

/// Writes the tables of one analysis: those with a row per pass or due point while the trace is read, in bounded memory,
/// the others at its end.
///
/// An observer cannot throw: after the first error nothing more is written, and `finish` throws it.
public final class Exporter: AnalysisObserver {
  private static let bufferBytes = 1 << 16

  private let format: ExportFormat
  private let tables: [ExportTable]
  private let records: RecordTables
  private let open: (String) throws(TraceFormatError) -> any ByteSink
  private var passes: Output?
  private var timerFires: Output?
  private var finished: [any ByteSink] = []
  private var error: TraceFormatError?

  private struct Output {
    let sink: any ByteSink
    var bytes: [UInt8] = []

    mutating func flush() throws(TraceFormatError) {
      defer { bytes.removeAll(keepingCapacity: true) }
      try sink.write(bytes)
    }
  }

  /// `open` makes the sink for a file name.
  public init(
    _ tables: [ExportTable], format: ExportFormat, reader: TraceReader,
    open: @escaping (_ name: String) throws(TraceFormatError) -> any ByteSink
  ) throws(TraceFormatError) {
    self.tables = tables
    self.format = format
    self.open = open
    records = RecordTables(TraceNames(reader), unitNs: reader.header.timeUnit.nanoseconds)
    passes = try begin(records.passes)
    timerFires = try begin(records.timerFires)
  }

  public func pass(_ pass: PassRecord) { add(pass, records.passes, to: &passes) }
  public func points(_ points: PointRecord) { add(points, records.timerFires, to: &timerFires) }

  /// Writes the other tables and, among several, `README.txt`; then all get their names. Throws the first error, and
  /// nothing is kept.
  public func finish(file: String, _ analysis: Analysis) throws(TraceFormatError) {
    do throws(TraceFormatError) {
      if let error { throw error }
      for output in [passes, timerFires] {
        guard var output else { continue }
        try output.flush()
        finished.append(output.sink)
      }
      passes = nil
      timerFires = nil
      try write(TraceTables.facts, TraceTables.rows(analysis.trace))
      try write(LoopTables.modes, analysis.modes)
      try write(SpanTables.gaps, analysis.gaps)
      try write(SpanTables.busy, analysis.busy)
      try write(TimerTables.timers, analysis.timers)
      try write(TimerTables.timerModes, TimerTables.modeRows(analysis.timers))
      try write(CalloutTables.callouts, analysis.callouts)
      try write(MarkTables.marks, analysis.marks.marks)
      try write(MarkTables.intervals, analysis.marks.intervals)
      try write(MarkTables.intervalNames, analysis.marks.byName)
      try write(FindingTables.findings, analysis.findings)
      if tables.count > 1 { try writeDictionary(file, analysis.notes.map(\.text)) }
      for sink in finished { try sink.commit() }
    } catch {
      discard()
      throw error
    }
  }

  /// Drops everything.
  public func discard() {
    passes?.sink.discard()
    timerFires?.sink.discard()
    for sink in finished { sink.discard() }
  }

  private func begin<Row>(_ columns: ResultTable<Row>) throws(TraceFormatError) -> Output? {
    guard tables.contains(where: { $0.name == columns.name }) else { return nil }
    var output = Output(sink: try open("\(columns.name).\(format.fileExtension)"))
    format.header(columns.tableNames, into: &output.bytes)
    return output
  }

  private func add<Row>(_ row: Row, _ columns: ResultTable<Row>, to output: inout Output?) {
    guard output != nil, error == nil else { return }
    format.row(columns.tableColumns.map { $0.value(row) }, columns.tableNames, into: &output!.bytes)
    guard output!.bytes.count >= Self.bufferBytes else { return }
    do throws(TraceFormatError) { try output!.flush() } catch { self.error = error }
  }

  private func write<Row>(_ columns: ResultTable<Row>, _ rows: [Row]) throws(TraceFormatError) {
    var output = try begin(columns)
    for row in rows { add(row, columns, to: &output) }
    if let error { throw error }
    guard var output else { return }
    finished.append(output.sink)
    try output.flush()
  }

  private func writeDictionary(_ file: String, _ notes: [String]) throws(TraceFormatError) {
    var output = Output(sink: try open("README.txt"))
    finished.append(output.sink)
    output.bytes += DataDictionary.text(file: file, format: format, records: records, notes: notes).utf8
    try output.flush()
  }
}
