import Backtraces
import CallStacks
import Testing

/// Locks and their owners according to a text.
@Suite struct LockTests {
  private func locks(_ text: String) throws -> [LockWait?] {
    try BacktraceReader.read(Array(text.utf8)).threads.map(\.lock)
  }

  @Test func addressesInGDB() throws {
    let found = try BacktraceReader.read(try StackTexts.bytes("gdb-deadlock.txt")).threads.map(\.lock)
    #expect(
      found == [
        LockWait(address: 0x561f_250b_20a0, name: "a"), LockWait(address: 0x561f_250b_20e0, name: "b"),
      ])
  }

  /// `x/3dw` of each mutex after the stacks.
  @Test func ownersInGDB() throws {
    let text = String(decoding: try StackTexts.bytes("gdb-deadlock.txt"), as: UTF8.self)
    let asked = "0x561f250b20a0 <a>:\t2\t0\t5297\n0x561f250b20e0 <b>:\t2\t0\t5299\n"
    #expect(try locks(text + asked).map { $0?.ownerID } == [5297, 5299])
    #expect(try locks(text + "0x561f250b20a0 <a>:\t2\t0\n").map { $0?.ownerID } == [nil, nil])
    // The mutex has no owner.
    #expect(try locks(text + "0x561f250b20a0 <a>:\t0\t0\t0\n").map { $0?.ownerID } == [nil, nil])
  }

  /// A reference to a mutex, in `bt full`.
  @Test func ownersInFullBacktraces() throws {
    let found = try BacktraceReader.read(try StackTexts.bytes("gdb-cpp-full.txt")).threads
    #expect(found.map(\.lock?.name) == ["model", "view"])
    #expect(found.map(\.lock?.ownerID) == [found[1].id, found[0].id])
    let asked = try BacktraceReader.read(try StackTexts.bytes("gdb-cpp-deadlock.txt")).threads
    #expect(asked.map(\.lock?.ownerID) == [asked[1].id, asked[0].id])
  }

  /// A thread that waits for a condition does not wait for the condition's mutex.
  @Test func conditionsHaveNoOwner() throws {
    let text = """
      #0  __futex_abstimed_wait_common (futex_word=0x5591a0) at ./nptl/futex-internal.c:57
      #1  ___pthread_cond_wait (cond=0x5591a0, mutex=0x5591c8) at ./nptl/pthread_cond_wait.c:618
      #2  0x0000555555555247 in second () at pair.c:11

      """
    #expect(try locks(text) == [nil])
  }

  private func spindump(_ first: String, _ second: String) -> String {
    """
    Process:          Planner [27952]

      Thread 0x2ca9e    DispatchQueue "com.apple.main-thread"(1)    49 samples (1-49)
      49  start + 462 (dyld + 21806) [0x115b4652e] 1-49
        49  WeekView.lock() + 120 (WeekView.swift:77,9 in Planner + 60013) [0x10772d000] 1-49
          49  _pthread_mutex_firstfit_lock_slow + 205 (libsystem_pthread.dylib + 7355) [0x7ff813b6bcbb] 1-49
           *\(first) 1-49

      Thread 0xbed    Thread name "writer"    49 samples (1-49)
      49  thread_start + 15 (libsystem_pthread.dylib + 8043) [0x7ff80474ff6b] 1-49
        49  Store.write() + 12 (Store.swift:7,2 in Planner + 60099) [0x10772d056] 1-49
          49  _pthread_mutex_firstfit_lock_slow + 205 (libsystem_pthread.dylib + 7355) [0x7ff813b6bcbb] 1-49
           *\(second) 1-49

    """
  }

  private func waiting(_ samples: Int, for whom: String) -> String {
    "\(samples)  psynch_mtxcontinue + 0 (pthread + 11285) [0xffffff8003753c15] (blocked by turnstile waiting for \(whom))"
  }

  @Test func turnstiles() throws {
    let pair = spindump(
      waiting(49, for: "Planner [27952] thread 0xbed"), waiting(49, for: "Planner [27952] main thread"))
    #expect(try locks(pair).map { $0?.owner } == [.thread(0xbed), .mainThread])
    let oneself = spindump(waiting(49, for: "this thread"), waiting(49, for: "smd [301]"))
    #expect(try locks(oneself).map { $0?.owner } == [.itself, nil])
    // One sample of many does not show what the thread does.
    let seldom = spindump(waiting(1, for: "Planner [27952] thread 0xbed"), waiting(30, for: "this thread"))
    #expect(try locks(seldom).map { $0?.owner } == [nil, .itself])
  }

  @Test func circles() {
    #expect(LockCircles(owners: []).circles.isEmpty)
    #expect(LockCircles(owners: [nil, 0, 1]).circles.isEmpty)
    #expect(LockCircles(owners: [1, 0]).circles == [[0, 1]])
    #expect(LockCircles(owners: [0]).circles == [[0]])
    // Other threads wait for the threads in the cycle.
    #expect(LockCircles(owners: [1, 2, 3, 1, 0, nil, 6]).circles == [[1, 2, 3], [6]])
  }
}
