import ArgumentParser
import TextReport
import TraceResults

struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explains a finding, such as RL004, or a term, such as hang.",
    discussion: """
      Examples:
        rltrace explain RL004
        rltrace explain hang
        rltrace explain due point
        rltrace explain --list

      The texts are those of the reference pages about findings and of the glossary.
      """)

  @Argument(help: "The id of a finding, or a term. A term may have several words.")
  var name: [String] = []

  @Flag(help: "List all findings and terms.")
  var list = false

  @Option(help: ArgumentHelp(ColorChoice.help)) var color: ColorChoice = .auto

  func validate() throws {
    if list, !name.isEmpty { throw ValidationError("--list takes no name") }
    if !list, name.isEmpty {
      throw ValidationError("give a finding or a term, or --list: rltrace explain RL004")
    }
  }

  func run() throws {
    let explanations = Explanations()
    let name = name.joined(separator: " ")
    let style = color.style
    guard let lines = list ? explanations.list(style: style) : explanations.lines(about: name, style: style)
    else {
      throw Failure(
        status: .usage,
        message:
          "no finding or term '\(harmless(name, limit: 100))'\(explanations.hint(name)); see `rltrace explain --list`"
      )
    }
    try Terminal.print(lines: lines)
  }
}
