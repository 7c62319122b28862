import Foundation
import TestSupport
import Testing

/// A file name may contain characters that move the cursor, end a line or reverse text. None of them reaches the
/// terminal.
@Suite struct HostileNameTests {
  private static let name = "a\u{1B}[2Jb\nc\u{202E}d.rltrace"

  static let commands = [
    ["analyze"], ["info"], ["validate"], ["dump"], ["assemble", "-o", "x"], ["topology"], ["stack"],
    ["recover"], ["report", "-o", "x.html"], ["export", "--table", "passes"], ["compare", "sound.rltrace"],
    ["gate", "--rule", "hangs == 0"], ["symbolicate", "-o", "y.rltrace"], ["redact", "-o", "z.rltrace"],
    ["summarize"], ["fleet"], ["open"], ["what-if", "--rank"], ["import", "-o", "w.rltrace"],
    ["doctor"], ["record", "--scenario"], ["record", "--", "true", "-o"],
  ]

  @Test(arguments: commands) func aFile(command: [String]) throws {
    let folder = try TemporaryFolder()
    let trace = try Data(ProjectFiles.bytes("SampleTraces/virtual/modes.rltrace"))
    try trace.write(to: URL(fileURLWithPath: folder.file("sound.rltrace")))
    // A missing file, a file that is not a trace, and a trace.
    for content in [nil, Data("no trace".utf8), trace] {
      if let content { try content.write(to: URL(fileURLWithPath: folder.file(Self.name))) }
      let result = try Program.rltrace.run(command + [Self.name], folder: folder.path)
      for text in [result.output, result.errors] {
        #expect(
          !text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" } && !text.contains("b\nc"),
          "\(command): \(text)")
      }
    }
  }
}
