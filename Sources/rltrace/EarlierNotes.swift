import ProgramRecorder
import TraceFormat

/// What `record` and `recover` say about traces of earlier recordings, and what to type next.
enum EarlierNotes {
  /// Where they are kept, as the end of a line; nil when none were there. `kept`: as `EarlierTraces` has them.
  static func kept(_ kept: [String]) -> String? {
    guard let first = kept.first else { return nil }
    let others = kept.count - 1
    return others == 0
      ? "kept the earlier trace: \(first)"
      : "kept the earlier recording: \(first) and \(others) more \(others == 1 ? "file" : "files")"
  }

  /// Of a recording that yielded nothing, behind what was the matter; empty where no trace has the name.
  static func untouched(_ trace: String, _ isThere: Bool) -> String {
    isThere ? "; \(trace) of an earlier recording is as it was" : ""
  }

  /// Prints the commands that go on from here. `kept`: see `kept(_:)`.
  static func next(_ trace: String, kept: [String]) {
    func line(_ words: String...) { Terminal.complain("next: \(ShellWords.line(["rltrace"] + words))") }
    line("analyze", argument(trace))
    if let before = kept.first, KeptName(before) != nil { line("compare", argument(before), argument(trace)) }
  }

  /// A name that cannot be taken for an option.
  private static func argument(_ path: String) -> String { path.hasPrefix("-") ? "./\(path)" : path }
}
