import TestSupport
import Testing
import TraceImport

/// Each source of `rltrace import` is described.
@Suite struct RecordingSourceTests {
  private func words(_ text: String) -> String { text.split(separator: /\s+/).joined(separator: " ") }

  @Test func helpAndPageHaveEachSource() throws {
    let help = words(try Program.rltrace.run(["help", "import"]).output)
    let page = try ProjectFiles.text("docs/reference/commands/import.md")
    #expect(!RecordingSources.all.isEmpty)
    for source in RecordingSources.all {
      for text in [source.recording, source.help] {
        #expect(help.contains(words(text)), "\(text)")
      }
      #expect(page.contains(source.recording), "\(source.recording)")
      for name in source.fileExtensions {
        #expect(page.contains("`FILE.\(name)`") && source.help.contains(".\(name) "), "\(name)")
      }
    }
  }
}
