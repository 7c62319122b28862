import TraceFormat

/// An interval that a program began, from a thread's `interval.begin` to its `interval.end`.
package struct ExcerptInterval: Sendable, Equatable {
  package var name: String
  /// The index of the thread that began it.
  package var thread: UInt32
  /// In time units since the trace's origin.
  package var from: UInt64
  package var to: UInt64
  /// Whether the trace ends before the interval does.
  package var isOpen: Bool

  func contains(_ time: UInt64) -> Bool { (from...to).contains(time) }
}

/// The events of a trace that excerpts share, in memory: all except the activities and callouts of the loops, which
/// make up most events. Each block is read once, whatever the number of excerpts.
package struct ExcerptIndex: Sendable {
  private var events: [UInt32: [ExcerptEvent]] = [:]
  /// When objects ceased to be of interest: blocks when they began, other objects when they ended.
  private(set) var ends: [(object: UInt32, time: UInt64)] = []
  /// The events that name objects in their arguments.
  private(set) var withObjects: [ExcerptEvent] = []
  private var begun: [(thread: UInt32, event: ExcerptEvent)] = []
  private var ended: [UInt32: [UInt64]] = [:]
  /// The number of blocks that were read.
  private var blocks = 0

  package init() {}

  package init(_ reader: TraceReader) throws(TraceFormatError) { try add(reader) }

  /// Reads the blocks that were appended since the last call. `reader` must be of the same recording.
  package mutating func add(_ reader: TraceReader) throws(TraceFormatError) {
    let known = blocks
    blocks = max(known, reader.blocks.count)
    var added: [(thread: UInt32, event: ExcerptEvent)] = []
    try reader.forEachEvent(from: known, kinds: { Self.isShared($0) || Self.isBlockBegin($0) }) {
      added.append(($0, $1))
    }
    for (thread, event) in added {
      if event.role == .ends || Self.isBlockBegin(event.kind.rawValue) {
        ends.append((event.object, event.time))
      }
      guard Self.isShared(event.kind.rawValue) else { continue }
      events[thread, default: []].append(event)
      if event.object != 0, !event.objectArguments.isEmpty { withObjects.append(event) }
      if event.kind == .intervalBegin { begun.append((thread, event)) }
      if event.kind == .intervalEnd { ended[event.object, default: []].append(event.time) }
    }
  }

  private static func isBlockBegin(_ kind: UInt8) -> Bool {
    kind == EventKind.blockBegin.rawValue || kind == EventKind.mainQueueBlockBegin.rawValue
  }

  private static func isShared(_ kind: UInt8) -> Bool {
    if ExcerptEvent.isOfQueues(kind) { return false }
    switch EventTable.role(of: kind) {
    case .activity?, .calloutBegin?, .calloutEnd?, .callBegin?, .callEnd?: return false
    default: return true
    }
  }

  var threads: [UInt32] { events.keys.ordered() }
  func ofThread(_ thread: UInt32) -> [ExcerptEvent] { events[thread] ?? [] }

  /// Returns the intervals whose names satisfy `isWanted`, in order of their start times.
  package func intervals(in reader: TraceReader, where isWanted: (String) -> Bool) -> [ExcerptInterval] {
    begun.compactMap { thread, event -> ExcerptInterval? in
      guard let name = event.arguments.first.flatMap(UInt32.init(exactly:)).flatMap({ reader.strings[$0] }),
        isWanted(name)
      else { return nil }
      // Ids are reused, so the end of an interval is the first one of its object that follows.
      let end = ended[event.object]?.filter { $0 >= event.time }.min()
      return ExcerptInterval(
        name: name, thread: thread, from: event.time, to: end ?? reader.lastTime, isOpen: end == nil)
    }.ordered { ($0.from, $0.thread) < ($1.from, $1.thread) }
  }
}

extension TraceReader {
  /// Calls `body` with the events of the wanted kinds in the wanted blocks, from a block number on. Skips damaged
  /// blocks, which `problem` describes.
  func forEachEvent(
    from start: Int = 0, where isWanted: (BlockEntry) -> Bool = { _ in true },
    kinds areWanted: (UInt8) -> Bool = { _ in true }, _ body: (UInt32, ExcerptEvent) -> Void
  ) throws(TraceFormatError) {
    let events = DecodedEvents()
    for number in min(start, blocks.count)..<blocks.count {
      let block = blocks[number]
      guard block.type == .events, isWanted(block) else { continue }
      do throws(TraceFormatError) {
        try self.events(of: number, into: events)
      } catch {
        if case .system = error { throw error }
        continue
      }
      var ordinals = [Int](repeating: 0, count: 256)
      for place in 0..<events.count {
        let kind = events.kinds[place]
        defer { ordinals[Int(kind)] += 1 }
        guard areWanted(kind) else { continue }
        let arguments =
          events.hasArguments(kind: kind) ? events.arguments(kind: kind, ordinal: ordinals[Int(kind)]) : []
        body(
          block.thread,
          ExcerptEvent(
            time: events.times[place], kind: EventKind(kind), mode: events.modes[place],
            object: events.objects[place], arguments: arguments))
      }
    }
  }
}

/// One event, with its arguments.
struct ExcerptEvent: Sendable {
  var time: UInt64
  var kind: EventKind
  var mode: UInt8
  var object: UInt32
  var arguments: [UInt64]

  private static let kindsOfQueues = (0...UInt8.max).map { kind in
    ["work", "queue"].contains(EventTable.definition(of: EventKind(kind))?.object ?? "")
  }

  /// Whether events of this kind are about queues other than the main queue, or their work. Excerpts leave them out: the
  /// work of one queue runs on several threads, and an excerpt has one.
  static func isOfQueues(_ kind: UInt8) -> Bool { kindsOfQueues[Int(kind)] }

  var role: EventRole? { EventTable.role(of: kind.rawValue) }

  /// Whether it describes an object rather than what a thread does.
  var describes: Bool {
    switch role {
    case .defines?, .ends?, .joins?, .leaves?, .setsDue?: true
    case .happens?: kind == .timerFrames
    default: false
    }
  }

  private func unit(_ position: Int) -> ArgumentUnit? {
    EventTable.definition(of: kind)?.argument(position)?.unit
  }

  /// The objects that the arguments name.
  var objectArguments: [UInt32] {
    arguments.indices.filter { unit($0) == .object }.compactMap { UInt32(exactly: arguments[$0]) }
      .filter { $0 != 0 }
  }

  /// Returns the arguments with times relative to a later origin.
  func arguments(movedBy origin: UInt64) -> [UInt64] {
    arguments.indices.map { unit($0) == .time ? arguments[$0] &- origin : arguments[$0] }
  }
}
