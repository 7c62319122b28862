import TraceFormat

/// The shapes of passes that were seen, on any thread. Nearly every pass has one of a few shapes.
struct PassShapes: ~Copyable {
  private static let bits: UInt64 = 10

  /// A hash table by the first kinds of a pass. A shape with the same hash replaces the previous one.
  private let shapes: RowAddress<PassShape>
  /// The shape of this thread's last pass, unless another thread's shape has replaced it.
  private(set) var last: RowAddress<PassShape>

  /// Creates a table on `shapes`, which all threads share and which must outlive them.
  init(_ shapes: borrowing Rows<PassShape>) {
    self.shapes = shapes.address(0)
    last = self.shapes
  }

  static func none() -> Rows<PassShape> { Rows(repeating: PassShape(), count: 1 << Int(bits)) }

  /// Finds the shape of the pass that begins or goes on at `index`. `PassShape.longest` events must be readable there.
  @inline(__always)
  mutating func look(_ columns: EventColumns, at index: Int, hasHigh: Bool) {
    if !last.pointee.isAt(index, columns) { find(columns, at: index, hasHigh) }
  }

  @inline(never)
  private mutating func find(_ columns: EventColumns, at index: Int, _ hasHigh: Bool) {
    // Hashes up to 16 kinds of this pass. With fewer, too many passes collide. Leaves out the first one, which is nearly
    // always the same. The multiplications let all kinds affect the highest bits.
    let (first, hasEnd) = PassShapes.upToNextPass(columns.word(ofKindsFrom: index &+ 1))
    let rest = hasEnd ? 0 : PassShapes.upToNextPass(columns.word(ofKindsFrom: index &+ 9)).kinds
    let hash = (first &* 0x9E37_79B9_7F4A_7C15 ^ rest) &* 0xC2B2_AE3D_27D4_EB4F
    last = shapes.advanced(by: Int(truncatingIfNeeded: hash &>> (64 &- PassShapes.bits)))
    if !last.pointee.isAt(index, columns) {
      last.pointee = PassShape(columns, at: index, hasHigh: hasHigh)
    }
  }

  /// Returns eight kinds up to the next BeforeTimers, with zeros after it, and whether it is among them.
  @inline(__always)
  private static func upToNextPass(_ word: UInt64) -> (kinds: UInt64, hasEnd: Bool) {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let kinds = UInt64(littleEndian: word)
    // The lowest bit is that of the first byte that equals BeforeTimers.
    let difference = kinds ^ (ones &* UInt64(EventKind.beforeTimersLow.rawValue))
    let equal = (difference &- ones) & ~difference & (ones &* 0x80)
    return (kinds & ((equal & (0 &- equal)) &- 1), equal != 0)
  }
}
