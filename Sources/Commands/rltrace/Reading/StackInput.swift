import Backtraces
import CallStacks
import Symbolication
import TextReport
import TraceAnalysis

/// A text with stacks, and the selection of its threads.
struct StackInput {
  let name: String
  let backtrace: Backtrace
  let mainImage: String?
  /// The indices of the selected threads.
  let chosen: [Int]

  /// Reads the text. `thread` is a number, id or name; nil = the thread that the text blames, else the main thread.
  init(file: String, thread: String?, judgesAll: Bool) throws {
    name = TextFile.isStandardInput(file) ? "standard input" : file
    MemoryLimit.watch(reading: name)
    let bytes = try TextFile.bytes(file, atMost: BacktraceLimits.bytes)
    do throws(BacktraceError) { backtrace = try BacktraceReader.read(consume bytes) } catch {
      throw StackInput.failure(name, error)
    }
    mainImage = backtrace.mainImage ?? backtrace.program
    chosen = backtrace.places(thread.map { .thread($0) } ?? (judgesAll ? .all : .usual))
    guard !chosen.isEmpty else {
      throw Failure(
        status: .usage, file: name,
        message: "no thread '\(harmless(thread ?? ""))'; known: \(StackInput.known(backtrace))")
    }
  }

  /// The program's name in messages.
  var program: String { mainImage.map { harmless($0) } ?? "no known program" }

  /// Returns the thread's stacks. `unfolded` counts the frames over all threads.
  func stacks(_ thread: BacktraceThread, _ unfolded: inout Int) throws(Failure) -> [CallStack] {
    do throws(BacktraceError) { return try thread.stacks(&unfolded) } catch {
      throw StackInput.failure(name, error)
    }
  }

  var statements: [StackReport.Statement] {
    backtrace.facts.map { fact in
      StackReport.Statement(
        section: fact.section, subject: fact.subject.name, words: fact.subject.words, value: fact.value,
        meaning: fact.meaning)
    }
  }

  private static func failure(_ name: String, _ error: BacktraceError) -> Failure {
    Failure(
      status: .badData, message: "\(error.line > 0 ? "\(name):\(error.line)" : name): \(error.what)")
  }

  private static func known(_ backtrace: Backtrace) -> String {
    let some = backtrace.threads.prefix(12).map { harmless($0.title, limit: 80) }.joined(separator: ", ")
    return backtrace.threads.count > 12 ? some + " and \(backtrace.threads.count - 12) more" : some
  }
}

/// Names functions from files with symbols and from mangled names.
struct FrameReader {
  private let demangler = BoundedDemangler()
  private var symbols: ForeignSymbols?

  init(folders: [String]) { symbols = folders.isEmpty ? nil : ForeignSymbols(folders: folders) }

  mutating func read(_ stacks: [CallStack]) -> [CallStack] {
    (symbols?.name(stacks) ?? stacks).map(demangled)
  }

  private func demangled(_ stack: CallStack) -> CallStack {
    var stack = stack
    for index in stack.frames.indices where stack.frames[index].demangled == nil {
      guard let symbol = stack.frames[index].symbol, BoundedDemangler.isMangled(symbol) else { continue }
      let name = demangler.name(of: symbol).short
      if name != symbol { stack.frames[index].demangled = name }
    }
    return stack
  }

  /// Reports what the folders with symbols did not provide.
  func complain() {
    guard let symbols else { return }
    if let advice = symbols.lineReaderAdvice { Terminal.complain(advice) }
    Terminal.complain("named \(symbols.named) of \(symbols.asked) frames with an image and an offset")
    if !symbols.unverified.isEmpty {
      Terminal.complain(
        "the text has no build id for \(symbols.unverified.ordered().map { harmless($0) }.joined(separator: ", ")): "
          + "the file may be from another build")
    }
    for folder in symbols.cutFolders {
      Terminal.complain("\(folder): too many files; rltrace did not search all of them")
    }
  }
}
