import CRLTraceShims
import Foundation
import RunLoopProbe
import TestSupport
import Testing
import TraceFormat
import TraceRecorder

/// A program that records itself and is killed.
@Suite struct PreviousRecordingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The spool has all stored events. The name cannot be used again before they are in a trace.
  @Test func aKilledProgramsRecordingIsFinishedByTheNext() throws {
    let output = folder.file("app.rltrace")
    #expect(try RunLoopTracer.recoverPrevious(output: output, to: folder.file("no.rltrace")) == nil)
    _ = try Program("sequence-fixture").run(["killed", output])
    #expect(folder.names == ["app.rltrace.part", "app.rltrace.spool"])
    let error = #expect(throws: RecordingError.self) { try RunLoopTracer.start(output: output) }
    #expect("\(try #require(error))".contains("RunLoopTracer.recoverPrevious"))
    let outcome = try RunLoopTracer.recoverPrevious(output: output, to: folder.file("crash.rltrace"))
    #expect(try #require(outcome).lostEvents == 0 && folder.names == ["crash.rltrace"])
    let trace = try openTrace(path: folder.file("crash.rltrace"))
    let marks = Set(trace.strings.values.filter { $0.hasPrefix("mark ") })
    #expect(trace.isClean && marks.count == 500 && trace.eventCount == outcome!.events)
    #expect(try trace.allEvents().joined().filter { $0.kind == EventKind.mark.rawValue }.count == 500)
    // Now the name is free.
    #expect(try RunLoopTracer.recoverPrevious(output: output, to: folder.file("no.rltrace")) == nil)
  }

  /// Some systems report neither a boot id nor the start time of a process. There, a running process may have the id of
  /// the killed one. The boot ids are equal here, as on such systems, where all of them are zero.
  ///
  /// In this case the lock on the trace must decide. If the id alone decided, this process would be "the recorder",
  /// and nothing could be recovered.
  @Test func anotherProcessWithTheOldIDIsNotTheRecorder() throws {
    let output = folder.file("app.rltrace")
    _ = try Program("sequence-fixture").run(["killed", output])
    try patchHeader(of: output + ".spool") { header in
      let process = UInt32(getpid())
      header.program_pid = process
      header.recorder_pid = process
      header.program_start = 0
      header.recorder_start = 0
    }
    let outcome = try RunLoopTracer.recoverPrevious(output: output, to: folder.file("crash.rltrace"))
    #expect(try #require(outcome).lostEvents == 0 && folder.names == ["crash.rltrace"])
  }

  /// The converse: the lock shows that a recorder is alive although its start time is unknown.
  @Test func theRecorderIsFoundByItsLock() throws {
    let output = folder.file("app.rltrace")
    try RecordingTurn.take {
      let tracer = try RunLoopTracer.start(output: output)
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: output + ".spool"))
      for begin in [\rlt_spool.program_start, \.recorder_start] {
        let offset = try #require(MemoryLayout<rlt_spool>.offset(of: begin))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data(count: MemoryLayout<UInt64>.size))
      }
      try file.close()
      let error = #expect(throws: RecordingError.self) {
        try RunLoopTracer.recoverPrevious(output: output, to: folder.file("crash.rltrace"))
      }
      #expect("\(try #require(error))".contains("process \(getpid()) is still recording there"))
      try tracer.stop()
    }
    #expect(folder.names == ["app.rltrace"])
  }

  /// An app's own handlers come first.
  @Test func busErrorsAreHandledOnlyIfAskedFor() throws {
    for (choice, found) in [("unguarded", "kept\n"), ("guarded", "handled\n")] {
      #expect(try Program("sequence-fixture").run([choice, folder.file("app.rltrace")]).output == found)
    }
  }

  private func patchHeader(of path: String, _ patch: (inout rlt_spool) -> Void) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    let bytes = try #require(try file.read(upToCount: MemoryLayout<rlt_spool>.size))
    var header = bytes.withUnsafeBytes { $0.loadUnaligned(as: rlt_spool.self) }
    patch(&header)
    try file.seek(toOffset: 0)
    try file.write(contentsOf: withUnsafeBytes(of: header) { Data($0) })
    try file.close()
  }
}
