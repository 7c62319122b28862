import Foundation
import TestSupport
import Testing

/// A trace of an app for iOS and the app's dSYM bundle, from `symbolicate --symbols` to `analyze`.
///
/// The compiler makes a Mach-O object with debug information, and dsymutil makes the bundle. No linker for Apple's systems
/// is needed: the linked image has the load commands that dsymutil reads, and a debug map says where the linker would have
/// put the function.
@Suite struct DSYMTests {
  private static let hasTools =
    (try? Program(
      shell: "for tool in clang dsymutil llvm-symbolizer; do compgen -c $tool | grep -q . || exit 1; done"
    ).run([]).status) == 0
  private static let source = """
    volatile int files;
    static inline __attribute__((always_inline)) void open_all(void) { files += 1; }
    __attribute__((noinline)) void read_files(void) {
      open_all();
    }
    """
  private let uuid = [UInt8](1...16)
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  // MARK: The app

  private func bytes<T: FixedWidthInteger>(_ values: T...) -> [UInt8] {
    values.flatMap { value in withUnsafeBytes(of: value.littleEndian) { Array($0) } }
  }

  private func name(_ text: String) -> [UInt8] {
    Array(text.utf8) + [UInt8](repeating: 0, count: 16 - text.utf8.count)
  }

  private func segment(
    _ text: String, at address: UInt64, _ size: UInt64, fileSize: UInt64 = 0, sections: [UInt8] = []
  ) -> [UInt8] {
    bytes(UInt32(0x19), UInt32(72 + sections.count)) + name(text) + bytes(address, size, 0, fileSize)
      + bytes(UInt32(5), 5, UInt32(sections.count / 80), 0) + sections
  }

  /// The linked app: its code is at 0x100004000, and its UUID is that of the trace.
  private func image(_ uuid: [UInt8]) -> Data {
    let text =
      name("__text") + name("__TEXT") + bytes(UInt64(0x1_0000_4000), 0x1000)
      + bytes(UInt32(0x4000), 2, 0, 0, 0x8000_0400, 0, 0, 0)
    let commands = [
      segment("__PAGEZERO", at: 0, 0x1_0000_0000),
      segment("__TEXT", at: 0x1_0000_0000, 0x8000, fileSize: 0x8000, sections: text),
      segment("__LINKEDIT", at: 0x1_0000_8000, 0x4000), bytes(UInt32(2), 24, 0, 0, 0, 0),
      bytes(UInt32(0x1B), 24) + uuid,
    ]
    let header = bytes(
      UInt32(0xFEED_FACF), 0x0100_000C, 0, 2, UInt32(commands.count), UInt32(commands.joined().count), 0x85, 0
    )
    var file = Data(header + commands.joined())
    file.append(Data(count: 0x8000 - file.count))
    return file
  }

  /// Makes the bundle BUNDLE.dSYM for the app with a UUID.
  private func makeBundle(_ bundle: String, _ uuid: [UInt8]) throws {
    let map = """
      ---
      triple: 'arm64-apple-darwin'
      binary-path: 'App'
      objects:
        - filename: 'app.o'
          timestamp: 0
          symbols:
            - { sym: _read_files, objAddr: 0x0, binAddr: 0x100004000, size: 0x14 }
      """
    try image(uuid).write(to: URL(fileURLWithPath: folder.file("App")))
    try map.write(toFile: folder.file("App.yaml"), atomically: false, encoding: .utf8)
    try Self.source.write(toFile: folder.file("app.c"), atomically: false, encoding: .utf8)
    let built = try Program(
      shell: "clang -target arm64-apple-ios15.0 -O2 -g -c app.c -o app.o && dsymutil -y App.yaml -o \"$0\""
    ).run([bundle], folder: folder.path)
    try #require(built.status == 0, "\(built.errors)")
  }

  /// Writes a trace in which the app holds the main thread for 0.4 s. Returns its path.
  private func trace() throws -> String {
    let path = "/private/var/containers/Bundle/Application/App.app/App"
    let stacks = [103_000, 203_000, 303_000].map {
      "  \($0) thread.stack thread=17 reason=1 frame=0x104004004"
    }
    let text = """
      rltrace-text 1
      header minor=2 unit=1us codec=none capture=callouts+stacks clock=monotonic high=no
      strings
        1 "\(path)"
        2 "\(uuid.map { String(format: "%02x", $0) }.joined())"
      threads
        0 os=17 main=yes "main"
        1 os=18 main=no "rltrace-stalls"
      modes
        1 "kCFRunLoopDefaultMode"
      sync
        0 monotonic=1000000000 boottime=1000000000 realtime=0
      info
        "program" "\(path)"
        "machine" "arm64"
        "recorder_thread" "1"
      events thread=0
        1000 Entry.low m1 #1
        2000 BeforeTimers.low m1 #1
        3000 timer.begin m1 #2
        403000 timer.end m1 #2
        404000 BeforeWaiting.low m1 #1
      events thread=1
        0 imageMap path=1 base=0x104000000 size=0x8000 build_id=2
      \(stacks.joined(separator: "\n"))
      end
      """
    let file = folder.file("app.rltrace")
    try assembleTrace(text).withUnsafeBytes { try Data($0).write(to: URL(fileURLWithPath: file)) }
    return file
  }

  // MARK: Tests

  @Test(.enabled(if: hasTools, "needs clang, dsymutil and llvm-symbolizer"))
  func aBundleNamesTheCodeThatHeldTheLoop() throws {
    try makeBundle("symbols/App.dSYM", uuid)
    let named = folder.file("named.rltrace")
    let result = try Program.rltrace.run(
      ["symbolicate", trace(), "-o", named, "--symbols", folder.file("symbols")])
    #expect(result.errors.contains("named 1 of 1 code address, 1 with file and line"), "\(result.errors)")
    let stalls = try stalls(of: named)
    try #require(stalls.count == 1)
    #expect(stalls[0]["function"] as? String == "open_all" && stalls[0]["image"] as? String == "App")
    #expect((stalls[0]["source_file"] as? String)?.hasSuffix("/app.c") == true)
    #expect(stalls[0]["source_line"] as? Int == 2)
    let stack = try #require(stalls[0]["stack"] as? [[String: Any]])
    #expect(stack.compactMap { $0["function"] as? String } == ["open_all", "read_files"])
    #expect(stack.compactMap { $0["source_line"] as? Int } == [2, 4])
    let text = try Program.rltrace.run(["analyze", named]).output
    #expect(text.contains("\"open_all app.c:2\""), "\(text)")
  }

  /// The bundle of another build has the same name, and other code at the address.
  @Test(.enabled(if: hasTools, "needs clang, dsymutil and llvm-symbolizer"))
  func aBundleOfAnotherBuildNamesNothing() throws {
    try makeBundle("symbols/App.dSYM", uuid.reversed())
    let named = folder.file("named.rltrace")
    let result = try Program.rltrace.run(
      ["symbolicate", trace(), "-o", named, "--symbols", folder.file("symbols")])
    #expect(result.errors.contains("named 0 of 1 code address"), "\(result.errors)")
    #expect(try stalls(of: named).allSatisfy { $0["source_line"] as? Int == nil })
  }

  private func stalls(of path: String) throws -> [[String: Any]] {
    let root = try JSONValues(Program.rltrace.run(["analyze", path, "--format", "json"]).output).root
    return try #require(root["stalls"] as? [[String: Any]])
  }
}
