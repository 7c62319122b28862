import TraceFormat

/// A whole trace in memory, prepared for a replay. 32 bytes for each event, and 8 for each argument.
struct Recording {
  let reader: TraceReader
  let unitNs: UInt64
  /// Whether it was made in virtual time, in which a loop itself takes no time.
  var isVirtual: Bool { reader.header.clock == .virtual }
  /// In order of their indices.
  var threads: [RecordedThread] = []
  var lives: [RecordedLife] = []
  /// The place in `threads` of the thread that runs each loop, by the loop's object id.
  private(set) var threadOfLoop: [UInt32: Int] = [:]
  /// The object ids of event loops, which are not replayed.
  private(set) var eventLoops: Set<UInt32> = []
  /// The places in `threads` of the recorder's own threads.
  let recorderThreads: Set<Int>
  /// The spans in which the process was stopped, in time units, in order.
  private(set) var suspensions: [Range<UInt64>] = []

  /// Reads all events. `progress` receives the part done, from 0 to 1. Throws if the trace cannot be read, or cannot
  /// be replayed.
  init(
    _ reader: TraceReader, names: (String) -> String, progress: (Double) -> Void
  ) throws(WhatIfError) {
    self.reader = reader
    unitNs = reader.header.timeUnit.nanoseconds
    guard reader.header.captureLevel.seesCallouts else {
      throw .undecided("the trace has the capture level '\(reader.header.captureLevel.name)': no callouts")
    }
    guard reader.beginning == 0 else {
      throw .undecided(
        "the trace holds only the newest part of its recording, so the state at its start is not known")
    }
    if let problem = reader.problem { throw .undecided("the trace is incomplete: \(problem)") }
    guard reader.lastTime < LoopTimes.latestNs / unitNs else {
      throw .undecided("the trace is longer than \(LoopTimes.latestNs / 1_000_000_000) s")
    }
    guard reader.eventCount <= UInt64(WhatIfLimits.whatIfEvents) else {
      throw .undecided("the trace has more than \(WhatIfLimits.whatIfEvents) events (whatIfEvents)")
    }
    let recorders = reader.recorderThreads
    var places: [UInt32: Int] = [:]
    let blocks = Dictionary(grouping: reader.blocks.filter { $0.type == .events }, by: \.thread)
    for (index, blocks) in blocks.ordered(by: { $0.key < $1.key }) {
      places[index] = threads.count
      threads.append(RecordedThread(index: index))
      threads[threads.count - 1].events.reserveCapacity(blocks.reduce(0) { $0 + $1.count })
    }
    recorderThreads = Set(places.filter { recorders.contains($0.key) }.values)
    let events = DecodedEvents()
    for (number, block) in reader.blocks.enumerated() where block.type == .events {
      progress(Double(number) / Double(reader.blocks.count))
      guard let place = places[block.thread] else { continue }
      do { try reader.events(of: number, into: events) } catch { throw .trace(error) }
      append(events, to: place)
    }
    for place in threads.indices { try findEnds(place) }
    try findLives(names)
    findSuspensions()
  }

  private mutating func append(_ events: DecodedEvents, to place: Int) {
    let hasArguments = (0...UInt8.max).map { events.hasArguments(kind: $0) }
    var ordinals = [Int](repeating: 0, count: 256)
    let (times, kinds, modes, objects) = (events.times, events.kinds, events.modes, events.objects)
    for at in 0..<events.count {
      let kind = kinds[at]
      let event = RecordedEvent(time: times[at], object: objects[at], kind: EventKind(kind), mode: modes[at])
      guard hasArguments[Int(kind)] else {
        threads[place].events.append(event)
        continue
      }
      threads[place].append(event, events.arguments(kind: kind, ordinal: ordinals[Int(kind)]))
      ordinals[Int(kind)] += 1
    }
  }

  /// Links begins with ends.
  private mutating func findEnds(_ place: Int) throws(WhatIfError) {
    var open: [Int] = []
    let roles = (0...UInt8.max).map(EventTable.role(of:))
    for at in threads[place].events.indices {
      let event = threads[place].events[at]
      switch roles[Int(event.kind.rawValue)] {
      case .loss?: throw .undecided("events were lost at \(moment(event.time))")
      case .calloutBegin?, .callBegin?:
        guard open.count < WhatIfLimits.whatIfDepth else {
          throw .undecided(
            "callouts are nested deeper than \(WhatIfLimits.whatIfDepth) at \(moment(event.time))")
        }
        open.append(at)
        if event.kind == .runBegin { threadOfLoop[event.object] = place }
      case .calloutEnd?, .callEnd?:
        guard let begin = open.popLast() else {
          throw .undecided("the trace begins inside a callout or run that ends at \(moment(event.time))")
        }
        let opened = threads[place].events[begin]
        guard opened.kind.end == event.kind, opened.object == event.object else {
          throw .undecided("a callout ends that did not begin, at \(moment(event.time))")
        }
        threads[place].events[begin].endAt = Int32(at)
        if event.kind == .runEnd {
          guard threadOfLoop[event.object, default: place] == place else {
            throw .undecided("two threads run the loop #\(event.object)")
          }
        }
      default: break
      }
    }
  }

