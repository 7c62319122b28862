import CallStacks
import Testing

/// Texts that leave out frames of a stack, or their names.
@Suite struct MissingFrameTests {
  private func reasons(_ text: String) throws -> [ConfidenceReason] {
    try #require(try Reading(text).groups.first??.reasons)
  }

  /// gdb states that it could not follow the stack. At the function that starts a thread, nothing is missing.
  @Test(arguments: [
    ("load_all", "Backtrace stopped: Cannot access memory at address 0x7ffc4778aa2c", true),
    ("load_all", "(More stack frames follow...)", true), ("load_all", "", false),
    ("main", "Backtrace stopped: previous frame identical to this frame (corrupt stack?)", false),
    ("start_thread", "(More stack frames follow...)", false),
  ])
  func aStackThatGDBDidNotFollow(outermost: String, note: String, isCut: Bool) throws {
    let text = """
      #0  0x00007ffff7e9d7e2 in fsync () from /lib/x86_64-linux-gnu/libc.so.6
      #1  0x0000555555555190 in load_settings () at settings.c:4
      #2  0x00005555555551d2 in \(outermost) () at settings.c:9
      \(note)
      """
    #expect(try reasons(text).contains(.framesMissing) == isCut)
    #expect(try Reading(text).blamed == ["load_settings"])
  }

  /// Swift's runtime leaves out the middle of a deep stack.
  @Test(arguments: ["{\"kind\": \"omittedFrames\", \"count\": 900}", "{\"kind\": \"truncated\"}"])
  func framesThatSwiftLeftOut(gap: String) throws {
    func text(_ gap: String) -> String {
      """
      {"timestamp": "2026-01-31T10:00:00Z", "kind": "crashReport", "threads": [
      {"name": "a", "crashed": true, "frames": [
      {"kind": "programCounter", "address": "0x10", "symbol": "f", "description": "f() + 1", "image": "App"},
      \(gap)
      {"kind": "returnAddress", "address": "0x20", "symbol": "main", "description": "main + 1", "image": "App"}]}]}
      """
    }
    #expect(try reasons(text(gap + ",")).contains(.framesMissing))
    #expect(try !reasons(text("")).contains(.framesMissing))
  }

  /// Texts that tools write for an unknown name do not count as names.
  @Test(arguments: ["???", "<redacted>", "<unknown>"]) func namesThatAreNone(name: String) throws {
    let reading = try Reading(
      """
      0   libsystem_kernel.dylib  0x0000000180001000 fsync + 8
      1   Shop                    0x0000000100001000 \(name) + 44
      2   Shop                    0x0000000100002000 main + 80
      """)
    #expect(reading.blamed == ["0x100001000"])
    #expect(reading.groups[0]?.reasons.contains(.noName) == true)
  }
}
