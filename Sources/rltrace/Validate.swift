import ArgumentParser
import TraceFormat
import TraceReport
import TraceValidation

struct Validate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract:
      "Says whether a trace is sound: checksums, structure, and what its loops are said to have done.",
    discussion: """
      Reads the whole trace, and lists what is wrong with it: block, byte, time, thread. What is illegal, no run loop \
      does: the end of a callout that did not begin, an activity that cannot follow the one before, a run without an \
      Entry, a name that is not defined.

      Examples:
        rltrace validate app.rltrace
        rltrace validate *.rltrace --limit 5
        rltrace validate app.rltrace --format json | jq '.problems[] | {kind, byte, what}'

      Exit status: 0 sound, 1 intact but illegal, 2 cut short (and what is there intact), 65 damaged. Of several \
      traces, or several problems, the gravest.
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

  @Argument(help: "The traces.", completion: .file(extensions: ["rltrace"]))
  var files: [String]

  @Option(help: "text or json.")
  var format: Format = .text

  @Option(
    help: ArgumentHelp("Problems of each kind that are listed; the others are counted.", valueName: "number"))
  var limit = 20

  func validate() throws {
    guard (0...1_000_000).contains(limit) else {
      throw ValidationError("--limit expects a number from 0 to 1000000, got \(limit)")
    }
  }

  func run() throws {
    FileUse.read(files)
    try FileUse.write([])
    var entries: [ValidationJSON.Entry] = []
    var failures: [Failure] = []
    var gravest: Fault?
    var out = OutputBuffer()
    for file in files {
      do {
        let reader = try openTrace(file)
        let validation = try check(reader, file)
        gravest = [gravest, validation.fault].compactMap(\.self).max()
        if format == .json {
          entries.append(ValidationJSON.Entry(file: file, reader, validation))
        } else {
          for line in ValidationText(validation, reader).lines(file: file) { try out.line(line) }
        }
      } catch let failure as Failure {
        // Errors in one file do not stop the others.
        failures.append(failure)
      }
    }
    if !entries.isEmpty { try out.line(try ValidationJSON.encode(entries)) }
    try out.flush()
    for failure in failures.dropLast() { Terminal.complain(failure.message) }
    if let failure = failures.last { throw failure }
    if let gravest { throw gravest.status }
  }

  private func check(_ reader: TraceReader, _ file: String) throws(Failure) -> Validation {
    let progress = AnalysisProgress(file: file, what: "validating")
    defer { progress.finish() }
    do throws(TraceFormatError) {
      return try Validation(reader, limit: limit, progress: progress.update)
    } catch {
      throw .reading(file, error)
    }
  }
}

extension Fault {
  /// The exit status, which docs/reference/commands/validate.md documents.
  fileprivate var status: ExitCode {
    switch self {
    case .illegal: ExitCode(1)
    case .cutShort: ExitCode(2)
    case .damaged: ExitCode(ExitStatus.badData.rawValue)
    }
  }
}
