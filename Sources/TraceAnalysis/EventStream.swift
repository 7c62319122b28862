import TraceFormat

/// The events of all threads in one order: by time, and at one moment by thread index.
///
/// Each thread's blocks are decoded one at a time, so memory is one block a thread. Events come in segments: a
/// stretch of one thread's block before any other thread's next event.
struct EventStream {
  /// Events `start..<end` of `events`, all of thread `lane`.
  struct Segment {
    let lane: Int
    let events: DecodedEvents
    let start: Int
    let end: Int
    /// The block was just decoded: its arguments count from the first event of each kind.
    let isNewBlock: Bool
  }

  private struct Lane {
    var blocks: [Int]
    var nextBlock = 0
    let events = DecodedEvents()
    var at = 0
    var isFresh = false
    /// Of the last event handed out or skipped over.
    var lastTime: UInt64 = 0
    var isDone: Bool { at == events.count }
  }

  private let reader: TraceReader
  private var lanes: [Lane]
  /// Thread index of each lane.
  let threads: [UInt32]
  /// The first block whose events could not be used.
  private(set) var damage: TraceFormatError?
  /// Intact blocks that stand where they cannot belong.
  private(set) var misplacedBlocks = 0

  init(_ reader: TraceReader) throws(TraceFormatError) {
    self.reader = reader
    var blocksOfThread: [UInt32: [Int]] = [:]
    for (number, entry) in reader.blocks.enumerated() where entry.type == .events {
      blocksOfThread[entry.thread, default: []].append(number)
    }
    threads = blocksOfThread.keys.sorted()
    guard threads.count <= TraceLimits.threads else {
      throw .limit(
        offset: 0, block: nil, what: "events of \(threads.count) threads, the limit is \(TraceLimits.threads)"
      )
    }
    lanes = threads.map { Lane(blocks: blocksOfThread[$0] ?? []) }
    for lane in lanes.indices { try load(lane) }
  }

  /// Decodes the lane's next block with events, if its present one is used up.
  private mutating func load(_ lane: Int) throws(TraceFormatError) {
    while lanes[lane].isDone, lanes[lane].nextBlock < lanes[lane].blocks.count {
      let number = lanes[lane].blocks[lanes[lane].nextBlock]
      lanes[lane].nextBlock += 1
      lanes[lane].at = 0
      lanes[lane].isFresh = true
      let entry = reader.blocks[number]
      // Stamps of a thread never go backwards; a block that does is not this thread's next.
      guard entry.first >= lanes[lane].lastTime else {
        skip(
          lane,
          .damaged(offset: entry.offset, block: number, what: "its events are older than those before it"))
        misplacedBlocks += 1
        continue
      }
      do throws(TraceFormatError) {
        try reader.events(of: number, into: lanes[lane].events)
        lanes[lane].lastTime = entry.last
      } catch {
        // The rest of the trace still makes sense; the reader counts what is missing.
        guard case .damaged = error else { throw error }
        skip(lane, error)
      }
    }
  }

  private mutating func skip(_ lane: Int, _ error: TraceFormatError) {
    lanes[lane].at = lanes[lane].events.count
    if damage == nil { damage = error }
  }

  /// The next segment of events before `limit`, nil when there is none.
  mutating func next(before limit: UInt64) throws(TraceFormatError) -> Segment? {
    // Few threads: a scan beats a heap.
    var first = -1
    var firstTime = UInt64.max
    var bound = limit
    var boundLane = Int.max
    for lane in lanes.indices where !lanes[lane].isDone {
      let time = lanes[lane].events.times[lanes[lane].at]
      if first < 0 || time < firstTime {
        if first >= 0, firstTime < bound || (firstTime == bound && first < boundLane) {
          bound = firstTime
          boundLane = first
        }
        first = lane
        firstTime = time
      } else if time < bound || (time == bound && lane < boundLane && bound != limit) {
        bound = time
        boundLane = lane
      }
    }
    guard first >= 0, firstTime < limit else { return nil }
    let events = lanes[first].events
    let start = lanes[first].at
    // At the bound's own moment this thread goes first if its index is lower.
    let includesBound = first < boundLane && bound < limit
    let end = EventStream.end(events, from: start, bound: bound, includesBound: includesBound)
    let segment = Segment(
      lane: first, events: events, start: start, end: end, isNewBlock: lanes[first].isFresh)
    lanes[first].at = end
    lanes[first].isFresh = false
    return segment
  }

  /// Must be called after a segment was used and before the next: decodes on.
  mutating func advance(_ lane: Int) throws(TraceFormatError) { try load(lane) }

  /// The end of the events with times below (or at) `bound`: the whole block at once where that is so.
  private static func end(_ events: DecodedEvents, from start: Int, bound: UInt64, includesBound: Bool) -> Int
  {
    func isBefore(_ i: Int) -> Bool { includesBound ? events.times[i] <= bound : events.times[i] < bound }
    if isBefore(events.count - 1) { return events.count }
    var low = start + 1
    var high = events.count - 1
    // Galloping: interleaved threads give short segments.
    var step = 1
    while low + step < high, isBefore(low + step) {
      low += step
      step *= 2
    }
    high = min(high, low + step)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
