import ArgumentParser
import Backtraces
import CallStacks
import CheckedYAML
import Symbolication
import TraceAnalysis
import TraceReport

struct Stack: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stack",
    abstract: "Says of a backtrace whose function was to blame, and what it was held by.",
    discussion: """
      Examples:
        rltrace stack crash.ips
        rltrace stack app.hang --app-image MyApp --app-image 'MyKit*'
        sample MyApp 3 -file /dev/stdout | rltrace stack -
        gdb -p 1234 -batch -ex 'thread apply all bt' | rltrace stack - --all
        rltrace stack spindump.txt --format collapsed | flamegraph.pl > flames.svg

      Reads crash, hang and .ips reports of Apple's systems, call trees of sample and spindump, MetricKit diagnostics, \
      backtraces of Swift, gdb and lldb, and numbered lists of frames; which it is, the content decides.
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json, collapsed }

  @Argument(help: "The text, - for standard input.", completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp(
      "An image of the app's own, by its file name; * stands for any text. May be given several times; without it the images are guessed.",
      valueName: "name"))
  var appImage: [String] = []

  @Option(
    help: "A YAML file with rules that come before the built-in ones.",
    completion: .file(extensions: ["yaml", "yml"]))
  var rules: String?

  @Option(
    help:
      "The thread to judge, by its number, id or name; default: the one that the text blames, else the main thread."
  )
  var thread: String?

  @Flag(help: "Judge all threads.")
  var all = false

  @Option(help: "text, json, or collapsed: stacks as flame graphs are made of.")
  var format: Format = .text

  func validate() throws {
    if all, thread != nil { throw ValidationError("--all and --thread exclude each other") }
  }

  func run() throws {
    FileUse.read(file, as: "text")
    FileUse.read(rules, as: "file of rules")
    try FileUse.write([])
    let builtIn = try builtInRules()
    let rules = try rules.map { try CauseRules.load($0).before(builtIn) } ?? builtIn
    let name = TextFile.isStandardInput(file) ? "standard input" : file
    let backtrace: Backtrace
    MemoryLimit.watch(reading: name)
    let bytes = try TextFile.bytes(file, atMost: BacktraceLimits.bytes)
    do throws(BacktraceError) { backtrace = try BacktraceReader.read(consume bytes) } catch {
      throw failure(name, error)
    }
    let chosen = backtrace.threads(thread.map { .thread($0) } ?? (all ? .all : .usual))
    guard !chosen.isEmpty else {
      throw Failure(
        status: .usage, file: name,
        message: "no thread '\(harmless(thread ?? ""))'; there is: \(known(backtrace))")
    }
    var judge = StackJudge(images: AppImages(named: appImage, main: backtrace.program), rules: rules)
    let names = NameReader()
    var judged: [StackReport.Thread] = []
    var collapsed = CollapsedStacks()
    var unfolded = 0
    for thread in chosen {
      let own: [CallStack]
      do throws(BacktraceError) { own = try thread.stacks(&unfolded).map { names.read($0) } } catch {
        throw failure(name, error)
      }
      if format == .collapsed, !collapsed.add(own, of: thread.title) {
        throw Failure(
          status: .badData, file: name,
          message:
            "collapsed, the stacks are longer than \(StackLimits.collapsedBytes) bytes; --thread takes one thread"
        )
      }
      let verdict = judge.verdict(of: own)
      let waits = verdict.main?.waitsForLock ?? false || thread.lock?.owner != nil
      judged.append(
        StackReport.Thread(
          title: thread.title, section: thread.section, number: thread.number, id: thread.id,
          name: thread.name, line: thread.line, isMain: thread.isMain, verdict: verdict,
          lock: waits ? thread.lock ?? LockWait() : nil))
    }
    let report = StackReport(
      file: name, format: backtrace.kind.name, formatWords: backtrace.kind.words, program: backtrace.program,
      threads: judged, otherThreads: backtrace.threads.count - chosen.count)
    var out = OutputBuffer()
    switch format {
    case .text: try StackText(report, style: Terminal.style).write { try out.line($0) }
    case .json:
      try StackJSON.write(report) { try out.write($0) }
      try out.line("")
    case .collapsed: try collapsed.write { try out.line($0) }
    }
    try out.flush()
  }

  private func builtInRules() throws(Failure) -> CauseRules {
    do throws(TextFileError) { return try CauseRules.builtIn() } catch {
      throw Failure(status: .software, message: "the built-in rules: \(error)")
    }
  }

  private func failure(_ name: String, _ error: BacktraceError) -> Failure {
    Failure(
      status: .badData, message: "\(error.line > 0 ? "\(name):\(error.line)" : name): \(error.what)")
  }

  private func known(_ backtrace: Backtrace) -> String {
    let some = backtrace.threads.prefix(12).map { harmless($0.title, limit: 80) }.joined(separator: ", ")
    return backtrace.threads.count > 12 ? some + " and \(backtrace.threads.count - 12) more" : some
  }
}

/// Reads mangled names.
private struct NameReader {
  private let demangler = BoundedDemangler()

  func read(_ stack: CallStack) -> CallStack {
    var stack = stack
    for index in stack.frames.indices where stack.frames[index].demangled == nil {
      guard let symbol = stack.frames[index].symbol, BoundedDemangler.isMangled(symbol) else { continue }
      let name = demangler.name(of: symbol).short
      if name != symbol { stack.frames[index].demangled = name }
    }
    return stack
  }
}
