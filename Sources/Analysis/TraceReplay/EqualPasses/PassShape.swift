import TraceFormat

/// The plain part of a pass, or of the rest of a pass from a wait on: the kinds of its events, and their positions.
///
/// Plain events are the stamps of its activities, and callouts that end before anything else begins.
@safe struct PassShape {
  /// The maximum number of events that are compared in one step, including the event after the pass.
  static let longest = 32
  static let mostCallouts = longest / 2

  /// The kinds, including that of the event after the pass, padded with zeros. `mask` selects the bytes to compare.
  private var kinds = SIMD4<UInt64>()
  private var mask = SIMD4<UInt64>(repeating: .max)
  /// The mask of the bytes that belong to activities.
  private var activities = SIMD4<UInt64>()
  /// The number of events. 0 = nothing is plain.
  private(set) var count = 0
  /// The positions of the activities' events. If the pass does not wait, `beforeWaiting` is `count` and `afterWaiting`
  /// is 0. In the rest of a pass, `beforeSources` and `beforeWaiting` are 0.
  private(set) var beforeSources = 0
  private(set) var beforeWaiting = 0
  private(set) var afterWaiting = 0
  /// A bit for each event that begins a callout, and for those that begin a timer's callout.
  private(set) var callouts: UInt32 = 0
  private(set) var timers: UInt32 = 0
  /// The kinds of callouts that the pass serves, and those that it serves before it waits.
  private(set) var served = Served()
  private(set) var servedBeforeWaiting = Served()
  /// Whether two callouts have the same kind, and so may have the same row.
  private(set) var repeatsKind = false

  var waits: Bool { afterWaiting > 0 }
  /// Whether the events are the rest of a pass, from a wait on.
  var isContinued: Bool { waits && beforeWaiting == 0 }
  /// The positions of the first callout and of the first callout after the wait; 32 = none.
  var firstCallout: Int { callouts.trailingZeroBitCount }
  var firstAfterWaiting: Int {
    (callouts & (UInt32.max &<< UInt32(truncatingIfNeeded: afterWaiting))).trailingZeroBitCount
  }

  /// Creates an empty shape, which matches no pass.
  init() {}

  func kind(_ place: Int) -> EventKind {
    EventKind(UInt8(truncatingIfNeeded: UInt64(littleEndian: kinds[place / 8]) &>> UInt64(8 &* (place & 7))))
  }

  @inline(__always)
  func isTimer(_ place: Int) -> Bool { PassShape.has(timers, place) }

  @inline(__always)
  private static func has(_ bits: UInt32, _ place: Int) -> Bool {
    bits &>> UInt32(truncatingIfNeeded: place) & 1 != 0
  }

  func isSame(as other: PassShape) -> Bool { count == other.count && kinds == other.kinds }

  /// Returns whether the kinds at `index` match the shape. `longest` events must be readable there.
  @inline(__always)
  func isAt(_ index: Int, _ columns: EventColumns) -> Bool {
    PassShape.isZero((columns.kinds(from: index) & mask) ^ kinds)
  }

  /// Returns whether a pass of this shape at `index` may be followed by `number` more of them before `last`. Compares
  /// only the first kinds of the next pass and of the last one.
  @inline(__always)
  func isRepeated(_ number: Int, _ index: Int, _ columns: EventColumns, before last: Int) -> Bool {
    let end = index &+ number &* count
    guard end <= last else { return false }
    let word = columns.word(ofKindsFrom: index)
    return word == columns.word(ofKindsFrom: index &+ count) && word == columns.word(ofKindsFrom: end)
  }

  /// Returns whether all activities of the pass at `index` have a mode. `longest` events must be readable there.
  @inline(__always)
  func isIn(_ mode: ModeID, _ index: Int, _ columns: EventColumns) -> Bool {
    let modes = SIMD4<UInt64>(repeating: 0x0101_0101_0101_0101 &* UInt64(mode.rawValue))
    return PassShape.isZero((columns.modes(from: index) ^ modes) & activities)
  }

  @inline(__always)
  private static func isZero(_ bytes: SIMD4<UInt64>) -> Bool {
    bytes[0] | bytes[1] | bytes[2] | bytes[3] == 0
  }

  /// Creates the shape of the pass that begins or goes on at `index`. `longest` events must be readable there.
  init(_ columns: EventColumns, at index: Int, hasHigh: Bool) {
    func kind(_ place: Int) -> EventKind { columns.kind(index &+ place) }
    func activity(_ low: EventKind) -> Bool {
      guard kind(count) == low, !hasHigh || kind(count &+ 1) == EventKind(low.rawValue &+ 1) else {
        return false
      }
      // Both stamps lie in one word, because with high stamps all positions are even.
      let bytes: UInt64 = hasHigh ? 0xFFFF : 0xFF
      activities[count / 8] |= (bytes &<< UInt64(8 &* (count & 7))).littleEndian
      count &+= hasHigh ? 2 : 1
      return true
    }
    func findCallouts() {
      // Leaves room for the wait and for the event after the pass.
      while count < PassShape.longest - 8, PassShape.isCallout(kind(count)),
        kind(count &+ 1) == kind(count).end
      {
        let bit: UInt32 = 1 &<< UInt32(truncatingIfNeeded: count)
        if kind(count) == .timerBegin { timers |= bit }
        served.note(kind(count))
        for place in 0..<count where PassShape.has(callouts, place) {
          repeatsKind = repeatsKind || kind(place) == kind(count)
        }
        callouts |= bit
        count &+= 2
      }
    }
    if activity(.beforeTimersLow) {
      beforeSources = count
      guard activity(.beforeSourcesLow) else {
        count = 0
        return
      }
      findCallouts()
    }
    beforeWaiting = count
    servedBeforeWaiting = served
    if activity(.beforeWaitingLow) {
      let woken = count
      if activity(.afterWaitingLow) {
        afterWaiting = woken
        findCallouts()
      } else {
        count = beforeWaiting
      }
    }
    guard count > 0 else { return }
    func bytes(from first: Int) -> UInt64 {
      let bytes = count &+ 1 &- first
      return bytes >= 8 ? .max : bytes > 0 ? ((1 &<< UInt64(8 &* bytes)) &- 1).littleEndian : 0
    }
    mask = SIMD4(bytes(from: 0), bytes(from: 8), bytes(from: 16), bytes(from: 24))
    kinds = columns.kinds(from: index) & mask
  }

  /// Excludes observers' callouts, which run between an activity's stamps.
  @inline(__always)
  private static func isCallout(_ kind: EventKind) -> Bool {
    switch kind {
    case .source0Begin, .source1Begin, .blockBegin, .mainQueueDrainBegin, .mainQueueBlockBegin, .timerBegin:
      true
    default: false
    }
  }
}
