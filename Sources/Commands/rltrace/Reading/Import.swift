import ArgumentParser
import Foundation
import TraceAnalysis
import TraceCompression
import TraceFormat
import TraceImport

struct Import: ParsableCommand {
  private static var sources: [any RecordingSource.Type] { RecordingSources.all }

  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Makes a trace from \(sources.map { $0.recording }.joined(separator: ", or from ")).",
    discussion: sources.map { $0.help }.joined(separator: "\n\n"))

  @Argument(
    help: "Exports of one recording; - is standard input.",
    completion: .file(extensions: sources.flatMap { $0.fileExtensions }))
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
    var source: any RecordingSource
    do throws(ImportError) { source = try RecordingSources.source(of: files).init() } catch {
      throw failure(error)
    }
    for file in files {
      if file.hasSuffix(".trace") || file.hasSuffix(".trace/") {
        try XcodeExport.tables(of: file) { try read($0, as: file, into: &source) }
      } else {
        try read(file, as: file, into: &source)
      }
    }
    if let output { return try write(source, to: output) }
    try Terminal.print(lines: source.list)
  }

  /// `name` is the file in messages.
  private func read(_ file: String, as name: String, into source: inout any RecordingSource) throws {
    MemoryLimit.watch(reading: name)
    let stream = try TextFile.open(file)
    defer { fclose(stream) }
    let progress = AnalysisProgress(file: name, what: "importing")
    defer { progress.finish() }
    let size = Double(max(sizeOfFile(file) ?? 0, 1))
    var bytesRead = 0
    do throws(ImportError) {
      try source.read { buffer in
        let count = fread(buffer.baseAddress, 1, buffer.count, stream)
        bytesRead += count
        progress.update(Double(bytesRead) / size)
        return count == 0 && ferror(stream) != 0 ? -1 : count
      }
    } catch { throw failure(error, name) }
  }

  private func write(_ source: any RecordingSource, to output: String) throws {
    let sink = try Output.binary(output)
    let account: ImportAccount
    do throws(ImportError) {
      guard let codec = allCodecs(.zstd) else {
        throw .writing(.codecMissing(offset: 16, block: nil, codec: CodecID.zstd.rawValue))
      }
      account = try source.write(process: process, to: sink, codec: codec)
    } catch {
      sink.discard()
      throw failure(error)
    }
    for line in ["wrote \(Output.name(output)): \(account.contents)"] + account.notes {
      Terminal.complain(line)
    }
    if !Terminal.isStandardOutput(output), !account.hangs.isEmpty { try compareHangs(account.hangs, output) }
  }

  /// `file` is the one that was read, if any.
  private func failure(_ error: ImportError, _ file: String? = nil) -> any Error {
    let status: ExitStatus
    switch error {
    case .document: status = .badData
    case .missingLibrary: status = .unavailable
    case .choice: status = .usage
    case .writing(let error): return Output.failure(output ?? Terminal.standardOutput, error)
    }
    return Failure(status: status, file: file, message: "\(error)")
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
