import TraceAnalysis

/// The time line as the report's script reads it. Times are units of the trace since the span's beginning.
struct TimelineData: Encodable {
  /// Lanes that are drawn; the tables have the others.
  static let threadLimit = 8
  static let timerLimit = 40

  let threads: [Thread]
  let timers: [Timer]
  let threadsLeftOut: Int
  let timersLeftOut: Int
  /// Distinct things that spans are: what (0 pass, 1...7 phase, else a callout's kind), mode, depth, name.
  let shapes: [[Int]]
  let kinds: [Int: String]
  let modes: [String]
  var names: [String]

  func with(names: [String]) -> TimelineData {
    var copy = self
    copy.names = names
    return copy
  }

  struct Bins: Encodable {
    let width: UInt64
    let count: Int
    /// By name; those of zeros alone are left out.
    let columns: [String: PackedColumn]

    init(_ time: TimeBins, _ columns: [String: PackedColumn]) {
      width = time.width
      count = time.count
      self.columns = columns.filter { !$0.value.isAllZero }
    }
  }

  /// Where marks are complete, each as beginning and end.
  struct Detail<Marks: Encodable>: Encodable {
    let whole: Bool
    let spans: [[UInt64]]
    let total: UInt64
    let kept: Int
    let marks: Marks
  }

  struct SpanColumns: Encodable {
    let start: PackedColumn
    let length: PackedColumn
    let shape: PackedColumn
  }

  struct PointColumns: Encodable {
    let due: PackedColumn
    /// From the due point to what became of it, and to the last of those skipped.
    let late: PackedColumn
    let stretch: PackedColumn
    let count: PackedColumn
    /// outcome · 16 + cause; a cause of 15 is not known.
    let fate: PackedColumn
    let mode: PackedColumn
  }

  struct Thread: Encodable {
    let index: UInt32
    let modes: [Int]
    let sharesLastMode: Bool
    let bins: Bins
    let detail: Detail<SpanColumns>
  }

  struct Timer: Encodable {
    let id: Int
    let bins: Bins
    let detail: Detail<PointColumns>
  }
}
