import TestSupport
import Testing
@testable import TraceFormat

/// Small files whose repeated blocks expand to far more data. The reader refuses each with the name of the limit.
@Suite struct FewBytesTests {
  /// Returns a trace of the blocks that `body` writes, repeated `count` times, without an index.
  private func repeated(_ count: Int, _ body: (TraceWriter) throws -> Void) throws -> [UInt8] {
    let once = try writeTrace(codec: .zstd, body)
    let last = try #require(try openTrace(once).blocks.last)
    let end = Int(last.offset) + BlockHeader.byteCount + last.payloadBytes
    let blocks = once[FileHeader.byteCount..<end]
    return Array(once[..<FileHeader.byteCount]) + repeatElement(blocks, count: count).joined()
  }

  private func limit(_ bytes: [UInt8]) -> String? {
    do {
      _ = try openTrace(bytes)
    } catch TraceFormatError.limit(_, _, let what) {
      return what.split(separator: "(").last.map { String($0.dropLast()) }
    } catch {
      return "\(error)"
    }
    return nil
  }

  private static let still = (0..<TraceLimits.eventsPerBlock).map { _ in TestEvent(time: 5, kind: .mark) }

  @Test func events() throws {
    func bytes(_ count: Int) throws -> [UInt8] {
      try repeated(count) { try $0.write(EventBuffer(Self.still), thread: 0) }
    }
    #expect(limit(try bytes(TraceLimits.eventsOfAnyTrace / TraceLimits.eventsPerBlock)) == nil)
    #expect(limit(try bytes(600)) == "eventsPerByte")
  }

  @Test func syncPoints() throws {
    let points = (0..<TraceLimits.eventsPerBlock).map { _ in
      SyncPoint(time: 1, monotonicNs: 1, boottimeNs: 1, realtimeNs: 1)
    }
    let count = TraceLimits.syncPoints / points.count
    #expect(limit(try repeated(count) { try $0.write(points) }) == nil)
    #expect(limit(try repeated(count + 1) { try $0.write(points) }) == "syncPoints")
  }

  @Test func definitions() throws {
    let text = String(repeating: "x", count: 60_000)
    let names = (1...16).map { StringDefinition(id: $0, text: text) }
    #expect(limit(try repeated(30) { try $0.write(names) }) == nil)
    #expect(limit(try repeated(40) { try $0.write(names) }) == "definitionBytes")
    let facts = (0..<16).map { _ in InfoEntry(key: "k", value: "v") }
    #expect(limit(try repeated(300) { try $0.write(facts) }) == "infoEntries")
  }
}
