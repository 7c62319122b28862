import ArgumentParser
import TraceFormat

struct Dump: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Prints a trace as text, one event a line.",
    discussion: """
      The text is lossless: `rltrace assemble` makes the same trace from it, and the same bytes with codec none. \
      Blocks are in file order. Each block holds the events of one thread. A line has the time in units, the \
      event, the mode (m), the object (#) and the arguments. A comment after the `;` has seconds, mode and name.

      Examples:
        rltrace dump app.rltrace | less
        rltrace dump app.rltrace | grep timer.begin
        rltrace dump app.rltrace -o app.txt && rltrace assemble app.txt -o copy.rltrace
      """)

  @Argument(help: "The trace.", completion: .file(extensions: ["rltrace"]))
  var file: String

  @Option(
    name: .shortAndLong, help: "The text file to write; - is standard output (the default).",
    completion: .file(extensions: ["txt", "rltext"]))
  var output = Terminal.standardOutput

  @Flag(help: ArgumentHelp(StrictReading.help)) var strict = false

  func run() throws {
    FileUse.read(file)
    try FileUse.write([(output, "-o")])
    let reader = try StrictReading.open(file, isStrict: strict)
    let isFile = !Terminal.isStandardOutput(output)
    let sink = try isFile ? Output.sink(output, isDurable: false) : nil
    var out = OutputBuffer(sink)
    let progress = AnalysisProgress(file: file, what: "dumping", isBeside: !isFile)
    defer { progress.finish() }
    var dumper = TextDumper(reader)
    var problem: Failure?
    do {
      try dumper.dump(progress: progress.update) { try out.line($0) }
    } catch let error as TraceFormatError {
      problem = .reading(file, error)
    }
    // Keep everything that was read before the error.
    try out.flush()
    do throws(TraceFormatError) { try sink?.commit() } catch { throw Failure.writing(output, error) }
    Output.report(wrote: output)
    if dumper.omittedDefinitions > 0 {
      Terminal.complain(
        "\(file): comments name only the objects of the first \(ReadingLimits.objectDefinitions) "
          + "definitions; \(dumper.omittedDefinitions) more are not used"
      )
    }
    if let problem { throw problem }
    if let problem = reader.problem { throw Failure.incomplete(file, problem, reader) }
  }
}
