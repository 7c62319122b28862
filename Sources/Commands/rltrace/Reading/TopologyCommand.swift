import ArgumentParser
import LoopTopology
import Symbolication
import SystemSupport
import TextReport
import TraceAnalysis
import TraceFormat

struct TopologyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "topology",
    abstract: "Shows what a run loop holds, from a trace or from the output of print(RunLoop.main).",
    discussion: """
      topology finds CoreFoundation's description of a run loop anywhere in a text: a log, a crash report, or text \
      copied from a debugger. On Linux, print CFCopyDescription(CFRunLoopGetMain()). For a trace, topology shows the \
      snapshots that the recorder took: before a loop's first run, in stalls, and at SIGUSR2.

      Examples:
        rltrace topology app.log
        rltrace topology app.log --index 2
        rltrace topology before.txt --diff after.txt
        rltrace topology app.log --diff app.log --diff-index 2
        rltrace topology app.rltrace --index 3
        rltrace topology app.rltrace --diff app.rltrace --diff-index 3
        ./app | rltrace topology - --format json | jq '.modes[].timers'
      """)

  enum Format: String, OptionWord { case text, json }

  @Argument(help: "The trace, or the text with the dump; - is standard input.", completion: .file())
  var file: String

  @Option(help: "The number of the dump in the text, or of the snapshot in the trace, from 1.")
  var index = 1

  @Option(help: "Compare with a dump or snapshot of this file.", completion: .file())
  var diff: String?

  @Option(help: "The number of the dump or snapshot in the other file, from 1.")
  var diffIndex: Int?

  @Option(help: "text or json.")
  var format: Format = .text

  @Option(help: ArgumentHelp(ColorChoice.help)) var color: ColorChoice = .auto

  @Flag(help: ArgumentHelp(StrictReading.help)) var strict = false

  func validate() throws {
    for (name, number) in [("--index", index), ("--diff-index", diffIndex ?? 1)]
    where !(1...TopologyLimits.dumps).contains(number) {
      throw ValidationError("\(name) expects a number from 1 to \(TopologyLimits.dumps), got \(number)")
    }
    if diff == nil, diffIndex != nil { throw ValidationError("--diff-index needs --diff") }
    if let diff, TextFile.isStandardInput(diff), TextFile.isStandardInput(file) {
      throw ValidationError("standard input can be read only once")
    }
  }

  func run() throws {
    FileUse.read([file, diff].compactMap(\.self), as: "trace or text")
    try FileUse.write([])
    let base = try dump(file, index)
    var problem = base.problem
    let demangler = BoundedDemangler()
    let readable = { (symbol: String) in demangler.name(of: symbol).short }
    var out = OutputBuffer()
    if let diff {
      let other = try dump(diff, diffIndex ?? 1)
      problem = problem ?? other.problem
      for found in [base, other] {
        // Missing items would appear to have been removed.
        guard let cut = found.topology.cut else { continue }
        throw Failure(
          status: .badData,
          message: "\(found.place.file):\(cut.line): \(cut.what); --diff needs complete dumps")
      }
      let difference = TopologyDifference(base: base.topology, other: other.topology)
      switch format {
      case .text:
        let text = TopologyDifferenceText(difference, style: color.style, readable: readable)
        for line in text.lines(base: base.place, other: other.place) { try out.line(line) }
      case .json:
        try TopologyJSON.differenceDocument.write([(difference, base.place, other.place)]) {
          try out.write($0)
        }
        try out.line("")
      }
    } else {
      switch format {
      case .text:
        let text = TopologyText(
          base.topology, base.place, style: color.style, readable: readable)
        for line in text.lines() { try out.line(line) }
        for line in SnapshotList.lines(base.snapshots, style: color.style) { try out.line(line) }
      case .json:
        try TopologyJSON.document.write([(base.topology, base.place)]) { try out.write($0) }
        try out.line("")
      }
    }
    try out.flush()
    if let problem { throw problem }
  }

  /// The contents of a run loop, their place in the file, and all snapshots of a trace.
  private struct Found {
    var topology: Topology
    var place: DumpPlace
    var snapshots: [TopologySnapshot] = []
    /// Why the trace is incomplete.
    var problem: Failure?
  }

  private func dump(_ file: String, _ number: Int) throws(Failure) -> Found {
    if !TextFile.isStandardInput(file), Files.begins(file, with: FileHeader.magic, followingLinks: true) {
      return try snapshot(of: file, number)
    }
    let name = TextFile.isStandardInput(file) ? "standard input" : file
    MemoryLimit.watch(reading: name)
    var text = DumpText(try TextFile.bytes(file, atMost: TopologyLimits.textBytes))
    do throws(DumpError) {
      let (topology, line) = try text.dump(number)
      return Found(topology: topology, place: DumpPlace(file: name, line: line))
    } catch {
      throw Failure(status: .badData, message: "\(name):\(error.line): \(error.what)")
    }
  }

  private func snapshot(of file: String, _ number: Int) throws(Failure) -> Found {
    let run = try AnalysisRun(
      StrictReading.open(file, isStrict: strict, longNames: ShownName.whileReading), AnalysisOptions(),
      file: file)
    let snapshots = run.analysis.snapshots
    guard number <= snapshots.count else {
      // The snapshot may be in the lost part.
      if let problem = run.problem { Terminal.complain(problem.message) }
      throw Failure(
        status: .badData, file: file,
        message: snapshots.isEmpty
          ? "the trace has no snapshot of a run loop; `rltrace record` takes snapshots of programs that run one"
          : "the trace has \(Phrase.count(snapshots.count, "snapshot", "snapshots")), but no number \(number)"
      )
    }
    let snapshot = snapshots[number - 1]
    return Found(
      topology: snapshot.topology, place: DumpPlace(file: file, snapshot: snapshot), snapshots: snapshots,
      problem: run.problem)
  }
}
