import SystemSupport

/// The program that finds files and lines.
package enum LLVMSymbolizer {
  /// Bytes of the answer about the version. Beyond: cut.
  private static let answerBytes = 1 << 12
  /// Milliseconds for that answer. Beyond: cut.
  private static let answerMs = 2_000

  /// The path of llvm-symbolizer; nil when there is none.
  package static var path: String? { LineProgram.find() }

  /// The message when there is none.
  package static var advice: String { LineProgram.advice }

  /// Asks the program for its version, such as `19.1.7`; nil when it does not answer.
  package static func version(of path: String) -> String? {
    var answer: [UInt8] = []
    let start = monotonicMs()
    do throws(SideProcessError) {
      let program = try SideProcess.program(
        path, arguments: ["--version"], environment: LineProgram.environment)
      try program.exchange([], limitMs: answerMs) { chunk in
        answer += chunk
        return answer.count > answerBytes || monotonicMs() - start > answerMs
      }
    } catch {
      // The program ends after its answer. If it did not start, there is no answer.
    }
    let words = String(decoding: answer.prefix(answerBytes), as: UTF8.self).split(
      whereSeparator: \.isWhitespace)
    // Other programs may know the option as well.
    for (place, word) in words.enumerated().dropLast(2) where word == "LLVM" && words[place + 1] == "version"
    {
      return String(words[place + 2])
    }
    return nil
  }
}
