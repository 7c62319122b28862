import TraceFormat

/// The plain part of a pass: which kinds of events it has, and where in it what happens.
///
/// Plain are the stamps of its activities, and callouts that end before anything else begins.
@safe struct PassShape {
  /// Events that can be compared at once, the one behind them included.
  static let longest = 32

  /// The kinds, with that of the event behind them, then zeros; and which of the bytes count.
  private var kinds = SIMD4<UInt64>()
  private var mask = SIMD4<UInt64>(repeating: .max)
  /// Events. 0: nothing is plain.
  private(set) var count = 0
  /// Events by their place. Where it does not wait, the first is `count`, the second 0.
  private(set) var beforeWaiting = 0
  private(set) var afterWaiting = 0
  /// A bit for each event that begins a callout; and for those of timers.
  private(set) var callouts: UInt32 = 0
  private(set) var timers: UInt32 = 0

  /// Of no pass.
  init() {}

  /// Whether there are the same kinds at `index`, where `longest` can be read.
  @inline(__always)
  func isAt(_ index: Int, _ columns: EventColumns) -> Bool {
    let difference = (columns.kinds(from: index) & mask) ^ kinds
    return difference[0] | difference[1] | difference[2] | difference[3] == 0
  }

  /// Of the pass that begins at `index`, where `longest` can be read.
  init(_ columns: EventColumns, at index: Int, hasHigh: Bool) {
    func kind(_ place: Int) -> EventKind { columns.kind(index &+ place) }
    func activity(_ low: EventKind) -> Bool {
      guard kind(count) == low, !hasHigh || kind(count &+ 1) == EventKind(low.rawValue &+ 1) else {
        return false
      }
      count &+= hasHigh ? 2 : 1
      return true
    }
    func findCallouts() {
      // Room for the waiting, and for the event behind.
      while count < PassShape.longest - 8, PassShape.isCallout(kind(count)),
        kind(count &+ 1) == kind(count).end
      {
        callouts |= 1 &<< UInt32(truncatingIfNeeded: count)
        if kind(count) == .timerBegin { timers |= 1 &<< UInt32(truncatingIfNeeded: count) }
        count &+= 2
      }
    }
    guard activity(.beforeTimersLow), activity(.beforeSourcesLow) else {
      count = 0
      return
    }
    findCallouts()
    beforeWaiting = count
    if activity(.beforeWaitingLow) {
      let woken = count
      if activity(.afterWaitingLow) {
        afterWaiting = woken
        findCallouts()
      } else {
        count = beforeWaiting
      }
    }
    func bytes(from first: Int) -> UInt64 {
      let bytes = count &+ 1 &- first
      return bytes >= 8 ? .max : bytes > 0 ? ((1 &<< UInt64(8 &* bytes)) &- 1).littleEndian : 0
    }
    mask = SIMD4(bytes(from: 0), bytes(from: 8), bytes(from: 16), bytes(from: 24))
    kinds = columns.kinds(from: index) & mask
  }

  /// Observers' are not among them: they run between an activity's stamps.
  @inline(__always)
  private static func isCallout(_ kind: EventKind) -> Bool {
    switch kind {
    case .source0Begin, .source1Begin, .blockBegin, .mainQueueDrainBegin, .mainQueueBlockBegin, .timerBegin:
      true
    default: false
    }
  }
}
