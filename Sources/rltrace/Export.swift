import ArgumentParser
import Foundation
import TraceAnalysis
import TraceFormat
import TraceReport
import TraceTables

struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Exports the numbers of a trace as tables: CSV or JSON lines.",
    discussion: """
      Examples:
        rltrace export app.rltrace -o tables
        rltrace export app.rltrace --format jsonl -o tables
        rltrace export app.rltrace --table timer_fires | head
        rltrace export app.rltrace --table stacks --format collapsed | flamegraph.pl >flames.svg
        rltrace export app.rltrace --table passes --format jsonl | jq -s 'map(."phases_ns.waiting") | add'

      With -o FOLDER, export writes all tables that --table lists, and a README.txt that explains each column. All \
      times are integers in nanoseconds.
      """)

  @Argument(help: "The trace.", completion: .file(extensions: ["rltrace"]))
  var file: String

  @Option(help: "\(ExportFormat.allCases.map(\.name).joined(separator: " or ")).")
  var format = Choice(ExportFormat.csv)

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The folder for the tables; export creates it if necessary. With --table, - is standard output.",
      valueName: "folder"),
    completion: .directory)
  var output: String?

  @Option(
    help: ArgumentHelp(
      "Write only this table, to standard output: \(ExportTable.allCases.map(\.name).joined(separator: ", ")).",
      valueName: "name"))
  var table: Choice<ExportTable>?

  @OptionGroup var gaps: GapArguments
  @OptionGroup var span: SpanArguments

  @Flag(help: ArgumentHelp(StrictReading.help)) var strict = false

  func validate() throws {
    let isFolder = output.map { !Output.isStandardOutput($0) } ?? false
    guard isFolder == (table == nil) else {
      throw ValidationError(
        "Give either -o FOLDER for all tables, or --table NAME for one on standard output")
    }
    if let tables = format.value.tables, !tables.contains(table?.value.name ?? "") {
      throw ValidationError(
        "--format \(format.value.name) is for --table \(tables.joined(separator: " or --table "))")
    }
    // Both options change which gaps are listed, and some findings depend on gaps.
    if let table = table?.value, !table.dependsOnGaps {
      for (option, isGiven) in [
        ("--gap-threshold", gaps.gapThreshold != nil), ("--profile", gaps.profile.profile != nil),
      ] where isGiven {
        throw ValidationError("\(option) changes nothing in the table \(table.name); leave it out")
      }
    }
  }

  func run() throws {
    FileUse.read(file)
    gaps.enterFiles()
    let files = table == nil ? output.map { ExportTarget.files(in: $0, format.value) } : nil
    try FileUse.write((files ?? []).map { ($0, "-o") })
    let asked = try gaps.options()
    let reader = try StrictReading.open(file, isStrict: strict, longNames: ShownName.whileReading)
    var options = try span.applied(to: asked, reader, file)
    let target = try ExportTarget(table?.value, folder: output ?? "", format.value, reader)
    options.sink = target.exporter
    do {
      let run = try AnalysisRun(reader, options, file: file, printsMeanwhile: table != nil)
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

extension ExportFormat: Choosable {}
extension ExportTable: Choosable {}

/// The destination of tables: a folder, or standard output for a single table.
struct ExportTarget {
  let exporter: Exporter
  private let name: String

  /// `table` is the table to print; nil = all tables go into the folder.
  init(
    _ table: ExportTable? = nil, folder: String, _ format: ExportFormat, _ reader: TraceReader
  ) throws(Failure) {
    let name = table == nil ? folder : Output.standardOutput
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
