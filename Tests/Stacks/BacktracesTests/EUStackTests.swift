import Backtraces
import CallStacks
import Testing

/// `eu-stack` with its options: `-m` names images, `-b` their build IDs, `-s` sources, `-i` inlined calls.
@Suite struct EUStackTests {
  @Test func allOptions() throws {
    let reading = try Reading(file: "ForeignStacks/eu-stack-sources.txt")
    #expect(reading.trace.threads.map(\.id) == [4110, 4112])
    #expect(reading.trace.threads.map(\.isMain) == [true, false])
    #expect(reading.places == ["/src/larder/journal.cc:88"] && reading.image == "larderd")
    #expect(reading.groups[0]?.cause == .disk)
    // This is enough to find the function's name in a file of the same build.
    let frame = try #require(reading.groups[0]?.frame)
    #expect(frame.imageID == "93ac61ec00000000000000000000000000000041" && frame.imageOffset == 0x1d6f)
    let frames = try reading.trace.threads[1].stacks()[0].frames
    #expect(
      frames[2].name
        == "std::thread::_State_impl<std::thread::_Invoker<std::tuple<larder::sync()::$_0> > >::_M_run()")
    #expect(frames[3].symbol == nil && frames[3].image == "libstdc++.so.6.0.30")
  }

  @Test func withoutOptions() throws {
    let text = """
      PID 4110 - process
      TID 4110:
      #0  0x00007f31c80dfa4d fsync@@GLIBC_2.2.5
      #1  0x000055f0a1001d6f flush_journal
      #2  0x000055f0a1002110 main
      #3  0x00007f31c802724a __libc_start_call_main
      TID 4112:
      #0  0x00007f31c808412b __GI___lll_lock_wait
      #1  0x00007f31c82d44a3
      """
    let reading = try Reading(text)
    #expect(reading.trace.kind == .euStack && reading.blamed == ["flush_journal"])
    #expect(reading.innermost == "fsync" && reading.outermost == "__libc_start_call_main")
    #expect(try reading.trace.threads[1].stacks()[0].frames.map(\.symbol) == ["__GI___lll_lock_wait", nil])
  }

  /// A single thread, with inlined calls and with the addresses of the calls.
  @Test func oneThread() throws {
    let text = """
      TID 4110:
      #0  0x00007f31c80dfa4d     fsync - /usr/lib/x86_64-linux-gnu/libc.so.6
      #1  0x000055f0a1001d6f - 1 Journal::sync - /opt/larder/bin/larderd
          /src/larder/journal.cc:80:3
      #2  0x000055f0a1001d6f - 1 Journal::flush - /opt/larder/bin/larderd
          /src/larder/journal.cc:88:9
      #3  0x00007f31c82d44a3 - 1 - /usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30
      """
    let reading = try Reading(text)
    #expect(reading.blamed == ["Journal::sync"] && reading.places == ["/src/larder/journal.cc:80"])
    #expect(reading.trace.threads.map(\.id) == [4110] && reading.outermost == "0x7f31c82d44a3")
  }

  /// Code that the kernel maps is not a function of the program.
  @Test func codeOfTheKernel() throws {
    let text = """
      PID 4110 - process
      TID 4110:
      #0  0x00007ffc8d5f2a10 __vdso_gettimeofday - [vdso: 4110]
      #1  0x000055f0a1001d6f tick - /opt/larder/bin/larderd
      """
    let reading = try Reading(text)
    #expect(reading.blamed == ["tick"] && reading.innermost == "__vdso_gettimeofday")
    #expect(reading.groups[0]?.example.frames[0].image == "[vdso]")
  }

  @Test func aFrameThatIsMissing() {
    let text = "TID 1:\n#0  0x00007f31c80dfa4d fsync\n#2  0x000055f0a1001d6f main\n"
    #expect(StackTexts.mistake(text) == "line 3: expected frame 1, but found frame 2")
  }
}
