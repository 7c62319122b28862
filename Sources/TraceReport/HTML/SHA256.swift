/// SHA-256 (FIPS 180-4), for the page's content security policy: it names its own script and style by their hashes, and
/// allows no other. A few kilobytes once a report; a cryptographic library would be most of the program.
enum SHA256 {
  private static let primes: [UInt32] = {
    var found: [UInt32] = []
    var candidate: UInt32 = 2
    while found.count < 64 {
      if found.allSatisfy({ candidate % $0 != 0 }) { found.append(candidate) }
      candidate += 1
    }
    return found
  }()

  /// The first 32 bits behind the point of a root.
  private static func fraction(_ root: Double) -> UInt32 {
    UInt32((root - root.rounded(.down)) * 4_294_967_296)
  }

  private static let initial = primes.prefix(8).map { fraction(Double($0).squareRoot()) }
  private static let constants = primes.map { fraction(cubeRoot(Double($0))) }

  private static func cubeRoot(_ value: Double) -> Double {
    var root = value / 3 + 1
    for _ in 0..<60 { root -= (root * root * root - value) / (3 * root * root) }
    return root
  }

  static func digest(_ message: [UInt8]) -> [UInt8] {
    var bytes = message + [0x80]
    while bytes.count % 64 != 56 { bytes.append(0) }
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: (UInt64(message.count) * 8) >> UInt64(shift)))
    }
    var state = initial
    for block in stride(from: 0, to: bytes.count, by: 64) { compress(bytes[block..<block + 64], &state) }
    return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) } }
  }

  private static func compress(_ block: ArraySlice<UInt8>, _ state: inout [UInt32]) {
    func turned(_ x: UInt32, _ by: UInt32) -> UInt32 { x >> by | x << (32 - by) }
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { at in
      block[at..<at + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    for i in 16..<64 {
      let a = words[i - 15]
      let b = words[i - 2]
      let s0 = turned(a, 7) ^ turned(a, 18) ^ a >> 3
      let s1 = turned(b, 17) ^ turned(b, 19) ^ b >> 10
      words.append(words[i - 16] &+ s0 &+ words[i - 7] &+ s1)
    }
    var v = state
    for i in 0..<64 {
      let s1 = turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25)
      let choice = v[4] & v[5] ^ ~v[4] & v[6]
      let t1 = v[7] &+ s1 &+ choice &+ constants[i] &+ words[i]
      let s0 = turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22)
      let majority = v[0] & v[1] ^ v[0] & v[2] ^ v[1] & v[2]
      v = [t1 &+ s0 &+ majority, v[0], v[1], v[2], v[3] &+ t1, v[4], v[5], v[6]]
    }
    for i in 0..<8 { state[i] &+= v[i] }
  }
}
