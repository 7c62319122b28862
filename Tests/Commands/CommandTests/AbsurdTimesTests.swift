import Foundation
import TestSupport
import Testing

/// A valid trace in which the process continues long after it was stopped, with an invalid signal, in the middle of a
/// run. No output may contain a time that wrapped.
@Suite struct AbsurdTimesTests {
  private static let text = """
    rltrace-text 1
    header minor=1 unit=10ns codec=none capture=callouts clock=virtual high=yes
    threads
      0 os=0 main=no "kCFRunLoopCommonModes"
    events thread=0
      3000000111 process.stop
      3000000277 Entry.low
      4000000277 process.continue signal=9007199254740992
      4000000279 BeforeWaiting.high
    end

    """

  @Test(arguments: [
    ["analyze", "TRACE"], ["analyze", "TRACE", "--format", "json", "--detector", "all"],
    ["analyze", "TRACE", "--from", "30.000002", "--format", "json"],
    ["report", "TRACE", "-o", "FOLDER/page.html"], ["export", "TRACE", "-o", "FOLDER/csv"],
    ["export", "TRACE", "--format", "jsonl", "-o", "FOLDER/jsonl"], ["info", "TRACE"], ["dump", "TRACE"],
  ])
  func noTimeWraps(arguments: [String]) throws {
    let folder = try TemporaryFolder()
    try Data(Self.text.utf8).write(to: URL(fileURLWithPath: folder.file("absurd.rltext")))
    let trace = folder.file("absurd.rltrace")
    let made = try Program.rltrace.run(["assemble", folder.file("absurd.rltext"), "-o", trace])
    #expect(made.status == 0)
    let result = try Program.rltrace.run(
      arguments.map { $0 == "TRACE" ? trace : $0.replacingOccurrences(of: "FOLDER", with: folder.path) })
    #expect(result.status == 0, "\(result.errors)")
    var outputs = [result.output]
    let files = FileManager.default.enumerator(atPath: folder.path)
    while let file = files?.nextObject() as? String {
      if let text = try? String(contentsOfFile: folder.file(file), encoding: .utf8) { outputs.append(text) }
    }
    for output in outputs { #expect(!output.contains("18446744")) }
  }
}
