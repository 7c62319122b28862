import Foundation
import TestSupport
import Testing
import TraceFormat

/// `rltrace symbolicate`, run as a user runs it.
@Suite struct SymbolicateTests {
  private static let hasLineReader =
    (try? Program(shell: "compgen -c llvm-symbolizer | grep -q .").run([]).status) == 0
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func hexadecimal(_ address: UInt64) -> String { "0x" + String(address, radix: 16) }

  /// Writes a trace with the stack that a program printed, and returns its path.
  private func trace(_ program: StackProgram) throws -> String {
    let text = """
      rltrace-text 1
      header minor=2 unit=10ns codec=none capture=callouts+stacks clock=monotonic high=no
      threads
        0 os=17 main=yes "main"
      modes
        1 "kCFRunLoopDefaultMode"
      strings
        1 "\(program.path)"
        2 "\(program.buildID.map { String(format: "%02x", $0) }.joined())"
        3 "/gone/libgone.so"
      events thread=0
        5 imageMap path=1 base=\(hexadecimal(program.range.lowerBound)) size=\(program.range.count) build_id=2
        5 imageMap path=3 base=0x10 size=0x10
        10 BeforeTimers.low m1 #1
        20 stack #1 reason=1 \(program.addresses.map { "frame=" + hexadecimal($0) }.joined(separator: " "))
        30 stack #1 reason=1 frame=0x18
        40 BeforeWaiting.low m1 #1
      end
      """
    let path = folder.file("app.rltrace")
    try assembleTrace(text).withUnsafeBytes { try Data($0).write(to: URL(fileURLWithPath: path)) }
    return path
  }

  /// A file becomes a known input when names are read from it.
  @Test func aFileWithSymbolsIsKept() throws {
    let program = try StackProgram(.c, in: folder)
    let trace = try trace(program)
    let before = try Data(contentsOf: URL(fileURLWithPath: program.path))
    let result = try Program.rltrace.run(["symbolicate", trace, "-o", program.path])
    #expect(result.status == 73 && result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains("would overwrite the input symbol file"), "\(result.errors)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: program.path)) == before)
    #expect(!folder.names.contains { $0.hasSuffix(".part") })
  }

