import Foundation

/// The files with traces of failed tests, for test runners without attachments.
enum TraceFile {
  /// Returns the name of a test's trace. It may be quoted in a shell.
  static func name(_ test: String) -> String {
    let safe = test.map { $0 == "/" || $0 == "'" || $0.isNewline ? "_" : $0 }.prefix(100)
    return String(safe) + ".rltrace"
  }

  /// Writes a trace, replacing an older one of the test. Returns a line with the command to open the file, or the path
  /// that cannot be written.
  static func write(_ bytes: [UInt8], test: String) -> String {
    let folder =
      BudgetSettings.current.folder.map { URL(fileURLWithPath: $0) }
      ?? FileManager.default.temporaryDirectory.appendingPathComponent(
        "rltrace-budgets-\(ProcessInfo.processInfo.processIdentifier)")
    let file = folder.appendingPathComponent(name(test))
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
      return "trace: \(file.path) — rltrace report '\(file.path)'"
    } catch {
      return "the trace cannot be written to \(file.path)"
    }
  }
}
