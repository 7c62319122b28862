import TraceFormat

/// What a killed recorder wrote of a trace: one file, or segments.
struct BegunTrace {
  private(set) var parts: [Part] = []
  /// What is wrong with the first file that has damaged blocks; else with the first that has no end.
  private(set) var damage: String?
  /// Events that the killed recorder counted as written.
  private let counted: UInt64
  /// Events of no ring that it was about to write, or wrote, and did not come to count.
  private let underWay: UInt64
  /// Events of blocks that it wrote and did not come to count: they are in their rings as well.
  var uncounted: UInt64 = 0
  /// Events that were written, and that nobody can read any more. Where any are, those under way are gone as well, written or
  /// not.
  var missing: UInt64 {
    let readable = parts.reduce(0) { $0 &+ $1.writtenEvents } &- uncounted
    let written = readable == counted ? counted : counted.saturated(adding: underWay)
    return written > readable ? written - readable : 0
  }

  private var paths: [String] = []
  private var areSegments = false
  /// The name that the part has, and the one it is to have.
  private let found: String
  private let begun: String

  /// The file that a killed recorder leaves beside the spool of `trace`, under its name while recovering.
  static func path(_ trace: String) -> String { trace + SpoolName.begunSuffix }

  /// Reads all of it, and changes nothing. Throws when a file is no part of what the spool records. `progress` is told the
  /// share of it that was read.
  init(
    _ trace: String, of spool: Spool, _ codecs: @escaping CodecProvider, progress: (Double) -> Void
  ) throws(TraceFormatError) {
    begun = BegunTrace.path(trace)
    found = unsafe access(begun, F_OK) == 0 ? begun : trace + FileSink.partSuffix
    let segments = SegmentFiles.left(trace: trace)
    areSegments = !segments.isEmpty
    var hasDamagedBlocks = false
    let files = unsafe areSegments ? segments : access(found, F_OK) == 0 ? [found] : []
    for (number, path) in files.enumerated() {
      let reader: TraceReader
      do throws(TraceFormatError) {
        reader = try TraceReader(source: FileSource(path: path), codecs: codecs)
      } catch {
        switch error {
        // Killed before the header was whole: nothing was taken from the spool for it then.
        case .emptyFile, .truncated: continue
        case .system: throw error
        default: throw .invalidInput(what: "\(path): \(error)")
        }
      }
      if let obstacle = spool.obstacle(toPart: reader, isSegment: areSegments) {
        throw .invalidInput(what: "\(path) \(obstacle); move it away to recover the spool alone")
      }
      // One that was dropped may still be there, for a snapshot that was being written.
      if areSegments, reader.droppedEvents < spool.droppedEvents { continue }
      let part = try Part(reader) { progress((Double(number) + $0) / Double(files.count)) }
      // A killed recorder leaves its file without an end, which alone is no damage.
      if let problem = reader.problem, damage == nil || reader.damagedBlocks > 0 && !hasDamagedBlocks {
        damage = "\(path): \(problem.reason)"
        hasDamagedBlocks = reader.damagedBlocks > 0
      }
      parts.append(part)
    }
    counted = spool.writtenEvents &- spool.droppedEvents
    underWay = spool.perhapsWrittenEvents
    // In the order in which they are removed: once the first is gone, the trace counts as complete.
    paths = [begun] + segments
  }

  /// Unit and codec of it all; nil when there is nothing.
  var header: FileHeader? { parts.first?.reader.header }

  var hasEvents: Bool { parts.contains { $0.reader.eventCount > 0 } }

  /// Events that were lost among those that are there, as the files say.
  var lostEvents: UInt64 { parts.reduce(0) { $0.saturated(adding: $1.lostEvents) } }

  /// The last block that was written of a thread; nil = none was.
  func lastBlock(of thread: UInt32) throws(TraceFormatError) -> DecodedEvents? {
    for part in parts.reversed() {
      guard let number = part.lastBlocks[thread] else { continue }
      let block = DecodedEvents()
      try part.reader.events(of: number, into: block)
      return block
    }
    return nil
  }

  /// They are in the trace now.
  func remove() { for path in paths { unsafe unlink(path) } }

