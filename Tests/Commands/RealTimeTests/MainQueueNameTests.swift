import Foundation
import TestSupport
import Testing
import TraceFormat

/// Work of the main loop has the name of the program's own code, however it was queued.
@Suite(.ownThread) struct MainQueueNameTests {
  private struct Work: Hashable {
    var kind: String
    var name: String

    init(_ kind: String, _ name: String) {
      self.kind = kind
      self.name = name
    }

    init?(_ row: [String: Any]) {
      guard let kind = row["kind"] as? String, let name = row["name"] as? String else { return nil }
      self.init(kind, name)
    }
  }

  /// The kinds of work in the program's order.
  private static let kinds = [
    Work("mainQueueBlock", "closure #1 in Work.async()"),
    Work("mainQueueBlock", "closure #1 in Work.asyncInGroup()"),
    Work("mainQueueBlock", "closure #1 in Work.workItem()"),
    Work("mainQueueBlock", "closure #1 in closure #1 in Work.sync()"),
    Work("mainQueueBlock", "closure #1 in Work.operation()"),
    Work("mainQueueBlock", "closure #1 in Work.notification()"),
    Work("mainQueueBlock", "closure #1 in Work.mainActorTask()"),
    Work("timer", "closure #1 in Work.dispatchTimer()"),
    Work("timer", "closure #1 in Work.loopTimer()"),
    Work("mainQueueBlock", "closure #1 in Work.asyncWithFlags()"),
    Work("mainQueueBlock", "closure #1 in Work.asyncAfter()"),
    Work("mainQueueBlock", "closure #1 in closure #1 in Work.syncWithResult()"),
    Work("mainQueueBlock", "closure #1 in Work.groupNotify()"),
    Work("mainQueueBlock", "closure #2 in Work.itemNotify()"),
    Work("mainQueueBlock", "Work.OwnOperation.main()"),
    Work("mainQueueBlock", "Work.onMainActor()"),
    Work("mainQueueBlock", "closure #1 in Work.taskGoesOn()"),
    Work("mainQueueBlock", "closure #1 in Work.targetQueue()"),
    Work("block", "closure #1 in Work.perform()"),
    Work("source0", "closure #1 in Work.source()"),
    Work("mainQueueBlock", "closure #1 in Work.barrier()"),
    Work("mainQueueBlock", "closure #1 in closure #1 in Work.itemSync()"),
  ]
  private static let nine = 9

  private func analysis(_ trace: String) throws -> JSONValues {
    let result = try Program.rltrace.run(["analyze", trace, "--format", "json"])
    try #require(result.status == 0, "\(result.errors)")
    return try JSONValues(result.output)
  }

