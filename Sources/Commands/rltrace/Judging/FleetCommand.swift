import ArgumentParser
import Foundation
import JudgementReport
import TraceFleet
import TraceFormat
import TraceResults

struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet",
    abstract: "Adds the summaries of many traces, and judges whether one build is worse than another.",
    discussion: """
      The inputs are files or folders with the lines that `rltrace summarize` or this command wrote. A trace that \
      occurs twice counts once. Sessions with losses are counted separately.

      With --base and --new, each session answers each question with one number. The sessions are compared within \
      groups whose other keys are equal. The exit status is 0 if no regression was found, 1 if one was found, and \
      2 if there are too few sessions.

      Examples:
        rltrace fleet sessions.jsonl
        rltrace fleet days/ --by os,device --base build=1.3 --new build=1.4
        rltrace fleet days/ --by os,device --base build=1.3 --new build=1.4 --html fleet.html
        rltrace fleet days/ --by build --format csv
        rltrace fleet day1.jsonl day2.jsonl --by build,os --format jsonl >both.jsonl
      """)

  enum Format: String, OptionWord {
    case text, json, csv, jsonl, markdown, github, gitlab
  }

  @Argument(
    help: "Files or folders with summaries; - is standard input.", completion: .file(extensions: ["jsonl"]))
  var inputs: [String]

  @Option(help: ArgumentHelp("The keys that make a group. May be repeated.", valueName: "key,…"))
  var by: [String] = []

  @Option(help: ArgumentHelp("The sessions to compare with.", valueName: "key=value"))
  var base: [String] = []

  @Option(help: ArgumentHelp("The sessions that are judged.", valueName: "key=value"))
  var new: [String] = []

  @Option(
    help: """
      text, json, csv (groups), jsonl (merged summaries, which fleet reads again), markdown, github (annotations) or \
      gitlab (code quality report).
      """)
  var format: Format = .text

  @Option(
    help: "Also write JUnit XML: a test case for each question.", completion: .file(extensions: ["xml"]))
  var junit: String?

  @Option(help: "Also write a page for the browser.", completion: .file(extensions: ["html"]))
  var html: String?

  @Option(help: ArgumentHelp(ColorChoice.help)) var color: ColorChoice = .auto

  func validate() throws {
    guard base.isEmpty == new.isEmpty else {
      throw ValidationError("--base and --new must be given together")
    }
    if junit != nil, base.isEmpty { throw ValidationError("--junit needs --base and --new") }
    if base.isEmpty, format == .github || format == .gitlab {
      throw ValidationError("--format \(format.rawValue) needs --base and --new")
    }
  }

  func run() throws {
    let (base, new) = (
      try FleetKeys.values(base, option: "--base"), try FleetKeys.values(new, option: "--new")
    )
    let groups = try FleetKeys.names(by, option: "--by")
    guard base.isEmpty || base != new else {
      throw ValidationError("--base and --new name the same sessions")
    }
    if let junit {
      try WholeFile.refuseStandardOutput(
        junit, option: "--junit", instead: "--format selects what goes there")
    }
    FileUse.read(inputs, as: "summaries")
    if let html {
      try WholeFile.refuseStandardOutput(html, option: "--html", instead: "--format selects what goes there")
    }
    try FileUse.write(
      [(junit, "--junit"), (html, "--html")].compactMap { path, option in path.map { ($0, option) } })
    let compared = Set(base.keys).union(new.keys).sorted()
    // Merged lines keep only the requested keys. Text also shows days.
    let days = (format == .text || html != nil) && !groups.contains("day") ? ["day"] : []
    let keys = groups + compared.filter { !groups.contains($0) } + days
    var reading = SummaryFiles(keys: keys)
    try reading.read(inputs)
    let fleet = reading.fleet
    if fleet.sessions == 0 {
      // The problem was printed when it was found.
      if let failure = reading.failure { throw ExitCode(failure.status.rawValue) }
      throw Failure(status: .badData, message: "no summaries in the input")
    }
    let judgement =
      base.isEmpty
      ? nil : FleetJudgement(fleet, base: base, new: new, strata: groups.filter { !compared.contains($0) })
    // All outputs are complete before the first file is replaced.
    let text: String
    switch format {
    case .text:
      text = FleetText(fleet, by: groups, judgement: judgement, style: color.style).lines.map { $0 + "\n" }
        .joined()
    case .json: text = try FleetJSON.document.encode([(fleet, groups, judgement)]) + "\n"
    case .csv: text = String(decoding: FleetJSON.csv(fleet, by: groups), as: UTF8.self)
    case .jsonl:
      text = fleet.ordered(by: groups + compared.filter { !groups.contains($0) }).map {
        String(decoding: SummaryJSON.encode($0.summary), as: UTF8.self) + "\n"
      }.joined()
    case .markdown: text = FleetMarkdown.text(fleet, by: groups, judgement: judgement)
    case .github: text = annotations(judgement)?.github ?? ""
    case .gitlab: text = annotations(judgement)?.gitlab ?? ""
    }
    let page = try html.map { path in
      (path, try FleetPage(fleet, by: groups, judgement: judgement).html())
    }
    if let junit, let judgement {
      try WholeFile.write(try FleetJUnit.xml(judgement), to: junit, option: "--junit")
    }
    if let (path, page) = page { try WholeFile.write(page, to: path, option: "--html") }
    // A closed pipe must not hide a regression.
    do { try Terminal.print(text) } catch is OutputClosed {}
    if let judgement, !judgement.regressions.isEmpty { throw ExitCode(1) }
    if let failure = reading.failure { throw ExitCode(failure.status.rawValue) }
    if let judgement, judgement.isUndecided { throw ExitCode(2) }
  }

  private func annotations(_ judgement: FleetJudgement?) -> AnnotationReport? {
    judgement.map { AnnotationReport($0, file: inputs.first ?? "-", root: .current) }
  }
}

