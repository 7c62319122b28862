import ArgumentParser
import TextReport

struct Doctor: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Shows what can be recorded on this system, what is missing, and what to do.",
    discussion: """
      doctor tries what `rltrace record` needs, in the current folder. With PROGRAM, it also examines whether that \
      program can be recorded. It does not run the program.

      Examples:
        rltrace doctor
        rltrace doctor ./MyProgram
        rltrace doctor --format json | jq '.checks[] | select(.state != "ok")'

      Exit status: 0 nothing prevents a recording, even if it is limited; 69 something does.
      """)

  enum Format: String, OptionWord { case text, json }

  @Argument(help: "A program that you want to record.", completion: .file())
  var program: String?

  @Option(help: "text or json.")
  var format: Format = .text

  @Option(help: ArgumentHelp(ColorChoice.help)) var color: ColorChoice = .auto

  func run() throws {
    let report = DoctorReport(program: program, DoctorChecks.all(program: program))
    var out = OutputBuffer()
    switch format {
    case .text: for line in DoctorText(report, style: color.style).lines() { try out.line(line) }
    case .json: try out.line(try DoctorJSON.document.encode([report]))
    }
    try out.flush()
    if !report.canRecord { throw ExitCode(ExitStatus.unavailable.rawValue) }
  }
}
