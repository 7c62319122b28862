import Foundation
import TestSupport
import Testing

/// `rltrace doctor`, on the machine that runs the tests and with parts of it hidden.
@Suite struct DoctorCommandTests {
  private struct Document: Decodable {
    struct Check: Decodable {
      let name, state, found: String
      let advice: String?
    }
    let program: String?
    let canRecord: Bool
    let checks: [Check]

    func check(_ name: String) throws -> Check { try #require(checks.first { $0.name == name }) }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func document(_ result: Program.Result) throws -> Document {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Document.self, from: Data(result.output.utf8))
  }

  private func doctor(
    _ arguments: String..., environment: [String: String] = [:], status: Int32 = 0
  ) throws -> Document {
    let result = try Program.rltrace.run(
      ["doctor", "--format", "json"] + arguments, environment: environment, folder: folder.path)
    #expect(result.status == status && result.errors.isEmpty, "\(result)")
    return try document(result)
  }

  @Test func eachCheckHasALineAndAdvice() throws {
    let document = try doctor()
    // With the result and the empty line above it, ten lines.
    #expect(document.canRecord && document.program == nil && document.checks.count == 8)
    for check in document.checks {
      #expect(check.name.count <= 18 && !check.found.isEmpty && check.state != "missing", "\(check)")
      #expect((check.advice == nil) == (check.state == "ok"), "\(check)")
    }
    #expect(try document.check("recorder library").found.hasSuffix("/librltrace-preload.so"))
    #expect(try document.check("system").found.contains("; rltrace "))
    let calls = try document.check("system calls").found
    // Kernels without the module Yama have no such setting.
    let hasScope = FileManager.default.fileExists(atPath: "/proc/sys/kernel/yama/ptrace_scope")
    #expect(calls.contains("perf_event") && calls.contains("ptrace_scope") == hasScope, "\(calls)")
    let text = try Program.rltrace.run(["doctor"], folder: folder.path)
    #expect(text.status == 0 && text.output.contains("\nprograms can be recorded here"), "\(text)")
    for check in document.checks { #expect(text.output.contains(check.name), "\(check.name)") }
    #expect(folder.names == [])
  }

  @Test func withoutTheRecorderLibrary() throws {
    let document = try doctor(environment: ["RLTRACE_PRELOAD": folder.file("none.so")], status: 69)
    let library = try document.check("recorder library")
    #expect(!document.canRecord && library.state == "missing")
    // The same sentence as in the error of record.
    let record = try Program.rltrace.run(
      ["record", "true"], environment: ["RLTRACE_PRELOAD": folder.file("none.so")], folder: folder.path)
    #expect(record.status == 69 && record.errors == "rltrace: \(library.advice ?? "")\n", "\(record)")
  }

  @Test func withoutLines() throws {
    let none = try doctor(environment: ["RLTRACE_SYMBOLIZER": "/no/such/symbolizer"]).check("files and lines")
    #expect(none.state == "limited" && none.advice?.contains("correct RLTRACE_SYMBOLIZER") == true, "\(none)")
    let silent = try doctor(environment: ["RLTRACE_SYMBOLIZER": "/bin/true"]).check("files and lines")
    #expect(silent.state == "limited" && silent.found == "/bin/true does not answer", "\(silent)")
  }

  @Test func aProgramThatCanBeRecorded() throws {
    let path = Program.loopPrograms.path
    let document = try doctor(path)
    #expect(try document.program == path && document.check("program").state == "ok")
    // A command is searched for in PATH, as record does.
    #expect(try doctor("true").check("program").found.hasSuffix("/true"))
  }

  @Test(arguments: ["/no such program", "no-such-command", ".", ""]) func aProgramThatIsMissing(name: String)
    throws
  {
    let document = try doctor(name, status: 69)
    #expect(try !document.canRecord && document.check("program").state == "missing")
    #expect(try document.check("program").found.hasPrefix("cannot start "))
  }

  @Test func aStaticProgram() throws {
    try Data("int main(void) { return 0; }\n".utf8).write(to: URL(fileURLWithPath: folder.file("main.c")))
    let made = try Program(shell: "clang -static main.c -o program").run([], folder: folder.path)
    try #require(made.status == 0, "\(made.errors)")
    let document = try doctor("./program", status: 69)
    #expect(try document.check("program").advice?.contains("./program is statically linked") == true)
  }

  @Test func aLimitOfTheAddressSpace() throws {
    let result = try Program(shell: "ulimit -v 1000000; exec \"$0\" doctor --format json").run(
      [Program.rltrace.path], folder: folder.path)
    let document = try self.document(result)
    #expect(try document.check("limits").found.contains("of address space are left (ulimit -v)"))
    #expect(try document.check("folder").advice?.contains("bursts of more events may be lost") == true)
  }
}
