import TraceFormat

/// A time in which work always waited in a queue, and a piece of it waited long.
package struct FoundBacklog: HasExtent {
  /// The slices of one name that occupied the queue meanwhile.
  package struct Work {
    package var name: StringID
    /// The work of the first slice.
    package var work: ObjectID
    /// The sum of their times in the backlog.
    package var time = Length.zero
    /// The part of it in which run loops are known to have waited.
    package var loopWait = Length.zero
    /// The longest of them.
    package var longest: [Slice] = []
  }

  /// The part of a slice in the backlog.
  package struct Slice {
    package var lane: Int
    package var begin: Moment
    package var end: Moment
    package var length: Length
    /// The part of it in which run loops are known to have waited.
    package var loopWait: Length
  }

  package var queue = ObjectID.none
  /// The index of the queue's row.
  package var row = 0
  package var start = Moment.origin
  package var end = Moment.origin
  /// The length without suspension.
  package var length = Length.zero
  package var longestWait = Length.zero
  /// The most pieces that waited at once.
  package var waiting: UInt32 = 0
  /// The most slices that ran at once: soon after the start, and later.
  package var runningAtFirst: UInt32 = 0
  package var running: UInt32 = 0
  /// The most slices that had run at once by the end: before the backlog on a queue of the row, and then on this one.
  package var atOnce: UInt32 = 0
  /// The time from the start to the moment at which a further slice ran for the first time, for each such slice.
  package var beforeGrowth = Length.zero
  /// The sum of the times of all slices.
  package var occupied = Length.zero
  /// Those with the most time first. Names beyond the limit count only for `occupied`.
  package var works: [Work] = []
  /// Whether it goes on at the end of the span.
  package var isOpen = false

  package var extent: (length: UInt64, start: UInt64, lane: Int) {
    (longestWait.rawValue, start.rawValue, row)
  }

  private static let slicesOfName = 3

  mutating func add(_ slice: Slice, name: StringID, work: ObjectID) {
    occupied &+= slice.length
    var place = works.firstIndex { $0.name == name }
    if place == nil, works.count < AnalysisLimits.namesOfBacklog {
      place = works.count
      works.append(Work(name: name, work: work))
    }
    guard let place else { return }
    works[place].time &+= slice.length
    works[place].loopWait &+= slice.loopWait
    let kept = works[place].longest.count
    guard kept == Self.slicesOfName else { return works[place].longest.append(slice) }
    let shortest = works[place].longest.indices.min {
      works[place].longest[$0].length < works[place].longest[$1].length
    }
    if let shortest, works[place].longest[shortest].length < slice.length {
      works[place].longest[shortest] = slice
    }
  }
}

/// The backlogs of all queues, each at a place that it has while work waits. O(names of a backlog) for each slice that
/// ends meanwhile, O(1) for other events.
struct QueueBacklogs {
  private let shortest: Length
  private var open: [FoundBacklog] = []
  /// The places that no queue has.
  private var free: [Int32] = []
  private(set) var found = Longest<FoundBacklog>()

  init(shortest: Length) { self.shortest = shortest }

  /// Returns the place of a new backlog.
  mutating func begin(_ queue: ObjectID, row: Int32, running: UInt32, atOnce: UInt32, at time: Moment)
    -> Int32
  {
    var backlog = FoundBacklog()
    backlog.queue = queue
    backlog.row = Int(row)
    backlog.start = time
    (backlog.runningAtFirst, backlog.running, backlog.atOnce) = (running, running, atOnce)
    if let place = free.popLast() {
      open[Int(place)] = backlog
      return place
    }
    open.append(backlog)
    return Int32(clamping: open.count - 1)
  }

  /// Whether a queue has the place. It has none if `forget` was called since.
  private func holds(_ place: Int32) -> Bool { place >= 0 && Int(place) < open.count }

  /// Notes how much waits and runs.
  mutating func note(
    _ place: Int32, waiting: UInt32, running: UInt32, at time: Moment, _ objects: ObjectTable
  ) {
    guard holds(place) else { return }
    let place = Int(place)
    if running > open[place].atOnce {
      let passed = time.since(objects.since(open[place].start))
      open[place].beforeGrowth &+= passed &* Int(running &- open[place].atOnce)
      open[place].atOnce = running
    }
    open[place].waiting = max(open[place].waiting, waiting)
    open[place].running = max(open[place].running, running)
    if time.since(open[place].start) < shortest { open[place].runningAtFirst = open[place].running }
  }

  mutating func note(_ place: Int32, wait: Length) {
    guard holds(place) else { return }
    open[Int(place)].longestWait = max(open[Int(place)].longestWait, wait)
  }

  /// Adds a slice that ends at `time`, or goes on.
  mutating func add(
    _ slice: OpenSlice, name: StringID, to place: Int32, at time: Moment, _ objects: ObjectTable
  ) {
    guard holds(place) else { return }
    let begin = max(slice.begin, open[Int(place)].start)
    let length = time.since(objects.since(begin))
    guard length > .zero else { return }
    // Loops may have waited in the whole part of the slice before the backlog, or after it left its actor.
    let before = time.since(objects.since(slice.begin)).without(length)
    let loopWait = slice.left == .never ? slice.loopWait.without(before) : .zero
    open[Int(place)].add(
      FoundBacklog.Slice(lane: slice.lane, begin: begin, end: time, length: length, loopWait: loopWait),
      name: name, work: slice.work)
  }

  /// Whether a backlog is reported when it ends.
  func isLong(_ place: Int32) -> Bool { holds(place) && open[Int(place)].longestWait >= shortest }

  /// Ends a backlog that is reported.
  mutating func end(_ place: Int32, isOpen: Bool, at time: Moment, _ objects: ObjectTable) {
    guard holds(place) else { return }
    var backlog = open[Int(place)]
    backlog.end = time
    backlog.length = time.since(objects.since(backlog.start))
    backlog.isOpen = isOpen
    backlog.works.sort { ($1.time, $0.name) < ($0.time, $1.name) }
    found.add(backlog)
    drop(place)
  }

  /// Ends a backlog that is not reported.
  mutating func drop(_ place: Int32) { if holds(place) { free.append(place) } }

  /// Forgets the backlogs, whose ends are not known. No other may begin afterwards.
  mutating func forget() { (open, free) = ([], []) }

  /// Forgets what happened before a window.
  mutating func beginWindow() { found = Longest() }

  mutating func finish() { found.finish() }
}
