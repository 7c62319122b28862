import ArgumentParser
import LoopTopology
import Symbolication
import TraceAnalysis
import TraceFormat
import TraceReport
import TraceResults

struct TopologyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "topology",
    abstract: "Shows what a run loop holds, from a trace or from what print(RunLoop.main) printed.",
    discussion: """
      Reads the description that CoreFoundation makes of a run loop, wherever it stands in a text: a log, a crash \
      report, what was copied from a debugger. On Linux, print CFCopyDescription(CFRunLoopGetMain()). Of a trace, it \
      shows the snapshots that the recorder took before a loop's first run, in stalls, and when asked by SIGUSR2.

      Examples:
        rltrace topology app.log
        rltrace topology app.log --index 2
        rltrace topology before.txt --diff after.txt
        rltrace topology app.log --diff app.log --diff-index 2
        rltrace topology app.rltrace --index 3
        rltrace topology app.rltrace --diff app.rltrace --diff-index 3
        ./app | rltrace topology - --format json | jq '.modes[].timers'
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

  @Argument(help: "The trace, or the text with the dump; - is standard input.", completion: .file())
  var file: String

  @Option(help: "Which of the text's dumps, or of the trace's snapshots, from 1.")
  var index = 1

  @Option(help: "Say what another dump or snapshot has that this one has not.", completion: .file())
  var diff: String?

  @Option(help: "Which of the dumps or snapshots of the other file, from 1.")
  var diffIndex: Int?

  @Option(help: "text or json.")
  var format: Format = .text

  @OptionGroup var colors: ColorArguments

  @Flag(help: ArgumentHelp(StrictReading.help)) var strict = false

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
        // Missing items would appear to be removed.
        guard let cut = found.topology.cut else { continue }
        throw Failure(
          status: .badData, message: "\(found.place.file):\(cut.line): \(cut.what); --diff takes whole dumps")
      }
      let difference = TopologyDifference(base: base.topology, other: other.topology)
      switch format {
      case .text:
        let text = TopologyDifferenceText(difference, style: colors.style, readable: readable)
        for line in text.lines(base: base.place, other: other.place) { try out.line(line) }
      case .json:
        try TopologyJSON.write(difference, base: base.place, other: other.place) { try out.write($0) }
        try out.line("")
      }
    } else {
      switch format {
      case .text:
        let text = TopologyText(
          base.topology, base.place, style: colors.style, readable: readable)
        for line in text.lines() { try out.line(line) }
        for line in SnapshotList.lines(base.snapshots, style: colors.style) { try out.line(line) }
      case .json:
        try TopologyJSON.write(base.topology, base.place) { try out.write($0) }
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
    /// Why the trace is not whole.
    var problem: Failure?
  }

  private func dump(_ file: String, _ number: Int) throws(Failure) -> Found {
    if !TextFile.isStandardInput(file), TraceFile.begins(file, with: FileHeader.magic, followingLinks: true) {
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
          ? "no snapshot of what a run loop holds; `rltrace record` takes them of programs that run one"
          : "has \(Say.count(snapshots.count, "snapshot", "snapshots")), no number \(number)")
    }
    let snapshot = snapshots[number - 1]
    return Found(
      topology: snapshot.topology, place: DumpPlace(file: file, snapshot: snapshot), snapshots: snapshots,
      problem: run.problem)
  }
}
