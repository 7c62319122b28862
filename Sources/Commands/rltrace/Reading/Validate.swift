import ArgumentParser
import TextReport
import TraceFormat
import TraceValidation

struct Validate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract:
      "Checks whether a trace is sound: its checksums, its structure, and the order of its events.",
    discussion: """
      validate reads the whole trace, and lists each problem with its block, byte, time and thread. A trace is \
      illegal if no run loop can produce its events: for example, if a callout ends without having begun. An activity \
      that cannot follow the one before, a run without an Entry, and a name that is not defined are illegal as \
      well.

      Examples:
        rltrace validate app.rltrace
        rltrace validate *.rltrace --limit 5
        rltrace validate app.rltrace --format json | jq '.problems[] | {kind, byte, what}'

      Exit status: 0 sound, 1 intact but illegal, 2 cut short (but intact up to there), 65 damaged. For several \
      traces or problems, it is that of the most serious one.
      """)

  enum Format: String, OptionWord { case text, json }

  @Argument(help: "The traces.", completion: .file(extensions: ["rltrace"]))
  var files: [String]

  @Option(help: "text or json.")
  var format: Format = .text

  @Option(
    help: ArgumentHelp(
      "The number of problems to list of each kind; validate only counts the others.", valueName: "number"))
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
    if !entries.isEmpty { try out.line(try ValidationJSON.document.encode(entries)) }
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
