import TestSupport
import Testing
@testable import TraceFormat

/// Object codes of two and four bytes: in planes, and whole, as in traces of formats 1.0 and 1.1. The payloads are made
/// here, not by the encoder.
@Suite struct ObjectPlanesTests {
  private enum Layout { case planes, whole }

  /// The object columns of a block of marks.
  private struct Objects {
    var dictionary: [UInt32]
    var codes: [UInt32]

    /// Returns one byte of each value, or several of them together; 0 = the lowest.
    private func bytes(_ values: [UInt32], _ places: Range<Int>) -> [UInt8] {
      values.flatMap { value in places.map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) } }
    }

    func columns(_ layout: Layout) -> [[UInt8]] {
      let width = dictionary.count < 65_535 ? 2 : 4
      let lowest = layout == .planes ? 1 : 4
      var columns: [[UInt8]] = [
        // Shape 0 is one mark, and each event is a shape.
        [1], [0], [UInt8](repeating: 0, count: codes.count), [],
        // Mode 0 from event 0 on; no jumps.
        [0, 0], [],
        bytes(dictionary, 0..<lowest),
        // Deltas of 0 have no low bits.
        [UInt8](repeating: 1, count: codes.count), [],
        bytes(codes, 0..<min(lowest, width)),
      ]
      if layout == .planes {
        for place in 1..<4 { columns.append(bytes(dictionary, place..<place + 1)) }
        for place in 1..<width { columns.append(bytes(codes, place..<place + 1)) }
      }
      return columns
    }
  }

  /// Returns the payload of a block of uncompressed columns.
  private func payload(_ objects: Objects, _ columns: [[UInt8]]) -> [UInt8] {
    var out = ByteWriter()
    out.append(contentsOf: [1, EventKind.mark.rawValue])
    out.appendVarint(objects.codes.count)
    out.appendVarint(objects.dictionary.count)
    // No unmatched ends, arguments or rest.
    out.append(contentsOf: [0, 0, 0])
    out.appendVarint(columns.count)
    for column in columns {
      out.appendVarint(column.count)
      out.append(0)
    }
    for column in columns { out.append(contentsOf: column) }
    return out.bytes
  }

  /// Returns the objects of the events; nil when the decoder refuses the payload.
  private func decode(_ payload: [UInt8], count: Int) -> [UInt32]? {
    let padded = payload + [UInt8](repeating: 0xA5, count: EventBlockDecoder.slack)
    return padded.withUnsafeBytes { bytes in
      let out = DecodedEvents()
      do throws(PayloadError) {
        try EventBlockDecoder(codec: NoCodec()).decode(
          UnsafeRawBufferPointer(rebasing: bytes[..<payload.count]), count: count, first: 5, last: 5,
          into: out)
      } catch { return nil }
      return out.values.map(\.object)
    }
  }

  private func decode(_ objects: Objects, _ layout: Layout) -> [UInt32]? {
    decode(payload(objects, objects.columns(layout)), count: objects.codes.count)
  }

  private func differentObjects(_ count: Int) -> [UInt32] {
    (0..<count).map { UInt32(truncatingIfNeeded: ($0 + 1) &* 0x9E37_79B1) }
  }

  /// Each object of the dictionary, then the first, once more the first, and the last.
  @Test(arguments: [255, 65_533, 65_534, 65_535]) func bothLayouts(count: Int) {
    let dictionary = differentObjects(count)
    let last = UInt32(count)
    // A block has no room for more.
    let size = min(count + 3, TraceLimits.eventsPerBlock)
    let expected = Array((dictionary + [dictionary[0], dictionary[0], dictionary[count - 1]]).prefix(size))
    let back = [UInt32](repeating: 1, count: count) + [last + 1, 0, 2]
    let planes = Objects(dictionary: dictionary, codes: Array(back.prefix(size)))
    #expect(decode(planes, .planes) == expected)
    let numbers = Array(1...last) + [1, 0, last]
    let whole = Objects(dictionary: dictionary, codes: Array(numbers.prefix(size)))
    #expect(decode(whole, .whole) == expected)
  }

  /// The encoder stores objects in the same columns. Its shapes differ.
  @Test(arguments: [255, 65_535]) func areWritten(count: Int) {
    let objects = Objects(
      dictionary: differentObjects(count),
      codes: [UInt32](repeating: 1, count: count) + [UInt32(count + 1)])
    let events = (objects.dictionary + [objects.dictionary[0]]).map {
      TestEvent(time: 5, kind: .mark, object: $0)
    }
    let written = EventBlockEncoder(codec: NoCodec()).encode(EventBuffer(events))
    let ending = Array(objects.columns(.planes)[6...].joined())
    #expect(written.suffix(ending.count).elementsEqual(ending))
  }

  /// Codes that no writer makes. The dictionary has 255 entries; the code at `position` is another one.
  @Test(arguments: [(0, 2), (0, 0xFFFF), (9, 11), (254, 256), (255, 1), (255, 257)] as [(Int, UInt32)])
  func foreignCodes(position: Int, code: UInt32) {
    var objects = Objects(dictionary: differentObjects(255), codes: [UInt32](repeating: 1, count: 255) + [0])
    #expect(decode(objects, .planes) != nil)
    objects.codes[position] = code
    #expect(decode(objects, .planes) == nil)
  }

  /// Planes that are shorter or longer than others, or missing.
  @Test func wrongPlanes() {
    let objects = Objects(dictionary: differentObjects(300), codes: [UInt32](repeating: 1, count: 300))
    let columns = objects.columns(.planes)
    #expect(columns.count == 14)
    for number in [6, 9, 10, 11, 12, 13] {
      for change in [-1, 1] {
        var changed = columns
        if change < 0 { changed[number].removeLast() } else { changed[number].append(0) }
        #expect(decode(payload(objects, changed), count: 300) == nil, "column \(number), \(change)")
      }
      var fewer = columns
      fewer.remove(at: number)
      #expect(decode(payload(objects, fewer), count: 300) == nil, "without column \(number)")
    }
    // More entries than a block has events.
    var many = columns
    for number in [6, 10, 11, 12] {
      many[number] = [UInt8](repeating: 0, count: TraceLimits.eventsPerBlock + 1)
    }
    #expect(decode(payload(objects, many), count: 300) == nil)
  }
}
