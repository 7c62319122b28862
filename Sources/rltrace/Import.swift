import ArgumentParser
import Foundation
import TraceAnalysis
import TraceCompression
import TraceFormat
import TraceImport
import TraceResults

struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Makes a trace from an Instruments recording.",
    discussion: """
      The files are exports of tables by xctrace, in any order:
        xcrun xctrace export --input app.trace --output events.xml \\
          --xpath '/trace-toc/run[@number="1"]/data/table[@schema="runloop-events"]'

      import reads runloop-events or runloop-intervals, potential-hangs, hitches, OSSignpostIntervals, \
      PointsOfInterestEvents, and time-profile or time-sample. Instruments does not record timers, sources, blocks and observers, so the trace cannot \
      show starvation. On a Mac, import also takes the recording itself, app.trace.

      Examples:
        rltrace import events.xml -o app.rltrace
        rltrace import events.xml hangs.xml profile.xml -o app.rltrace --process MyApp
        rltrace import events.xml --list
      """)

  @Argument(help: "Exports of one recording; - is standard input.", completion: .file(extensions: ["xml"]))
  var files: [String]

  @Option(
    name: .shortAndLong, help: "The trace to write; - is standard output.",
    completion: .file(extensions: ["rltrace"]))
  var output: String?

  @Option(help: ArgumentHelp("The process, if the files have several.", valueName: "name|pid"))
  var process: String?

  @Flag(help: "Print the tables and processes in the files, and write nothing.")
  var list = false

  func validate() throws {
    if list == (output != nil) {
      throw ValidationError(
        list ? "--list writes nothing, so it needs no -o" : "import needs -o FILE, or --list")
    }
  }

  func run() throws {
    FileUse.read(files, as: "export")
    if let output { try FileUse.write([(output, "-o")]) }
    var recording = InstrumentsRecording()
    for file in files {
      if file.hasSuffix(".trace") || file.hasSuffix(".trace/") {
        try XcodeExport.tables(of: file) { table throws(Failure) in
          try read(table, as: file, into: &recording)
        }
      } else {
        try read(file, as: file, into: &recording)
      }
    }
    if let output { try write(recording, to: output) } else { try printList(recording) }
  }

  /// `name` is the file in messages.
  private func read(_ file: String, as name: String, into recording: inout InstrumentsRecording)
    throws(Failure)
  {
    MemoryLimit.watch(reading: name)
    let stream = try TextFile.open(file)
    defer { fclose(stream) }
    let progress = AnalysisProgress(file: name, what: "importing")
    defer { progress.finish() }
    let size = Double(max(sizeOfFile(file) ?? 0, 1))
    var bytesRead = 0
    do throws(ImportError) {
      try recording.read { buffer in
        let count = fread(buffer.baseAddress, 1, buffer.count, stream)
        bytesRead += count
        progress.update(Double(bytesRead) / size)
        return count == 0 && ferror(stream) != 0 ? -1 : count
      }
    } catch {
      throw Failure(status: status(of: error), file: name, message: "\(error)")
    }
  }

  private func status(of error: ImportError) -> ExitStatus {
    switch error {
    case .missingLibrary: .unavailable
    case .document: .badData
    }
  }

  // MARK: What the files hold

  private func printList(_ recording: InstrumentsRecording) throws {
    var out = OutputBuffer()
    for table in recording.tables {
      try out.line(
        "table    \(table.name)  \(Phrase.count(table.rows, "row", "rows"))"
          + (table.isRead ? "" : ", not read"))
    }
    for process in recording.processes {
      try out.line(
        "process  \(Self.name(process))  \(Phrase.count(process.loopRows, "interval", "intervals")) of run loops"
      )
    }
    try out.flush()
  }

  private static func name(_ process: InstrumentsRecording.Process) -> String {
    process.name.isEmpty ? "(not named)" : "\(harmless(process.name)) (\(process.pid))"
  }

  // MARK: Writing

  private func write(_ recording: InstrumentsRecording, to output: String) throws {
    let process = try chosen(recording)
    let sink = try Output.binary(output)
    let summary: InstrumentsTrace.Summary
    do throws(TraceFormatError) {
      guard let codec = allCodecs(.zstd) else {
        throw .codecMissing(offset: 16, block: nil, codec: CodecID.zstd.rawValue)
      }
      summary = try InstrumentsTrace.write(recording, of: process, to: sink, codec: codec)
    } catch {
      sink.discard()
      throw Output.failure(output, error)
    }
    for line in account(of: summary, process, recording, output) { Terminal.complain(line) }
    if !Output.isStandardOutput(output), !summary.hangs.isEmpty { try compareHangs(summary.hangs, output) }
  }

  private func chosen(_ recording: InstrumentsRecording) throws(Failure) -> InstrumentsRecording.Process {
    let known = recording.processes
    guard let first = known.first else {
      throw Failure(
        status: .badData,
        message: "no rows about run loops; export the table runloop-events or runloop-intervals")
    }
    let names = known.map { Self.name($0) }.joined(separator: ", ")
    guard let process else {
      if known.count == 1 { return first }
      throw Failure(
        status: .usage, message: "several processes have run loops: \(names); choose one with --process")
    }
    let found = known.filter { $0.name == process || "\($0.pid)" == process && $0.pid > 0 }
    guard let match = found.first, found.count == 1 else {
      throw Failure(
        status: .usage,
        message: found.isEmpty
          ? "no process '\(harmless(process))' with run loops; the files have \(names)"
          : "\(found.count) processes are named '\(harmless(process))'; give the number: \(names)")
    }
    return match
  }

  private func account(
    of summary: InstrumentsTrace.Summary, _ process: InstrumentsRecording.Process,
    _ recording: InstrumentsRecording, _ output: String
  ) -> [String] {
    var lines = [
      "wrote \(Output.name(output)): \(Self.name(process)), "
        + [
          Phrase.count(summary.threads, "thread", "threads"), Phrase.count(summary.runs, "run", "runs"),
          Phrase.count(summary.iterations, "iteration", "iterations"),
          Phrase.count(summary.waits, "wait", "waits"), Units.duration(summary.spanNs),
        ].joined(separator: ", ")
    ]
    let beside = [
      (summary.hangs.count, "hang", "hangs"), (summary.hitches, "hitch", "hitches"),
      (summary.intervals, "signpost interval", "signpost intervals"),
      (summary.marks, "point of interest", "points of interest"),
    ].filter { $0.0 > 0 }.map { Phrase.count($0.0, $0.1, $0.2) }
    if !beside.isEmpty { lines.append("also imported: " + beside.joined(separator: ", ")) }
    if summary.otherRows > 0 {
      lines.append("left out: \(Phrase.count(summary.otherRows, "interval", "intervals")) of other processes")
    }
    lines += stackLines(summary)
    let unread = recording.tables.filter { !$0.isRead && $0.rows > 0 }
    if !unread.isEmpty { lines.append("not read: " + unread.map(\.name).joined(separator: ", ")) }
    for (word, rows) in recording.unknownIntervals.ordered(by: { $0.key < $1.key }) {
      lines.append("left out: \(Phrase.count(rows, "row", "rows")) of the unknown kind '\(word)'")
    }
    lines.append(
      "Instruments does not record timers, sources, blocks, observers or phases, so starvation cannot be judged"
    )
    return lines
  }

  private func stackLines(_ summary: InstrumentsTrace.Summary) -> [String] {
    var lines: [String] = []
    if summary.samples > 0 {
      lines.append(
        "also imported: \(Phrase.count(summary.samples, "stack", "stacks")) in"
          + " \(Phrase.count(summary.sampledStays, "long stay", "long stays")) of run loops")
    }
    for (count, what) in [
      (summary.samplesElsewhere, "not in a long stay of a run loop"),
      (summary.withoutStack, "without a stack"),
      (summary.withoutAddress, "with a frame that has no address"),
      (summary.beyondLimits, "beyond the limits of an import"),
    ] where count > 0 {
      lines.append("left out: \(Phrase.count(count, "sample", "samples")) \(what)")
    }
    return lines
  }

  // MARK: Hangs

  /// Prints where the hangs that Instruments lists differ from those of the trace.
  private func compareHangs(_ theirs: [InstrumentsTrace.Span], _ output: String) throws {
    var options = AnalysisOptions()
    // Instruments lists shorter delays as well.
    options.replay.busyThresholdNs = min(
      options.replay.busyThresholdNs, theirs.reduce(.max) { min($0, $1.durationNs) } / 2)
    let analysis: Analysis
    do throws(TraceFormatError) {
      let reader = try TraceReader(source: FileSource(path: output), codecs: allCodecs)
      analysis = try TraceAnalyzer(reader, options: options).analyze()
    } catch {
      throw Failure.reading(output, error)
    }
    let main = Set(analysis.trace.threads.filter(\.isMain).map(\.index))
    let ours = analysis.busy.filter { main.contains($0.thread) && !$0.isOpen }.map {
      InstrumentsTrace.Span(startNs: $0.startNs, durationNs: $0.durationNs, name: $0.busyClass?.name ?? "")
    }
    for line in HangComparison(theirs: theirs, ours: ours).lines { Terminal.complain(line) }
    if analysis.busyOmitted > 0 {
      Terminal.complain(
        "the trace has \(analysis.busyOmitted) more busy intervals; only the longest were compared")
    }
  }
}
