/// What is wrong with a text of stacks, and where.
public struct BacktraceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// From 1; 0 when it is the text as a whole.
  public let line: Int
  public let what: String

  /// The line is the beginning of one, as at the end of a text that is cut off.
  let isHalfLine: Bool

  init(_ line: Int, _ what: String, isHalfLine: Bool = false) {
    self.line = line
    self.isHalfLine = isHalfLine
    // Names from the text may be in it: it is one line all the same.
    let scalars = what.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
    self.what = String(String.UnicodeScalarView(scalars))
  }

  public var description: String { line > 0 ? "line \(line): \(what)" : what }
}
