import Foundation
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// `record --max-size` and `--flight-recorder`: the recorder keeps the newest part of a recording, which is complete
/// in itself.
@Suite(.ownThread) struct NewestPartCommandTests {
  private func open(_ folder: TemporaryFolder, _ name: String) throws -> TraceReader {
    try openTrace(path: folder.file(name))
  }

  /// Returns the due points of the kept fires, as CLOCK_MONOTONIC nanoseconds.
  private func dues(_ reader: TraceReader) throws -> [Int] {
    let sync = try #require(reader.syncPoints.last)
    let unit = Int(reader.header.timeUnit.nanoseconds)
    return try reader.allEvents().flatMap { $0 }
      .filter { $0.kind == EventKind.timerDue.rawValue && $0.time >= reader.beginning }
      .map { Int(sync.monotonicNs) + (Int(Int64(bitPattern: $0.arguments[0])) - Int(sync.time)) * unit }
  }

  /// Expects the due points to be the program's last ones, without gaps.
  private func expectLast(_ dues: [Int], of logged: [Int]) {
    let differences = zip(logged.suffix(dues.count), dues).map { abs($0 - $1) }.sorted()
    guard !differences.isEmpty else { return }
    #expect(differences[differences.count * 98 / 100] < 50_000, "\(differences.last ?? 0) ns")
  }

  @Test(arguments: [[], ["--flight-recorder", "30"]])
  func maxSize(more: [String]) throws {
    let folder = try TemporaryFolder()
    let run = try Program.rltrace.run(
      ["record", "-o", "small.rltrace", "--max-size", "64K"] + more
        + ["--", Program.loopPrograms.path, "log", "10000"], folder: folder.path)
    #expect(run.status == 0)
    #expect(run.errorLines.count == 2 && run.errors.contains("older ones dropped"), "\(run.errors)")
    #expect(folder.names == ["small.rltrace"])
    let reader = try open(folder, "small.rltrace")
    #expect(reader.isClean && reader.fileSize <= 64 << 10 && reader.fileSize > 16 << 10)
    #expect(reader.beginning > 0 && reader.droppedEvents > 0)
    let dues = try dues(reader)
    #expect(dues.count > 100)
    expectLast(dues, of: run.output.split(separator: "\n").compactMap { Int($0) })

    let analysis = try TraceAnalyzer(reader).analyze()
    let timer = try #require(analysis.timers.first { $0.fired > 0 })
    #expect(timer.intervalNs == 250_000 && timer.site.contains("LoopPrograms.log"))
    // The first one may have been overdue before the part begins.
    #expect([dues.count, dues.count - 1].map(UInt64.init).contains(timer.ledger?.latenessNs.count ?? 0))
    #expect(analysis.notes.contains { $0.text.contains("newest part") })
  }

  @Test func nothingIsDroppedUnnecessarily() throws {
    let run = try RecordedProgram(Program.loopPrograms, ["timers", "50"], options: ["--max-size", "64M"])
    try run.expectUnchanged()
    #expect(try run.events().count { $0.kind == .timerBegin } == 50)
    #expect(try open(run.folder, "out.rltrace").beginning == 0)
  }

