import CRLTraceShims
import Foundation
import TestSupport
import Testing
import TraceFormat

@testable import TraceRecorder

/// A recording of this process that keeps only its newest part, as in an app.
@Suite struct KeptPartTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func theNewestEventsAreKept() throws {
    let trace = folder.file("app.rltrace")
    let limit: UInt64 = 4 << 20
    let events: UInt32 = 2_000_000
    let summary = try RecordingTurn.take {
      let recorder = try TraceRecorder.start(
        sink: FileSink(recording: trace),
        options: RecordingOptions(hasHeartbeat: false, stalls: nil, kept: KeptPart(bytes: limit)),
        spoolPath: trace + ".spool", trace: trace)
      for number in 0..<events {
        rlt_emit(EventKind.mark.rawValue, number)
        // The ring holds 524,288 events. Give the drain time to run.
        if number % 20_000 == 0 { usleep(20_000) }
      }
      return try recorder.stop()
    }
    #expect(folder.names == ["app.rltrace"])
    #expect(summary.droppedEvents > 0 && summary.bytes <= limit, "\(summary)")
    let reader = try openTrace(path: trace)
    #expect(reader.isClean)
    let kept = try reader.allEvents().joined().filter { $0.kind == EventKind.mark.rawValue }
    #expect(kept.last?.object == events - 1 && UInt64(kept.count) < UInt64(events))
  }
}
