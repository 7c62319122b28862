import TraceFormat

/// What a killed recorder wrote of a trace: one file, or segments.
struct BegunTrace {
  private(set) var parts: [Part] = []
  /// What is wrong with the first file that has damaged blocks; else with the first that has no end.
  private(set) var damage: String?
  /// Events that were written, and that nobody can read any more.
  let missing: UInt64

  private var paths: [String] = []
  private var areSegments = false
  /// The name that the part has, and the one it is to have.
  private let found: String
  private let begun: String

  /// The file that a killed recorder leaves beside the spool of `trace`, under its name while recovering.
  static func path(_ trace: String) -> String { trace + SpoolName.begunSuffix }

  /// Reads all of it, and changes nothing. Throws when a file is no part of what the spool records.
  init(_ trace: String, of spool: Spool, _ codecs: @escaping CodecProvider) throws(TraceFormatError) {
    begun = BegunTrace.path(trace)
    found = unsafe access(begun, F_OK) == 0 ? begun : trace + FileSink.partSuffix
    let segments = SegmentFiles.left(trace: trace)
    areSegments = !segments.isEmpty
    var readable: UInt64 = 0
    var hasDamagedBlocks = false
    for path in unsafe areSegments ? segments : access(found, F_OK) == 0 ? [found] : [] {
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
      try reader.verify()
      // A killed recorder leaves its file without an end, which alone is no damage.
      if let problem = reader.problem, damage == nil || reader.damagedBlocks > 0 && !hasDamagedBlocks {
        damage = "\(path): \(problem.reason)"
        hasDamagedBlocks = reader.damagedBlocks > 0
      }
      let part = Part(reader)
      readable &+= part.writtenEvents
      parts.append(part)
    }
    let written = spool.writtenEvents &- spool.droppedEvents
    // More are there when it was killed between writing a block and giving its slots back.
    missing = written > readable ? written - readable : 0
    // In the order in which they are removed: once the first is gone, the trace counts as complete.
    paths = [begun] + segments
  }

  /// Unit and codec of it all; nil when there is nothing.
  var header: FileHeader? { parts.first?.reader.header }

  var hasEvents: Bool { parts.contains { $0.reader.eventCount > 0 } }

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
  /// the last block. `progress` is told the share of files done.
  func copy(
    to writer: TraceWriter, progress: (Double) -> Void
  ) throws(TraceFormatError) -> [UInt32: DecodedEvents] {
    var lastBlocks: [UInt32: DecodedEvents] = [:]
    var holes = Holes()
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
        if missing > 0, block.type == .events, holes.isNew(to: block.thread) {
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
      for (thread, number) in last {
        let block = DecodedEvents()
        try part.reader.events(of: number, into: block)
        lastBlocks[thread] = block
      }
    }
    return lastBlocks
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
    let writtenEvents: UInt64

    fileprivate init(_ reader: TraceReader) {
      self.reader = reader
      damagedOffsets = reader.lostParts.map(\.bytes.lowerBound)
      let damaged = Set(damagedOffsets), beginning = reader.beginning
      writtenEvents = reader.blocks.reduce(0) { sum, block in
        let isWritten = block.type == .events && block.last >= beginning && !damaged.contains(block.offset)
        return isWritten ? sum &+ UInt64(block.count) : sum
      }
    }

    /// Events are missing between the segment before and this one.
    func beginsBehindHole(after part: Part) -> Bool {
      reader.droppedEvents > part.reader.droppedEvents &+ part.writtenEvents
    }
  }
}
