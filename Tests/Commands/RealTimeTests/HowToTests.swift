import Foundation
import TestSupport
import Testing

/// The commands of the how-to guides can be pasted, and print what the guides show.
@Suite(.ownThread) struct HowToTests {
  /// A guide, and the commands that prepare what it takes for granted. In them, $1 is the folder `docs`.
  struct Guide: CustomTestStringConvertible {
    let name: String
    let preparation: String
    var testDescription: String { name }
  }

  static let guides = [
    Guide(name: "find-a-starving-timer", preparation: "cp $1/examples/Dialog.swift ."),
    Guide(name: "keep-a-thread-alive", preparation: "cp $1/examples/EditorThread.swift ."),
    Guide(name: "use-less-energy-for-location", preparation: "true"),
    Guide(name: "record-a-service", preparation: "cp $1/tutorial/Stutter.swift . && mkdir kept"),
    Guide(
      name: "record-a-test-suite", preparation: "cp -r $1/../Tests/Fixtures/FeedPackage/* ."),
    Guide(
      name: "share-a-trace",
      preparation: "swiftc -g -O $1/examples/Fetcher.swift -o app && \"$0\" record -q ./app"),
    Guide(
      name: "use-in-ci",
      preparation: """
        swiftc -g -O $1/examples/Dialog.swift -o app && "$0" record -q -o main.rltrace ./app
        sed -n '/^       rules:$/,/^$/p' $1/howto/use-in-ci.md >budget.yaml
        """),
  ]

  /// The program on the page is the one that its commands compile.
  @Test func theProgramOfAThreadIsPrinted() throws {
    let program = try ProjectFiles.text("docs/examples/EditorThread.swift")
    #expect(try ProjectFiles.text("docs/howto/keep-a-thread-alive.md").contains("```swift\n\(program)```"))
  }

  @Test(arguments: guides) func commandsPrintWhatIsShown(guide: Guide) throws {
    let folder = try TemporaryFolder()
    // The guide writes where services do.
    let page = try ProjectFiles.text("docs/howto/\(guide.name).md")
      .replacing("/var/tmp", with: folder.file("kept"))
    let transcript = Transcript(pageWithLists: page)
    #expect(transcript.steps.count > 2)
    var missing: [String] = []
    // A busy machine adds causes of its own.
    for _ in 0..<3 {
      for name in folder.names { try FileManager.default.removeItem(atPath: folder.file(name)) }
      let prepared = try Program(shell: "set -e; \(guide.preparation)").run(
        [Program.rltrace.path, ProjectFiles.root.appendingPathComponent("docs").path], folder: folder.path)
      try #require(prepared.status == 0, "\(prepared.errors)")
      missing = zip(transcript.steps, try transcript.run(in: folder)).flatMap { step, output in
        let shape = Transcript.shape(output)
        return step.output.flatMap { $0.split(separator: "…").map { Transcript.shape(String($0)) } }
          .filter { !$0.isEmpty && !shape.contains($0) }.map { "\(step.command): \($0)" }
      }
      if missing.isEmpty { break }
    }
    #expect(missing == [])
  }
}
