/// A set of mode ids.
@usableFromInline package struct ModeSet: Hashable {
  @usableFromInline package var bits: SIMD4<UInt64>

  @inlinable package init() { bits = SIMD4() }

  @inlinable package mutating func insert(_ mode: ModeID) { bits[mode.word] |= mode.bit }
  @inlinable package mutating func remove(_ mode: ModeID) { bits[mode.word] &= ~mode.bit }
  @inlinable package mutating func subtract(_ other: ModeSet) { bits &= ~other.bits }
  @inlinable package mutating func formUnion(_ other: ModeSet) { bits |= other.bits }

  @inlinable package var isEmpty: Bool { bits == SIMD4() }
  @inlinable package func isSubset(of other: ModeSet) -> Bool { bits & ~other.bits == SIMD4() }
  @inlinable package func contains(_ mode: ModeID) -> Bool { bits[mode.word] & mode.bit != 0 }

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
  @inlinable var word: Int { Int(rawValue >> 6) }
  @inlinable var bit: UInt64 { 1 << UInt64(rawValue & 63) }
}
