import TraceAnalysis
import TraceFacts
import TraceReplay
import TraceFormat
import TraceTables

/// Writes the tables of one analysis. Tables with a row for each pass or due point are written while the trace is
/// read, in bounded memory; the others are written at the end.
///
/// A sink of facts cannot throw. After the first error nothing more is written, and `finish` throws that error.
package final class Exporter: FactSink {
  private static let bufferBytes = 1 << 16
  /// The name of the data dictionary beside the tables.
  package static let dictionaryName = "README.txt"

  private let format: ExportFormat
  private let context: RecordContext
  private var outputs: [Output] = []
  /// The places in `outputs` of the tables that are written while the trace is read.
  private var passPlaces: [Int] = []
  private var pointPlaces: [Int] = []
  /// The sink for `README.txt`, if there are several tables.
  private var dictionary: (any ByteSink)?
  private var error: TraceFormatError?
  private var skippedRows: SkippedRowLimit

  private struct Output {
    let table: ExportTable
    let names: [String]
    let sink: any ByteSink
    var bytes: [UInt8] = []
    /// Rows that are written while the trace is read, after those in `bytes`.
    var text: RowText

    mutating func flush() throws(TraceFormatError) {
      defer {
        bytes.removeAll(keepingCapacity: true)
        text.removeAll()
      }
      if !bytes.isEmpty { try sink.write(bytes) }
      if text.count > 0 { try sink.write(text.bytes) }
    }
  }

  /// Opens the outputs. `open` creates the sink for a file name.
  package init(
    _ tables: [ExportTable], format: ExportFormat, reader: TraceReader,
    open: @escaping (_ name: String) throws(TraceFormatError) -> any ByteSink
  ) throws(TraceFormatError) {
    self.format = format
    context = RecordContext(reader)
    skippedRows = SkippedRowLimit(reader)
    do throws(TraceFormatError) {
      for table in tables {
        let names = table.columns.map(\.name)
        var output = Output(
          table: table, names: names, sink: try open(format.file(of: table)),
          text: RowText(format.form(names)))
        format.header(output.names, &output.bytes)
        outputs.append(output)
      }
      for (place, output) in outputs.enumerated() {
        switch output.table.source {
        case .passes: passPlaces.append(place)
        case .points: pointPlaces.append(place)
        case .results: break
        }
      }
      if tables.count > 1 { dictionary = try open(Exporter.dictionaryName) }
    } catch {
      discard()
      throw error
    }
  }

  package func pass(_ pass: PassFact) {
    for place in passPlaces { write(to: place) { $0.add(Recorded(pass, context)) } }
  }

  /// Notes about data of the trace that the tables omit.
  package var omissions: [Note] { skippedRows.omissions }

  package func points(_ points: PointFact) {
    for place in pointPlaces where skippedRows.hasRoom(for: points) {
      write(to: place) { $0.add(Recorded(points, context)) }
    }
  }

  /// Only passes and fires have rows.
  package func passes(_ passes: EqualPassFacts) {
    passes.reportPasses(to: self, withFires: !pointPlaces.isEmpty)
  }

  /// Writes the other tables and, if there are several, `README.txt`. Then all files get their final names. On the
  /// first error it throws, and no file is kept.
  package func finish(file: String, _ analysis: Analysis) throws(TraceFormatError) {
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

  /// Discards all files.
  package func discard() {
    for output in outputs { output.sink.discard() }
    dictionary?.discard()
  }

  private func write(to place: Int, _ row: (inout RowText) -> Void) {
    guard error == nil else { return }
    row(&outputs[place].text)
    if outputs[place].text.count >= Self.bufferBytes { flush(place) }
  }

  private func add(_ cells: [Value], to place: Int) {
    guard error == nil else { return }
    format.row(cells, outputs[place].names, &outputs[place].bytes)
    if outputs[place].bytes.count >= Self.bufferBytes { flush(place) }
  }

  private func flush(_ place: Int) {
    do throws(TraceFormatError) { try outputs[place].flush() } catch { self.error = error }
  }
}
