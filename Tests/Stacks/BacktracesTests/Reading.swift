import Backtraces
import CallStacks
import TestSupport

/// A text, and the verdicts on its judged threads.
struct Reading {
  let trace: Backtrace
  let groups: [BlameGroup?]

  init(_ text: String) throws {
    let bytes = Array(text.utf8)
    trace = try BacktraceReader.read(bytes)
    groups = try StackTexts.verdicts(bytes).map(\.main)
  }

  init(file: String) throws { try self.init(Reading.text(file)) }

  /// Returns the text of a file in Tests/Fixtures.
  static func text(_ file: String) throws -> String { try ProjectFiles.text("Tests/Fixtures/\(file)") }

  /// The blamed function of each judged thread.
  var blamed: [String?] { groups.map { $0?.frame?.name } }
  var places: [String?] { groups.map { $0?.frame?.place } }
  /// The innermost frame of the first judged thread.
  var innermost: String? { groups.first??.example.frames.first?.name }
  var outermost: String? { groups.first??.example.frames.last?.name }
  var image: String? { groups.first??.frame?.image }

  func facts(_ subject: ReportFact.Subject) -> [String] {
    trace.facts.filter { $0.subject == subject }.map(\.value)
  }
}

extension String {
  /// The text with CR LF line endings.
  var withCRLF: String {
    split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
  }

  func upTo(_ part: String) -> String { range(of: part).map { String(self[..<$0.upperBound]) } ?? self }

  func from(_ part: String) -> String { range(of: part).map { String(self[$0.lowerBound...]) } ?? self }
}
