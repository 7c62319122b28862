import Foundation
import Testing

/// A generated file in Sources. `tools/generate` writes all of them.
package enum GeneratedFile {
  /// Fails when the file does not contain this text. With RLTRACE_UPDATE_GOLDEN=1, writes the file instead.
  package static func expect(
    _ path: String, is text: String, location: SourceLocation = #_sourceLocation
  ) throws {
    if ProcessInfo.processInfo.environment["RLTRACE_UPDATE_GOLDEN"] == "1" {
      try text.write(to: ProjectFiles.root.appendingPathComponent(path), atomically: true, encoding: .utf8)
    } else {
      let isSame = try ProjectFiles.text(path) == text
      #expect(isSame, "\(path) is stale: tools/generate writes it", sourceLocation: location)
    }
  }
}