  @Test func everyKindOfMainLoopWork() throws {
    let run = try RecordedProgram(.loopPrograms, ["work", "\(MainQueueNameTests.kinds.count)", "1"])
    try run.expectUnchanged()
    let callouts = try analysis(run.trace).list("callouts")
    let found = Set(callouts.compactMap { Work($0) })
    for work in MainQueueNameTests.kinds { #expect(found.contains(work), "\(work)") }
    // The only other callouts are drains, and the timer that paces the work.
    let others = found.subtracting(MainQueueNameTests.kinds).filter { $0.kind != "mainQueueDrain" }
    #expect(others == [Work("timer", "closure #1 in LoopPrograms.work(_:)")])
    let events = try run.events()
    let begins = events.count { $0.kind.isCalloutBegin }
    #expect(begins == events.count { $0.kind.isCalloutEnd })
  }

  /// Without symbols, work is named after the address of the program's code, not after the library function that calls
  /// it.
  @Test func ofAStrippedProgram() throws {
    let strip = Program(shell: "strip -s -o stripped \"$0\" && exec ./stripped work \"$1\" 1")
    let run = try RecordedProgram(strip, [Program.loopPrograms.path, "\(MainQueueNameTests.kinds.count)"])
    try run.expectUnchanged()
    let callouts = try analysis(run.trace).list("callouts").compactMap { Work($0) }
    let timers = callouts.filter { $0.kind == "timer" }.map(\.name)
    #expect(timers.count >= 3 && timers.allSatisfy { $0.hasPrefix("stripped+0x") }, "\(timers)")
    // The names distinguish the blocks that the program made itself.
    let blocks = callouts.filter { $0.kind == "mainQueueBlock" && $0.name.hasPrefix("stripped+0x") }
    #expect(Set(blocks).count >= 8, "\(callouts)")
  }

  /// 300 ms of sleep in each of nine kinds of work cause nine gaps, each with its own culprit. `tools/soak --names`
  /// repeats the test.
  @Test(.serialized, arguments: 0..<rounds)
  func nineSleepers(round: Int) throws {
    let folder = try TemporaryFolder()
    let sleep = 300
    let run = try Program.rltrace.run(
      [
        "record", "-q", "-o", "nine.rltrace", "--", Program.loopPrograms.path, "work",
        "\(MainQueueNameTests.nine)",
        "\(sleep)",
      ],
      folder: folder.path)
    try #require(run.status == 0, "\(run.errors)")
    let analysis = try analysis(folder.file("nine.rltrace"))
    let nine = MainQueueNameTests.kinds.prefix(MainQueueNameTests.nine)
    let longest = { (row: [String: Any]) in row["longest_ns"] as? Int ?? 0 }
    let sleepers = analysis.list("callouts").filter { longest($0) >= sleep * 1_000_000 }
    #expect(Set(sleepers.compactMap { Work($0) }.filter { $0.kind != "mainQueueDrain" }) == Set(nine))
    // The pieces of work in each gap, without the drain around them.
    let gaps = analysis.list("gaps").compactMap { $0["callouts"] as? [[String: Any]] }.map { callouts in
      callouts.filter { $0["duration_ns"] as? Int ?? 0 >= sleep * 1_000_000 }.compactMap { Work($0) }
        .filter { $0.kind != "mainQueueDrain" }
    }.filter { !$0.isEmpty }
    #expect(gaps.allSatisfy { $0.count == 1 }, "\(gaps)")
    #expect(gaps.flatMap { $0 }.map(\.name).sorted() == nine.map(\.name).sorted())
  }

  private static var rounds: Int {
    ProcessInfo.processInfo.environment["RLTRACE_TEST_NAMES"].flatMap { Int($0) } ?? 1
  }

  /// The recorder also names work that was queued before the program first used a run loop.
  @Test func workFromBeforeTheFirstLoop() throws {
    let run = try RecordedProgram(.loopPrograms, ["early"])
    try run.expectUnchanged()
    let names = Set(try run.events().filter { $0.kind == .mainQueueBlockBegin }.map(\.name))
    #expect(
      names == [
        "closure #1 in Work.async()", "closure #1 in Work.workItem()", "closure #1 in Work.operation()",
        "closure #1 in Work.mainActorTask()",
      ])
  }

  /// Due points of a dispatch source's timer. Each point that has passed either fires or is missed, as in the
  /// source's own counts. While the source is suspended, its timer is in no mode, and nothing is due. On a busy machine
  /// the counts may differ. A source whose first fire is late missed points before the recorder knew its name. One that
  /// resumes late misses points that the program does not count.
  @Test func pointsOfADispatchTimer() throws {
    var found: [(recorded: [Int], counted: [Int])] = []
    for _ in 0..<5 {
      let run = try RecordedProgram(.loopPrograms, ["dispatch-timer"])
      let counts = run.recorded.output.split { " \n".contains($0) }.compactMap { Int($0) }
      try #require(counts.count == 2, "\(run.recorded.output) \(run.recorded.errors)")
      let timers = try analysis(run.trace).list("timers").filter { $0["interval_ns"] as? Int == 10_000_000 }
      #expect(timers.allSatisfy { $0["name"] as? String == "closure #1 in LoopPrograms.dispatchTimer(_:)" })
      let sums = ["fired", "skipped"].map { key in timers.reduce(0) { $0 + ($1[key] as? Int ?? 0) } }
      if sums == counts { return }
      found.append((sums, counts))
    }
    Issue.record("fires and skipped points: \(found)")
  }

