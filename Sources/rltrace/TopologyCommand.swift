import ArgumentParser
import LoopTopology
import Symbolication
import TraceReport

struct TopologyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "topology",
    abstract: "Shows what a run loop holds, from what print(RunLoop.main) printed.",
    discussion: """
      Reads the description that CoreFoundation makes of a run loop, wherever it stands in a text: a log, a crash \
      report, what was copied from a debugger. On Linux, print CFCopyDescription(CFRunLoopGetMain()).

      Examples:
        rltrace topology app.log
        rltrace topology app.log --index 2
        rltrace topology before.txt --diff after.txt
        rltrace topology app.log --diff app.log --diff-index 2
        ./app | rltrace topology - --format json | jq '.modes[].timers'
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

  @Argument(help: "The text with the dump; - is standard input.", completion: .file())
  var file: String

  @Option(help: "Which of the text's dumps, from 1.")
  var index = 1

  @Option(help: "Say what another dump has that this one has not.", completion: .file())
  var diff: String?

  @Option(help: "Which of the other text's dumps, from 1.")
  var diffIndex: Int?

  @Option(help: "text or json.")
  var format: Format = .text

  func validate() throws {
    for (name, number) in [("--index", index), ("--diff-index", diffIndex ?? 1)]
    where !(1...TopologyLimits.dumps).contains(number) {
      throw ValidationError("\(name) expects a number from 1 to \(TopologyLimits.dumps), got \(number)")
    }
    if diff == nil, diffIndex != nil { throw ValidationError("--diff-index changes nothing without --diff") }
    if let diff, TextFile.isStandardInput(diff), TextFile.isStandardInput(file) {
      throw ValidationError("standard input can be read once only")
    }
  }

  func run() throws {
    let base = try dump(file, index)
    let demangler = BoundedDemangler()
    let readable = { (symbol: String) in demangler.name(of: symbol).short }
    var out = OutputBuffer()
    if let diff {
      let other = try dump(diff, diffIndex ?? 1)
      let difference = TopologyDifference(base: base.topology, other: other.topology)
      switch format {
      case .text:
        let text = TopologyDifferenceText(difference, style: Terminal.style, readable: readable)
        for line in text.lines(base: base.place, other: other.place) { try out.line(line) }
      case .json:
        try out.line(try TopologyJSON.encode(difference, base: base.place, other: other.place))
      }
    } else {
      switch format {
      case .text:
        let text = TopologyText(
          base.topology, base.place, style: Terminal.style, readable: readable)
        for line in text.lines() { try out.line(line) }
      case .json: try out.line(try TopologyJSON.encode(base.topology, base.place))
      }
    }
    try out.flush()
  }

  private func dump(_ file: String, _ number: Int) throws(Failure) -> (topology: Topology, place: DumpPlace) {
    let name = TextFile.isStandardInput(file) ? "standard input" : file
    var text = DumpText(try TextFile.bytes(file, atMost: TopologyLimits.textBytes))
    do throws(DumpError) {
      let (topology, line) = try text.dump(number)
      return (topology, DumpPlace(file: name, line: line))
    } catch {
      throw Failure(status: .badData, message: "\(name):\(error.line): \(error.what)")
    }
  }
}
