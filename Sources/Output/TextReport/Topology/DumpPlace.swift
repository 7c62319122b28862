import TraceAnalysis

/// The source of a run loop's contents: a line of a text, or a snapshot of a trace.
package struct DumpPlace: Sendable {
  package let file: String
  /// The line where a dump begins.
  package let line: Int?
  /// Nil for a dump.
  package let snapshot: TopologySnapshot?

  package init(file: String, line: Int) {
    self.file = file
    self.line = line
    snapshot = nil
  }

  package init(file: String, snapshot: TopologySnapshot) {
    self.file = file
    line = nil
    self.snapshot = snapshot
  }

  var words: String {
    harmless(file, limit: 200) + (line.map { " line \($0)" } ?? snapshot.map { " \(Self.moment($0))" } ?? "")
  }

  static func moment(_ snapshot: TopologySnapshot) -> String {
    let reason =
      switch snapshot.reason {
      case .start: "before the first run"
      case .stall: "in a stall"
      case .request: "on request"
      case .end: "at the end of its thread or program"
      }
    return "at \(Units.moment(snapshot.timeNs)), \(reason)"
  }
}