  /// Two functions with the same short name, and threads with the same name.
  @Test func differentFunctionsHaveDifferentNames() throws {
    let run = try RecordedProgram(.loopPrograms, ["same"])
    try run.expectUnchanged()
    let events = try run.events()
    let ticks = events.filter { $0.kind == .timerBegin && $0.name.contains("tick") }.map(\.name)
    #expect(ticks.count == 2 && Set(ticks).count == 2, "\(ticks)")
    let loops = Dictionary(events.filter { $0.kind == .loopCreate }.map { ($0.object, $0.name) }) { $1 }
    #expect(loops.count == 4 && Set(loops.values).count == 4, "\(loops)")
    #expect(events.count { $0.kind == .loopEnd } == 3)
  }

  /// The source of a CFSocket has the name of the socket's callout.
  @Test func socketsHaveTheirOwnCallouts() throws {
    let run = try RecordedProgram(.loopPrograms, ["socket"])
    try run.expectUnchanged()
    let sources = try run.events().filter { $0.kind == .sourceCreate }.map(\.name)
    #expect(sources.contains { $0.hasPrefix("socketIsReadable(") }, "\(sources)")
    #expect(sources.contains { $0.contains("Process.run()") && $0.contains("LoopPrograms.socket(_:)") })
    #expect(!sources.contains { $0.contains("__CFSocketPerform") })
  }

  /// Functions with a context, as C programs queue them.
  @Test func functionsOfC() throws {
    let folder = try TemporaryFolder()
    let program = """
      #include <CoreFoundation/CFRunLoop.h>
      #include <dispatch/dispatch.h>
      #include <pthread.h>
      static int done;
      // Not in this platform's headers.
      void dispatch_async_and_wait_f(dispatch_queue_t, void *, dispatch_function_t);
      #define WORK(name) static void name(void *context) { *(int *)context += 1; }
      WORK(by_async) WORK(by_barrier) WORK(by_group) WORK(by_notify) WORK(by_after) WORK(by_sync) WORK(by_wait)
      static void *other_thread(void *nothing) {
        dispatch_sync_f(dispatch_get_main_queue(), &done, by_sync);
        dispatch_async_and_wait_f(dispatch_get_main_queue(), &done, by_wait);
        return nothing;
      }
      int main(void) {
        CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, 0);
        dispatch_queue_t queue = dispatch_get_main_queue();
        dispatch_group_t group = dispatch_group_create();
        pthread_t thread;
        dispatch_async_f(queue, &done, by_async);
        dispatch_barrier_async_f(queue, &done, by_barrier);
        dispatch_group_async_f(group, queue, &done, by_group);
        dispatch_group_notify_f(group, queue, &done, by_notify);
        dispatch_after_f(dispatch_time(DISPATCH_TIME_NOW, 1000), queue, &done, by_after);
        pthread_create(&thread, NULL, other_thread, NULL);
        while (done < 7) CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.02, 0);
        pthread_join(thread, NULL);
        return done;
      }
      """
    try program.write(toFile: folder.file("main.c"), atomically: true, encoding: .utf8)
    let built = try Program(
      shell: """
        swift=$(dirname "$(readlink -f "$(command -v swiftc)")")/../lib/swift
        exec clang -g -fblocks -I"$swift" main.c -o plain -L"$swift/linux" -lFoundation -ldispatch \
          -lBlocksRuntime -lpthread -Wl,-rpath,"$swift/linux"
        """
    ).run([], folder: folder.path)
    try #require(built.status == 0, "\(built.errors)")
    let run = try RecordedProgram(Program(path: folder.file("plain")))
    try run.expectUnchanged()
    #expect(run.recorded.status == 7)
    let names = try run.events().filter { $0.kind == .mainQueueBlockBegin }.map(\.name)
    #expect(
      names.sorted() == ["by_after", "by_async", "by_barrier", "by_group", "by_notify", "by_sync", "by_wait"])
  }
}
