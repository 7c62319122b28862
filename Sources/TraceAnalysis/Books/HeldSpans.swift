/// The callouts of one gap: how many, how long, and the longest four.
struct GapCalloutTally {
  struct Entry {
    var kind: UInt8 = 0
    var object: UInt32 = 0
    var duration: UInt64 = 0
  }

  static let kept = 4
  private(set) var count: UInt64 = 0
  private(set) var duration: UInt64 = 0
  private var entries = (Entry(), Entry(), Entry(), Entry())
  private var used = 0

  @inline(__always)
  mutating func clear() {
    count = 0
    duration = 0
    used = 0
  }

  /// Callouts below 1/64 of the gap threshold are counted, not kept: they explain no gap.
  @inline(__always)
  mutating func add(kind: UInt8, object: UInt32, duration: UInt64, threshold: UInt64) {
    count &+= 1
    self.duration &+= duration
    if duration >= threshold &>> 6 { keep(Entry(kind: kind, object: object, duration: duration)) }
  }

  @inline(never)
  private mutating func keep(_ entry: Entry) {
    var list = self.list
    // One callout that runs many times in a gap is one line.
    if let same = list.firstIndex(where: { $0.kind == entry.kind && $0.object == entry.object }) {
      list[same].duration &+= entry.duration
    } else {
      list.append(entry)
    }
    list.sort { $0.duration > $1.duration }
    used = min(list.count, GapCalloutTally.kept)
    list += Array(repeating: Entry(), count: GapCalloutTally.kept)
    entries = (list[0], list[1], list[2], list[3])
  }

  /// Longest first.
  var list: [Entry] { Array([entries.0, entries.1, entries.2, entries.3][..<used]) }
}

/// A gap as found, in time units.
struct FoundGap {
  var lane: Int
  var start: UInt64
  var end: UInt64
  var suspended: UInt64
  var phase: Phase
  var mode: UInt8
  var callouts: GapCalloutTally
  /// String ids of the callouts' names, looked up while their objects live.
  var names: [UInt32] = []
  var isOpen: Bool
  var isUncertain: Bool

  /// Without suspension.
  var length: UInt64 { end &- start &- suspended }
}

/// A busy interval as found, in time units.
struct FoundBusy {
  var lane: Int
  var start: UInt64
  var end: UInt64
  var suspended: UInt64
  /// Where the first suspension in it began.
  var suspendedFrom: UInt64
  var mode: UInt8
  var outside: UInt64
  /// The last BeforeWaiting.low in it, where the program's observers of that activity begin.
  var beforeWaiting: UInt64
  /// Began when a wait ended, not with a run.
  var isAfterWait: Bool
  var isOpen: Bool
  var isUncertain: Bool

  /// Without suspension.
  var length: UInt64 { end &- start &- suspended }
}

/// The gaps and busy intervals above their thresholds: the longest are kept, all are counted.
final class HeldSpans {
  private let objects: ObjectTable
  private(set) var gaps: [FoundGap] = []
  private(set) var busy: [FoundBusy] = []
  private(set) var gapCount = 0
  private(set) var busyCount = 0

  init(objects: ObjectTable) { self.objects = objects }

  func add(_ gap: FoundGap) {
    gapCount += 1
    var gap = gap
    gap.names = gap.callouts.list.map { objects.name(of: $0.object) }
    gaps.append(gap)
    if gaps.count >= 2 * AnalysisLimits.listed { keepLongest() }
  }

  func add(_ interval: FoundBusy) {
    busyCount += 1
    busy.append(interval)
    if busy.count >= 2 * AnalysisLimits.listed { keepLongest() }
  }

  /// Cuts the lists to the limit, longest first, and puts them in order of time.
  func finish() {
    keepLongest()
    gaps.sort { ($0.start, $0.lane) < ($1.start, $1.lane) }
    busy.sort { ($0.start, $0.lane) < ($1.start, $1.lane) }
  }

  func reset() {
    gaps = []
    busy = []
    gapCount = 0
    busyCount = 0
  }

  private func keepLongest() {
    gaps.sort { $0.length > $1.length }
    busy.sort { $0.length > $1.length }
    gaps.removeLast(max(0, gaps.count - AnalysisLimits.listed))
    busy.removeLast(max(0, busy.count - AnalysisLimits.listed))
  }
}