  @Test(.enabled(if: hasLineReader, "needs llvm-symbolizer"))
  func aTraceGetsItsNames() throws {
    let program = try StackProgram(.swift, in: folder)
    let trace = try trace(program)
    let copy = folder.file("named.rltrace")
    let result = try Program.rltrace.run(["symbolicate", trace, "-o", copy])
    #expect(result.status == 0 && result.output.isEmpty, "\(result.errors)")
    #expect(
      result.errors.contains("rltrace: named ") && result.errors.contains(" with file and line: "),
      "\(result.errors)")
    #expect(
      result.errors.contains("rltrace: libgone.so: file not found (1 without a name)"), "\(result.errors)")
    #expect(folder.names.contains("named.rltrace") && !folder.names.contains("named.rltrace.part"))

    let line = try #require(program.lines["Model.readFiles(of:)"])
    let names = try FrameNames(openTrace(Array(Data(contentsOf: URL(fileURLWithPath: copy)))))
    let frames = program.stack.flatMap { names[$0] }
    #expect(
      frames.contains {
        $0.function == "Model.readFiles(of:)" && $0.file.hasSuffix("/release.swift") && $0.line == line
      })
    #expect(frames.contains { $0.function == "openAll()" })
    let dump = try Program.rltrace.run(["dump", copy]).output
    #expect(dump.contains("frameName address=") && dump.contains("\"Model.readFiles(of:)\""))

    // The rest of the analysis stays the same, except that a thread of the recorder holds the names.
    let before = try analysis(trace), after = try analysis(copy)
    #expect(before == after)

    // A redacted copy contains no names, but its stacks have functions.
    let shared = folder.file("shared.rltrace")
    try #require(try Program.rltrace.run(["redact", copy, "-o", shared]).status == 0)
    let text = try Program.rltrace.run(["dump", shared]).output
    for secret in ["Model", "release.swift", folder.path, "libgone"] {
      #expect(!text.contains(secret), "\(secret)")
    }
    #expect(text.contains("\"function 1\"") && text.contains("frameName address=0x10 depth=0"))

    // Existing names stay when the program's file is missing.
    try FileManager.default.removeItem(atPath: program.path)
    let again = folder.file("again.rltrace")
    let second = try Program.rltrace.run(["symbolicate", copy, "-o", again])
    #expect(second.status == 0)
    #expect(
      try FrameNames(openTrace(Array(Data(contentsOf: URL(fileURLWithPath: again))))).count == names.count)
    #expect(
      second.errorLines.first == result.errorLines.first.map { Substring($0.replacing(copy, with: again)) })
  }

  /// Returns the analysis of a trace without its file name, its threads and its number of events.
  private func analysis(_ path: String) throws -> NSDictionary {
    var root = try JSONValues(Program.rltrace.run(["analyze", path, "--format", "json"]).output).root
    root["file"] = nil
    root["trace"] = (root["trace"] as? [String: Any])?.filter { !["events", "threads"].contains($0.key) }
    #expect(root["trace"] != nil)
    return root as NSDictionary
  }

  @Test func withoutAProgramForLines() throws {
    let program = try StackProgram(.c, in: folder)
    let trace = try trace(program), copy = folder.file("named.rltrace")
    let result = try Program.rltrace.run(
      ["symbolicate", trace, "-o", copy], environment: ["RLTRACE_SYMBOLIZER": "/no/such"])
    #expect(result.status == 0)
    #expect(
      result.errors.contains("no llvm-symbolizer was found at /no/such,")
        && result.errors.contains("; correct RLTRACE_SYMBOLIZER\n"), "\(result.errors)")
    let without = try Program.rltrace.run(
      ["symbolicate", trace, "-o", copy], environment: ["RLTRACE_SYMBOLIZER": "", "PATH": "/nowhere"])
    #expect(without.errors.contains("install the package llvm (`apt-get install llvm`)"), "\(without.errors)")
    #expect(result.errors.contains(", 0 with file and line"), "\(result.errors)")
    let names = try FrameNames(openTrace(Array(Data(contentsOf: URL(fileURLWithPath: copy)))))
    #expect(names[program.stack[1]].map(\.function) == ["read_files"])
  }

  @Test(.enabled(if: hasLineReader, "needs llvm-symbolizer"))
  func aProgramThatWasMoved() throws {
    let program = try StackProgram(.c, in: folder)
    let trace = try trace(program), copy = folder.file("named.rltrace")
    let symbols = folder.file("symbols")
    try FileManager.default.createDirectory(atPath: symbols, withIntermediateDirectories: false)
    try FileManager.default.moveItem(atPath: program.path, toPath: symbols + "/program.debug")
    func functions(_ arguments: [String]) throws -> [String] {
      let result = try Program.rltrace.run(["symbolicate", trace, "-o", copy] + arguments)
      #expect(result.status == 0, "\(result.errors)")
      return try FrameNames(openTrace(Array(Data(contentsOf: URL(fileURLWithPath: copy)))))[program.stack[1]]
        .map(\.function)
    }
    #expect(try functions([]) == [])
    #expect(try functions(["--symbols", folder.file("symbols")]) == ["open_all", "read_files"])
  }

  @Test func refusals() throws {
    let trace = folder.file("app.rltrace")
    try Data(contentsOf: URL(fileURLWithPath: SampleTraces.virtual("modes"))).write(
      to: URL(fileURLWithPath: trace))
    for (arguments, status) in [
      ([trace, "-o", trace], Int32(64)), ([trace], 64), (["missing", "-o", folder.file("x")], 66),
      ([trace, "-o", folder.file("no/folder")], 73),
      ([trace, "-o", folder.file("x"), "--symbols", folder.file("no")], 66),
      ([trace, "-o", folder.file("x"), "--symbols", trace], 66),
    ] {
      let result = try Program.rltrace.run(["symbolicate"] + arguments)
      #expect(result.status == status && result.errorLines.count == 1, "\(arguments): \(result.errors)")
    }
    #expect(folder.names == ["app.rltrace"])
    // A trace without code addresses has nothing to name, so the copy is equal.
    let result = try Program.rltrace.run(["symbolicate", trace, "-o", folder.file("copy.rltrace")])
    #expect(result.status == 0 && result.errors.contains("no code addresses"))
    let dumps = try ["app", "copy"].map {
      try Program.rltrace.run(["dump", folder.file($0 + ".rltrace")]).output
    }
    #expect(dumps[0] == dumps[1])
  }
}