  // MARK: Lives

  private mutating func findLives(_ names: (String) -> String) throws(WhatIfError) {
    var current: [UInt32: Int32] = [:]
    // A loop may run a block at the moment when another thread queues it.
    var order = MergedOrder(threads, last: Set(threadOfLoop.values))
    let roles = (0...UInt8.max).map(EventTable.role(of:))
    while let (place, at) = order.next(in: threads) {
      let event = threads[place].events[at]
      guard event.object != 0, let role = roles[Int(event.kind.rawValue)] else { continue }
      switch role {
      case .activity, .callBegin, .callEnd, .calloutBegin(.mainQueueDrain), .calloutEnd(.mainQueueDrain):
        continue
      case .defines:
        let known = current[event.object].map { lives[Int($0)] }
        let kind = Recording.lifeKind(event.kind)
        // A second definition of a live object repeats the first.
        if known == nil || known?.isEnded == true || known?.kind != kind || kind == .block {
          current[event.object] = Int32(lives.count)
          lives.append(RecordedLife(kind: kind, object: event.object))
        }
        if let life = current[event.object] { define(Int(life), event, threads[place], names) }
      default:
        if current[event.object] == nil {
          current[event.object] = Int32(lives.count)
          lives.append(RecordedLife(kind: Recording.lifeKind(event.kind), object: event.object))
        }
      }
      guard let life = current[event.object] else { continue }
      threads[place].events[at].life = life
      switch role {
      case .ends:
        lives[Int(life)].isEnded = true
        // An item that the loop's thread ends outside of runs is often just cleanup.
        let isOutside = event.mode == 0 && threadOfLoop.values.contains(place)
        if !isOutside { lives[Int(life)].end = event.time }
      case .calloutEnd(.block), .calloutEnd(.mainQueueBlock): lives[Int(life)].isEnded = true
      case .calloutEnd(.work):
        let why = threads[place].argument(EventKind.WorkEnd.why, of: event)
        lives[Int(life)].isEnded = why == SliceEnd.done.rawValue
      case .joins where event.argumentCount > EventRole.Membership.loop && lives[Int(life)].loop == 0:
        lives[Int(life)].loop = UInt32(
          truncatingIfNeeded: threads[place].argument(EventRole.Membership.loop, of: event))
      default: break
      }
    }
  }

  private static func lifeKind(_ kind: EventKind) -> RecordedLife.Kind {
    switch EventTable.definition(of: kind)?.object {
    case "timer"?: .timer
    case "source"?: .source
    case "block"?: .block
    case "observer"?: .observer
    case "loop"?: .loop
    case "work"?: .work
    case "queue"?: .queue
    default: .other
    }
  }

  private mutating func define(
    _ life: Int, _ event: RecordedEvent, _ thread: RecordedThread, _ names: (String) -> String
  ) {
    lives[life].isDefined = true
    lives[life].name = names(string(thread.argument(EventRole.Defines.name, of: event)))
    switch lives[life].kind {
    case .timer: lives[life].intervalNs = thread.argument(EventKind.TimerCreate.intervalNs, of: event)
    case .source:
      lives[life].version = thread.argument(EventKind.SourceCreate.version, of: event)
      lives[life].order = Int(Int64(bitPattern: thread.argument(EventKind.SourceCreate.order, of: event)))
    case .block:
      lives[life].loop = UInt32(truncatingIfNeeded: thread.argument(EventKind.BlockCreate.loop, of: event))
      lives[life].hasModes = event.argumentCount > EventKind.BlockCreate.mode
    case .loop where thread.argument(EventKind.LoopCreate.kind, of: event) != LoopKind.runLoop.rawValue:
      eventLoops.insert(event.object)
    default: break
    }
  }

  private mutating func findSuspensions() {
    var stopped: UInt64?
    for place in recorderThreads.sorted() {
      for event in threads[place].events {
        if event.kind == .processStop { stopped = event.time }
        if event.kind == .processContinue, let from = stopped, event.time > from {
          suspensions.append(from..<event.time)
          stopped = nil
        }
      }
    }
    suspensions.sort { $0.lowerBound < $1.lowerBound }
  }

  /// The things of the trace that have work, and are not replayed.
  var unreplayed: [String] {
    var found = eventLoops.isEmpty ? [] : ["event loops"]
    if lives.contains(where: { $0.kind == .work }) { found.append("queues") }
    return found
  }

  // MARK: Names and times

  func string(_ id: UInt64) -> String { UInt32(exactly: id).flatMap { reader.strings[$0] } ?? "" }

  func modeName(_ id: UInt8) -> String { reader.modes[id] ?? "mode \(id)" }

  /// Returns the words for a moment: "1.234567890 s".
  func moment(_ time: UInt64) -> String { SecondsText.of(ns: time &* unitNs) }

  /// The part of `from..<to` in which the process was stopped, in time units.
  func suspended(_ from: UInt64, _ to: UInt64) -> UInt64 {
    suspensions.reduce(0) { sum, span in
      let low = max(span.lowerBound, from), high = min(span.upperBound, to)
      return high > low ? sum + (high - low) : sum
    }
  }
}
