import Foundation
import TestSupport
import Testing

/// A file's name may hold what moves a cursor, ends a line or turns text around. None of it reaches the terminal.
@Suite struct HostileNameTests {
  private static let name = "a\u{1B}[2Jb\nc\u{202E}d.rltrace"

  @Test(
    arguments: [
      ["analyze"], ["info"], ["validate"], ["dump"], ["assemble", "-o", "x"], ["topology"], ["stack"],
      ["recover"], ["report", "-o", "x.html"], ["export", "--table", "passes"], ["compare", "sound.rltrace"],
      ["gate", "--rule", "hangs == 0"], ["symbolicate", "-o", "y.rltrace"], ["redact", "-o", "z.rltrace"],
      ["record", "--scenario"], ["record", "--", "true", "-o"],
    ])
  func aFile(command: [String]) throws {
    let folder = try TemporaryFolder()
    let trace = try Data(ProjectFiles.bytes("SampleTraces/virtual/modes.rltrace"))
    try trace.write(to: URL(fileURLWithPath: folder.file("sound.rltrace")))
    // What is not there, what is no trace, and what is one.
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
