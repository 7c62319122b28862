import CRLTraceShims
import Dispatch
import TestSupport
import Testing
import TraceFormat

@testable import TraceRecorder

/// Code whose name takes long: nobody waits but those who need it.
@Suite struct CodeNamerTests {
  private let spool: Spool
  private let ring: TestRing
  private let gate = DispatchSemaphore(value: 0)
  private let sink = MemorySink()
  private let options = RecordingOptions(timeUnit: .ns1)

  init() throws {
    spool = try Spool(slotsPerRing: 64, usesCycles: false)
    ring = try TestRing(of: spool)
  }

  /// Says whether somebody opened the gate, which would have been waited for in vain while the drain waits.
  private final class SlowNaming: CodeNaming {
    let gate: DispatchSemaphore
    init(_ gate: DispatchSemaphore) { self.gate = gate }

    func add(_ image: MappedImage) {}
    func name(
      ofCallout work: CalloutWork, _ addresses: [UInt64], isOwn: Bool, madeAt returnAddresses: [UInt64]
    ) -> CodeName { CodeName(work.text) }
    func name(ofSite returnAddresses: [UInt64]) -> CodeName {
      CodeName(gate.wait(timeout: .now() + 20) == .success ? "named" : "in vain", makers: returnAddresses)
    }
  }

  private func reader(_ makeOutput: () throws(TraceFormatError) -> any SpoolOutput) -> SpoolReader {
    let namer = CodeNamer { [gate] in SlowNaming(gate) }
    let reader = SpoolReader(spool: spool, unit: .ns1, namer: namer, makeOutput: makeOutput)
    reader.calibrate(.now(usesCycles: false))
    var address: UInt64 = 4711
    _ = rlt_spool_append(spool.header, UInt16(RLT_NAME_SITE), 0, 1, &address, 8, nil, 0)
    return reader
  }

  /// More than the ring holds, several times.
  private func record(_ reader: SpoolReader) {
    for _ in 0..<10 {
      ring.store(.loopWakeUp, times: 50)
      _ = reader.cycle(.now(usesCycles: false))
      #expect(reader.flushAll())
    }
  }

  @Test func ringsAreEmptiedMeanwhile() throws {
    let reader = reader { () throws(TraceFormatError) in
      WholeTrace(try TraceWriter(sink: sink, spool: spool, options: options))
    }
    record(reader)
    gate.signal()
    #expect(reader.finish())
    let trace = try openTrace(sink.bytes)
    #expect(trace.eventCount == 500 && trace.strings == [1: "named"])
  }

  @Test func aSnapshotHasItsNames() throws {
    let folder = try TemporaryFolder()
    let reader = reader { () throws(TraceFormatError) in
      try RecentTrace(
        KeptPart(bytes: 1 << 20), trace: folder.file("t.rltrace"), sink: sink,
        header: FileHeader(of: spool, options), options: options)
    }
    record(reader)
    let part = try #require(reader.recentPart())
    gate.signal()
    let snapshot = MemorySink()
    _ = try part.write(to: snapshot)
    #expect(try openTrace(snapshot.bytes).strings == [1: "named"])
    #expect(reader.finish())
    #expect(try openTrace(sink.bytes).strings == [1: "named"])
  }
}
