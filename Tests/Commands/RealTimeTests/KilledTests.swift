import CRLTraceShims
import Foundation
import TestSupport
import Testing
import TraceFormat

/// SIGKILL at random moments: no stored event is lost. RLTRACE_TEST_KILLS sets the number of rounds. The default is 6:
/// each way to record, with each order of the kills.
@Suite(.ownThread) struct KilledTests {
  private static let kills =
    ProcessInfo.processInfo.environment["RLTRACE_TEST_KILLS"].flatMap { Int($0) } ?? 6

  /// A whole recording, and recordings in segments so large that none is dropped.
  private static let ways = ["", "--flight-recorder 60", "--max-size 256M"]

  /// Starts a recorded program that counts, kills `victims` after `seconds`, and waits for the rest.
  private func run(_ folder: TemporaryFolder, _ number: Int, seconds: Double, victims: String) throws
    -> Program.Result
  {
    try Program(
      shell: """
        "$0" record -q \(KilledTests.ways[number % KilledTests.ways.count]) -o killed.rltrace -- "$1" count counter & recorder=$!
        for i in $(seq 200); do [ -e counter ] && break; sleep 0.02; done
        program=$(cat /proc/$recorder/task/$recorder/children)
        sleep \(seconds)
        kill -9 \(victims)
        wait $recorder
        """
    ).run([Program.rltrace.path, Program.loopPrograms.path], folder: folder.path)
  }

