import ArgumentParser
import TraceAnalysis
import TraceExchange
import TraceFormat

/// The options for files that other viewers open.
struct ViewerArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "For a viewer: leave out shorter slices; export prints how many, and their total time.",
      valueName: "duration"), transform: DurationArgument.read)
  var minDuration: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "For a viewer: the largest number of slices (default \(ViewerArguments.usual)).",
      valueName: "number"))
  var maxSlices: Int?

  private static let usual = TimelineFormat.allCases.map { "\($0.name) \($0.usualSlices)" }
    .joined(separator: ", ")

  func validate() throws {
    if let maxSlices, maxSlices < 1 { throw ValidationError("--max-slices must be 1 or more") }
  }

  /// Analyzes the trace and writes the file as it does so. `path` names it in messages. On an error, nothing is kept.
  func export(
    _ format: TimelineFormat, _ reader: TraceReader, _ asked: AnalysisOptions, file: String, limit: Int,
    to sink: any ByteSink, path: String
  ) throws -> (run: AnalysisRun, outcome: TimelineExporter.Outcome) {
    let exporter = TimelineExporter(
      format, reader: reader, name: file.lastPathPart, frameSources: asked.frameSources,
      minimumNs: minDuration?.nanoseconds ?? 0, maximum: limit, to: sink)
    var options = asked
    options.sink = exporter.sink
    do {
      let run = try AnalysisRun(reader, options, file: file, printsMeanwhile: Terminal.isStandardOutput(path))
      let outcome: TimelineExporter.Outcome
      do throws(TraceFormatError) { outcome = try exporter.finish(run.analysis) } catch {
        throw Output.failure(path, error)
      }
      if let refusal = Self.refusal(outcome, file, limit, run.analysis) { throw refusal }
      return (run, outcome)
    } catch {
      exporter.discard()
      throw error
    }
  }

  /// Returns the failure for a trace with too many slices, which names parts that fit; nil if the file was written.
  private static func refusal(
    _ outcome: TimelineExporter.Outcome, _ file: String, _ limit: Int, _ analysis: Analysis
  ) -> Failure? {
    guard case .tooMany(let slices, let untilNs, let minimum) = outcome else { return nil }
    let from = analysis.trace.fromNs
    var fits: [String] = []
    if untilNs > from { fits.append("--from \(Units.seconds(from)) --to \(Units.seconds(untilNs))") }
    if let minimum { fits.append("--min-duration \(minimum.ns)ns (\(minimum.slices) slices)") }
    return Failure(
      status: .usage, file: file,
      message: "\(slices) slices, the limit is \(limit) (--max-slices)"
        + (fits.isEmpty ? "" : "; these fit: " + fits.joined(separator: ", or ")))
  }

  /// Throws if an option is given that does not apply to tables.
  func refuse(for format: String) throws {
    for (option, isGiven) in [("--min-duration", minDuration != nil), ("--max-slices", maxSlices != nil)]
    where isGiven {
      throw ValidationError(
        "\(option) is for --format \(TimelineFormat.list); --format \(format) has no slices")
    }
  }
}

extension Export {
  /// Writes one file for a viewer.
  func exportTimeline(_ format: TimelineFormat) throws {
    let path = output ?? ""
    if !Terminal.isStandardOutput(path) { try FileUse.write([(path, "-o")]) }
    let (reader, options) = try read()
    let bytes = CountingSink(try Output.binary(path))
    let (run, outcome) = try viewer.export(
      format, reader, options, file: file, limit: viewer.maxSlices ?? format.usualSlices, to: bytes,
      path: path)
    guard case .written(let slices, let tracks, let omitted, let omittedNs) = outcome else { return }
    var line = "\(Output.name(path)): \(slices) slices on \(tracks) tracks, \(Units.bytes(bytes.count))"
    line += "; open it in \(format.viewer)"
    if let lacks = format.lacks { line += ". \(format.name) cannot show \(lacks)" }
    Terminal.complain(line)
    if omitted > 0 {
      Terminal.complain(
        "left out \(omitted) slices shorter than \(viewer.minDuration?.text ?? "0"), in total \(Units.duration(omittedNs))"
      )
    }
    gaps.noteUnit([run.length])
    if let problem = run.problem { throw problem }
  }
}

/// Counts the bytes on their way to another sink.
private final class CountingSink: ByteSink {
  private let sink: any ByteSink
  private(set) var count: UInt64 = 0

  init(_ sink: any ByteSink) { self.sink = sink }

  func write(_ bytes: UnsafeRawBufferPointer) throws(TraceFormatError) {
    count += UInt64(bytes.count)
    try sink.write(bytes)
  }
  func commit() throws(TraceFormatError) { try sink.commit() }
  func discard() { sink.discard() }
  func leave() { sink.leave() }
}
