/// The number of live timers of a class, or of live sources from a place, at the start of the span and after each
/// quarter of it.
package struct ItemLivesBook {
  /// The analyzed span, in quarters.
  struct Span {
    var from = Moment.origin
    var quarter = Length.endless

    init() {}

    init(from: Moment, to: Moment) {
      self.from = from
      quarter = max(to.since(from) / 4, .unit)
    }

    /// Returns 0 for a time before the span, and 1 to 4 for its quarters.
    func part(of time: Moment) -> Int {
      time < from ? 0 : 1 + Int(min((time &- from) / quarter, 3))
    }
  }

  /// The number of items that came and went: before the span, then in each quarter of it.
  private var came: SIMD8<UInt32> = SIMD8()
  private var went: SIMD8<UInt32> = SIMD8()
  package private(set) var first = Moment.never
  package private(set) var last = Moment.origin

  mutating func appears(_ time: Moment, _ span: Span) {
    came[span.part(of: time)] &+= 1
    guard time >= span.from else { return }
    first = min(first, time)
    last = max(last, time)
  }

  mutating func disappears(_ time: Moment, _ span: Span) { went[span.part(of: time)] &+= 1 }

  package var ended: UInt64 { UInt64(went.wrappedSum()) }
  package var live: UInt64 { atQuarters[4] }
  /// The number at the start of the span, and after each quarter of it.
  package var atQuarters: [UInt64] {
    var live: Int64 = 0
    return (0..<5).map { part in
      live += Int64(came[part]) - Int64(went[part])
      return UInt64(max(live, 0))
    }
  }
}
