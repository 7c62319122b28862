import Backtraces
import CallStacks
import Foundation
import Testing

/// Lists of frames in further forms, from programs, lldb, gdb and its scripts, and Swift's runtime.
@Suite struct FrameListTests {
  /// Returns the frames of a pasted stack.
  private func frames() throws -> [String] {
    try Reading.text("Stacks/location.txt").split(separator: "\n").map(String.init).filter {
      $0.first?.isNumber == true
    }
  }

  private func expectLocation(_ reading: Reading) {
    #expect(reading.trace.kind == .list && reading.trace.threads.count == 1)
    #expect(reading.blamed == ["TrackRecorder.mayRecord.getter"])
    #expect(reading.places == ["TrackRecorder.swift:88"] && reading.groups[0]?.cause == .ipc)
    #expect(reading.innermost == "mach_msg2_trap" && reading.outermost == "main")
  }

  // MARK: Thread.callStackSymbols

  /// A list as `NSLog` prints it, with and without quotes.
  @Test func loggedList() throws {
    let begin = "2026-01-31 10:00:00.123 Trails[123:4567] (\n"
    expectLocation(try Reading(begin + frames().map { "\t\($0)" }.joined(separator: ",\n") + "\n)\n"))
    expectLocation(try Reading(begin + frames().map { "    \"\($0)\"" }.joined(separator: ",\n") + "\n)\n"))
  }

  @Test func firstThrowCallStack() throws {
    expectLocation(
      try Reading(
        """
        *** Terminating app due to uncaught exception 'NSRangeException', reason: 'index 3 beyond bounds'
        *** First throw call stack:
        (
        \(frames().map { "\t\($0)" }.joined(separator: "\n"))
        )
        libc++abi: terminating due to uncaught exception of type NSException
        """))
  }

  /// A list as Swift's `print` prints it.
  @Test func printedList() throws {
    let list = "[" + (try frames()).map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    expectLocation(try Reading(list + "\n"))
  }

  // MARK: backtrace_symbols()

  @Test(arguments: ["", "%: ", "#% ", "% "]) func numbered(number: String) throws {
    let lines = try Reading.text("ForeignStacks/s13-callstacksymbols-linux.txt").split(separator: "\n")
    let text = lines.enumerated().map { number.replacingOccurrences(of: "%", with: "\($0)") + $1 }
    let reading = try Reading(text.joined(separator: "\n"))
    #expect(reading.trace.kind == .backtraceSymbols && reading.blamed == ["css + 5390"])
    #expect(reading.groups[0]?.example.frames.count == 14 && reading.trace.threads.count == 1)
  }

  /// Exported functions have names; other C libraries write no space.
  @Test func namedFunctions() throws {
    let reading = try Reading(
      "./larderd(flush_journal+0x10)[0x55c76bda050e]\n./larderd(main+0x20)[0x55c76bda0520]\n")
    #expect(reading.trace.kind == .backtraceSymbols && reading.blamed == ["flush_journal"])
    #expect(reading.groups[0]?.frame?.offset == 16 && reading.outermost == "main")
  }

  // MARK: lldb

  @Test func codeUnknownToLLDB() throws {
    let reading = try Reading(
      """
      * thread #1, queue = 'com.apple.main-thread', stop reason = signal SIGSTOP
        * frame #0: 0x000000018a443224 libsystem_kernel.dylib`__psynch_mutexwait + 8
          frame #1: 0x0000000104e52670
          frame #2: 0x0000000104e52680 libLost.dylib
          frame #3: 0x0000000104e52690 Notes`___lldb_unnamed_symbol12 + 20
          frame #4: 0x0000000104e50000 Notes`main + 52
      """)
    #expect(reading.trace.kind == .lldb && reading.outermost == "main")
    let frames = try #require(reading.groups[0]?.example.frames)
    #expect(frames.map(\.symbol) == ["__psynch_mutexwait", nil, nil, "___lldb_unnamed_symbol12", "main"])
    #expect(frames.map(\.image) == ["libsystem_kernel.dylib", nil, "libLost.dylib", "Notes", "Notes"])
  }

