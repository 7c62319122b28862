import Foundation
import TestSupport
import Testing
import TraceFormat
@testable import TraceRecorder

/// `rltrace recover` for a spool without a recorder, and the place of its output.
@Suite struct RecoverTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Records five fires into a spool of small rings.
  private func makeSpool() throws {
    let result = try folder.shell(
      "env $(\"$0\" record --print-env -o out.rltrace | sed s/slots=[0-9]*/slots=4096/) \"$1\" timers 5")
    #expect(result.status == 0 && folder.names == ["out.rltrace.spool"], "\(result.errors)")
  }

  private var spoolBytes: Int {
    get throws {
      try #require(
        FileManager.default.attributesOfItem(atPath: folder.file("out.rltrace.spool"))[.size] as? Int)
    }
  }

  private func cut(to bytes: Int) { truncate(folder.file("out.rltrace.spool"), bytes) }

  /// Unused rings at the end may be missing. Otherwise the message reports the missing size.
  @Test func aSpoolThatIsCutShort() throws {
    try makeSpool()
    let whole = try spoolBytes
    let spool = try Spool(opening: folder.file("out.rltrace.spool"), privately: true)
    cut(to: whole - 1)
    let recovered = try Program.rltrace.run(["recover", "--keep", "out.rltrace.spool"], folder: folder.path)
    #expect(recovered.status == 0, "\(recovered.errors)")
    #expect(try folder.fires("out.rltrace") == 5)
    // The first ring begins here, and is used.
    let slots = (0..<Spool.ringCount).reduce(0) { $0 + spool.slotCount(ofRing: $1) }
    let rings = whole - slots * 16
    for bytes in [rings + 4096 * 16 - 1, rings, 70_000, 4096, 4095, 1000] {
      cut(to: bytes)
      let refused = try Program.rltrace.run(["recover", "out.rltrace.spool"], folder: folder.path)
      #expect(refused.status == 65 && refused.errorLines.count == 1, "\(bytes): \(refused.errors)")
      #expect(refused.errors.contains("cut short: only \(bytes) of \(whole) bytes"), "\(refused.errors)")
    }
    #expect(folder.names == ["out.rltrace", "out.rltrace.spool"])
  }

  /// The spool is marked as completely written to a trace, but that trace is missing.
  @Test func aSpoolWhoseTraceIsElsewhere() throws {
    try makeSpool()
    try Spool(opening: folder.file("out.rltrace.spool"), privately: true).noteWrittenInFile()
    let alone = try Program.rltrace.run(["recover", "out.rltrace.spool"], folder: folder.path)
    #expect(alone.status == 66 && alone.errorLines.count == 1, "\(alone)")
    #expect(
      alone.errors.contains("its events were written to out.rltrace, which does not exist any more"),
      "\(alone)")
    #expect(folder.names == ["out.rltrace.spool"])
    #expect(
      try Program.rltrace.run(
        ["record", "-q", "-o", "out.rltrace", "--", Program.loopPrograms.path, "timers", "5"],
        folder: folder.path
      ).status == 0)
    #expect(folder.names == ["out.rltrace"])
  }

  /// Names of unfinished files, and names that a file cannot have.
  @Test(arguments: ["x.rltrace.part", "out.rltrace.spool", "x.rltrace.begun", "traces/", ""])
  func namesThatATraceCannotHave(name: String) throws {
    try makeSpool()
    let result = try Program.rltrace.run(["recover", "out.rltrace.spool", "-o", name], folder: folder.path)
    #expect(result.status == 64 && result.errorLines.count == 1, "\(result)")
    #expect(folder.names == ["out.rltrace.spool"])
  }

  @Test func toStandardOutput() throws {
    try makeSpool()
    let result = try Program(shell: "\"$0\" recover out.rltrace.spool -o - >piped.rltrace").run(
      [Program.rltrace.path], folder: folder.path)
    #expect(result.status == 0 && result.errors.contains("lost: standard output"), "\(result.errors)")
    #expect(folder.names == ["piped.rltrace"])
    #expect(try folder.fires("piped.rltrace") == 5)
  }

  /// The part has facts, and the spool's log of names repeats some of them.
  @Test func eachFactOnce() throws {
    _ = try folder.shell(
      """
      "$0" record -q -o out.rltrace -- "$1" timers 100000 & recorder=$!
      for i in $(seq 500); do
        [ $(stat -c %s out.rltrace.part 2>/dev/null || echo 0) -gt 2000 ] && break; sleep 0.02
      done
      kill -9 $recorder $(cat /proc/$recorder/task/$recorder/children); wait $recorder
      "$0" recover out.rltrace.spool
      """)
    let reader = try openTrace(path: folder.file("out.rltrace"))
    // A late heartbeat adds the recorder's thread, and with it another fact.
    let keys = reader.info.map(\.key).filter { $0 != InfoEntry.recorderThread }.sorted()
    #expect(
      keys == [
        "command", "due_points", "end_unknown", "folder", "foundation", "heartbeat_ns", "machine", "process",
        "program", "recorder", "stall_threshold_ns", "system",
      ])
  }
}
