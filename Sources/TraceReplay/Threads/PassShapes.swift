/// Shapes of passes that were seen: nearly every pass is like one of a few.
struct PassShapes: ~Copyable {
  private static let bits: UInt64 = 8

  /// By the first kinds of a pass; another one with the same place takes it.
  private let shapes = Rows(repeating: PassShape(), count: 1 << Int(PassShapes.bits))
  /// Of the pass that was looked at last.
  private(set) var last: RowAddress<PassShape>

  init() { last = shapes.address(0) }

  /// Looks at the pass that begins at `index`, where `PassShape.longest` can be read.
  @inline(__always)
  mutating func look(_ columns: EventColumns, at index: Int, hasHigh: Bool) {
    if !last.pointee.isAt(index, columns) { find(columns, at: index, hasHigh) }
  }

  @inline(never)
  private mutating func find(_ columns: EventColumns, at index: Int, _ hasHigh: Bool) {
    // Of twelve kinds: of fewer, too many passes share a place, and of more, most are the next pass's. Multiplied, so that
    // all of them reach the highest bits.
    let first = columns.word(ofKindsFrom: index) &* 0x9E37_79B9_7F4A_7C15
    let hash = (first ^ columns.word(ofKindsFrom: index &+ 4)) &* 0xC2B2_AE3D_27D4_EB4F
    last = shapes.address(Int(truncatingIfNeeded: hash &>> (64 &- PassShapes.bits)))
    if !last.pointee.isAt(index, columns) {
      last.pointee = PassShape(columns, at: index, hasHigh: hasHigh)
    }
  }
}
