import SystemSupport

/// llvm-symbolizer, which reads DWARF. One process serves all files.
final class LineProgram {
  private static let questionsAtOnce = 4096
  private static let versions = 11...40

  /// The path of the program; nil when there is none.
  let path: String?
  private var process: SideProcess?
  private var usedMs = 0
  private var losses = 0

  private let idleMs: Int
  /// The time limit for all answers together.
  private let limitMs: Int
  var isOutOfTime: Bool { usedMs >= limitMs }

  init(path: String?, idleMs: Int = SymbolLimits.answerIdleMs, limitMs: Int = SymbolLimits.answersMs) {
    self.path = path
    self.idleMs = idleMs
    self.limitMs = limitMs
  }

  /// The variable that names the program.
  private static let nameVariable = "RLTRACE_SYMBOLIZER"

  /// The message when `find` has found nothing.
  static var advice: String {
    if let named = variable(nameVariable), !named.isEmpty {
      return
        "no llvm-symbolizer was found at \(named), so functions have no files and lines; correct \(nameVariable)"
    }
    return "no llvm-symbolizer was found, so functions have no files and lines; install the package llvm "
      + "(`apt-get install llvm`), or set \(nameVariable) to its path"
  }

  /// If `RLTRACE_SYMBOLIZER` is set, returns the program that it names, or nil. Otherwise returns the one on the
  /// `PATH`, with or without a version in its name.
  static func find() -> String? {
    if let named = variable(nameVariable), !named.isEmpty { return isProgram(named) ? named : nil }
    let folders = (variable("PATH") ?? "").split(separator: ":")
    let names =
      ["llvm-symbolizer"]
      + versions.reversed().map { "llvm-symbolizer-\($0)" }
    for name in names {
      for folder in folders where isProgram("\(folder)/\(name)") { return "\(folder)/\(name)" }
    }
    return nil
  }

  private static func variable(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }
  private static func isProgram(_ path: String) -> Bool {
    unsafe RawFile.isRegular(path) && access(path, X_OK) == 0
  }

  /// Returns the functions at addresses of a file; nil when the program failed.
  func answers(of file: String, at addresses: [UInt64]) -> [UInt64: [LineAnswer.Frame]]? {
    guard let quoted = LineProgram.quoted(file) else { return nil }
    var found: [UInt64: [LineAnswer.Frame]] = [:]
    var start = 0
    while start < addresses.count {
      let part = addresses[start..<min(start + Self.questionsAtOnce, addresses.count)]
      guard let answers = ask(quoted, part) else { return nil }
      for (address, answer) in zip(part, answers) { found[address] = answer.frames }
      start = part.endIndex
    }
    return found
  }

  private func ask(_ quoted: String, _ addresses: ArraySlice<UInt64>) -> [LineAnswer]? {
    guard let path, losses < SymbolLimits.answerLosses, !isOutOfTime else { return nil }
    let questions = addresses.map { "\(quoted) 0x\(String($0, radix: 16))\n" }.joined()
    var answers: [LineAnswer] = []
    var line: [UInt8] = []
    var isSound = true
    let start = monotonicMs(), usedBefore = usedMs
    defer { usedMs += monotonicMs() - start }
    do throws(SideProcessError) {
      if process == nil {
        process = try SideProcess.program(
          path, arguments: ["--output-style=JSON", "--no-demangle", "--inlining"],
          environment: LineProgram.environment)
      }
      try process?.exchange(Array(questions.utf8), limitMs: min(idleMs, limitMs - usedMs)) {
        chunk in
        var rest = chunk
        while isSound, let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          line += rest[..<end]
          rest = rest[(end + 1)...]
          // Answers come in the order of the questions. An answer about another address, or one too many, is an
          // error.
          guard answers.count < addresses.count, let answer = LineAnswer(line[...]),
            answer.address == addresses[addresses.startIndex + answers.count]
          else {
            isSound = false
            break
          }
          answers.append(answer)
          line = []
        }
        line += rest
        isSound =
          isSound && line.count <= SymbolLimits.answerBytes && monotonicMs() - start < limitMs - usedBefore
        return !isSound || answers.count == addresses.count
      }
    } catch {
      isSound = false
    }
    guard isSound else {
      process = nil
      losses += 1
      return nil
    }
    return answers
  }

  /// Quotes the name with a kind of quote that it does not contain; nil when it contains both kinds, or a byte that
  /// would end the line.
  private static func quoted(_ file: String) -> String? {
    guard !file.utf8.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D }) else { return nil }
    return ["\"", "'"].first { !file.has($0) }.map { $0 + file + $0 }
  }

  /// A minimal environment, so that the program sends nothing over the network.
  static var environment: [String] {
    ["LC_ALL=C"]
      + ["PATH", "HOME", "LD_LIBRARY_PATH", "TMPDIR"].compactMap { name in
        variable(name).map { "\(name)=\($0)" }
      }
  }
}
