import TestSupport
import Testing
import TraceCompression
@testable import TraceFormat

/// The contents of the first 32 bytes of a file, and the values that are refused.
@Suite struct HeaderTests {
  @Test(arguments: TimeUnit.allCases, CodecID.allCases)
  func roundTrip(unit: TimeUnit, codec: CodecID) throws {
    for level in CaptureLevel.allCases {
      for clock in ClockSource.allCases {
        let header = FileHeader(
          timeUnit: unit, codec: codec, captureLevel: level, clock: clock, hasHighStamps: level == .callouts,
          minor: 3)
        let sink = MemorySink()
        let writer = try TraceWriter(sink: sink, header: header, codec: allCodecs(codec)!)
        try writer.write(EventBuffer([TestEvent(time: 1, kind: .mark)]), thread: 0)
        try writer.close()
        let reader = try openTrace(sink.bytes)
        #expect(reader.header == header)
        #expect(try reader.allEvents() == [[TestEvent(time: 1, kind: .mark)]])
      }
    }
  }

  @Test func unitsHaveTheirLength() {
    #expect(TimeUnit.allCases.map(\.nanoseconds) == [1, 10, 100, 1_000])
    #expect(TimeUnit.allCases.map(\.name) == ["1ns", "10ns", "100ns", "1us"])
    #expect(TimeUnit.allCases.map { TimeUnit(name: $0.name) } == TimeUnit.allCases)
  }

  @Test func emptyFile() {
    #expect(throws: TraceFormatError.emptyFile) { try openTrace([]) }
  }

  @Test(arguments: [
    "x", "\n", "#!/bin/sh\n", "rltrace-text 1\nheader minor=0\n", String(repeating: "\0", count: 100),
  ])
  func notATrace(text: String) {
    #expect(throws: TraceFormatError.notATrace) { try openTrace(Array(text.utf8)) }
  }

  @Test func futureMajorVersion() throws {
    var bytes = header()
    bytes[8] = 2
    let error = TraceFormatError.unsupportedVersion(major: 2, minor: FileHeader.minor)
    #expect(throws: error) { try openTrace(bytes) }
    #expect(
      "\(error)".contains("2.\(FileHeader.minor)") && "\(error)".contains("byte 8")
        && "\(error)".contains("reads up to \(FileHeader.version): update rltrace"))
  }

  /// Minor versions only add content. This version reads the part that it knows.
  @Test func futureMinorVersion() throws {
    var bytes = try writeTrace(codec: .none) {
      try $0.write(EventBuffer([TestEvent(time: 1, kind: 250)]), thread: 0)
    }
    bytes[10] = 99
    fixChecksum(&bytes)
    let reader = try openTrace(bytes)
    #expect(reader.header.minor == 99 && reader.isClean && reader.eventCount == 1)
    #expect(
      reader.newerFormat.map { "\($0)" }
        == "trace format 1.99; this rltrace reads up to \(FileHeader.version) and skips what is newer: update rltrace"
    )
  }

  /// The newer writer is named in at most 80 characters. The formats that are known have no such message.
  @Test(arguments: [InfoEntry.recorder, InfoEntry.library]) func writerOfAFutureVersion(key: String) throws {
    let writer = String(repeating: "w", count: 100)
    var bytes = try writeTrace(codec: .none) {
      try $0.write([InfoEntry(key: "system", value: "any"), InfoEntry(key: key, value: writer)])
    }
    let known = try openTrace(bytes)
    #expect(known.writer == writer && known.newerFormat == nil)
    bytes[10] = UInt8(FileHeader.minor) + 1
    fixChecksum(&bytes)
    let newer = try #require(try openTrace(bytes).newerFormat)
    #expect(newer == NewerFormat(minor: FileHeader.minor + 1, writer: String(writer.prefix(80))))
    #expect("\(newer)".contains(", written by wwww"))
  }

  @Test func unknownValues() {
    func open(_ offset: Int, _ value: UInt8) throws -> TraceReader {
      var bytes = header()
      bytes[offset] = value
      fixChecksum(&bytes)
      return try openTrace(bytes)
    }
    #expect(throws: TraceFormatError.damaged(offset: 12, block: nil, what: "unknown time unit")) {
      try open(12, 7)
    }
    #expect(throws: TraceFormatError.codecMissing(offset: 16, block: nil, codec: 9)) { try open(16, 9) }
    #expect(throws: TraceFormatError.damaged(offset: 17, block: nil, what: "unknown capture level")) {
      try open(17, 9)
    }
    #expect(throws: TraceFormatError.damaged(offset: 18, block: nil, what: "unknown clock source")) {
      try open(18, 9)
    }
  }

  @Test func codecThatIsNotLinked() throws {
    let bytes = try writeTrace(codec: .zstd) { _ in }
    #expect(throws: TraceFormatError.codecMissing(offset: 16, block: nil, codec: 1)) {
      try TraceReader(source: MemorySource(bytes), codecs: { $0 == .none ? NoCodec() : nil })
    }
  }

  @Test func writerRefusesAnotherCodec() {
    let header = FileHeader(codec: .zstd, captureLevel: .callouts, clock: .monotonic, hasHighStamps: true)
    #expect(throws: TraceFormatError.self) {
      try TraceWriter(sink: MemorySink(), header: header, codec: NoCodec())
    }
  }

  private func header() -> [UInt8] {
    FileHeader(codec: .none, captureLevel: .callouts, clock: .monotonic, hasHighStamps: true).encoded()
  }

  private func fixChecksum(_ bytes: inout [UInt8]) {
    let hash = bytes[0..<24].withUnsafeBytes { XXHash64.hash($0) }
    withUnsafeBytes(of: hash.littleEndian) { bytes.replaceSubrange(24..<32, with: $0) }
  }
}
