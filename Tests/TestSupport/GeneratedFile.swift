import Foundation
import Testing

/// A file of Sources that follows from others. `tools/generate` writes them all.
public enum GeneratedFile {
  /// Fails when the file is not this text; writes it where RLTRACE_UPDATE_GOLDEN=1 asks for that.
  public static func expect(
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
