import Foundation
import TestSupport
import Testing

/// A program with spans of swift-distributed-tracing, built with the trait `Spans`.
@Suite(.ownThread, .serialized) struct SpanPackageTests {
  private static let package = ProjectFiles.root.path + "/Tests/Fixtures/SpanPackage"
  private static let scratch = ProjectFiles.root.path + "/.build/span-package"

  /// Whether swift-distributed-tracing can be fetched, or was fetched before.
  private static let canFetch = (try? swift("package", "resolve").status) == 0

  private static func swift(_ arguments: String...) throws -> Program.Result {
    let options = ["--package-path", package, "--scratch-path", scratch]
    return try Program(shell: "exec swift \"$0\" \"$@\" 2>&1").run(arguments + options)
  }

  /// Returns the results of a recording of the program, which has one interval.
  private func results(_ trace: String) throws -> JSONValues {
    let analyzed = try Program.rltrace.run(["analyze", trace, "--format", "json"])
    let document = try JSONValues(analyzed.output)
    #expect(document.list("intervals").count == 1, "\(analyzed)")
    return document
  }

  /// A request is held by the timer of another picture: recorded by the program itself, and from outside.
  @Test(.enabled(if: canFetch, "needs swift-distributed-tracing"))
  func aRequestThatWaitsForTheLoop() throws {
    let built = try Self.swift("build")
    try #require(built.status == 0, "\(built.output.suffix(4000))")
    let folder = try TemporaryFolder()
    let program = Self.scratch + "/debug/Feed"
    let alone = try Program(path: program).run([], folder: folder.path)
    try #require(alone.status == 0, "\(alone)")
    let itself = try results(folder.file("feed.rltrace"))
    #expect(itself.text("intervals[0].name") == "GET /feed")
    #expect(itself.text("intervals[0].held_kind") == "timer")
    #expect(itself.text("intervals[0].held_callout") == "decode image")
    #expect(itself.value("intervals[0].thread") as? Int == itself.value("intervals[0].end_thread") as? Int)

    let recorded = try Program.rltrace.run(
      ["record", "-q", "-o", "outside.rltrace", "--", program], folder: folder.path)
    try #require(recorded.status == 0, "\(recorded)")
    let outside = try results(folder.file("outside.rltrace"))
    #expect(outside.text("intervals[0].name") == "GET /feed")
    #expect(outside.text("intervals[0].held_kind") == "timer")
    #expect(outside.text("intervals[0].held_function")?.hasPrefix("decode() main.swift:") == true)
  }

  @Test(.enabled(if: canFetch, "needs swift-distributed-tracing"))
  func theTracerPassesSpansOn() throws {
    let tested = try Self.swift("test")
    #expect(tested.status == 0, "\(tested.output.suffix(4000))")
  }

  @Test func theProgramIsPrinted() throws {
    let program = try ProjectFiles.text("Tests/Fixtures/SpanPackage/Sources/Feed/main.swift")
    let page = try ProjectFiles.text("docs/howto/see-why-a-request-waits.md")
    #expect(page.contains("```swift\n\(program)```"))
  }
}