  /// Expects all events. The program increments a counter in each callout, after its begin, so at most the last begin
  /// is not counted.
  ///
  /// Returns false when a ring was full because the recorder got no processor time for too long. The trace reports
  /// that, and such a round proves nothing about kills.
  private func expectAll(_ folder: TemporaryFolder) throws -> Bool {
    let counter = try Data(contentsOf: URL(fileURLWithPath: folder.file("counter")))
    let counted = counter.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    let reader = try openTrace(path: folder.file("killed.rltrace"))
    #expect(reader.isClean)
    let counts = try EventCounts(reader)
    guard counts[.lostEvents] == 0 else { return false }
    let begins = counts[.source0Begin], ends = counts[.source0End]
    #expect(
      UInt64(begins) == counted || UInt64(begins) == counted + 1, "\(begins) begins, \(counted) counted")
    #expect(begins - ends == 0 || begins - ends == 1)
    return true
  }

  private func moments(_ name: String) -> [Double] {
    var random = SeededGenerator(named: name)
    return (0..<KilledTests.kills).map { _ in Double(random.next() % 400_000) / 1e6 }
  }

  @Test func theProgram() throws {
    var rounds = 0
    for (number, seconds) in moments("theProgram").enumerated() {
      let folder = try TemporaryFolder()
      let result = try run(folder, number, seconds: seconds, victims: "$program")
      #expect(result.status == 137, "\(result.errors)")
      #expect(folder.names == ["counter", "killed.rltrace"])
      if try expectAll(folder) { rounds += 1 }
    }
    #expect(rounds > KilledTests.kills / 4, "events were lost in the others")
  }

  /// The spool and the partial trace are sufficient.
  @Test func theProgramAndTheRecorder() throws {
    var rounds = 0
    for (number, seconds) in moments("theProgramAndTheRecorder").enumerated() {
      let folder = try TemporaryFolder()
      // In either order.
      _ = try run(
        folder, number, seconds: seconds,
        victims: number % 2 == 0 ? "$program $recorder" : "$recorder $program")
      guard folder.names != ["counter", "killed.rltrace"] else {  // the recorder was faster
        rounds += 1
        continue
      }
      #expect(folder.names.contains("killed.rltrace.spool"))
      let recovered = try Program.rltrace.run(["recover", "killed.rltrace.spool"], folder: folder.path)
      #expect(recovered.status == 0, "\(recovered.errors)")
      #expect(folder.names == ["counter", "killed.rltrace"])
      if try expectAll(folder) { rounds += 1 }
    }
    #expect(rounds > KilledTests.kills / 4, "events were lost in the others")
  }

  /// Kills the program while its thread is sampled, alone or with the recorder. The current callout is open at the
  /// end, and the trace has samples of it.
  @Test func inAStall() throws {
    ReportedStall.unblockSignals()
    for (number, seconds) in moments("inAStall").enumerated() {
      let folder = try TemporaryFolder()
      _ = try Program(
        shell: """
          "$0" record -q --sample 10ms -o killed.rltrace -- "$1" stalls 20 cpu & recorder=$!
          seen() { od -An -tu4 -j188 -N4 killed.rltrace.spool 2>/dev/null || echo 0; }
          for i in $(seq 500); do [ $(($(seen) & 4)) != 0 ] && break; sleep 0.02; done
          program=$(cat /proc/$recorder/task/$recorder/children)
          sleep \(0.15 + seconds)
          kill -9 $program \(number % 2 == 0 ? "" : "$recorder")
          wait $recorder
          [ ! -e killed.rltrace.spool ] || "$0" recover killed.rltrace.spool
          """
      ).run([Program.rltrace.path, Program.loopPrograms.path], folder: folder.path)
      #expect(folder.names == ["killed.rltrace"])
      let reader = try openTrace(path: folder.file("killed.rltrace"))
      let counts = try EventCounts(reader)
      #expect(reader.isClean && counts[.timerBegin] == counts[.timerEnd] + 1, "after \(seconds) s")
      #expect(counts[.threadStack] > 0, "after \(seconds) s")
    }
  }

  /// The program continues when its recorder dies.
  @Test func theRecorderAlone() throws {
    let folder = try TemporaryFolder()
    let result = try Program(
      shell: """
        "$0" record -q -o gone.rltrace -- "$1" timers 500 >out & recorder=$!
        sleep 0.2; kill -9 $recorder; wait $recorder
        for i in $(seq 100); do grep -q fires out && break; sleep 0.05; done
        """
    ).run([Program.rltrace.path, Program.loopPrograms.path], folder: folder.path)
    #expect(
      try String(contentsOfFile: folder.file("out"), encoding: .utf8) == "fires 500\n", "\(result.errors)")
    let recovered = try Program.rltrace.run(["recover", "gone.rltrace.spool"], folder: folder.path)
    #expect(recovered.status == 0, "\(recovered.errors)")
    let reader = try openTrace(path: folder.file("gone.rltrace"))
    #expect(try EventCounts(reader)[.timerBegin] == 500)
  }

  /// Without the wrapper command: the program itself records into a spool.
  @Test func printedEnvironment() throws {
    let folder = try TemporaryFolder()
    let result = try Program(
      shell: """
        "$0" record --print-env -o alone.rltrace >variables && env $(cat variables) "$1" timers 300
        env $(cat variables) "$1" count counter & sleep 0.3; kill -9 $!; wait $!
        "$0" recover alone*.spool
        """
    ).run([Program.rltrace.path, Program.loopPrograms.path], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "fires 300\n")
    let traces = folder.names.filter { $0.hasSuffix(".rltrace") }
    #expect(traces.count == 2 && !folder.names.contains { $0.hasSuffix(".spool") })
    let reader = try openTrace(path: folder.file("alone.rltrace"))
    #expect(try EventCounts(reader)[.timerBegin] == 300)
    #expect(reader.info.contains { $0.key == "kept" })
    // The second program filled its rings several times: its newest events are there, with begins and ends in turn.
    let other = try #require(traces.first { $0 != "alone.rltrace" })
    let events = try openTrace(path: folder.file(other)).allEvents()
      .flatMap { $0 }.map(\.kind).filter {
        $0 == EventKind.source0Begin.rawValue || $0 == EventKind.source0End.rawValue
      }
    #expect(events.count > 1000)
    #expect(zip(events, events.dropFirst()).allSatisfy { $0 != $1 })
  }

  @Test(arguments: ["RLTSPOOL", "not a spool at all, but long enough"])
  func notASpool(content: String) throws {
    let folder = try TemporaryFolder()
    try content.write(toFile: folder.file("x.rltrace.spool"), atomically: true, encoding: .utf8)
    let result = try Program.rltrace.run(["recover", "x.rltrace.spool"], folder: folder.path)
    #expect(result.status == 65)
    #expect(result.errorLines.count == 1 && result.errors.contains("not a spool"))
    #expect(folder.names == ["x.rltrace.spool"])
  }

  /// Recovery of a spool with random bytes does not trap: it produces a trace or a one-line error.
  @Test func damagedSpools() throws {
    let folder = try TemporaryFolder()
    _ = try Program(
      shell: "env $(\"$0\" record --print-env -o a.rltrace | sed s/slots=[0-9]*/slots=4096/) \"$1\" blocks"
    ).run([Program.rltrace.path, Program.loopPrograms.path], folder: folder.path)
    let whole = try FileHandle(forUpdating: URL(fileURLWithPath: folder.file("a.rltrace.spool")))
    defer { try? whole.close() }
    var random = SeededGenerator(named: "damagedSpools")
    // The header, the rings and the names, and the first slots. The rest is empty.
    let names = 8 * 16384
    for round in 0..<30 {
      let area = [4096, 4096 + 384 * 4, names][round % 3]
      let offset = UInt64(round % 3 == 2 ? 114_688 : 0) + random.next() % UInt64(area)
      try whole.seek(toOffset: offset)
      let old = try whole.read(upToCount: 8) ?? Data()
      try whole.seek(toOffset: offset)
      try whole.write(contentsOf: withUnsafeBytes(of: random.next()) { Data($0) })
      let result = try Program.rltrace.run(
        ["recover", "--keep", "--force", "-o", "b.rltrace", "a.rltrace.spool"], folder: folder.path)
      // The bytes may set the flag for a complete trace although there is none. Recovery reports that, and the spool
      // stays.
      try whole.seek(toOffset: UInt64(MemoryLayout<rlt_spool>.offset(of: \.seen)!))
      let seen = try whole.read(upToCount: 4)?.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) } ?? 0
      let isMarkedWritten =
        seen & UInt32(RLT_SEEN_WRITTEN) != 0 && result.status == 66
        && result.errors.contains("which does not exist any more")
      #expect(
        [0, 65, 74].contains(result.status) || isMarkedWritten,
        "\(TestSeed.note) at \(offset): \(result.status) \(result.errors)")
      // If the bytes change the identity of the recording, the trace of an earlier round counts as another recording's.
      // The bytes may also state that events were already written.
      let others = result.errorLines.filter {
        !$0.contains("kept the earlier ") && !$0.contains(".part is missing")
      }
      #expect(others.count == 1, "\(TestSeed.note) at \(offset): \(result.errors)")
      try whole.seek(toOffset: offset)
      try whole.write(contentsOf: old)
    }
  }
}
