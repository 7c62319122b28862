/// A set of mode ids.
package struct ModeSet: Hashable {
  private var bits = SIMD4<UInt64>()

  mutating func insert(_ mode: ModeID) { bits[mode.word] |= mode.bit }
  mutating func remove(_ mode: ModeID) { bits[mode.word] &= ~mode.bit }
  mutating func subtract(_ other: ModeSet) { bits &= ~other.bits }
  package mutating func formUnion(_ other: ModeSet) { bits |= other.bits }

  var isEmpty: Bool { bits == SIMD4() }
  func isSubset(of other: ModeSet) -> Bool { bits & ~other.bits == SIMD4() }
  func contains(_ mode: ModeID) -> Bool { bits[mode.word] & mode.bit != 0 }

  package var modes: [ModeID] {
    var modes: [ModeID] = []
    for word in bits.indices {
      var rest = bits[word]
      while rest != 0 {
        modes.append(ModeID(UInt8(word * 64 + rest.trailingZeroBitCount)))
        rest &= rest - 1
      }
    }
    return modes
  }
}

/// The mode's position in a set.
extension ModeID {
  fileprivate var word: Int { Int(rawValue >> 6) }
  fileprivate var bit: UInt64 { 1 << UInt64(rawValue & 63) }
}