  /// The facts of the part, each once. Segments have none but where they begin.
  var facts: [InfoEntry] {
    guard !areSegments else { return [] }
    return parts.flatMap(\.reader.info).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// Its own name would be overwritten by the new trace's. Throws when it keeps that one.
  func claim() throws(TraceFormatError) {
    guard found != begun, unsafe rename(found, begun) != 0, errno != ENOENT else { return }
    throw .system(what: "cannot rename \(found) to \(begun)", code: errno)
  }

  /// It is still needed, and has its own name again.
  func giveBack() { if found != begun { unsafe rename(begun, found) } }

  /// Copies what is intact. Threads that go on behind damage say that they lost events there. Returns, for each thread,
  /// where it ends. `progress` is told the share of files done.
  func copy(
    to writer: TraceWriter, progress: (Double) -> Void
  ) throws(TraceFormatError) -> [UInt32: UInt64] {
    var ends: [UInt32: UInt64] = [:]
    var holes = Holes()
    let isMissingAny = missing > 0
    for (number, part) in parts.enumerated() {
      progress(Double(number) / Double(parts.count))
      let damaged = part.damagedOffsets
      if number > 0, part.beginsBehindHole(after: parts[number - 1]) { holes.pass() }
      var passed = 0
      func isIntact(_ block: BlockEntry) throws(TraceFormatError) -> Bool {
        while passed < damaged.count, damaged[passed] < block.offset {
          holes.pass()
          passed += 1
        }
        if passed < damaged.count, damaged[passed] == block.offset { return false }
        if isMissingAny, block.type == .events, holes.isNew(to: block.thread) {
          let loss = EventBuffer()
          loss.append(
            time: block.first, kind: EventKind.lostEvents.rawValue, mode: 0, object: 0, arguments: [0])
          try writer.write(loss, thread: block.thread)
        }
        return true
      }
      let last =
        areSegments
        ? try writer.write(
          segment: part.reader, isFirst: number == 0, knowsRecorder: false, isIntact: isIntact)
        : try writer.write(blocksOf: part.reader) { block throws(TraceFormatError) in
          block.type == .info ? false : try isIntact(block)
        }
      for (thread, number) in last { ends[thread] = part.reader.blocks[number].last }
    }
    return ends
  }

  /// Which threads have been told of the damage so far.
  private struct Holes {
    private var count = 0
    private var told: [UInt32: Int] = [:]

    mutating func pass() { count += 1 }

    mutating func isNew(to thread: UInt32) -> Bool {
      defer { told[thread] = count }
      return told[thread, default: 0] < count
    }
  }
}

extension BegunTrace {
  /// One file, all of which was read.
  struct Part {
    let reader: TraceReader
    /// Where something begins that cannot be used, in file order.
    let damagedOffsets: [UInt64]
    /// Events of intact blocks that happened in this trace, or segment: what a segment restates did not.
    private(set) var writtenEvents: UInt64 = 0
    /// Events that are missing among these, as they say.
    private(set) var lostEvents: UInt64 = 0
    /// By thread: the last block that has any of these.
    private(set) var lastBlocks: [UInt32: Int] = [:]

    /// Reads all of it.
    fileprivate init(_ reader: TraceReader, progress: (Double) -> Void) throws(TraceFormatError) {
      self.reader = reader
      let beginning = reader.beginning
      var order = BlockOrder()
      let events = DecodedEvents()
      for (number, block) in reader.blocks.enumerated() where block.type == .events {
        progress(Double(number) / Double(reader.blocks.count))
        do throws(TraceFormatError) { try reader.events(of: number, into: events) } catch {
          if case .system = error { throw error }
          continue
        }
        guard order.accepts(block) else {
          reader.noteMisplaced(block: number)
          continue
        }
        guard block.last >= beginning else { continue }
        writtenEvents &+= UInt64(block.count)
        lostEvents = lostEvents.saturated(adding: events.lostEvents)
        lastBlocks[block.thread] = number
      }
      damagedOffsets = reader.lostParts.map(\.bytes.lowerBound)
    }

    /// Events are missing between the segment before and this one.
    func beginsBehindHole(after part: Part) -> Bool {
      reader.droppedEvents > part.reader.droppedEvents &+ part.writtenEvents
    }
  }
}
