import ArgumentParser
import ProgramRecorder
import SystemSupport
import TraceFormat
import TraceRecorder

/// The two traces that `rltrace compare` compares.
struct ComparedTraces {
  let base: String
  let new: String
  /// Whether the command line does not name both traces, so that `compare` found at least one.
  let isFound: Bool

  /// Finds the traces. With two names it uses these; with one, that trace and the recording before it; with none, the
  /// latest trace of this folder that has a recording before it.
  init(_ first: String?, _ second: String?) throws(Failure) {
    if let first, let second {
      (base, new, isFound) = (first, second, false)
      return
    }
    isFound = true
    if let first {
      guard let before = KeptName.before(first) else {
        let isThere = access(first, F_OK) == 0
        throw Failure(
          status: .noInput, file: first,
          message: isThere
            ? "no earlier recording is kept beside it (\(KeptName(stem: SpoolName.stem(first), number: 1).path())); "
              + "give both traces: rltrace compare BASE NEW"
            : "cannot open: \(String(cString: strerror(errno)))")
      }
      (base, new) = (before, first)
      return
    }
    guard let (before, latest) = ComparedTraces.latest() else {
      throw Failure(
        status: .noInput,
        message: "no trace in this folder has an earlier recording beside it (NAME.old1.rltrace, which "
          + "`rltrace record` keeps); give two traces: rltrace compare BASE NEW")
    }
    (base, new) = (before, latest)
  }

  /// Returns the latest pair in the current folder.
  private static func latest() -> (before: String, latest: String)? {
    let names = Files.neighbours(of: "").names
    let kept = names.compactMap { KeptName($0) }
    let stems = Set(kept.map(\.stem))
    // If the latest recording was moved away, the last two kept ones are the pair.
    let candidates = Set(stems.flatMap { [$0 + SpoolName.traceSuffix, $0] } + kept.map { $0.path() })
    guard let latest = LatestTrace.latest(of: candidates.filter { KeptName.before($0) != nil }),
      let before = KeptName.before(latest)
    else { return nil }
    return (before, latest)
  }

  /// If the command line does not name both traces, reports which two are compared and which recordings came before.
  func report() {
    guard isFound else { return }
    Terminal.complain("comparing \(base) (BASE) with \(new) (NEW)")
    // Starts from NEW: BASE may be a kept trace of a moved recording, with predecessors of its own.
    let others = KeptName.allBefore(new).filter { $0 != base }
    guard let first = others.last else { return }
    let shown = others.prefix(Self.shown).map { trace in
      "\(trace)\(KeptTrace(trace)?.start.map { " (recorded \($0))" } ?? "")"
    }
    let more = others.count > shown.count ? " and \(others.count - shown.count) more" : ""
    Terminal.complain("earlier: \(shown.joined(separator: ", "))\(more)")
    let words = ["rltrace", "compare", first, new].map { $0.hasPrefix("-") ? "./\($0)" : $0 }
    Terminal.complain("since the first recording: \(ShellWords.line(words))")
  }

  /// The maximum number of earlier traces that a message names.
  private static let shown = 3
}
