import ArgumentParser
import TraceCompression
import TraceFormat

struct Redact: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "redact",
    abstract: "Copies a trace without names and paths, to pass it on.",
    discussion: """
      Names of threads, modes, timers, sources, blocks, marks and code become "timer 1", "site 4", "mode 3": the same \
      for the same, so that the copy is analyzed as the original is. System ids, addresses, and the facts about program \
      and machine go too. Times, counts and the date of the recording stay; so do the names of the system's own modes.

      Examples:
        rltrace redact app.rltrace -o shared.rltrace
        rltrace redact app.rltrace -o shared.rltrace --codec none && rltrace dump shared.rltrace | less
        rltrace redact app.rltrace -o - | ssh host 'cat >app.rltrace'
      """)

  @Argument(help: "The trace.", completion: .file(extensions: ["rltrace"]))
  var file: String

  @Option(
    name: .shortAndLong, help: "The copy to write, - for standard output.",
    completion: .file(extensions: ["rltrace"]))
  var output: String

  @Option(help: "none or zstd; default: the trace's own.")
  var codec: Choice<CodecID>?

  @Flag(help: ArgumentHelp(StrictReading.help)) var strict = false

  func run() throws {
    FileUse.read(file)
    try FileUse.write([(output, "-o")])
    let reader = try StrictReading.open(file, isStrict: strict)
    let sink = try Output.binary(output)
    let summary: TraceRedactor.Summary
    do throws(TraceFormatError) {
      let id = codec?.value ?? reader.header.codec
      guard let codec = allCodecs(id) else {
        throw .codecMissing(offset: 16, block: nil, codec: id.rawValue)
      }
      let progress = AnalysisProgress(file: file, what: "redacting")
      defer { progress.finish() }
      var redactor = try TraceRedactor(reader, sink: sink, codec: codec)
      summary = try redactor.redact { progress.update($0) }
    } catch {
      sink.discard()
      if case .system(.other, _) = error { throw Output.failure(output, error) }
      throw Failure.reading(file, error)
    }
    Terminal.complain(line(summary))
    if let problem = reader.problem { throw Failure.notWhole(file, problem, reader) }
  }

  private func line(_ summary: TraceRedactor.Summary) -> String {
    var line =
      "replaced \(summary.names) names, \(summary.threadIDs) thread ids and \(summary.facts) facts; "
      + "times, counts and the date of the recording stay: \(Output.name(output))"
    if (summary.droppedEvents, summary.droppedArguments, summary.droppedBlocks) != (0, 0, 0) {
      line +=
        "; left out, of a newer format: \(summary.droppedEvents) events, \(summary.droppedArguments) arguments, "
        + "\(summary.droppedBlocks) blocks"
    }
    return line
  }
}
