import ArgumentParser
import Foundation
import TraceAnalysis
import TraceExchange
import TraceFormat
import TraceTables

struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Exports a trace: tables (CSV, JSON lines), or a file for Perfetto and other viewers.",
    discussion: """
      Examples:
        rltrace export app.rltrace -o tables
        rltrace export app.rltrace --format jsonl -o tables
        rltrace export app.rltrace --table timer_fires | head
        rltrace export app.rltrace --table stacks --format collapsed | flamegraph.pl >flames.svg
        rltrace export app.rltrace --table passes --format jsonl | jq -s 'map(."phases_ns.waiting") | add'
        rltrace export app.rltrace --table state_frames --by state:screen
        rltrace export app.rltrace --format sqlite -o app.db
        rltrace export app.rltrace --format perfetto -o app.pftrace
        rltrace export app.rltrace --format chrome --from 2 --to 5 --min-duration 100us -o app.json
        rltrace export app.rltrace --format pprof -o app.pb && go tool pprof -http : app.pb

      With -o FOLDER, export writes all tables that --table lists, and a README.txt that explains each column. All \
      times are integers in nanoseconds. --format sqlite writes the same tables into one database, with views: \
      starving_timers, longest_callouts, busy_by_mode, late_fires.

      \(TimelineFormat.list) write one file for a viewer: runs, passes, waits and callouts of \
      each thread; a track of due points for each timer; frames, hitches, marks, findings, gaps and stalls; sampled \
      stacks. pprof writes the sampled stacks only.
      """)

  @Argument(help: "The trace.", completion: .file(extensions: ["rltrace"]))
  var file: String

  @Option(help: "\(ExportKind.allCases.map(\.name).joined(separator: ", ")).")
  var format = Choice(ExportKind.tables(.csv))

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The folder for the tables; export creates it if necessary. For a viewer: the file. - is standard output.",
      valueName: "path"))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "Write only this table, to standard output: \(ExportTable.allCases.map(\.name).joined(separator: ", ")).",
      valueName: "name"))
  var table: Choice<ExportTable>?

  @OptionGroup var viewer: ViewerArguments
  @OptionGroup var gaps: GapArguments
  @OptionGroup var span: SpanArguments

  @Option(
    help: ArgumentHelp(
      "For tables: also fill those by the values of a state that the program set.", valueName: "state:name"),
    transform: SplitArgument.read)
  var by: SplitArgument?

  @Flag(help: ArgumentHelp(StrictReading.help)) var strict = false

  func validate() throws {
    switch format.value {
    case .tables(let tables):
      try viewer.refuse(for: tables.name)
      try validate(tables)
    case .timeline, .sqlite, .pprof:
      let name = format.value.name
      guard by == nil || format.value.hasTables else {
        throw ValidationError("--by is for tables, not for \(name)")
      }
      guard table == nil else { throw ValidationError("--table is for \(ExportKind.tableNames)") }
      guard let output, !output.isEmpty else { throw ValidationError("--format \(name) needs -o FILE") }
      if case .timeline = format.value { return }
      try viewer.refuse(for: name)
      if case .sqlite = format.value, Terminal.isStandardOutput(output) {
        throw ValidationError("--format sqlite writes a file; give -o FILE")
      }
    }
  }

  private func validate(_ format: ExportFormat) throws {
    let isFolder = output.map { !Terminal.isStandardOutput($0) } ?? false
    guard isFolder == (table == nil) else {
      throw ValidationError(
        "give either -o FOLDER for all tables, or --table NAME for one on standard output")
    }
    if let tables = format.tables, !tables.contains(table?.value.name ?? "") {
      throw ValidationError(
        "--format \(format.name) is for --table \(tables.joined(separator: " or --table "))")
    }
    if let table = table?.value, table.dependsOnState != (by != nil) {
      throw ValidationError(
        by == nil
          ? "the table \(table.name) needs --by state:NAME"
          : "--by changes nothing in the table \(table.name); leave it out")
    }
    // Both options change which gaps are listed, and some findings depend on gaps.
    if let table = table?.value, !table.dependsOnGaps {
      for (option, isGiven) in [
        ("--gap-threshold", gaps.gapThreshold != nil), ("--profile", gaps.profile != nil),
      ] where isGiven {
        throw ValidationError("\(option) changes nothing in the table \(table.name); leave it out")
      }
    }
  }

  func run() throws {
    FileUse.read(file)
    gaps.enterFiles()
    switch format.value {
    case .tables(let format): try exportTables(format)
    case .timeline(let format): try exportTimeline(format)
    case .sqlite: try exportDatabase()
    case .pprof: try exportProfile()
    }
  }

  /// Opens the trace, after the outputs are known.
  func read() throws -> (reader: TraceReader, options: AnalysisOptions) {
    var asked = try gaps.options()
    asked.splitState = by?.state
    let reader = try StrictReading.open(file, isStrict: strict, longNames: ShownName.whileReading)
    return (reader, try span.applied(to: asked, reader, file))
  }

  private func exportTables(_ format: ExportFormat) throws {
    let files = table == nil ? output.map { ExportTarget.files(in: $0, format) } : nil
    try FileUse.write((files ?? []).map { ($0, "-o") })
    let (reader, asked) = try read()
    var options = asked
    let target = try ExportTarget(table?.value, folder: output ?? "", format, reader)
    options.sink = target.exporter
    do {
      let run = try AnalysisRun(reader, options, file: file, printsMeanwhile: table != nil)
      try by?.check(run.analysis)
      try target.finish(file, run.analysis)
      if table == nil {
        Terminal.complain("wrote \(ExportTable.allCases.count) tables into \(output ?? "")")
      }
      gaps.noteUnit([run.length])
      if let problem = run.problem { throw problem }
    } catch {
      target.exporter.discard()
      throw error
    }
  }
}

