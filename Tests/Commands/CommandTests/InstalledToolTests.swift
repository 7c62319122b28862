import Foundation
import TestSupport
import Testing

/// The installed program has an empty file in place of ICU's data (Sources/Commands/CRLTraceStandIns), because no command
/// needs the data.
@Suite struct InstalledToolTests {
  /// Text from uses of Foundation APIs that need the data of ICU. Without the data, these APIs fail or end the program.
  private static let needData = [
    "DateFormatter", "NumberFormatter", "ByteCountFormatter", "MeasurementFormatter",
    "DateComponentsFormatter",
    "ListFormatter", "PersonNameComponents", "Locale.", "Locale(", "Calendar.", "Calendar(", "TimeZone.",
    "TimeZone(",
    "NSPredicate", "localized", "Localized", ".formatted(",
    "FormatStyle<", "applyingTransform", "enumerateSubstrings", "folding(", ".diacriticInsensitive",
  ]

  @Test func noSourceAsksForICUData() throws {
    let sources = ProjectFiles.root.appendingPathComponent("Sources").path
    let files = try FileManager.default.subpathsOfDirectory(atPath: sources).filter { $0.hasSuffix(".swift") }
    var looked = 0
    var found: [String] = []
    for file in files {
      let text = try ProjectFiles.text("Sources/\(file)")
      guard text.contains("import Foundation\n") else { continue }
      looked += 1
      for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        for word in Self.needData where line.contains(word) && !line.contains("//") {
          found.append("\(file):\(number + 1): \(word)")
        }
      }
    }
    #expect(looked > 20 && found == [])
  }

  /// The tool links a replacement that ICU accepts as a data file: a header of 32 bytes, and no entry.
  @Test func theEmptyFile() throws {
    let folder = try TemporaryFolder()
    let source = ProjectFiles.root.appendingPathComponent("Sources/Commands/CRLTraceStandIns/icu_data.c").path
    let main = """
      #include <stdio.h>
      extern const unsigned char icudt76_dat[];
      int main(void) { for (int i = 0; i < 40; i++) printf("%02x", icudt76_dat[i]); }
      """
    let result = try Program(
      shell: """
        echo "$1" >main.c && clang -DRLTRACE_LINKS_STATICALLY -Wall -Wextra -Werror "$0" main.c -o program && ./program
        clang -c "$0" -o plain.o && nm plain.o | grep icudt; true
        """
    ).run([source, main], folder: folder.path)
    #expect(
      result.output == "2000da27" + "1400000000000200" + "546f4350" + "01000000" + "00000000"
        + "0000000000000000"
        + "0000000000000000", "\(result)")
  }

  /// Dates are parsed without a formatter.
  @Test(arguments: [
    ("2026-11-20T14:03:05.25Z", "816876185.250000"), ("2026-11-20T14:03:05Z", "816876185.000000"),
    ("2026-11-20T15:03:05+01:00", "816876185.000000"), ("2026-11-20T15:03:05.5+0100", "816876185.500000"),
  ])
  func momentsOfTheWallClock(moment: String, seconds: String) throws {
    let result = try Program.rltrace.run(
      ["analyze", SampleTraces.virtual("timer-starvation"), "--from", moment, "--brief"])
    #expect(
      result.status == 0 && result.output.contains("the span begins at \(seconds) s"), "\(result.output)")
  }

  @Test(arguments: ["2026-11-20T14:03:05", "2026-13-20T14:03:05Z", "20.11.2026", "noon"])
  func noMoments(moment: String) throws {
    let result = try Program.rltrace.run(["analyze", SampleTraces.virtual("modes"), "--to", moment])
    #expect(
      result.status == 64 && result.errors.contains("expected a wall-clock time such as 2026"), "\(result)")
  }
}
