import Foundation
import TestSupport
import Testing
import TraceFormat

/// A C program without any reference to its recording.
@Suite(.ownThread) struct PlainCTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func build(_ source: String) throws -> Program {
    let path = ProjectFiles.root.appendingPathComponent("Tests/Fixtures/PlainC/\(source)").path
    let built = try Program(
      shell: """
        swift=$(dirname "$(readlink -f "$(command -v swiftc)")")/../lib/swift
        exec clang -O2 -fblocks -I"$swift" "$0" -o plain -L"$swift/linux" -lFoundation -ldispatch \
          -lBlocksRuntime -Wl,-rpath,"$swift/linux"
        """
    ).run([path], folder: folder.path)
    try #require(built.status == 0, "\(built.errors)")
    return Program(path: folder.file("plain"))
  }

  /// A program may use all keys for thread-specific data before it runs a loop. The value of the first key stays.
  @Test func noKeyIsLeft() throws {
    let run = try RecordedProgram(build("keys.c"), options: ["--allow-empty"])
    let plain = try run.plain
    #expect(plain.output == "same 1\nfires 2\n", "\(plain)")
    #expect(run.recorded.output == plain.output && run.recorded.status == 0, "\(run.recorded)")
  }

  /// Everything that CoreFoundation lets a C program observe: contexts, equality, reference counts, reused addresses.
  @Test func contextsAndReferenceCounts() throws {
    let program = try build("main.c")
    // How often its timers fire depends on the machine, so the outputs may be equal in any of five runs.
    var run = try RecordedProgram(program)
    for _ in 0..<4 {
      if try run.recorded.output == run.plain.output { break }
      run = try RecordedProgram(program)
    }
    try run.expectUnchanged()
    #expect(run.recorded.status == 3)
    let events = try run.events()
    #expect(events.contains { $0.kind == .timerBegin && $0.name == "fire" })
    #expect(events.contains { $0.kind == .source0Begin && $0.name == "perform" })
    // The program looks up the function for states. The second state has no value.
    let states = events.filter { $0.kind == .state }.sorted { $0.time < $1.time }.map(\.arguments)
    #expect(states.map(\.count) == [2, 2] && states.first?[1] != 0 && states.last?[1] == 0)
    #expect(events.contains { $0.kind == .blockBegin && $0.name.hasPrefix("__blocks_block_invoke") })
  }
}
