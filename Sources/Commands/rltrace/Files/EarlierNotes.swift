import ProgramRecorder
import SystemSupport

/// The messages of `record` and `recover` about traces of earlier recordings, and the commands that they suggest.
enum EarlierNotes {
  /// Returns the end of a line that names the kept traces; nil when there are none. `kept` is the list in
  /// `EarlierTraces`.
  static func kept(_ kept: [String]) -> String? {
    guard let first = kept.first else { return nil }
    let others = kept.count - 1
    return others == 0
      ? "kept the earlier trace: \(first)"
      : "kept the earlier recording: \(first) and \(others) more \(others == 1 ? "file" : "files")"
  }

  /// Returns the end of a message about a recording without a result; empty if no trace has the name.
  static func untouched(_ trace: String, _ isThere: Bool) -> String {
    isThere ? "; \(trace) of an earlier recording is unchanged" : ""
  }

  /// Prints the commands that a user may type next. `kept`: see `kept(_:)`. A trace of an earlier recording is compared
  /// only if it was recorded with the same options.
  static func next(_ trace: String, kept: [String]) {
    func line(_ words: String...) { Terminal.complain("next: \(ShellWords.line(["rltrace"] + words))") }
    if let before = kept.first, KeptName(before) != nil, let own = KeptTrace(trace) {
      let earlier = [before] + KeptName.allBefore(trace).filter { $0 != before }
      if let base = earlier.first(where: { KeptTrace($0)?.options == own.options }) {
        line("compare", argument(base), argument(trace))
      } else {
        Terminal.complain(
          "the earlier traces were recorded with different options; this trace has \(own.options.text)")
      }
    }
    line("analyze", argument(trace))
  }

  /// Returns the name in a form that the parser does not read as an option.
  private static func argument(_ path: String) -> String { path.hasPrefix("-") ? "./\(path)" : path }
}
