import HeapModule
import TraceFormat

/// Merges the events of all threads into one order: by time, at equal times definitions of objects first, then by
/// thread index.
///
/// A thread's block is decoded when its first event is due and released after its last event. Memory therefore holds
/// one block for each thread whose blocks overlap in time. If these are too many, the stream keeps only a piece of
/// each block and decodes the block again for the next piece. The stream returns segments. A segment is a stretch of
/// one thread's block before any other thread's next event. O(log threads) per segment. Blocks are decoded ahead on a
/// second thread where that helps.
package struct EventStream {
  /// Events `start..<end` of `events`, all from one lane.
  struct Segment {
    let lane: Int
    let events: DecodedEvents
    let start: Int
    let end: Int
    /// Whether the block, or this piece of it, was just decoded. Arguments then count from the first event of each
    /// kind.
    let isNewBlock: Bool
  }

  /// The events of successive blocks of a lane that could not be used.
  struct Missing {
    /// Not after the first of them.
    let since: Moment
    var count: UInt64 = 0
  }

  private struct Lane {
    let blocks: [Int]
    var nextBlock = 0
    /// The decoded block or piece, nil before it is due.
    var events: DecodedEvents?
    /// Whether no segment of the decoded block or piece was returned yet.
    var isNew = false
    var at = 0
    /// The time of the last event in the most recently decoded block.
    var lastTime: Moment = .origin
    /// The number of the block's events in earlier pieces, and when the next piece is due; 0 = the block has no more
    /// pieces.
    var done = 0
    var resumes: Moment = .origin
    /// The events that are missing before the next segment.
    var missing: Missing?
  }

  /// When a lane's next event is due.
  private struct Turn: Comparable {
    var time: Moment
    /// 0 for an event that defines an object, and for one that is not decoded yet; otherwise 1. An object that is used
    /// at the instant of its definition is therefore known.
    var rank = 0
    var lane: Int
    static func < (a: Turn, b: Turn) -> Bool { (a.time, a.rank, a.lane) < (b.time, b.rank, b.lane) }
  }

  private let reader: TraceReader
  private let budget: WorkBudget
  private let ahead: DecodeAhead?
  private var lanes: [Lane]
  private var turns = Heap<Turn>()
  private var spares: [DecodedEvents] = []
  private var openArguments = 0
  /// The number of events of a block that are kept decoded; nil = all.
  private let pieceEvents: Int?
  /// The buffer for decoding a block that is kept in pieces.
  private let whole = DecodedEvents()
  /// By lane: whether the thread belongs to the recorder. Events of such a thread do not show that the program ran.
  let isRecorders: [Bool]
  /// Receives the evidence of suspension in each block when the block is decoded.
  let evidence: SuspensionEvidence
  /// How the process ended; nil = the recorder did not note it.
  package private(set) var notedEnd: NotedEnd?
  /// The thread index of each lane.
  package let threads: [ThreadIndex]
  /// The threads beyond the limit, whose events are not replayed.
  package private(set) var leftOut: (threads: Int, events: UInt64) = (0, 0)
  /// Whether events of threads without a ring were lost: any thread may be missing some.
  private(set) var hasLossesElsewhere = false
  /// Finds names that events use and that are not defined.
  private var names: MissingNames
  private(set) var missingNames: (count: UInt64, first: (time: Moment, thread: ThreadIndex)?) = (0, nil)
  /// The error of the first block whose events could not be used.
  package private(set) var damage: TraceFormatError?

  /// Creates the stream. `decodesAhead`: whether a second thread decodes blocks ahead; nil = where that helps.
  /// `openEvents`: the maximum number of decoded events in memory.
  init(
    _ reader: TraceReader, evidence: SuspensionEvidence, decodesAhead: Bool? = nil, openEvents: Int,
    budget: WorkBudget
  ) throws(TraceFormatError) {
    self.reader = reader
    self.evidence = evidence
    self.budget = budget
    names = MissingNames(reader, limit: EventStream.missedNames)
    var blocksOfThread: [UInt32: [Int]] = [:]
    for (number, entry) in reader.blocks.enumerated() where entry.type == .events {
      blocksOfThread[entry.thread, default: []].append(number)
    }
    let numbers = EventStream.followed(blocksOfThread, reader)
    threads = numbers.map(ThreadIndex.init)
    let isFollowed = Set(numbers)
    for (thread, blocks) in blocksOfThread where !isFollowed.contains(thread) {
      leftOut.threads += 1
      leftOut.events += blocks.reduce(0) { $0 + UInt64(reader.blocks[$1].count) }
    }
    lanes = numbers.map { Lane(blocks: blocksOfThread[$0] ?? []) }
    let isAhead =
      decodesAhead ?? DecodeAhead.isWorthwhile(events: reader.eventCount, blocks: reader.blocks.count)
    ahead = isAhead ? DecodeAhead(reader, order: EventStream.order(lanes, reader.blocks)) : nil
    pieceEvents = EventStream.pieceEvents(lanes, reader.blocks, openEvents: openEvents)
    let recorders = reader.recorderThreads
    isRecorders = numbers.map(recorders.contains)
    try readAhead()
    for lane in lanes.indices { queue(lane) }
  }

  /// Returns the threads to replay, in order: all, or up to the limit the recorder's own, the main thread, and those
  /// with the most events.
  private static func followed(_ blocks: [UInt32: [Int]], _ reader: TraceReader) -> [UInt32] {
    guard blocks.count > AnalysisLimits.threads else { return blocks.keys.sorted() }
    let recorders = reader.recorderThreads
    func rank(_ thread: UInt32) -> Int {
      recorders.contains(thread) ? 0 : reader.threads[thread]?.isMain == true ? 1 : 2
    }
    let ranked = blocks.map { thread, blocks in
      (thread: thread, rank: rank(thread), events: blocks.reduce(0) { $0 + reader.blocks[$1].count })
    }.sorted { ($0.rank, $1.events, $0.thread) < ($1.rank, $0.events, $1.thread) }
    return ranked.prefix(AnalysisLimits.threads).map(\.thread).sorted()
  }

  /// Returns the blocks in the order in which they are opened if none is damaged: by the time of the first event.
  private static func order(_ lanes: [Lane], _ blocks: [BlockEntry]) -> [Int] {
    var order: [Int] = []
    for lane in lanes {
      var last: UInt64 = 0
      for number in lane.blocks where blocks[number].first >= last {
        order.append(number)
        last = blocks[number].last
      }
    }
    // Lanes are ordered by thread.
    func key(_ number: Int) -> (UInt64, UInt32, Int) { (blocks[number].first, blocks[number].thread, number) }
    order.sort { key($0) < key($1) }
    return order
  }

  /// Returns the maximum number of events in a piece: a power of two, like the sizes of buffers. Returns nil if all
  /// overlapping blocks fit.
  ///
  /// The whole trace uses one size. The number of times that a block is decoded is therefore bounded by the largest
  /// overlap divided by `openEvents`, times two for the rounding.
  private static func pieceEvents(_ lanes: [Lane], _ blocks: [BlockEntry], openEvents: Int) -> Int? {
    let largest = lanes.map { lane in lane.blocks.reduce(0) { max($0, blocks[$1].count) } }
    guard largest.reduce(0, +) > openEvents else { return nil }
    let numbers = lanes.flatMap(\.blocks).filter { blocks[$0].first <= blocks[$0].last }
    let lasts = numbers.map { blocks[$0].last }.sorted()
    var (ended, most) = (0, 1)
    for (begun, first) in numbers.map({ blocks[$0].first }).sorted().enumerated() {
      while lasts[ended] < first { ended += 1 }
      most = max(most, begun + 1 - ended)
    }
    let room = max(1, openEvents / min(most, lanes.count))
    guard room < largest.max() ?? 0 else { return nil }
    return 1 << (Int.bitWidth - 1 - room.leadingZeroBitCount)
  }

  /// Reads the recorder's own threads first: a late beat comes after the events that follow the suspension. These
  /// threads hold few other events.
  private mutating func readAhead() throws(TraceFormatError) {
    let events = DecodedEvents()
    for lane in lanes.indices where isRecorders[lane] {
      for number in lanes[lane].blocks {
        do throws(TraceFormatError) {
          try reader.events(of: number, into: events)
        } catch {
          guard case .damaged = error else { throw error }
          hasLossesElsewhere = true
          continue
        }
        if events.hasArguments(kind: EventKind.lostEvents.rawValue) { hasLossesElsewhere = true }
        evidence.add(events)
        notedEnd = NotedEnd(events) ?? notedEnd
      }
    }
  }

  /// Queues the lane's next event, decoded or not. Skips blocks that begin before the previous block's end, because
  /// the stamps of a thread never go backwards.
  private mutating func queue(_ lane: Int) {
    if let events = lanes[lane].events {
      turns.insert(EventStream.turn(events, lanes[lane].at, lane: lane))
      return
    }
    if lanes[lane].done > 0 {
      turns.insert(Turn(time: lanes[lane].resumes, lane: lane))
      return
    }
    while lanes[lane].nextBlock < lanes[lane].blocks.count {
      let number = lanes[lane].blocks[lanes[lane].nextBlock]
      let entry = reader.blocks[number]
      let first = Moment(entry.first)
      guard entry.first <= entry.last else {
        lanes[lane].nextBlock += 1
        miss(entry, lane)
        continue
      }
      if first >= lanes[lane].lastTime {
        turns.insert(Turn(time: first, lane: lane))
        return
      }
      lanes[lane].nextBlock += 1
      note(reader.noteMisplaced(block: number))
      miss(entry, lane)
    }
  }

  /// Notes that the events of a block are missing.
  private mutating func miss(_ entry: BlockEntry, _ lane: Int) {
    var missing = lanes[lane].missing ?? Missing(since: max(Moment(entry.first), lanes[lane].lastTime))
    missing.count &+= UInt64(entry.count)
    lanes[lane].missing = missing
  }

  /// Returns the lane's events that are missing between its last two blocks, or at its end; nil = none, or they were
  /// taken before.
  mutating func takeMissing(lane: Int) -> Missing? {
    defer { lanes[lane].missing = nil }
    return lanes[lane].missing
  }

  private static func turn(_ events: DecodedEvents, _ index: Int, lane: Int) -> Turn {
    let columns = EventColumns(events)
    let isDefinition = ObjectNames.isDefinition(columns.kind(index).rawValue)
    return Turn(time: columns.time(index), rank: isDefinition ? 0 : 1, lane: lane)
  }

  private mutating func note(_ error: TraceFormatError) { if damage == nil { damage = error } }

  /// Decodes the lane's next block, or the next piece of the current one. If the block is damaged, its events are
  /// missing.
  private mutating func open(_ lane: Int) throws(TraceFormatError) {
    let done = lanes[lane].done
    lanes[lane].done = 0
    if done == 0 {
      lanes[lane].nextBlock += 1
    } else {
      // The more blocks overlap, the more often each block is decoded.
      budget.use(reader.blocks[lanes[lane].blocks[lanes[lane].nextBlock - 1]].count / 2)
    }
    let number = lanes[lane].blocks[lanes[lane].nextBlock - 1]
    let entry = reader.blocks[number]
    guard openArguments <= AnalysisLimits.openArguments else {
      throw .limit(
        offset: entry.offset, block: number,
        what:
          "blocks of too many threads overlap: their events have more than \(AnalysisLimits.openArguments) "
          + "arguments (openArguments)")
    }
    var events = pieceEvents == nil ? spares.popLast() ?? DecodedEvents() : whole
    do throws(TraceFormatError) {
      if done == 0, let ahead {
        try ahead.events(of: number, into: events)
      } else {
        try reader.events(of: number, into: events)
      }
    } catch {
      // The rest of the trace still makes sense. The reader counts what is missing.
      guard case .damaged = error else { throw error }
      note(error)
      return miss(entry, lane)
    }
    if done == 0 { lookForNames(events) }
    if done == 0, !isRecorders[lane] { evidence.add(events) }
    if let pieceEvents { events = piece(pieceEvents, of: lane, from: done) }
    lanes[lane].events = events
    lanes[lane].isNew = true
    lanes[lane].at = 0
    lanes[lane].lastTime = Moment(entry.last)
    openArguments += events.argumentCount
  }

  /// The number of missing names that are listed. One is enough to make a trace unsound.
  private static let missedNames = 100

  private mutating func lookForNames(_ events: DecodedEvents) {
    for found in names.look(at: events) {
      missingNames.count += 1
      let time = Moment(found.time)
      if time < missingNames.first?.time ?? .never { missingNames.first = (time, ThreadIndex(events.thread)) }
    }
  }

  /// Copies a piece of the lane's decoded block, from event `start` on.
  private mutating func piece(_ count: Int, of lane: Int, from start: Int) -> DecodedEvents {
    let piece = spares.popLast() ?? DecodedEvents()
    let end = min(start + count, whole.count)
    piece.copy(start..<end, of: whole)
    if end < whole.count {
      lanes[lane].done = end
      lanes[lane].resumes = EventColumns(whole).time(end)
    }
    return piece
  }

  /// Returns the next segment of events before `limit`, nil when there is none. Its events stay valid until `finish`.
  /// If `single` is true, the segment has one event.
  mutating func next(before limit: Moment, single: Bool = false) throws(TraceFormatError) -> Segment? {
    while let turn = turns.min, turn.time < limit {
      turns.removeMin()
      let lane = turn.lane
      guard let events = lanes[lane].events else {
        try open(lane)
        queue(lane)
        continue
      }
      // The block itself may hold evidence. The segment must end where that evidence begins.
      let limit = min(limit, evidence.next)
      let start = lanes[lane].at
      let end = single ? start + 1 : EventStream.end(events, from: start, lane: lane, rival: turns.min, limit)
      let isNewBlock = lanes[lane].isNew
      lanes[lane].isNew = false
      lanes[lane].at = end
      return Segment(lane: lane, events: events, start: start, end: end, isNewBlock: isNewBlock)
    }
    return nil
  }

  /// Releases a segment. Must be called before the next call of `next`.
  mutating func finish(_ segment: Segment) {
    let lane = segment.lane
    if lanes[lane].at == segment.events.count {
      openArguments -= segment.events.argumentCount
      lanes[lane].events = nil
      if spares.count < EventStream.sparesKept { spares.append(segment.events) }
    }
    queue(lane)
  }

  private static let sparesKept = 4

  /// Returns the end of the events that come before another lane's next event and before `limit`.
  private static func end(_ events: DecodedEvents, from start: Int, lane: Int, rival: Turn?, _ limit: Moment)
    -> Int
  {
    guard let rival, rival.time < limit else {
      return limit == .never ? events.count : end(events, from: start, bound: limit, includesBound: false)
    }
    if rival.rank > 0, lane < rival.lane {
      return end(events, from: start, bound: rival.time, includesBound: true)
    }
    var end = end(events, from: start, bound: rival.time, includesBound: false)
    while end < events.count, turn(events, end, lane: lane) < rival { end += 1 }
    return end
  }

  /// Returns the end of the events with times below (or at) `bound`. Checks the whole block first.
  private static func end(_ events: DecodedEvents, from start: Int, bound: Moment, includesBound: Bool) -> Int
  {
    let columns = EventColumns(events)
    func isBefore(_ i: Int) -> Bool { includesBound ? columns.time(i) <= bound : columns.time(i) < bound }
    if isBefore(events.count - 1) { return events.count }
    var low = start + 1
    var high = events.count - 1
    // Exponential search, because interleaved threads have short segments.
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
