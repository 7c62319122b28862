import TraceResults

/// A result of a judgement that other tools show beside code.
struct Annotation: Sendable {
  enum Level: String, Sendable { case error, warning, notice }

  let level: Level
  /// The name of the check, without measured values. Also the title.
  let check: String
  let message: String
  /// Nil = the recording does not show a line of the sources.
  let place: SourcePlace?

  init(_ level: Level, check: String, _ message: String, _ place: SourcePlace? = nil) {
    self.level = level
    self.check = check
    self.message = message
    self.place = place
  }
}

/// The results of a judgement in the formats of services that show them beside code. Names are safe to print.
package struct AnnotationReport: Sendable {
  let annotations: [Annotation]
  /// The judged file, in formats in which each result needs one.
  let file: String

  init(annotations: [Annotation], file: String, root: SourceRoot) {
    self.annotations = annotations
    self.file = harmless(root.path(of: file) ?? file, limit: .max)
  }
}
