import Foundation
@testable import Symbolication
import TestSupport
import Testing
import TraceFormat

/// Stacks of real programs, built as for a release.
@Suite struct StackSymbolizerTests {
  static let hasLineReader = StackSymbolizer().lineReaderAdvice == nil
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func frames(
    _ program: StackProgram, image: MappedImage? = nil, folders: [String] = [], lineReader: String? = nil
  ) -> [[SymbolizedFrame]] {
    let symbolizer = StackSymbolizer(folders: folders, lineReader: lineReader)
    symbolizer.add(image ?? program.image, knowsBias: false)
    let found = symbolizer.frames(of: program.stack)
    return program.stack.map { found[$0] ?? [] }
  }

  /// Returns the function, file and line of a frame, and whether it was inlined.
  private func described(_ frame: SymbolizedFrame) -> String {
    frame.text + (frame.isInlined ? " inlined" : "")
  }

  @Test(.enabled(if: hasLineReader, "needs llvm-symbolizer"))
  func linesOfAReleaseBuildInC() throws {
    let program = try StackProgram(.c, in: folder)
    func line(_ name: String) throws -> Int { try #require(program.lines[name]) }
    let frames = frames(program)
    #expect(frames[0].last?.function == "print_stack")
    #expect(
      frames[1].map(described) == [
        "open_all plain.c:\(try line("open_all")) inlined", "read_files plain.c:\(try line("read_files"))",
      ])
    #expect(frames[2].map(described) == ["main plain.c:\(try line("main"))"])
    #expect(frames[1].allSatisfy { $0.origin == .lines && $0.missing == nil && $0.image == "program" })
    #expect(
      frames[1].allSatisfy {
        $0.file?.hasSuffix("Tests/Fixtures/StackProgram/plain.c") == true && $0.column != nil
      })
    // The C library is another image.
    #expect(frames[3].map(\.missing) == [.noImage])
  }

  @Test(.enabled(if: hasLineReader, "needs llvm-symbolizer"))
  func linesOfAReleaseBuildInSwift() throws {
    let program = try StackProgram(.swift, in: folder)
    func line(_ name: String) throws -> Int { try #require(program.lines[name]) }
    let frames = frames(program).flatMap { $0 }
    let texts = frames.map(described)
    #expect(texts.contains("openAll() release.swift:\(try line("openAll()")) inlined"), "\(texts)")
    #expect(
      texts.contains("Model.readFiles(of:) release.swift:\(try line("Model.readFiles(of:)"))"), "\(texts)")
    let closure = "closure #1 in Program.main() release.swift:\(try line("closure"))"
    #expect(texts.contains { $0.hasPrefix(closure) }, "\(texts)")
    #expect(texts.contains { $0.hasPrefix("forEach(_:)") }, "\(texts)")
    let model = try #require(frames.first { $0.function == "Model.readFiles(of:)" })
    #expect(
      model.symbol?.hasPrefix("$s7Release5ModelV") == true
        && model.fullName?.hasPrefix("Release.Model.readFiles(of:") == true)
  }

  /// Functions come without lines, and the frames report the reason.
  @Test func withoutALineReader() throws {
    let program = try StackProgram(.c, in: folder)
    let symbolizer = StackSymbolizer(lineReader: "")
    #expect(symbolizer.lineReaderAdvice != nil)
    let frames = frames(program, lineReader: "")
    #expect(frames[1].map(described) == ["read_files"] && frames[2].map(described) == ["main"])
    #expect(frames[1].map(\.origin) == [.symbolTable] && frames[1].map(\.missing) == [.noLineReader])
    // The same holds when the line reader cannot be started, or is not a program.
    for lineReader in ["/no/such/program", ProjectFiles.root.appendingPathComponent("README.md").path] {
      let frames = self.frames(program, lineReader: lineReader)
      #expect(frames[1].map(described) == ["read_files"] && frames[1].map(\.missing) == [.lineReaderFailed])
    }
  }

  /// A program that was stripped and moved is found by its build ID in each layout, and by its name.
  @Test(.enabled(if: hasLineReader, "needs llvm-symbolizer"))
  func filesThatWereMoved() throws {
    let program = try StackProgram(.c, in: folder)
    let id = program.buildID.map { String(format: "%02x", $0) }.joined()
    try #require(id.count == 40)
    let files = FileManager.default
    let original = folder.file("whole")
    try files.moveItem(atPath: program.path, toPath: original)
    #expect(frames(program)[1].map(\.missing) == [.fileMissing])

    for (number, place) in [
      ".build-id/\(id.prefix(2))/\(id.dropFirst(2)).debug", "\(id)/debuginfo", "deep/er/program",
      "deep/program.debug", "cache/buildid/\(id)/debuginfo",
      "usr/lib/debug/.build-id/\(id.prefix(2))/\(id.dropFirst(2)).debug",
      String(program.path.dropFirst()),
    ].enumerated() {
      let symbols = folder.file("symbols \(number)")
      let file = URL(fileURLWithPath: symbols).appendingPathComponent(place)
      try files.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try files.copyItem(atPath: original, toPath: file.path)
      let found = frames(program, folders: [folder.file("nothing"), symbols + "/"])
      #expect(found[1].map(\.function) == ["open_all", "read_files"], "\(place)")
      #expect(found[1].allSatisfy { $0.line != nil }, "\(place)")
    }
    // Stripped, but with its debug information in a folder.
    let split = try Program(
      shell: """
        objcopy --only-keep-debug whole 'split it.debug' && mkdir -p split/.build-id/\(id.prefix(2)) && strip whole -o program \
        && mv 'split it.debug' split/.build-id/\(id.prefix(2))/\(id.dropFirst(2)).debug
        """
    ).run([], folder: folder.path)
    try #require(split.status == 0, "\(split.errors)")
    #expect(frames(program)[1].map(\.missing) == [.stripped])
    #expect(
      frames(program, folders: [folder.file("split")])[1].map(\.function) == ["open_all", "read_files"])

    // The file with that name is now another build.
    var other = program.image
    other.buildID[3] ^= 1
    #expect(frames(program, image: other)[1].map(\.missing) == [.otherBuild])
    #expect(frames(program, image: other, folders: [folder.path])[1].map(\.missing) == [.otherBuild])
    // Without an ID, builds cannot be distinguished.
    other.buildID = []
    let symbolizer = StackSymbolizer()
    symbolizer.add(other, knowsBias: false)
    _ = symbolizer.frames(of: program.stack)
    #expect(symbolizer.unverifiedImages == ["program"])
  }

  /// The paths in a trace are untrusted: only regular files are opened.
  @Test func pathsThatAreNotFiles() throws {
    let pipe = folder.file("pipe")
    try #require(mkfifo(pipe, 0o600) == 0)
    let text = folder.file("text")
    try "no program".write(toFile: text, atomically: false, encoding: .utf8)
    let range: Range<UInt64> = 0x1000..<0x2000
    for (path, why) in [
      (pipe, MissingNames.fileMissing), ("/dev/zero", .fileMissing), (folder.path, .fileMissing),
      ("", .fileMissing),
      ("relative", .fileMissing), ("/proc/self/mem", .fileMissing), (text, .fileUnreadable),
      ("/no/such\u{0}file", .fileMissing), (String(repeating: "/x", count: 40_000), .fileMissing),
    ] {
      let symbolizer = StackSymbolizer(folders: [folder.path])
      symbolizer.add(MappedImage(path: path, bias: 0, range: range, buildID: []), knowsBias: false)
      let frames = symbolizer.frames(of: [StackAddress(exact: 0x1010)]).values.first
      #expect(frames?.map(\.missing) == [why], "\(path.prefix(80))")
      #expect(frames?.map(\.offset) == [0x10])
    }
  }

  /// The lines of Mach-O files come from their dSYM, found by UUID.
  @Test(.enabled(if: hasLineReader, "needs llvm-symbolizer"))
  func dSYM() throws {
    // The load command of a linker option of this length is as large as that of a UUID, so the test overwrites it.
    let source = """
      __asm__(".linker_option \\"-lABCDEFGHI\\"");
      volatile int files;
      static inline __attribute__((always_inline)) void open_all(void) { files += 1; }
      __attribute__((noinline)) void read_files(void) {
        open_all();
      }
      """
    try source.write(toFile: folder.file("app.c"), atomically: false, encoding: .utf8)
    let built = try Program(shell: "clang -target arm64-apple-macos12 -O2 -g -c app.c -o app.o").run(
      [], folder: folder.path)
    try #require(built.status == 0, "\(built.errors)")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file("app.o")))
    let option = Data([0x2D, 0, 0, 0, 24, 0, 0, 0, 1, 0, 0, 0]) + Data("-lABCDEFGHI\0".utf8)
    let command = try #require(bytes.range(of: option))
    bytes[command.lowerBound] = 0x1B
    let bundle = folder.file("builds/Other.dSYM/Contents/Resources/DWARF")
    try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
    try bytes.write(to: URL(fileURLWithPath: bundle + "/Other"))

    let uuid = MappedImage.buildID("01000000-2D6C-4142-4344-454647484900")
    #expect(uuid.count == 16)
    let image = MappedImage(
      path: "/Applications/App.app/App", bias: 0x1_0000, range: 0x1_0000..<0x2_0000, buildID: uuid)
    let symbolizer = StackSymbolizer(folders: [folder.path])
    symbolizer.add(image, knowsBias: false)
    let address = StackAddress(exact: 0x1_0004)
    #expect(
      symbolizer.frames(of: [address])[address]?.map(\.text) == ["open_all app.c:3", "read_files app.c:5"])
    // Found in the folder of the bundle, or in the folder above it.
    let folders = [folder.file("builds/Other.dSYM"), folder.file("builds")]
    for folder in folders {
      let symbolizer = StackSymbolizer(folders: [folder])
      symbolizer.add(image, knowsBias: false)
      #expect(symbolizer.frames(of: [address])[address]?.count == 2, "\(folder)")
    }
  }

  /// Damaged programs give other names or none, and have no other effect.
  @Test(.enabled(if: hasLineReader, "needs llvm-symbolizer"))
  func damagedPrograms() throws {
    let program = try StackProgram(.c, in: folder)
    let whole = try Data(contentsOf: URL(fileURLWithPath: program.path))
    var random = SeededGenerator(named: "damagedPrograms")
    for round in 0..<TestRounds.value(60) {
      var bytes = whole
      if round % 4 == 0 { bytes = bytes.prefix(Int(random.next() % UInt64(bytes.count))) }
      for _ in 0..<(1 << random.next() % 8) where !bytes.isEmpty {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      try bytes.write(to: URL(fileURLWithPath: program.path))
      var image = program.image
      if round % 2 == 0 { image.buildID = [] }
      #expect(frames(program, image: image).allSatisfy { !$0.isEmpty })
    }
  }
}
