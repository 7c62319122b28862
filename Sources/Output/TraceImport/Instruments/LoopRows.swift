/// A run, an iteration or a wait of a run loop.
struct LoopRow {
  /// An end that was not recorded. A start that was not recorded is 0.
  static let open = UInt64.max

  var start: UInt64 = 0
  var end: UInt64 = LoopRow.open
  /// As in the table: the bits of a double in seconds for a run, a number for a wait.
  var timeout: UInt64 = 0
  /// An index into the texts; -1 = none.
  var mode: Int32 = -1
  /// 1 = outermost run.
  var level: UInt8
  var kind: LoopRowKind
  /// 0 = not known.
  var result: UInt8 = 0
  var returnsAfterSource = false
  /// Whether a run is only known from what is inside it. It ends with the last of these.
  var isImplied = false

  init(kind: LoopRowKind, level: UInt8) { (self.kind, self.level) = (kind, level) }

  /// The depth among the intervals of a thread: an inner one has a larger depth.
  var depth: Int { Int(level) * 3 + Int(kind.rawValue) }

  /// Converts the limit of a run from seconds, as the bits of a double, to nanoseconds; all ones = no limit.
  static func timeoutNs(bits: UInt64) -> UInt64 {
    let ns = Double(bitPattern: bits) * 1e9
    return ns < 0x1p63 ? UInt64(max(ns, 0)) : .max
  }

  /// Whether the loop only looked for events. CFRunLoop notifies no observer then.
  var isPoll: Bool { kind == .wait && timeout == 0 }
}

/// The runs, iterations and waits of one thread, in any order, or as beginnings and ends in time order.
struct LoopRows {
  private var rows: [LoopRow] = []
  /// Rows whose start was not recorded.
  private var earlier: [LoopRow] = []
  /// Whether `rows` might be out of order by start.
  private var isMixed = false
  /// The indices in `rows` of intervals that have begun and not ended, innermost last.
  private var openRows: [Int] = []
  /// The depth of the outermost interval so far.
  private var outermost = Int.max

  var count: Int { rows.count + earlier.count }

  mutating func add(_ row: LoopRow) {
    rows.append(row)
    isMixed = true
  }

  /// Returns false if too many intervals are open.
  mutating func begin(_ row: LoopRow) -> Bool {
    guard openRows.count < ImportLimits.openIntervals else { return false }
    openRows.append(rows.count)
    outermost = min(outermost, row.depth)
    rows.append(row)
    return true
  }

  /// Ends the innermost open interval of the same kind and level. Intervals inside it end with it. If there is none, the
  /// interval began before the recording. Returns false if it cannot have: another interval of its depth, or of an outer
  /// one, came before.
  mutating func end(_ row: LoopRow, at time: UInt64, result: UInt8) -> Bool {
    guard let place = openRows.lastIndex(where: { rows[$0].depth == row.depth }) else {
      guard row.depth < outermost else { return false }
      outermost = row.depth
      var whole = row
      (whole.start, whole.end, whole.result) = (0, time, result)
      earlier.append(whole)
      return true
    }
    for inner in openRows[place...] where rows[inner].end == LoopRow.open { rows[inner].end = time }
    rows[openRows[place]].result = row.kind == .run ? result : 0
    openRows.removeSubrange(place...)
    return true
  }

  /// Returns all rows, an outer one before those inside it. Begins and ends keep their order, even at equal times.
  /// Among whole intervals that begin at the same time, the outer one is taken to begin first, then the shorter one.
  consuming func inOrder() -> [LoopRow] {
    earlier.sort { $0.depth < $1.depth }
    if isMixed { rows.sort { ($0.start, $0.depth, $0.end) < ($1.start, $1.depth, $1.end) } }
    return earlier + rows
  }
}
