import Foundation
import TestSupport
import Testing
import TraceFormat

/// A program that was killed in the middle of a callout, with or without its recorder. The trace gives a minimum for
/// the length of the callout, and marks the end as unknown.
@Suite(.ownThread) struct KilledInACalloutTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Starts the program with the script `start`, which sets `program` and `victims`. Kills the victims half a second
  /// into the callout.
  private func killed(_ start: String) throws -> TraceReader {
    let result = try Program(
      shell: """
        \(start)
        for i in $(seq 500); do [ -e stuck ] && break; sleep 0.02; done
        sleep 0.5; kill -9 $victims; wait; "$0" recover out.rltrace.spool
        """
    ).run([Program.rltrace.path, Program.loopPrograms.path], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    return try openTrace(path: folder.file("out.rltrace"))
  }

  /// Returns the time from the begin of the unfinished callout to the end of the trace, in nanoseconds.
  private func lengthOfOpenCallout(_ reader: TraceReader) throws -> UInt64 {
    let events = try reader.allEvents().flatMap { $0 }
    let begins = events.filter { $0.kind == EventKind.timerBegin.rawValue }
    #expect(begins.count == 3 && events.count { $0.kind == EventKind.timerEnd.rawValue } == 2)
    return (reader.lastTime - (try #require(begins.last)).time) * reader.header.timeUnit.nanoseconds
  }

  private func endIsUnknown(_ reader: TraceReader) -> Bool {
    reader.info.contains { $0.key == InfoEntry.endUnknown && !$0.value.isEmpty }
  }

  /// The trace lasts until its recorder last saw the program run.
  @Test func withItsRecorder() throws {
    let reader = try killed(
      """
      "$0" record -q -o out.rltrace -- "$1" stuck stuck & recorder=$!
      for i in $(seq 500); do [ -e stuck ] && break; sleep 0.02; done
      program=$(cat /proc/$recorder/task/$recorder/children); victims="$recorder $program"
      """)
    #expect(try lengthOfOpenCallout(reader) > 200_000_000)
    #expect(endIsUnknown(reader))
    let info = try Program.rltrace.run(["info", "out.rltrace"], folder: folder.path)
    #expect(info.output.contains("end_unknown: the end of the process was not recorded"))
    // The recorded facts contain no names, so the redacted copy keeps them.
    #expect(
      try Program.rltrace.run(["redact", "out.rltrace", "-o", "r.rltrace"], folder: folder.path).status == 0)
    let redacted = try openTrace(path: folder.file("r.rltrace"))
    #expect(
      redacted.info.filter { $0.key == InfoEntry.endUnknown }
        == reader.info.filter { $0.key == InfoEntry.endUnknown })
  }

  /// Without a recorder, the trace ends with its last event, and its end is marked as unknown.
  @Test func withoutARecorder() throws {
    let reader = try killed(
      """
      "$0" record --print-env -o out.rltrace >variables
      env $(cat variables) "$1" stuck stuck & victims=$!
      """)
    _ = try lengthOfOpenCallout(reader)
    #expect(endIsUnknown(reader))
  }

  /// A program that ended by itself has a known end, recovered or not.
  @Test func anEndThatIsKnown() throws {
    let result = try Program(
      shell: """
        env $("$0" record --print-env -o out.rltrace) "$1" timers 5 && "$0" recover out.rltrace.spool
        "$0" record -q -o plain.rltrace -- "$1" timers 5
        "$0" record -q -o killed.rltrace -- "$1" stuck stuck & recorder=$!
        for i in $(seq 500); do [ -e stuck ] && break; sleep 0.02; done
        kill -9 $(cat /proc/$recorder/task/$recorder/children); wait $recorder
        """
    ).run([Program.rltrace.path, Program.loopPrograms.path], folder: folder.path)
    #expect(result.status == 137, "\(result.errors)")
    for name in ["out", "plain", "killed"] {
      let reader = try openTrace(path: folder.file("\(name).rltrace"))
      #expect(!endIsUnknown(reader), "\(name)")
    }
  }
}
