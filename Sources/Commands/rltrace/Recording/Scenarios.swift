import ArgumentParser
import Scenario

struct Scenarios: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenarios",
    abstract: "Lists the scenarios that `rltrace record --scenario` knows, or shows one.",
    discussion: """
      Examples:
        rltrace scenarios
        rltrace scenarios show five-causes >mine.yaml
        rltrace record --scenario mine.yaml
      """, subcommands: [List.self, Show.self], defaultSubcommand: List.self)

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Lists the scenarios, and what each one shows.")

    func run() throws {
      let width = ScenarioLibrary.names.map(\.count).max() ?? 0
      let lines: [String] = try ScenarioLibrary.names.map { name in
        let sentence = try NamedScenario.load(name).about.prefix { $0 != ":" && $0 != "." }
        return name.padding(toLength: width + 2, withPad: " ", startingAt: 0) + sentence
      }
      try Terminal.print(lines: lines)
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Prints the text of a scenario, to read or to change.")

    @Argument(help: "The scenario's name.", completion: .list(ScenarioLibrary.names))
    var name: String

    func run() throws {
      guard let text = ScenarioLibrary.text(name) else { throw NamedScenario.unknown(name) }
      try Terminal.print(text)
    }
  }
}