/// The formats of `export`.
enum ExportKind: Choosable {
  case tables(ExportFormat)
  case timeline(TimelineFormat)
  case sqlite
  case pprof

  static let allCases =
    ExportFormat.allCases.map(ExportKind.tables) + [.sqlite]
    + TimelineFormat.allCases.map(ExportKind.timeline) + [.pprof]
  static var tableNames: String { ExportFormat.allCases.map(\.name).joined(separator: ", ") }

  var hasTables: Bool {
    switch self {
    case .tables, .sqlite: true
    case .timeline, .pprof: false
    }
  }

  var name: String {
    switch self {
    case .tables(let format): format.name
    case .timeline(let format): format.name
    case .sqlite: "sqlite"
    case .pprof: PprofProfile.name
    }
  }
}

extension TimelineFormat {
  static var list: String { allCases.map(\.name).joined(separator: ", ") }
}

extension ExportTable: Choosable {}

/// The destination of tables: a folder, or standard output for a single table.
struct ExportTarget {
  let exporter: Exporter
  private let name: String

  /// `table` is the table to print; nil = all tables go into the folder.
  init(
    _ table: ExportTable? = nil, folder: String, _ format: ExportFormat, _ reader: TraceReader
  ) throws(Failure) {
    let name = table == nil ? folder : Terminal.standardOutput
    if table == nil { try WholeFile.makeFolder(folder, withParents: true, option: "-o") }
    do throws(TraceFormatError) {
      exporter = try Exporter(table.map { [$0] } ?? ExportTable.allCases, format: format, reader: reader) {
        file throws(TraceFormatError) in
        if table != nil { return StandardOutput() }
        return try Output.file(folder + "/" + file, isDurable: false)
      }
    } catch {
      throw .writing(name, error)
    }
    self.name = name
  }

  /// Returns the files that the export writes into a folder.
  static func files(in folder: String, _ format: ExportFormat) -> [String] {
    (ExportTable.allCases.map { format.file(of: $0) } + [Exporter.dictionaryName]).map { folder + "/" + $0 }
  }

  func finish(_ file: String, _ analysis: Analysis) throws {
    do throws(TraceFormatError) {
      try exporter.finish(file: file, analysis)
    } catch {
      throw Output.failure(name, error)
    }
    for note in exporter.omissions { Terminal.complain("\(harmless(file, limit: 200)): \(note.text)") }
  }
}
