import ArgumentParser
import Foundation
import PageReport
import TraceAnalysis
import TraceFormat

struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Makes an HTML report of a trace: verdict, findings, timeline, starvation, histograms, gaps.",
    discussion: """
      The report is one file. It opens in any current browser, without a network or a server, and within a second, \
      however long the trace is. For several traces, such as those of a program and its children, report writes an \
      overview page. Its links lead to the reports of the traces, in a folder beside it.

      Examples:
        rltrace report app.rltrace
        rltrace report app.rltrace -o monday.html --profile interactive
        rltrace report app.rltrace -o - | gzip >app.html.gz
        rltrace report app.rltrace --from 1.5 --to 3 -o detail.html
        rltrace report app.rltrace app.*.rltrace -o index.html
      """)

  @Argument(help: "The trace, or several.", completion: .file(extensions: ["rltrace"]))
  var files: [String]

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The page to write; - is standard output. An existing page is replaced. For several traces, the overview "
        + "page (default: the trace's name with .html)."),
    completion: .file(extensions: ["html"]))
  var output: String?

  @OptionGroup var gaps: GapArguments
  @OptionGroup var span: SpanArguments
  @Flag(help: ArgumentHelp(WorthOfFindings.help)) var worth = false

  @Flag(help: ArgumentHelp(StrictReading.help)) var strict = false

  func validate() throws {
    if worth { try WorthOfFindings.refuse(span) }
    guard files.count == 1 || output != nil else {
      throw ValidationError("several traces need -o for their overview page, such as -o index.html")
    }
  }

  func run() throws {
    if files.count > 1 { return try overview() }
    let file = files[0]
    let path = output ?? Self.page(of: file)
    FileUse.read(file)
    gaps.enterFiles()
    try FileUse.write([(path, "-o")])
    let asked = try gaps.options()
    let reader = try StrictReading.open(file, isStrict: strict, longNames: ShownName.whileReading)
    let made = try report(reader, file, asked)
    if Terminal.isStandardOutput(path) {
      try Terminal.print(made.page)
    } else {
      try WholeFile.write(made.page, to: path, option: "-o")
    }
    gaps.noteUnit([made.run.length])
    // The page also reports the problem; the status is for scripts.
    if let problem = made.run.problem { throw problem }
  }

  private typealias Made = (page: String, run: AnalysisRun, timeline: TimelineBuilder)

  private func report(_ reader: TraceReader, _ file: String, _ asked: AnalysisOptions) throws -> Made {
    var options = try span.applied(to: asked, reader, file)
    let timeline = TimelineBuilder(reader, from: options.from, to: options.to)
    options.sink = timeline
    var run = try AnalysisRun(reader, options, file: file)
    if worth { WorthOfFindings.add(to: &run.analysis, reader, file: file) }
    return (try HTMLReport(reader, file: file).render(run.analysis, timeline: timeline), run, timeline)
  }

  /// Writes one report for each trace into a folder beside the overview. The overview comes last, so that its links
  /// work.
  private func overview() throws {
    let path = output ?? ""
    try WholeFile.refuseStandardOutput(path, option: "-o", instead: "several traces give several pages")
    let folder = (path.hasSuffix(".html") ? String(path.dropLast(5)) : path) + "-reports"
    var taken: Set<String> = []
    let names = files.map { Self.free(Self.page(of: $0).lastPathPart, &taken) }
    FileUse.read(files)
    gaps.enterFiles()
    try FileUse.write(([path] + names.map { "\(folder)/\($0)" }).map { ($0, "-o") })
    let asked = try gaps.options()
    var (entries, problems): ([FilesPage.Entry], [Failure]) = ([], [])
    var lengths: [TraceLength] = []
    try WholeFile.makeFolder(folder, option: "-o")
    for (file, name) in zip(files, names) {
      let (reader, made): (TraceReader, Made)
      do {
        reader = try StrictReading.open(file, isStrict: strict, longNames: ShownName.whileReading)
        made = try report(reader, file, asked)
      } catch let failure as Failure where failure.status != .usage {
        // Errors in one trace do not stop the others.
        entries.append(FilesPage.Entry(file: file, problem: failure.message))
        problems.append(failure)
        continue
      }
      try WholeFile.write(made.page, to: "\(folder)/\(name)", option: "-o")
      entries.append(
        FilesPage.Entry(
          file: file, page: "\(folder.lastPathPart)/\(name)", made.run.analysis, made.timeline, reader,
          problem: made.run.problem?.message))
      lengths.append(made.run.length)
      if let problem = made.run.problem { problems.append(problem) }
    }
    try WholeFile.write(try FilesPage(entries).html(title: path.lastPathPart), to: path, option: "-o")
    gaps.noteUnit(lengths)
    for problem in problems.dropLast() { Terminal.complain(problem.message) }
    if let problem = problems.last { throw problem }
  }

  /// Returns the page for a trace: `app.html` beside `app.rltrace`.
  static func page(of file: String) -> String {
    (file.hasSuffix(".rltrace") ? String(file.dropLast(8)) : file) + ".html"
  }

  /// Returns the name, or a similar one that no other trace uses.
  private static func free(_ name: String, _ taken: inout Set<String>) -> String {
    let stem = String(name.dropLast(5))
    var number = 1
    var free = name
    while !taken.insert(free).inserted {
      number += 1
      free = "\(stem)-\(number).html"
    }
    return free
  }
}

extension String {
  var lastPathPart: String { split(separator: "/").last.map(String.init) ?? self }
}
