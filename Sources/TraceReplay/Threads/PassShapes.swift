/// Shapes of passes that were seen, on any thread: nearly every pass is like one of a few.
struct PassShapes: ~Copyable {
  private static let bits: UInt64 = 10

  /// By the first kinds of a pass; another one with the same place takes it.
  private let shapes: RowAddress<PassShape>
  /// Of the pass that this thread looked at last, unless another thread's has taken its place.
  private(set) var last: RowAddress<PassShape>

  /// `shapes`: what all threads share, as long as any of them.
  init(_ shapes: borrowing Rows<PassShape>) {
    self.shapes = shapes.address(0)
    last = self.shapes
  }

  static func none() -> Rows<PassShape> { Rows(repeating: PassShape(), count: 1 << Int(bits)) }

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
    last = shapes.advanced(by: Int(truncatingIfNeeded: hash &>> (64 &- PassShapes.bits)))
    if !last.pointee.isAt(index, columns) {
      last.pointee = PassShape(columns, at: index, hasHigh: hasHigh)
    }
  }
}
