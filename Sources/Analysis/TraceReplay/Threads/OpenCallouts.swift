import TraceFormat

/// The callouts of a thread that have begun and not ended, the outermost first.
struct OpenCallouts: ~Copyable {
  private var rows = Rows<OpenCallout>(capacity: ThreadReplay.firstRoom)
  private var room = ThreadReplay.firstRoom
  var count = 0
  /// The number of callouts around the innermost run, 0 outside any run.
  var enclosing = 0

  @inline(__always)
  var isFull: Bool { count >= room }

  subscript(place: Int) -> OpenCallout {
    @inline(__always) unsafeAddress { unsafe UnsafePointer(rows.pointer(place)) }
    @inline(__always) nonmutating unsafeMutableAddress { unsafe rows.pointer(place) }
  }

  @inline(__always)
  func address(_ place: Int) -> RowAddress<OpenCallout> { rows.address(place) }

  /// Makes room for one more callout. Returns false at the limit.
  @inline(never)
  mutating func widen() -> Bool {
    guard room < AnalysisLimits.openCallouts else { return false }
    room = min(2 * room, AnalysisLimits.openCallouts)
    rows.widen(to: room)
    return true
  }
}

/// A callout that has begun and not ended.
struct OpenCallout {
  var kind: EventKind
  var object: ObjectID
  /// When the callout began, plus its suspended time.
  var begin: Moment
  var suspended: Length = .zero
  /// Time inside runs that the callout started.
  var nested: Length = .zero
  /// The mode of these runs; `outside` = several modes.
  var nestedMode = ModeID.outside
  /// The callout's row in the callout table.
  var row: Int32
  /// The class of its timer, -1 = not known. The timer may be gone when its callout ends.
  var timerClass: Int32
  /// The time in inner callouts, and the part of it in the gap with the number `gap`.
  var inner: Length = .zero
  var innerInGap: Length = .zero
  var gap: UInt64 = 0
  /// The number of the last busy interval that counted the callout.
  var busy: UInt64 = 0

  /// Adds time inside runs in `mode`.
  mutating func add(nested length: Length, in mode: ModeID) {
    nestedMode = nested == .zero || nestedMode == mode ? mode : .outside
    nested &+= length
  }
}