  /// The recovery joins the segments and the spool into one trace.
  @Test func programAndRecorderKilled() throws {
    let folder = try TemporaryFolder()
    _ = try Program(
      shell: """
        "$0" record -q -o killed.rltrace --max-size 64K -- "$1" log 100000 & recorder=$!
        for i in $(seq 1000); do [ -e killed.rltrace.segment9 ] && break; sleep 0.02; done
        kill -9 $recorder $(cat /proc/$recorder/task/$recorder/children); wait $recorder
        """
    ).run([Program.rltrace.path, Program.loopPrograms.path], folder: folder.path)
    #expect(folder.names.contains { $0.hasPrefix("killed.rltrace.segment") })
    let recovered = try Program.rltrace.run(["recover", "killed.rltrace.spool"], folder: folder.path)
    #expect(recovered.status == 0, "\(recovered.errors)")
    #expect(folder.names == ["killed.rltrace"])
    let reader = try open(folder, "killed.rltrace")
    #expect(reader.isClean && reader.beginning > 0)
    let dues = try dues(reader)
    #expect(dues.count > 100)
    // The due points lie on one grid, and none occurs twice.
    #expect(
      zip(dues, dues.dropFirst()).allSatisfy { $1 - $0 > 200_000 && ($1 - $0 + 1000) % 250_000 < 2000 })
  }

  @Test func snapshotAtAGap() throws {
    let run = try RecordedProgram(
      Program.loopPrograms, ["hang", "1.5"], options: ["--flight-recorder", "0.5", "--on-gap", "200ms"])
    try run.expectUnchanged()
    #expect(run.folder.names == ["out.rltrace", "out.snapshot1.rltrace"])
    let snapshot = try open(run.folder, "out.snapshot1.rltrace")
    #expect(snapshot.info.contains { $0.key == "snapshot" && $0.value.hasPrefix("a gap of 3") })
    let gaps = try TraceAnalyzer(snapshot).analyze().gaps
    #expect(gaps.contains { $0.durationNs > 250_000_000 && $0.after == .afterWaiting })

    // At least half a second; an eighth more, plus the drain's delay, is possible.
    let last = try open(run.folder, "out.rltrace")
    #expect(last.beginning > 0)
    let analysis = try TraceAnalyzer(last).analyze()
    #expect(analysis.trace.toNs - analysis.trace.fromNs >= 500_000_000)
    // The run began long before. It is restated, so the mode's time covers the whole part.
    let mode = try #require(analysis.modes.first { $0.mode == "kCFRunLoopDefaultMode" })
    let exit = try #require(last.allEvents().flatMap { $0 }.last { $0.kind == EventKind.exitLow.rawValue })
    let kept = (exit.time - last.beginning) * last.header.timeUnit.nanoseconds
    #expect(mode.timeNs + mode.suspendedNs >= kept)
    // The hang was before the kept part.
    #expect(analysis.gaps.flatMap(\.callouts).allSatisfy { $0.durationNs < 300_000_000 })
  }

  /// A rule that is broken once has one snapshot, and one that holds has none.
  @Test func snapshotWhenARuleIsBroken() throws {
    let run = try RecordedProgram(
      Program.loopPrograms, ["hang", "6"],
      options: [
        "--flight-recorder", "30", "--on", "max(busy) < 200ms", "--on", "max(busy) < 1h",
      ])
    try run.expectUnchanged()
    #expect(run.folder.names == ["out.rltrace", "out.snapshot1.rltrace"])
    let snapshot = try open(run.folder, "out.snapshot1.rltrace")
    #expect(snapshot.isClean)
    let why = try #require(snapshot.info.first { $0.key == "snapshot" }?.value)
    #expect(why.hasPrefix("max(busy) < 200ms did not hold: ") && !why.contains("1h"), "\(why)")
    let busy = try TraceAnalyzer(snapshot).analyze().busy
    #expect(busy.contains { $0.durationNs > 250_000_000 && !$0.isOpen })
  }

  @Test func snapshotAtASignal() throws {
    let folder = try TemporaryFolder()
    let run = try Program(
      shell: """
        "$0" record -o fly.rltrace --flight-recorder 10 -- "$1" timers 800 & recorder=$!
        for i in $(seq 100); do [ -e fly.rltrace.spool ] && break; sleep 0.02; done
        sleep 0.2; kill -USR2 $recorder; sleep 0.2; kill -USR2 $recorder; wait $recorder
        """
    ).run([Program.rltrace.path, Program.loopPrograms.path], folder: folder.path)
    #expect(run.status == 0 && run.output == "fires 800\n", "\(run.errors)")
    #expect(folder.names == ["fly.rltrace", "fly.snapshot1.rltrace", "fly.snapshot2.rltrace"])
    #expect(run.errorLines.count { $0.contains("snapshot (requested by a signal)") } == 2)
    var fires: [Int] = []
    for name in folder.names {
      let reader = try open(folder, name)
      #expect(reader.isClean && reader.beginning == 0)
      fires.append(try dues(reader).count)
    }
    #expect(fires[0] == 800 && fires[1] < fires[2] && fires[2] < 800)
  }

  @Test(arguments: [
    ["--on-gap", "1s"], ["--max-size", "1K"], ["--max-size", "many"], ["--flight-recorder", "0"],
    ["--print-env", "--max-size", "1M"],
  ])
  func wrongOptions(options: [String]) throws {
    let isForProgram = options.first != "--print-env"
    let run = try Program.rltrace.run(["record"] + options + (isForProgram ? ["--", "true"] : []))
    #expect(run.status == 64 && !run.errors.isEmpty)
  }
}
