import ArgumentParser
import Backtraces
import CallStacks
import CheckedYAML
import Symbolication
import TextReport
import TraceAnalysis

struct Stack: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stack",
    abstract: "Finds the function to blame in a backtrace, and what held its thread.",
    discussion: """
      Examples:
        rltrace stack crash.ips
        rltrace stack app.hang --app-image MyApp --app-image 'MyKit*'
        rltrace stack monday.ips tuesday.ips wednesday.ips
        rltrace stack payload.json --symbols ~/Archives/MyApp.xcarchive
        sample MyApp 3 -file /dev/stdout | rltrace stack -
        gdb -p 1234 -batch -ex 'thread apply all bt' | rltrace stack - --all
        rltrace stack spindump.txt --format collapsed | flamegraph.pl > flames.svg
        rltrace stack --formats

      stack reads crash, hang and .ips reports of Apple's systems, call trees of sample and spindump, MetricKit \
      diagnostics, reports of PLCrashReporter, KSCrash and Sentry, backtraces of Swift, gdb, lldb and eu-stack, and \
      lists of frames. It recognizes the kind of text by the content, and judges several texts of one kind together.
      """)

  enum Format: String, OptionWord { case text, json, collapsed, markdown }

  @Argument(help: "The texts; - is standard input.", completion: .file())
  var files: [String] = []

  @Flag(help: "List the kinds of texts that rltrace reads, and what each one contains, and do nothing else.")
  var formats = false

  @Option(
    help: ArgumentHelp(
      "The file name of an image that belongs to the app; * matches any text. May be repeated (default: rltrace "
        + "guesses).",
      valueName: "name"))
  var appImage: [String] = []

  @Option(
    help: "A YAML file with cause rules. They apply before the built-in ones.",
    completion: .file(extensions: ["yaml", "yml"]))
  var rules: String?

  @Option(
    help:
      "The thread to judge: its number, id or name (default: the thread that the text blames, else the main thread)."
  )
  var thread: String?

  @Flag(help: "Judge all threads.")
  var all = false

  @Option(
    help: ArgumentHelp(
      "A folder with programs, debug files or dSYM bundles of the same builds, to name functions. May be repeated.",
      valueName: "folder"), completion: .directory)
  var symbols: [String] = []

  @Option(help: "text, json, markdown, or collapsed (stacks for flame graphs).")
  var format: Format = .text

  @Option(help: ArgumentHelp(ColorChoice.help)) var color: ColorChoice = .auto

  func validate() throws {
    if formats {
      guard files.isEmpty else { throw ValidationError("--formats takes no text") }
      return
    }
    if files.isEmpty {
      throw ValidationError("give a text, or - for standard input; --formats lists the kinds of texts")
    }
    if all, thread != nil { throw ValidationError("--all and --thread cannot be combined") }
    if all, files.count > 1 {
      throw ValidationError("--all takes one text; with several texts, stack judges one thread of each")
    }
    if files.filter({ TextFile.isStandardInput($0) }).count > 1 {
      throw ValidationError("standard input can be read only once")
    }
  }

  func run() throws {
    if formats { return try Terminal.print(lines: BacktraceKind.table) }
    for file in files { FileUse.read(file, as: "text") }
    FileUse.read(rules, as: "rules file")
    for folder in symbols { try SymbolFolder.check(folder) }
    try FileUse.write([])
    let builtIn = try builtInRules()
    let rules = try rules.map { try CauseRules.load($0).before(builtIn) } ?? builtIn
    let texts = try files.map { try StackInput(file: $0, thread: thread, judgesAll: all) }
    let main = try mainImage(texts)
    var judge = StackJudge(images: AppImages(named: appImage, main: main), rules: rules)
    var reader = FrameReader(folders: symbols)
    let report = try texts.count == 1 ? report(texts[0], &judge, &reader) : merged(texts, &judge, &reader)
    reader.complain()
    var out = OutputBuffer()
    switch format {
    case .text: try StackText(report.report, style: color.style).write { try out.line($0) }
    case .json:
      try StackJSON.document.write([report.report]) { try out.write($0) }
      try out.line("")
    case .markdown: for line in StackMarkdown.lines(report.report) { try out.line(line) }
    case .collapsed: try report.collapsed.write { try out.line($0) }
    }
    try out.flush()
  }

  /// Returns the main image, which must be the same for all texts, because functions of one program do not exist in
  /// another.
  private func mainImage(_ texts: [StackInput]) throws(Failure) -> String? {
    let first = texts[0]
    let known = texts.lazy.compactMap(\.mainImage).first
    for text in texts.dropFirst() {
      guard text.backtrace.kind == first.backtrace.kind else {
        throw Failure(
          status: .usage, file: text.name,
          message:
            "expected \(first.backtrace.kind.words), as in \(first.name), got \(text.backtrace.kind.words); "
            + "give texts of one kind"
        )
      }
      guard text.mainImage == nil || known == nil || text.mainImage == known || !appImage.isEmpty else {
        throw Failure(
          status: .usage, file: text.name,
          message:
            "this text is about \(text.program), but \(first.name) is about \(first.program); give texts "
            + "about one program"
        )
      }
    }
    return known
  }

  /// The answer and its stacks.
  private typealias Answer = (report: StackReport, collapsed: CollapsedStacks)

  private func report(
    _ text: StackInput, _ judge: inout StackJudge, _ reader: inout FrameReader
  ) throws -> Answer {
    let backtrace = text.backtrace
    var judged: [StackReport.Thread] = []
    var waits: Set<Int> = []
    var collapsed = CollapsedStacks()
    var unfolded = 0
    for place in text.chosen {
      let thread = backtrace.threads[place]
      let own = try reader.read(text.stacks(thread, &unfolded))
      try add(own, of: thread.title, to: &collapsed, text)
      let verdict = judge.verdict(of: own)
      if verdict.main?.waitsForLock ?? false { waits.insert(place) }
      judged.append(
        StackReport.Thread(
          title: thread.title, section: thread.section, number: thread.number, id: thread.id,
          name: thread.name, line: thread.line, verdict: verdict))
    }
    let waiters = backtrace.threads.enumerated().map { place, thread in
      var lock = thread.lock?.owner != nil || waits.contains(place) ? thread.lock ?? LockWait() : nil
      if lock != nil { lock?.isQueue = thread.waitsForQueue }
      return StackReport.Waiter(
        title: thread.title, section: thread.section, id: thread.id, isMain: thread.isMain, lock: lock)
    }
    var report = StackReport(
      files: [text.name], format: backtrace.kind.name, formatWords: backtrace.kind.words,
      program: backtrace.program ?? text.mainImage, threads: judged,
      otherThreads: backtrace.threads.count - text.chosen.count, waiters: waiters)
    report.statements = text.statements
    report.notes = backtrace.notes
    return (report, collapsed)
  }

  /// Merges the texts. Each text has the same weight, whatever its number of samples.
  private func merged(
    _ texts: [StackInput], _ judge: inout StackJudge, _ reader: inout FrameReader
  ) throws -> Answer {
    var collapsed = CollapsedStacks()
    var unfolded = 0
    var all: [CallStack] = []
    var parts: [StackReport.Part] = []
    var notes: [String] = []
    for text in texts {
      var own: [CallStack] = []
      for place in text.chosen {
        let thread = text.backtrace.threads[place]
        let stacks = try reader.read(text.stacks(thread, &unfolded))
        try add(stacks, of: thread.isMain ? "main thread" : thread.name ?? "thread", to: &collapsed, text)
        own += stacks
      }
      parts.append(StackReport.Part(file: text.name, verdict: judge.verdict(of: own)))
      let samples = own.reduce(UInt64(0)) { $0.saturated(adding: $1.samples) }
      all += own.map { stack in
        var stack = stack
        stack.weight = UInt64(clamping: Double(stack.samples) / Double(max(samples, 1)) * Self.weightOfText)
        return stack
      }
      notes += text.backtrace.notes.map { "\(text.name): \($0)" }
    }
    let first = texts[0].backtrace
    var report = StackReport(
      files: texts.map(\.name), format: first.kind.name, formatWords: first.kind.words,
      program: first.program ?? texts[0].mainImage,
      threads: [
        StackReport.Thread(
          title: "\(texts.count) texts together", section: nil, number: nil, id: nil, name: nil, line: 0,
          verdict: judge.verdict(of: all))
      ], otherThreads: 0, waiters: [])
    report.statements = texts.flatMap { text in text.statements.map { $0.of(text.name) } }
    report.parts = parts
    report.notes = notes
    return (report, collapsed)
  }

  private static let weightOfText = 1e6

  private func add(
    _ stacks: [CallStack], of thread: String, to collapsed: inout CollapsedStacks, _ text: StackInput
  ) throws(Failure) {
    guard format == .collapsed, !collapsed.add(stacks, of: thread) else { return }
    throw Failure(
      status: .badData, file: text.name,
      message:
        "the collapsed stacks are longer than \(StackLimits.collapsedBytes) bytes; select one thread with --thread"
    )
  }

  private func builtInRules() throws(Failure) -> CauseRules {
    do throws(TextFileError) { return try CauseRules.builtIn() } catch {
      throw Failure(status: .software, message: "the built-in rules: \(error)")
    }
  }
}
