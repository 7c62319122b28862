import TestSupport
@testable import TraceFormat

/// Random changes to payloads and block headers that tend to find errors in decoders.
enum Mutation {
  struct Block {
    var header: BlockHeader
    var payload: [UInt8]
  }

  static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    guard !bytes.isEmpty else {
      bytes.append(UInt8(random.next() & 255))
      return
    }
    // The directory and the sizes at the beginning control the rest.
    let range = random.oneIn(2) ? min(bytes.count, 40) : bytes.count
    let at = Int(random.next() % UInt64(range))
    switch random.next() % 9 {
    case 0, 1: bytes[at] ^= 1 << UInt8(random.next() % 8)
    case 2, 3: bytes[at] = random.pick([0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF, UInt8(random.next() & 255)])
    case 4: bytes[at] = bytes[at] &+ (random.oneIn(2) ? 1 : 255)
    case 5: bytes.insert(UInt8(random.next() & 255), at: at)
    case 6: bytes.remove(at: at)
    case 7:
      let value = random.pick([0, 1, 0x7F, 0xF8, 0xFF, UInt8(random.next() & 255)])
      for i in at..<min(at + Int(random.next() % 80), bytes.count) { bytes[i] = value }
    default:
      let other = Int(random.next() % UInt64(bytes.count))
      let length = min(Int(random.next() % 12), bytes.count - max(at, other))
      bytes.replaceSubrange(at..<(at + length), with: Array(bytes[other..<(other + length)]))
    }
  }

  /// Returns the header values of a block of `events`, most of the time the right ones.
  static func header(
    _ events: [TestEvent], _ random: inout SeededGenerator
  ) -> (count: Int, first: UInt64, last: UInt64) {
    var header = (count: events.count, first: events.first?.time ?? 0, last: events.last?.time ?? 0)
    switch random.next() % 12 {
    case 0:
      header.count = random.pick([
        0, 1, header.count + 1, max(header.count - 1, 0), 65_536, 65_537, 0xFF_FFFF,
      ])
    case 1: header.first = random.pick([0, .max, header.first &+ 1, random.next()])
    case 2: header.last = random.pick([0, .max, header.last &- 1, random.next()])
    default: break
    }
    return header
  }

  static func mutate(_ blocks: inout [Block], _ random: inout SeededGenerator) {
    guard !blocks.isEmpty else { return }
    let at = Int(random.next() % UInt64(blocks.count))
    switch random.next() % 10 {
    case 0: blocks[at].header.count = Int(random.pick([0, 1, 255, 65_536, 0xFF_FFFF]))
    case 1: blocks[at].header.type = BlockType(rawValue: UInt8(random.next() % 10))
    case 2: blocks[at].header.plainBytes = Int(random.pick([0, 1, 100, 1 << 26, 1 << 26 + 1, UInt32.max]))
    case 3: blocks[at].header.first = random.next()
    case 4: blocks[at].header.last = random.pick([0, .max, random.next()])
    case 5: blocks.swapAt(at, Int(random.next() % UInt64(blocks.count)))
    default: mutate(&blocks[at].payload, &random)
    }
  }

  /// Returns the blocks of a clean trace, without the index.
  static func blocks(of bytes: [UInt8]) throws -> [Block] {
    let reader = try openTrace(bytes)
    return try reader.blocks.indices.map { number in
      let (header, payload) = try reader.storedBlock(number)
      return Block(header: header, payload: payload)
    }
  }

  /// Returns a file of these blocks with the right lengths, checksums and index.
  static func file(_ blocks: [Block], codec: CodecID) throws -> [UInt8] {
    var out = FileHeader(codec: codec, captureLevel: .callouts, clock: .monotonic, hasHighStamps: true)
      .encoded()
    var index: [BlockEntry] = []
    for var block in blocks {
      if block.header.plainBytes == block.header.payloadBytes {
        block.header.plainBytes = block.payload.count
      }
      block.header.payloadBytes = block.payload.count
      index.append(BlockEntry(offset: UInt64(out.count), header: block.header))
      append(block, to: &out)
    }
    let offset = out.count
    let payload = BlockEntry.encode(index)
    let header = BlockHeader(
      type: .index, payloadBytes: payload.count, plainBytes: payload.count, count: index.count)
    append(Block(header: header, payload: payload), to: &out)
    return out + Trailer.encoded(indexOffset: UInt64(offset))
  }

  private static func append(_ block: Block, to out: inout [UInt8]) {
    out += block.payload.withUnsafeBytes { block.header.encoded(payload: $0) }
    out += block.payload
  }
}
