import TestSupport
import Testing
@testable import TraceFormat

/// The tables of docs/reference/trace-format.md must match the code, row by row.
@Suite struct SpecificationTests {
  private let page: String

  init() throws { page = try ProjectFiles.text("docs/reference/trace-format.md") }

  /// Expects each of `rows` to be a line of the page. A failure prints the line to paste.
  private func expectRows(_ rows: [String], location: SourceLocation = #_sourceLocation) {
    let lines = Set(page.split(separator: "\n"))
    for row in rows {
      // A separate value, so that a failure prints the row instead of the page.
      let isThere = lines.contains(Substring(row))
      #expect(isThere, "docs/reference/trace-format.md lacks this line:\n\(row)", sourceLocation: location)
    }
  }

  /// Returns the rows of the table under a heading, without the header and the rule.
  private func table(_ heading: String) throws -> [[String]] {
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(
      lines.firstIndex { $0 == heading }, "docs/reference/trace-format.md lacks the heading \(heading)")
    let rows = lines[(start + 1)...].drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }.dropFirst(2)
    return rows.map { row in
      row.split(separator: "|").map { $0.drop { $0 == " " }.trimmed }
    }
  }

  // MARK: Events

  private func row(_ event: EventDefinition) -> String {
    let arguments = event.arguments.enumerated().map { position, argument in
      let repeats = event.isVariadic && position == event.arguments.count - 1 ? " …" : ""
      let note = argument.note.isEmpty ? "" : " (\(argument.note))"
      return "`\(argument.name)` \(argument.unit.rawValue)\(repeats)\(note)"
    }
    return "| \(event.kind.rawValue) | `\(event.name)` | \(event.object.isEmpty ? "–" : event.object) | "
      + "\(arguments.isEmpty ? "–" : arguments.joined(separator: "; ")) | 1.\(event.since) | \(event.meaning) |"
  }

  @Test func events() throws {
    expectRows(EventTable.definitions.map(row))
    // The table must have no other rows.
    let codes = try table("## Event table").map { $0[0] }
    #expect(codes == EventTable.definitions.map { "\($0.kind.rawValue)" })
  }

  @Test func argumentUnits() throws {
    let used = Set(EventTable.definitions.flatMap(\.arguments).map { "`\($0.unit.rawValue)`" })
    let documented = Set(try table("### Argument units").map { $0[0] })
    #expect(used.isSubset(of: documented), "not documented: \(used.subtracting(documented))")
  }

  // MARK: Numbers

  /// Expects rows that begin with a code and its name. The rest of the row is prose.
  @Test func codes() {
    let rows =
      BlockType.names.map { (Int($0.0.rawValue), $0.1) }
      + TimeUnit.allCases.map { (Int($0.rawValue), $0.name) }
      + CodecID.allCases.map { (Int($0.rawValue), $0.name) }
      + CaptureLevel.allCases.map { (Int($0.rawValue), $0.name) }
      + ClockSource.allCases.map { (Int($0.rawValue), $0.name) }
    for (code, name) in rows {
      let row = "| \(code) | `\(name)` |"
      let isThere = page.contains("\n" + row)
      #expect(isThere, "docs/reference/trace-format.md lacks a line that begins:\n\(row)")
    }
  }

  @Test func eventBlockNumbers() {
    let layout: [(String, Int)] = [
      ("events in a shape, at most", EventBlockLayout.shapeLength),
      ("shapes in a block, at most", EventBlockLayout.shapesMax),
      ("shape id of literals", Int(EventBlockLayout.literalShape)),
      ("columns before those of kinds", EventBlockLayout.leadingColumns),
      ("columns of a flat block", EventBlockLayout.flatColumns),
      ("kind that begins a shape", Int(EventBlockLayout.shapeStart)),
      ("predictor: the column's previous value", Int(EventBlockLayout.predictPrevious)),
      ("predictor: the event's own time", Int(EventBlockLayout.predictEventTime)),
      ("dictionary entries from which object codes take 2 bytes", 255),
      ("dictionary entries from which object codes take 4 bytes", 65_535),
    ]
    expectRows(layout.map { "| \($0.0) | \($0.1) |" })
    #expect(
      [254, 255, 65_534, 65_535].map { EventBlockLayout.objectCodeWidth(dictionary: $0).rawValue } == [
        1, 2, 2, 4,
      ])
  }

  // MARK: Byte tables

  /// Reads `bytes` by the page's table and returns the fields as little-endian numbers.
  private func fields(_ heading: String, of bytes: [UInt8], count: Int) throws -> [String: UInt64] {
    var fields: [String: UInt64] = [:]
    var expectedOffset = 0
    for row in try table(heading) {
      let offset = try #require(Int(row[0]))
      let size = try #require(Int(row[1]))
      #expect(offset == expectedOffset, "\(heading): fields follow each other without holes")
      expectedOffset = offset + size
      guard offset + size <= bytes.count else { continue }
      fields[row[2]] = bytes[offset..<(offset + size)].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    #expect(expectedOffset == count, "\(heading): \(expectedOffset) bytes, the code has \(count)")
    return fields
  }

  @Test func fileHeader() throws {
    let header = FileHeader(
      timeUnit: .us1, codec: .zstd, captureLevel: .imported, clock: .virtual, hasHighStamps: true,
      minor: 0x1234)
    let bytes = header.encoded()
    let found = try fields("## File header", of: bytes, count: FileHeader.byteCount)
    #expect(
      found == [
        "magic": 0x0A1A_0A0D_544C_5289, "major": 1, "minor": 0x1234, "time unit": 1000, "codec": 1,
        "capture level": 3,
        "clock": 2, "flags": 1, "reserved": 0,
        "checksum": bytes[0..<24].withUnsafeBytes { XXHash64.hash($0) },
      ])
  }

  @Test func blockHeader() throws {
    let payload: [UInt8] = [1, 2, 3]
    let header = BlockHeader(
      type: BlockType(rawValue: 0xAB), payloadBytes: 3, plainBytes: 0x0A0B0C0D, count: 0x123456,
      thread: 0x11121314,
      first: 0x2122_2324_2526_2728, last: 0x3132_3334_3536_3738)
    let bytes = payload.withUnsafeBytes { header.encoded(payload: $0) }
    let found = try fields("## Block header", of: bytes, count: BlockHeader.byteCount)
    let seed = bytes[0..<36].withUnsafeBytes { XXHash64.hash($0) }
    let checksum = payload.withUnsafeBytes { XXHash64.hash($0, seed: seed) } & 0xFFFF_FFFF
    #expect(
      found == [
        "magic": 0x4B4C_4252, "payload bytes": 3, "plain bytes": 0x0A0B0C0D, "count": 0x123456, "type": 0xAB,
        "thread": 0x11121314, "first": 0x2122_2324_2526_2728, "last": 0x3132_3334_3536_3738,
        "checksum": checksum,
      ])
  }

  @Test func indexEntry() throws {
    let header = BlockHeader(
      type: BlockType(rawValue: 0xAB), payloadBytes: 0x0A0B0C0D, plainBytes: 0x0A0B0C0D, count: 0x123456,
      thread: 0x11121314, first: 0x2122_2324_2526_2728, last: 0x3132_3334_3536_3738)
    let entry = BlockEntry(offset: 0x0102_0304_0506_0708, header: header)
    let found = try fields("### Index entry", of: BlockEntry.encode([entry]), count: 36)
    #expect(
      found == [
        "offset": 0x0102_0304_0506_0708, "first": 0x2122_2324_2526_2728, "last": 0x3132_3334_3536_3738,
        "payload bytes": 0x0A0B0C0D, "count": 0x123456, "type": 0xAB, "thread": 0x11121314,
      ])
  }

  @Test func trailer() throws {
    let found = try fields(
      "## Trailer", of: Trailer.encoded(indexOffset: 0x0102_0304), count: Trailer.byteCount)
    #expect(found == ["index offset": 0x0102_0304, "magic": 0x0A44_4E45_2E54_4C52])
  }

  @Test func syncPoint() throws {
    let bytes = SyncPoint.encode([SyncPoint(time: 1, monotonicNs: 2, boottimeNs: 3, realtimeNs: 4)])
    let found = try fields("### Sync point", of: bytes, count: 32)
    #expect(found == ["time": 1, "monotonic": 2, "boottime": 3, "realtime": 4])
  }

  /// Checks the worked example of the page, byte by byte.
  @Test func example() throws {
    let text = try #require(page.firstMatch(of: /```rltext\n((?:.|\n)*?)```/)).1
    let hex = try #require(page.firstMatch(of: /```hex\n((?:.|\n)*?)```/)).1
    let documented = hex.split(separator: "\n").flatMap { line in
      line.split(separator: ";")[0].split(separator: " ").compactMap { UInt8($0, radix: 16) }
    }
    let bytes = try assembleTrace(String(text))
    #expect(bytes.count == documented.count && bytes == documented, "\(HexDump.lines(bytes))")
    #expect(try dumpTrace(try openTrace(documented)).hasPrefix("rltrace-text 1\n"))
  }
}

/// A hex dump for the page, with sixteen bytes per line.
private enum HexDump {
  static func lines(_ bytes: [UInt8]) -> String {
    stride(from: 0, to: bytes.count, by: 16).map { at in
      bytes[at..<min(at + 16, bytes.count)].map { TextForm.hex([$0]) }.joined(separator: " ")
    }.joined(separator: "\n")
  }
}

extension Substring {
  fileprivate var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }
}
