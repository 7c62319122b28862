/// The number of live timers of a class, or of live sources from a place, at the start of the span and after each
/// tenth of it.
package struct ItemLivesBook {
  private static let parts: UInt64 = 10

  /// The analyzed span, in tenths.
  struct Span {
    var from = Moment.origin
    var tenth = Length.endless

    init() {}

    init(from: Moment, to: Moment) {
      self.from = from
      tenth = max(to.since(from) / ItemLivesBook.parts, .unit)
    }

    /// Returns 0 for a time before the span, and 1 to 10 for its tenths.
    func part(of time: Moment) -> Int {
      time < from ? 0 : 1 + Int(min((time &- from) / tenth, ItemLivesBook.parts - 1))
    }
  }

  /// The number of items that came and went: before the span, then in each tenth of it.
  private var came: SIMD16<UInt32> = SIMD16()
  private var went: SIMD16<UInt32> = SIMD16()
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
  package var live: UInt64 { atTenths[Int(ItemLivesBook.parts)] }
  /// The number at the start of the span, and after each tenth of it.
  package var atTenths: [UInt64] {
    var live: Int64 = 0
    return (0...Int(ItemLivesBook.parts)).map { part in
      live += Int64(came[part]) - Int64(went[part])
      return UInt64(max(live, 0))
    }
  }
}
