import TraceAnalysis
import TraceFacts
import TraceFormat

/// A format of another viewer. Each format's file declares its value.
package struct TimelineFormat: Sendable {
  package let name: String
  /// The viewer that opens the file.
  package let viewer: String
  /// The contents that the format cannot show; nil = it shows everything.
  package var lacks: String?
  /// The default limit on the number of slices. Perfetto can display two million. Formats that are kept in memory
  /// have a lower limit.
  package var usualSlices = 2_000_000
  let writer: any SliceFormat.Type
}

extension TimelineFormat: Named {
  package static let allCases = [perfetto, chrome, firefox, speedscope]
}

/// Writes a recording for another viewer while the recording is analyzed. Set `sink` as `AnalysisOptions.sink`.
package final class TimelineExporter {
  /// The written file, or the reason why there is none.
  package enum Outcome: Sendable {
    case written(slices: Int, tracks: Int, omitted: UInt64, omittedNs: UInt64)
    /// There are more slices than allowed. `untilNs`: the slices before this moment would fit. `minimum`: the
    /// slices of at least this length would fit; with their number.
    case tooMany(slices: Int, untilNs: UInt64, minimum: (ns: UInt64, slices: Int)?)
  }

  private let format: any SliceFormat
  private let walk: SliceWalk
  private let output: Output

  package var sink: any FactSink { walk }

  /// Creates an exporter. `frameSources`: those of the analysis's options. `minimumNs` leaves out shorter slices.
  /// `maximum`: the largest number of slices.
  package init(
    _ format: TimelineFormat, reader: TraceReader, name: String, frameSources: [String] = [],
    minimumNs: UInt64 = 0, maximum: Int, to sink: any ByteSink
  ) {
    let made = format.writer.init(ExportedProgram(reader, name))
    let output = Output(sink)
    self.format = made
    self.output = output
    walk = SliceWalk(
      made, reader: reader, frameSources: Set(frameSources.map(ShownName.of)), minimumNs: minimumNs,
      budget: SliceBudget(limit: maximum)
    ) { output.write(&made.bytes) }
  }

  /// Writes the rest of the file and completes it. If there are too many slices, the file is discarded.
  package func finish(_ analysis: Analysis) throws(TraceFormatError) -> Outcome {
    walk.finish(analysis)
    let budget = walk.budget
    if budget.isExceeded {
      discard()
      return .tooMany(
        slices: budget.used, untilNs: budget.nearlyFullAtNs ?? 0, minimum: budget.fittingMinimum)
    }
    format.finish()
    output.write(&format.bytes)
    do throws(TraceFormatError) {
      if let error = output.error { throw error }
      try output.sink.commit()
    } catch {
      discard()
      throw error
    }
    return .written(
      slices: budget.used, tracks: walk.tracks.count, omitted: budget.omitted, omittedNs: budget.omittedNs)
  }

  package func discard() { output.sink.discard() }

  /// A sink of facts cannot throw. After the first error, nothing more is written.
  private final class Output {
    let sink: any ByteSink
    private(set) var error: TraceFormatError?

    init(_ sink: any ByteSink) { self.sink = sink }

    func write(_ bytes: inout [UInt8]) {
      defer { bytes.removeAll(keepingCapacity: true) }
      guard error == nil, !bytes.isEmpty else { return }
      do throws(TraceFormatError) { try sink.write(bytes) } catch { self.error = error }
    }
  }
}

extension ExportedProgram {
  init(_ reader: TraceReader, _ name: String) {
    func fact(_ key: String) -> String? { reader.info.first { $0.key == key }?.value }
    let unitNs = reader.header.timeUnit.nanoseconds
    self.name = name
    // Viewers need a positive number. Facts of a trace may hold any text.
    processID = fact(InfoEntry.process).flatMap { Int32($0) }.flatMap { $0 > 0 ? UInt64($0) : nil } ?? 1
    if let first = reader.syncPoints.first, first.monotonicNs > 0 {
      let since = first.time &* unitNs
      origin = Clocks(
        monotonicNs: first.monotonicNs &- since, boottimeNs: first.boottimeNs &- since,
        realtimeNs: first.realtimeNs &- since)
    }
    facts = reader.info.map { Argument($0.key, $0.value) }
    facts.append(Argument("capture_level", reader.header.captureLevel.name))
  }
}