  @Test func optimizedCode() throws {
    let reading = try Reading(
      """
      * thread #1, name = 'notes', stop reason = EXC_BREAKPOINT (code=1, subcode=0x1)
        * frame #0: 0x0000000100003f10 Notes`save() [inlined] closure #1 in Notes.save(x=3) at Notes.swift:12:9 [opt]
          frame #1: 0x0000000100003f10 Notes`save() at Notes.swift:20:3 [opt] [artificial]
          frame #2: 0x0000000100003f50 Notes`main + 14 [artificial]
      """)
    let frames = try #require(reading.groups[0]?.example.frames)
    #expect(frames.map(\.symbol) == ["closure #1 in Notes.save", "save()", "main"])
    #expect(frames.map(\.line) == [12, 20, nil] && frames.map(\.isInlined) == [true, false, false])
    #expect(frames[2].offset == 14 && reading.trace.threads[0].isAttributed)
  }

  /// The output of `bt` in a session, and a frame in Xcode's console.
  @Test func partsOfASession() throws {
    let text = try Reading.text("Stacks/lldb.txt")
    let reading = try Reading("(lldb) bt\n" + text.from("* thread #1").upTo("main + 52\n"))
    #expect(reading.trace.kind == .lldb && reading.blamed == ["-[NoteStore save]"])
    let frames = try Reading("frame #0: 0x10 Notes`save at a.c:7\nframe #1: 0x20 Notes`main at a.c:9\n")
    #expect(frames.blamed == ["save"] && frames.places == ["a.c:7"] && frames.outermost == "main")
  }

  // MARK: gdb

  /// gstack and pstack of older systems.
  @Test func pstack() throws {
    let reading = try Reading(
      """
      Thread 2 (Thread 0x7f2c5b7fe700 (LWP 812)):
      #0  0x00007f2c6a1f3a35 in pthread_cond_wait@@GLIBC_2.3.2 () from /lib64/libpthread.so.0
      #1  0x00000000004008f1 in worker ()
      #2  0x00007f2c6a1efea5 in start_thread () from /lib64/libpthread.so.0
      Thread 1 (Thread 0x7f2c6a61e740 (LWP 811)):
      #0  0x00007f2c6a1f4017 in read () from /lib64/libc.so.6
      #1  0x0000000000400988 in load_settings ()
      #2  0x0000000000400999 in main ()
      """)
    #expect(reading.trace.kind == .gdb && reading.trace.threads.map(\.id) == [812, 811])
    #expect(reading.blamed == ["load_settings"] && reading.innermost == "read")
    #expect(reading.outermost == "main" && reading.trace.threads(.usual).map(\.number) == [1])
  }

  @Test func withoutDebugInformation() throws {
    let reading = try Reading(
      """
      #0  0x00007ffff7e9d7e2 in read () from /lib/x86_64-linux-gnu/libc.so.6
      #1  0x0000555555555190 in ?? ()
      #2  0x00005555555551d2 in main ()
      Backtrace stopped: previous frame identical to this frame (corrupt stack?)
      """)
    #expect(reading.blamed == ["main"] && reading.groups[0]?.cause == .disk)
    #expect(reading.groups[0]?.example.frames.map(\.symbol) == ["read", nil, "main"])
  }

  // MARK: Swift

  /// On macOS, frames of dyld come last.
  @Test func swiftOnMacOS() throws {
    let reading = try Reading(
      """
      *** Program crashed: Bad pointer dereference at 0x0000000000000004 ***

      Platform: arm64 macOS 15.5 (24F74)

      Thread 0 "com.apple.main-thread" crashed:

      0 0x0000000104a01004 Store.read(_:) + 64 in reader at /src/reader/main.swift:4:53
      1 [ra] 0x0000000104a02004 readFiles() + 29 in reader at /src/reader/main.swift:6:50
      2 [ra] [system] 0x0000000104a03004 static Main.$main() in reader at //<compiler-generated>
      3 [ra] [system] 0x000000018a1b2b98 start + 6076 in dyld

      Images (only mentioned):

      0x0000000104a00000–0x0000000104a0c000 4b3a0f2f7d1f3c0f reader /src/reader/.build/reader
      """)
    #expect(reading.trace.kind == .swift && reading.blamed == ["Store.read(_:)"])
    #expect(reading.outermost == "start" && reading.trace.mainImage == "reader")
    #expect(reading.trace.threads.map(\.isAttributed) == [true])
  }

  /// The document alone, and after other output of the program.
  @Test func swiftJSON() throws {
    let text = try Reading.text("Stacks/swift-crash-json.txt")
    for text in [text, text.from("{ \"timestamp\""), text.withCRLF] {
      let reading = try Reading(text)
      #expect(reading.trace.kind == .swiftJSON && reading.places == ["/src/reader/main.swift:4"])
    }
  }
}
