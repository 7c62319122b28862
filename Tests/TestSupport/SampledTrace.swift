import TraceAnalysis

/// A trace with sampled stacks, written by hand, in microseconds. The program's main thread has the system's id 1 and
/// the index 0. The recorder's thread took the samples.
package struct SampledTrace: Sendable {
  /// The program's functions. Their code begins at 4096, 16 bytes for each, in the lines 7, 8, … of app.swift. Their
  /// names are the strings from 5 on.
  package var functions: [String]
  /// The recorder's events, one a line.
  package var samples: String
  /// The events of the main thread, one a line. The modes 1 and 2 have names.
  package var main: String

  package init(functions: [String], samples: String, main: String) {
    self.functions = functions
    self.samples = samples
    self.main = main
  }

  private func indented(_ events: String) -> [String] {
    events.split(separator: "\n").map { "  " + $0.drop { $0 == " " } }
  }

  package func text() -> String {
    let names = ["loop", "/opt/app/app", "", "app.swift"] + functions
    var lines = [
      "rltrace-text 1", "header minor=2 unit=1us codec=none capture=callouts clock=virtual high=no",
      "strings",
    ]
    lines += names.enumerated().map { "  \($0 + 1) \"\($1)\"" }
    lines += ["threads", "  0 os=1 main=yes \"main\"", "  1 os=2 main=no \"\""]
    lines += ["modes", "  1 \"mode\"", "  2 \"other mode\""]
    lines += ["info", "  \"recorder_thread\" \"1\""]
    lines += ["events thread=1", "  0 imageMap path=2 base=4096 size=65536 build_id=3"]
    lines += functions.indices.map {
      "  0 frameName address=\(4096 + 16 * $0) depth=0 function=\(5 + $0) file=4 line=\(7 + $0)"
    }
    lines += indented(samples) + ["events thread=0"] + indented(main) + ["end"]
    return lines.joined(separator: "\n")
  }

  package func analysis() throws -> Analysis {
    try TraceAnalyzer(openTrace(assembleTrace(text())), options: AnalysisOptions()).analyze()
  }
}