/// Reads the lines of files with summaries, on all processors, and adds them in order.
struct SummaryFiles {
  private(set) var fleet: Fleet
  /// The first problem. The lines with problems are left out.
  private(set) var failure: Failure?
  private var problems = 0
  private static let problemsShown = 10
  /// The lines decoded at a time, and their bytes: enough for all processors, but only a few megabytes.
  private static let linesAtOnce = 512
  private static let bytesAtOnce = SummaryJSON.lineBytes

  init(keys: [String]) { fleet = Fleet(keys: keys) }

  /// Reads files, and the files `*.jsonl`, `*.json` and `part-*` in folders.
  mutating func read(_ inputs: [String]) throws(Failure) {
    for input in inputs {
      guard let names = Self.filesOfFolder(input) else {
        try read(file: input)
        continue
      }
      if names.isEmpty {
        note(
          Failure(status: .badData, file: input, message: "the folder has no file *.jsonl, *.json or part-*"))
      }
      for name in names {
        let file = input + "/" + name
        // A folder may hold links to devices and pipes, which have no end.
        if sizeOfFile(file) == nil {
          note(Failure(status: .badData, file: file, message: "not a file; it was left out"))
        } else {
          try read(file: file)
        }
      }
    }
    if problems > Self.problemsShown {
      Terminal.complain("and \(problems - Self.problemsShown) more lines were left out")
    }
  }

  private static func filesOfFolder(_ path: String) -> [String]? {
    guard isFolder(path) else { return nil }
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
    return names.filter { name in
      // Spark names its parts `part-00000-….txt`.
      [".jsonl", ".json"].contains { name.hasSuffix($0) } || name.lastPathPart.hasPrefix("part-")
    }.filter { !isFolder(path + "/" + $0) }.sorted()
  }

  private mutating func read(file: String) throws(Failure) {
    let lines: LineReader
    do throws(Failure) { lines = try LineReader(path: file, lineLimit: SummaryJSON.lineBytes) } catch {
      note(error)
      return
    }
    let progress = AnalysisProgress(file: file, what: "adding", isBeside: true)
    defer { progress.finish() }
    let size = Double(max(sizeOfFile(file) ?? 0, 1))
    var (number, bytes) = (0, 0)
    var batch: [(number: Int, line: String)] = []
    do throws(TraceFormatError) {
      while let line = try lines.next() {
        number += 1
        if !line.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { batch.append((number, line)) }
        bytes += line.utf8.count
        if batch.count >= Self.linesAtOnce || bytes >= Self.bytesAtOnce {
          add(batch, of: file)
          batch.removeAll(keepingCapacity: true)
          bytes = 0
          progress.update(Double(lines.bytesRead) / size)
        }
      }
    } catch {
      throw .reading(file, error)
    }
    add(batch, of: file)
  }

  private mutating func add(_ batch: [(number: Int, line: String)], of file: String) {
    Workers.inOrder(batch) { entry -> Result<SessionSummary, SummaryJSON.Problem> in
      do throws(SummaryJSON.Problem) {
        return .success(try SummaryJSON.decode(Array(entry.line.utf8)))
      } catch {
        return .failure(error)
      }
    } use: { place, result in
      switch result {
      case .success(let summary): fleet.add(summary)
      case .failure(let problem):
        fleet.reject()
        note(
          Failure(
            status: .badData, file: "\(file):\(batch[place].number)",
            message: "\(problem.what); the line was left out"))
      }
    }
  }

  private mutating func note(_ problem: Failure) {
    problems += 1
    if problems <= Self.problemsShown { Terminal.complain(problem.message) }
    failure = failure ?? problem
  }
}
