import Foundation
import Testing
import TraceFormat

/// A folder that is deleted with its last reference.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "rltrace-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  package func file(_ name: String) -> String { path + "/" + name }

  /// Writes a file, and returns its path.
  @discardableResult
  package func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
    return file(name)
  }

  @discardableResult
  package func file(_ name: String, _ text: String) throws -> String { try file(name, Array(text.utf8)) }

  /// Runs a line of bash in the folder. Its $0 is rltrace, its $1 the programs with loops, and `more` are $2 …
  package func shell(_ line: String, _ more: String...) throws -> Program.Result {
    try Program(shell: line).run([Program.rltrace.path, Program.loopPrograms.path] + more, folder: path)
  }

  /// Returns the number of fires in a trace of the folder. The trace must be whole.
  package func fires(_ name: String = "out.rltrace") throws -> Int {
    let reader = try openTrace(path: file(name))
    #expect(reader.isClean)
    return try EventCounts(reader)[.timerBegin]
  }

  /// The names of the files in the folder, sorted.
  package var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }
}
