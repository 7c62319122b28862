import TraceAnalysis
import TraceReplay
import TraceFormat
import TraceTables

/// Writes the tables of one analysis: those with a row per pass or due point while the trace is read, in bounded memory,
/// the others at its end.
///
/// An observer cannot throw: after the first error nothing more is written, and `finish` throws it.
public final class Exporter: AnalysisObserver {
  private static let bufferBytes = 1 << 16
  /// Beside several tables.
  public static let dictionaryName = "README.txt"

  private let format: ExportFormat
  private let names: TraceNames
  private let unitNs: UInt64
  private var outputs: [Output] = []
  /// Of `README.txt`, among several tables.
  private var dictionary: (any ByteSink)?
  private var error: TraceFormatError?
  private let skippedRowLimit: UInt64
  private var skippedRows: UInt64 = 0

  private struct Output {
    let table: ExportTable
    let names: [String]
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
    self.format = format
    names = TraceNames(reader)
    unitNs = reader.header.timeUnit.nanoseconds
    skippedRowLimit =
      UInt64(AnalysisLimits.skippedRowsOfAnyTrace)
      + UInt64(AnalysisLimits.skippedRowsPerEvent) * reader.eventCount
    do throws(TraceFormatError) {
      for table in tables {
        var output = Output(
          table: table, names: table.columns.map(\.name), sink: try open(format.file(of: table)))
        format.header(output.names, &output.bytes)
        outputs.append(output)
      }
      if tables.count > 1 { dictionary = try open(Exporter.dictionaryName) }
    } catch {
      discard()
      throw error
    }
  }

  public func pass(_ pass: PassRecord) {
    for place in outputs.indices {
      guard case .passes(let cells) = outputs[place].table.source else { continue }
      add(cells(Recorded(pass, names: names, unitNs: unitNs)), to: place)
    }
  }

  /// What is not in the tables though the trace has it.
  public var omissions: [Note] {
    guard skippedRows > skippedRowLimit else { return [] }
    return [.skippedRowsOmitted(skippedRows - skippedRowLimit, limit: skippedRowLimit)]
  }

  public func points(_ points: PointRecord) {
    for place in outputs.indices {
      guard case .points(let cells) = outputs[place].table.source, hasRoom(for: points) else { continue }
      add(cells(Recorded(points, names: names, unitNs: unitNs)), to: place)
    }
  }

  /// Writes the other tables and, among several, `README.txt`; then all get their names. Throws the first error, and
  /// nothing is kept.
  public func finish(file: String, _ analysis: Analysis) throws(TraceFormatError) {
    do throws(TraceFormatError) {
      for place in outputs.indices {
        if case .results(let rows) = outputs[place].table.source {
          rows(analysis) { add($0, to: place) }
        }
        if let error { throw error }
        try outputs[place].flush()
      }
      try dictionary?.write(
        Array(
          DataDictionary.text(
            file: file, format: format, notes: (analysis.notes + omissions).map(\.text)
          ).utf8))
      for output in outputs { try output.sink.commit() }
      try dictionary?.commit()
    } catch {
      discard()
      throw error
    }
  }

  /// Drops everything.
  public func discard() {
    for output in outputs { output.sink.discard() }
    dictionary?.discard()
  }

  /// Of each timer that waits, a point may be skipped between any two events.
  private func hasRoom(for points: PointRecord) -> Bool {
    guard points.outcome == .skipped else { return true }
    skippedRows += 1
    return skippedRows <= skippedRowLimit
  }

  private func add(_ cells: [Value], to place: Int) {
    guard error == nil else { return }
    format.row(cells, outputs[place].names, &outputs[place].bytes)
    guard outputs[place].bytes.count >= Self.bufferBytes else { return }
    do throws(TraceFormatError) { try outputs[place].flush() } catch { self.error = error }
  }
}
