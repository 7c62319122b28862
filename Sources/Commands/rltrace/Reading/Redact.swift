import ArgumentParser
import TraceCompression
import TraceFormat
import TraceResults

struct Redact: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "redact",
    abstract: "Copies a trace without names and paths, for sharing.",
    discussion: """
      redact replaces the names of threads, modes, timers, sources, blocks, marks and code with names such as "timer \
      1", "site 4" and "mode 3". Equal names get equal replacements, so that the copy can be analyzed like the \
      original. redact also removes system ids, addresses, and facts about the program and the machine. It keeps \
      times, counts, the date of the recording, and the names of the system's own modes.

      Examples:
        rltrace redact app.rltrace -o shared.rltrace
        rltrace redact app.rltrace -o shared.rltrace --codec none && rltrace dump shared.rltrace | less
        rltrace redact app.rltrace -o - | ssh host 'cat >app.rltrace'
      """)

  @Argument(help: "The trace.", completion: .file(extensions: ["rltrace"]))
  var file: String

  @Option(
    name: .shortAndLong, help: "The copy to write; - is standard output.",
    completion: .file(extensions: ["rltrace"]))
  var output: String

  @Option(help: "none or zstd (default: the codec of the trace).")
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
    if let problem = reader.problem { throw Failure.incomplete(file, problem, reader) }
  }

  private func line(_ summary: TraceRedactor.Summary) -> String {
    var line =
      "replaced \(Phrase.count(summary.names, "name", "names")), "
      + "\(Phrase.count(summary.threadIDs, "thread id", "thread ids")) and "
      + "\(Phrase.count(summary.facts, "fact", "facts")); "
      + "times, counts and the date of the recording are unchanged: \(Output.name(output))"
    if (summary.droppedEvents, summary.droppedArguments, summary.droppedBlocks) != (0, 0, 0) {
      line +=
        "; left out \(Phrase.count(summary.droppedEvents, "event", "events")), "
        + "\(Phrase.count(summary.droppedArguments, "argument", "arguments")) and "
        + "\(Phrase.count(summary.droppedBlocks, "block", "blocks")) of a newer format"
    }
    return line
  }
}
