import Foundation
import TestSupport
import Testing

/// Inputs that a new user gives by mistake: nothing, a folder, a trace in the place of a text.
@Suite struct WrongInputTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("folder"), withIntermediateDirectories: false)
    try FileManager.default.copyItem(
      atPath: SampleTraces.virtual("five-causes"), toPath: folder.file("a.rltrace"))
  }

  /// Commands with one input. FILE stands for it.
  static let commands = [
    ["analyze", "FILE"], ["report", "FILE"], ["gate", "FILE"], ["summarize", "FILE"], ["info", "FILE"],
    ["validate", "FILE"], ["dump", "FILE"], ["open", "FILE"], ["stack", "FILE"], ["topology", "FILE"],
    ["fleet", "FILE"], ["assemble", "FILE", "-o", "out"], ["redact", "FILE", "-o", "out"],
    ["symbolicate", "FILE", "-o", "out"], ["what-if", "FILE", "--rank"], ["export", "FILE", "-o", "out"],
    ["import", "FILE", "-o", "out"],
  ]

  private func line(_ command: [String], _ file: String) throws -> (line: String, status: Int32) {
    let result = try Program.rltrace.run(command.map { $0 == "FILE" ? file : $0 }, folder: folder.path)
    #expect(result.output.isEmpty && result.errorLines.count == 1, "\(command): \(result)")
    #expect(!folder.names.contains("out"), "\(command)")
    return (result.errors, result.status)
  }

  @Test(arguments: commands) func anEmptyName(command: [String]) throws {
    let (line, status) = try line(command, "")
    #expect(line.hasPrefix("rltrace: '': cannot open: ") && status == 66, "\(line)")
  }

  @Test(arguments: commands) func aMissingFile(command: [String]) throws {
    let (line, status) = try line(command, "missing")
    #expect(line == "rltrace: missing: cannot open: No such file or directory\n" && status == 66, "\(line)")
  }

  /// Two names that are not UTF-8 could become the same name.
  @Test(arguments: [
    #"dump a.rltrace -o $'\xe9'"#, #"report a.rltrace --output=$'\xe9'"#, #"analyze $'\xe9'"#,
    #"record --virtual --scenario $'\xe9' -o out"#,
  ])
  func aNameThatIsNotText(line: String) throws {
    let result = try Program(shell: "\"$0\" " + line).run([Program.rltrace.path], folder: folder.path)
    #expect(result.status == 64 && result.output.isEmpty && result.errorLines.count == 1, "\(result)")
    #expect(result.errors.hasSuffix("\u{FFFD} is not UTF-8; choose another name\n"), "\(result)")
    #expect(folder.names.sorted() == ["a.rltrace", "folder"])
  }

  @Test(arguments: commands.filter { $0[0] != "fleet" }) func aFolder(command: [String]) throws {
    let (line, status) = try line(command, "folder")
    #expect(line.hasPrefix("rltrace: folder: a folder; name a ") && [65, 66].contains(status), "\(line)")
  }

  @Test(arguments: ["stack", "fleet", "assemble"]) func aTraceForAText(command: String) throws {
    let (line, status) = try line(Self.commands.first { $0[0] == command } ?? [], "a.rltrace")
    #expect(
      line == "rltrace: a.rltrace: a trace, where a text is expected; `rltrace analyze` reads traces\n"
        && status == 65, "\(line)")
  }

  @Test func noAdviceIsRepeated() throws {
    let (line, status) = try line(["what-if", "FILE"], "a.rltrace")
    #expect(
      line == "rltrace: give a change with --do, or --rank; see `rltrace what-if --help`\n" && status == 64)
    let empty = try Program.rltrace.run(["record", ""], folder: folder.path)
    #expect(empty.status == 127 && empty.errors.hasPrefix("rltrace: cannot start '': "), "\(empty)")
  }
}
