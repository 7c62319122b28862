import CallStacks

/// Where in the source the code behind a name is: the name of a callout, or of the place that made an object.
public struct CodeResult: Sendable {
  /// As callouts, timers and their sites have it.
  public var name = ""
  /// The callout's function; nil for a site, and where it is not known.
  public var function: StackFrame?
  /// Who made it: callers, innermost first.
  public var makers: [StackFrame] = []
  package init() {}

  /// The innermost caller whose file is known.
  package var maker: StackFrame? { makers.first { $0.file != nil } }
}

extension StackFrame {
  /// `main.swift:41`: the file without its folders; nil if no file is known.
  package var shortPlace: String? {
    self.file?.split(separator: "/").last.map { file in self.line.map { "\(file):\($0)" } ?? String(file) }
  }
}
