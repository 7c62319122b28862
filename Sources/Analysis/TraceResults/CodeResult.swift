import CallStacks

/// The source code behind a name: the name of a callout, or of the place that created an object.
package struct CodeResult: Sendable {
  /// The name as it appears in callouts, timers and their creation sites.
  package var name = ""
  /// The callout's function; nil for a creation site, and when the function is not known.
  package var function: StackFrame?
  /// The callers that created the object, innermost first.
  package var makers: [StackFrame] = []
  package init() {}

  /// The innermost caller whose file is known.
  package var maker: StackFrame? { makers.first { $0.file != nil } }
}

extension StackFrame {
  /// Returns `main.swift:41`: the file without its folders; nil if no file is known.
  package var shortPlace: String? {
    self.file?.split(separator: "/").last.map { file in self.line.map { "\(file):\($0)" } ?? String(file) }
  }
}
