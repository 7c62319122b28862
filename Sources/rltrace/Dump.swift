import ArgumentParser
import TraceFormat

struct Dump: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints a trace as text, one event a line.",
    discussion: """
      The text is lossless: `rltrace assemble` makes the same trace of it, the same bytes with codec none. Blocks \
      stand in file order, and each holds the events of one thread. A line is: time in units, event, mode (m), \
      object (#), arguments; behind the `;` stand seconds, mode and name for the reader.

      Examples:
        rltrace dump app.rltrace | less
        rltrace dump app.rltrace | grep timer.begin
        rltrace dump app.rltrace > app.txt && rltrace assemble app.txt -o copy.rltrace
      """)

  @Argument(help: "The trace.", completion: .file(extensions: ["rltrace"]))
  var file: String

  func run() throws {
    try reportingFailures {
      let reader = try openTrace(file)
      var out = OutputBuffer()
      var dumper = TextDumper(reader)
      do {
        try dumper.dump { try out.line($0) }
      } catch let error as TraceFormatError {
        try out.flush()
        throw Failure.reading(file, error)
      }
      try out.flush()
      if let problem = problemOf(reader, file) { throw problem }
    }
  }
}
