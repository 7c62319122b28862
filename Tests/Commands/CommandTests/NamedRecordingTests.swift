import Foundation
import TestSupport
import Testing
import TraceFormat

/// A recording contains functions, files and lines, so it reads the same whatever happens to the program.
@Suite struct NamedRecordingTests {
  private static let hasLineReader =
    (try? Program(shell: "compgen -c llvm-symbolizer | grep -q .").run([]).status) == 0
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: Program.loopPrograms.path, toPath: folder.file("app"))
  }

  private func rltrace(_ arguments: String...) throws -> Program.Result {
    try Program.rltrace.run(arguments, folder: folder.path)
  }

  private func record(_ options: String...) throws {
    let run = try Program.rltrace.run(
      ["record", "-o", "app.rltrace"] + options + ["--", "./app", "timers", "5"], folder: folder.path)
    try #require(run.status == 0, "\(run.errors)")
  }

  private func document(_ file: String) throws -> [String: Any] {
    try JSONValues(rltrace("analyze", file, "--format", "json").output).root
  }

  private func timers(_ file: String) throws -> [[String: Any]] {
    try #require(try document(file)["timers"] as? [[String: Any]])
  }

  @Test(.enabled(if: hasLineReader, "needs llvm-symbolizer"))
  func namesOutliveTheProgram() throws {
    try record()
    let timers = try timers("app.rltrace")
    let timer = try #require(timers.first)
    #expect((timer["source_file"] as? String)?.hasSuffix(".swift") == true, "\(timer)")
    #expect((timer["source_line"] as? Int ?? 0) > 0)
    #expect((timer["made_by_file"] as? String)?.hasSuffix(".swift") == true, "\(timer)")
    #expect((timer["made_by_line"] as? Int ?? 0) > 0)
    let text = try rltrace("analyze", "app.rltrace", "--full").output
    let place = try #require(timer["source_file"] as? String).split(separator: "/").last!
    #expect(text.contains(" \(place):\(timer["source_line"]!) "), "\(text)")

    let gate = try rltrace("gate", "app.rltrace"),
      compare = try rltrace("compare", "app.rltrace", "app.rltrace")
    try FileManager.default.removeItem(atPath: folder.file("app"))
    #expect(try NSArray(array: self.timers("app.rltrace")) == NSArray(array: timers))
    #expect(try rltrace("analyze", "app.rltrace", "--full").output == text)
    #expect(try rltrace("gate", "app.rltrace").output == gate.output)
    #expect(try rltrace("compare", "app.rltrace", "app.rltrace").output == compare.output)
  }

  @Test(.enabled(if: hasLineReader, "needs llvm-symbolizer"))
  func symbolicateFindsTheSame() throws {
    try record("--no-symbols")
    let reader = try openTrace(path: folder.file("app.rltrace"))
    #expect(try FrameNames(reader).isEmpty)
    let code = try CodeNames(reader)
    #expect(!code.codes.isEmpty && code.images.contains { $0.path == folder.file("app") })
    #expect(code.codes.contains { $0.function != nil } && code.codes.contains { !$0.makers.isEmpty })
    // While the program's file exists, it is read.
    let timers = try timers("app.rltrace")
    #expect(timers.contains { $0["source_line"] is Int })
    let named = try rltrace("symbolicate", "app.rltrace", "-o", "named.rltrace")
    #expect(named.status == 0, "\(named.errors)")
    try FileManager.default.removeItem(atPath: folder.file("app"))
    #expect(try NSArray(array: self.timers("named.rltrace")) == NSArray(array: timers))
    #expect(try !self.timers("app.rltrace").contains { $0["source_line"] is Int })
  }

  /// Without a line reader, functions come from symbol tables.
  @Test func withoutALineReader() throws {
    let run = try Program.rltrace.run(
      ["record", "-o", "app.rltrace", "--", "./app", "timers", "5"],
      environment: ["RLTRACE_SYMBOLIZER": "/nowhere"], folder: folder.path)
    #expect(run.status == 0 && run.errors.contains("no llvm-symbolizer was found"), "\(run.errors)")
    #expect(try !timers("app.rltrace").isEmpty)
  }
}
