import CRLTraceStacks
import Testing

/// The parts of the sampler for Apple's systems that need no Apple system: memory is written by hand.
@Suite struct AppleStackTests {
  /// Walks the frames in `memory`, which maps addresses to words.
  private func walk(
    _ memory: [UInt64: UInt64], from counter: UInt64 = 0x100, _ pointer: UInt64, bits: UInt64 = .max,
    most: Int = 8
  ) -> [UInt64] {
    withUnsafePointer(to: memory) { memory in
      var frames = [UInt64](repeating: 0, count: most)
      let count = rlt_walk_frames(
        counter, pointer, bits,
        { context, address, pair in
          let memory = context!.assumingMemoryBound(to: [UInt64: UInt64].self).pointee
          guard let next = memory[address], let caller = memory[address + 8] else { return 0 }
          pair![0] = next
          pair![1] = caller
          return 1
        }, UnsafeMutableRawPointer(mutating: memory), &frames, most)
      return Array(frames.prefix(count))
    }
  }

  /// Three frames; the outermost has no caller.
  private let stack: [UInt64: UInt64] = [
    0x7000: 0x7040, 0x7008: 0x200, 0x7040: 0x7100, 0x7048: 0x300, 0x7100: 0, 0x7108: 0x400,
  ]

  @Test func walksToTheOutermostFrame() {
    #expect(walk(stack, 0x7000) == [0x100, 0x200, 0x300, 0x400])
    #expect(walk(stack, 0x7000, most: 2) == [0x100, 0x200])
    #expect(walk([:], 0) == [0x100])
  }

  /// arm64e signs return addresses in the bits that no address uses.
  @Test func removesSignatures() {
    let signed = stack.mapValues { $0 < 0x1000 && $0 > 0 ? $0 | 0xABCD_8000_0000_0000 : $0 }
    #expect(walk(signed, 0x7000, bits: 0x7FFF_FFFF_FFFF) == [0x100, 0x200, 0x300, 0x400])
  }

  @Test func endsAtDamage() {
    // A frame that is its own caller, one below, one that is not aligned, one that cannot be read.
    #expect(walk([0x7000: 0x7000, 0x7008: 0x200], 0x7000) == [0x100, 0x200])
    #expect(walk([0x7000: 0x6000, 0x7008: 0x200, 0x6000: 0, 0x6008: 0x300], 0x7000) == [0x100, 0x200])
    #expect(walk([0x7000: 0x7041, 0x7008: 0x200], 0x7000) == [0x100, 0x200])
    #expect(walk([0x7000: 0x9000, 0x7008: 0x200], 0x7000) == [0x100, 0x200])
  }

  // MARK: Images

  private let uuid = [UInt8](1...16)

  private func bytes<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  /// An image with a segment and a UUID, as the linker writes them.
  private var image: [UInt8] {
    let name = Array("__TEXT".utf8) + [UInt8](repeating: 0, count: 10)
    var segment = bytes(UInt32(0x19)) + bytes(UInt32(72)) + name
    segment += bytes(UInt64(0x1_0000_0000)) + bytes(UInt64(0x8000)) + [UInt8](repeating: 0, count: 32)
    let identity = bytes(UInt32(0x1B)) + bytes(UInt32(24)) + uuid
    let commands = segment + identity
    let header: [UInt32] = [0xFEED_FACF, 0x0100_000C, 0, 2, 2, UInt32(commands.count), 0, 0]
    return header.flatMap { bytes($0) } + commands
  }

  @Test func readsUUIDAndSize() throws {
    var facts = rlt_macho_facts()
    #expect(rlt_macho_header_bytes(image) == image.count)
    try #require(rlt_read_macho(image, image.count, &facts) == 1)
    #expect(facts.has_uuid == 1 && facts.text_bytes == 0x8000)
    #expect(withUnsafeBytes(of: facts.uuid) { Array($0) } == uuid)
  }

  /// Truncating the image or changing a byte never makes the reader read past the end.
  @Test func damagedImages() {
    var facts = rlt_macho_facts()
    for count in 0..<image.count { #expect(rlt_read_macho(Array(image.prefix(count)), count, &facts) == 0) }
    for place in image.indices {
      for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
        var bytes = image
        bytes[place] = value
        _ = rlt_read_macho(bytes, bytes.count, &facts)
      }
    }
    #expect(rlt_macho_header_bytes([UInt8](repeating: 0, count: 32)) == 0)
  }
}
