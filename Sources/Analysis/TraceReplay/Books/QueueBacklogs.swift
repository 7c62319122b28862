import TraceFormat

/// A time in which work always waited in a queue, and a piece of it waited long.
package struct FoundBacklog: HasExtent {
  /// The slices of one name that occupied the queue meanwhile.
  package struct Work {
    package var name: StringID
    /// The work of the first slice.
    package var work: ObjectID
    package var slices: UInt64 = 0
    /// The sum of their times in the backlog.
    package var time = Length.zero
    /// The longest of them.
    package var longest: [Slice] = []
  }

  /// The part of a slice in the backlog.
  package struct Slice {
    package var lane: Int
    package var begin: Moment
    package var end: Moment
    package var length: Length
  }

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
  /// The most slices of the row's queues that had run at once by the end.
  package var atOnce: UInt32 = 0
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
    works[place].slices &+= 1
    works[place].time &+= slice.length
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

/// The backlogs of all queues. O(names of a backlog) for each slice that ends while work waits.
struct QueueBacklogs {
  private let shortest: Length
  private var open: [ObjectID: FoundBacklog] = [:]
  private(set) var found = Longest<FoundBacklog>()

  init(shortest: Length) { self.shortest = shortest }

  mutating func begin(_ queue: ObjectID, row: Int32, running: UInt32, at time: Moment) {
    var backlog = FoundBacklog()
    backlog.row = Int(row)
    backlog.start = time
    (backlog.runningAtFirst, backlog.running) = (running, running)
    open[queue] = backlog
  }

  /// Notes how much waits and runs.
  mutating func note(_ queue: ObjectID, waiting: UInt32, running: UInt32, at time: Moment) {
    guard let place = open.index(forKey: queue) else { return }
    open.values[place].waiting = max(open.values[place].waiting, waiting)
    open.values[place].running = max(open.values[place].running, running)
    if time.since(open.values[place].start) < shortest {
      open.values[place].runningAtFirst = open.values[place].running
    }
  }

  mutating func note(_ queue: ObjectID, wait: Length) {
    guard let place = open.index(forKey: queue) else { return }
    open.values[place].longestWait = max(open.values[place].longestWait, wait)
  }

  /// Adds a slice that ends at `time`, or goes on.
  mutating func add(
    _ slice: OpenSlice, name: StringID, to queue: ObjectID, at time: Moment, _ objects: ObjectTable
  ) {
    guard let place = open.index(forKey: queue) else { return }
    let begin = max(slice.begin, open.values[place].start)
    let length = time.since(objects.since(begin))
    guard length > .zero else { return }
    open.values[place].add(
      FoundBacklog.Slice(lane: slice.lane, begin: begin, end: time, length: length), name: name,
      work: slice.work)
  }

  /// Whether a backlog is reported when it ends.
  func isLong(_ queue: ObjectID) -> Bool { open[queue].map { $0.longestWait >= shortest } ?? false }

  mutating func end(
    _ queue: ObjectID, atOnce: UInt32, isOpen: Bool, at time: Moment, _ objects: ObjectTable
  ) {
    guard var backlog = open.removeValue(forKey: queue), backlog.longestWait >= shortest else { return }
    backlog.end = time
    backlog.atOnce = atOnce
    backlog.length = time.since(objects.since(backlog.start))
    backlog.isOpen = isOpen
    backlog.works.sort { ($1.time, $0.name) < ($0.time, $1.name) }
    found.add(backlog)
  }

  /// Forgets the backlogs, whose ends are not known.
  mutating func forget() { open = [:] }

  /// Forgets what happened before a window.
  mutating func beginWindow() { found = Longest() }

  mutating func finish() { found.finish() }
}
