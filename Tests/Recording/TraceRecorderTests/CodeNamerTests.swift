import CRLTraceShims
import Dispatch
import TestSupport
import Testing
import TraceFormat

@testable import TraceRecorder

/// Slow naming of code. Only the parts that need the names wait for it.
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

  /// A slow namer that waits for the gate. The name is "named" if the gate opened within 20 s. Otherwise the drain
  /// was waiting as well.
  private final class SlowNaming: CodeNaming {
    let gate: DispatchSemaphore
    init(_ gate: DispatchSemaphore) { self.gate = gate }

    func add(_ image: MappedImage) {}
    func name(
      ofCallout work: CalloutWork, _ addresses: [UInt64], ownCount: Int, madeAt returnAddresses: [UInt64]
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

  /// Records several times as many events as the ring holds.
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

  /// The code behind names comes at the end of the trace, with the image that contains it.
  @Test func theCodeBehindNames() throws {
    let image = MappedImage(path: "/srv/app", bias: 0x1000, range: 0x1000..<0x2000, buildID: [0xAB])
    var names = RecordedNames()
    var found = SpoolNames.Definitions()
    found.images = [
      image, MappedImage(path: "/srv/other", bias: 0x9000, range: 0x9000..<0xA000, buildID: []),
    ]
    found.append([
      NamedCode(id: 7, name: CodeName("tick()", function: 0x1010, makers: [0x1020])),
      NamedCode(id: 8, name: CodeName("unknown")),
    ])
    names.note(found)
    let notes = RecorderNotes()
    let strings = names.hand(to: notes, at: .now(usesCycles: false))
    #expect(strings.map(\.text) == ["/srv/app", "ab"] && strings.map(\.id) == [9, 10])
    let events = notes.takeAll().compactMap(\.event)
    #expect(events.map(\.kind) == [.imageMap, .nameCode])
    #expect(events.map(\.arguments) == [[9, 0x1000, 0x1000, 10], [7, 0x1010, 0x1020]])
    // The names are handed over only once.
    #expect(names.hand(to: notes, at: .now(usesCycles: false)).isEmpty && notes.takeAll().isEmpty)
  }

  /// A mode that only one thread ran has the place that first ran it. A mode that several threads ran has none.
  @Test func theCodeThatRanModes() throws {
    var names = RecordedNames()
    var found = SpoolNames.Definitions()
    found.strings = [StringDefinition(id: 4, text: "tick")]
    found.modes = [2, 3, 5].map { ModeDefinition(id: $0, name: "mode \($0)") }
    found.runners = [(2, 10, 0x1010), (3, 10, 0x1020), (3, 11, 0x1030), (2, 10, 0x1040), (9, 10, 0x1050)].map
    {
      SpoolNames.Runner(mode: $0, osThread: $1, returnAddresses: [$2])
    }
    names.note(found)
    let notes = RecorderNotes()
    let strings = names.hand(to: notes, at: .now(usesCycles: false))
    #expect(strings.map(\.text) == ["mode 2"] && strings.map(\.id) == [5])
    #expect(notes.takeAll().compactMap(\.event).map(\.arguments) == [[5, 0, 0x1010]])
  }

  @Test func aSnapshotHasItsNames() throws {
    let folder = try TemporaryFolder()
    let reader = reader { () throws(TraceFormatError) in
      try RecentTrace(
        KeptPart(bytes: 1 << 20), store: SegmentsInFiles(trace: folder.file("t.rltrace")), sink: sink,
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
