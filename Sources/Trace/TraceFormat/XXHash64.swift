/// XXH64, the checksum of header and blocks (https://xxhash.com, specification of XXH64).
///
/// Chosen because it processes several GB/s without special instructions, and because the common tool `xxhsum`
/// computes it.
package enum XXHash64 {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  @inline(__always) private static func rotate(_ x: UInt64, _ bits: UInt64) -> UInt64 {
    x &<< bits | x &>> (64 &- bits)
  }

  @inline(__always) private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
    rotate(lane &+ input &* prime2, 31) &* prime1
  }

  /// Returns the hash of a string's UTF-8.
  package static func hash(_ text: String) -> UInt64 {
    var text = text
    return text.withUTF8 { hash(UnsafeRawBufferPointer($0)) }
  }

  /// Returns the hash of `bytes`. O(n).
  static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    // SAFETY: Every load is at `at` with at + width <= end, which its loop or condition checks.
    let end = bytes.count
    guard let base = bytes.baseAddress, end > 0 else { return finish(seed &+ prime5) }
    var at = 0
    func word(_ offset: Int) -> UInt64 {
      UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    var hash: UInt64
    if end >= 32 {
      var a = seed &+ prime1 &+ prime2
      var b = seed &+ prime2
      var c = seed
      var d = seed &- prime1
      let whole = end & ~31
      while at != whole {
        a = round(a, word(at))
        b = round(b, word(at &+ 8))
        c = round(c, word(at &+ 16))
        d = round(d, word(at &+ 24))
        at &+= 32
      }
      hash = rotate(a, 1) &+ rotate(b, 7) &+ rotate(c, 12) &+ rotate(d, 18)
      for lane in [a, b, c, d] { hash = (hash ^ round(0, lane)) &* prime1 &+ prime4 }
    } else {
      hash = seed &+ prime5
    }
    hash &+= UInt64(end)
    while at &+ 8 <= end {
      hash = rotate(hash ^ round(0, word(at)), 27) &* prime1 &+ prime4
      at &+= 8
    }
    if at &+ 4 <= end {
      let half = UInt64(UInt32(littleEndian: base.loadUnaligned(fromByteOffset: at, as: UInt32.self)))
      hash = rotate(hash ^ half &* prime1, 23) &* prime2 &+ prime3
      at &+= 4
    }
    while at < end {
      hash = rotate(hash ^ UInt64(base.load(fromByteOffset: at, as: UInt8.self)) &* prime5, 11) &* prime1
      at &+= 1
    }
    return finish(hash)
  }

  private static func finish(_ hash: UInt64) -> UInt64 {
    var x = hash
    x = (x ^ x &>> 33) &* prime2
    x = (x ^ x &>> 29) &* prime3
    return x ^ x &>> 32
  }
}
