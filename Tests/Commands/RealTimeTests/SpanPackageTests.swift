import Foundation
import TestSupport
import Testing

/// A program with spans of swift-distributed-tracing, built with the trait `Spans`.
@Suite(.ownThread, .serialized) struct SpanPackageTests {
  private static let fixture = FixturePackage("SpanPackage")
  private static let canFetch = fixture.canFetch
  /// The package is built once.
  private static let build = Result { try fixture.build("--build-tests") }

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
    try Self.build.get()
    let folder = try TemporaryFolder()
    let program = Self.fixture.product("Feed")
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
    try Self.build.get()
    let tested = try Self.fixture.swift(["test", "--skip-build"] + Self.fixture.options)
    #expect(tested.status == 0, "\(tested.output.suffix(4000))")
  }

  @Test func theProgramIsPrinted() throws {
    let program = try ProjectFiles.text("Tests/Fixtures/SpanPackage/Sources/Feed/main.swift")
    let page = try ProjectFiles.text("docs/howto/see-why-a-request-waits.md")
    #expect(page.contains("```swift\n\(program)```"))
  }
}
