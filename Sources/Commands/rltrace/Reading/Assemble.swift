import ArgumentParser
import TraceCompression
import TraceFormat

struct Assemble: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "assemble",
    abstract: "Makes a trace from the text that `dump` prints.",
    discussion: """
      Examples:
        rltrace assemble app.txt -o app.rltrace
        rltrace dump app.rltrace | rltrace assemble - -o copy.rltrace
        rltrace assemble app.txt -o small.rltrace --codec zstd
      """)

  @Argument(help: "The text; - is standard input.", completion: .file())
  var file: String

  @Option(
    name: .shortAndLong, help: "The trace to write; - is standard output.",
    completion: .file(extensions: ["rltrace"]))
  var output: String

  @Option(help: "none or zstd (default: the codec that the text names).")
  var codec: Choice<CodecID>?

  func run() throws {
    FileUse.read(file, as: "text")
    try FileUse.write([(output, "-o")])
    MemoryLimit.watch(reading: file)
    let text = try LineReader(path: file, lineLimit: TraceLimits.lineBytes)
    let sink = try Output.binary(output)
    let progress = AnalysisProgress(file: file, what: "assembling")
    defer { progress.finish() }
    let size = Double(max(sizeOfFile(file) ?? 0, 1))
    var assembler = TextAssembler(sink: sink, codecs: allCodecs, codec: codec?.value)
    do throws(TraceFormatError) {
      var number = 0
      while let line = try text.next() {
        try assembler.read(line)
        number += 1
        if number.isMultiple(of: 1 << 14) { progress.update(Double(text.bytesRead) / size) }
      }
      try assembler.finish()
    } catch {
      sink.discard()
      if case .system(.other, _) = error { throw Output.failure(output, error) }
      throw Failure.reading(file, error)
    }
    Output.report(wrote: output)
  }
}
