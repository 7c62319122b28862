import SystemSupport
import TraceFormat

/// The files that a killed recorder wrote for a trace: one file, or segments.
struct BegunTrace {
  private(set) var parts: [Part] = []
  /// The problem of the first file with damaged blocks. Without such a file, the first problem of any file, such as a
  /// missing end; nil = none.
  private(set) var damage: String?
  /// The number of events that the killed recorder counted as written.
  private let counted: UInt64
  /// The number of events that come from no ring and that the recorder was writing, or had written but not counted.
  private let underWay: UInt64
  /// The number of events in blocks that the recorder wrote but did not count. These events are still in their rings.
  var uncounted: UInt64 = 0
  /// The number of events that were written but can no longer be read. If there are any, the `underWay` events are
  /// lost as well, whether they were written or not.
  var missing: UInt64 {
    let readable = parts.reduce(0) { $0 &+ $1.writtenEvents } &- uncounted
    let written = readable == counted ? counted : counted.saturated(adding: underWay)
    return written > readable ? written - readable : 0
  }

  private var paths: [String] = []
  private var areSegments = false
  /// The current name of the part, and its name during the recovery.
  private let found: String
  private let begun: String

  /// The path of the file that a killed recorder leaves beside the spool of `trace`, while it is being recovered.
  static func path(_ trace: String) -> String { trace + SpoolName.begunSuffix }

  /// Reads all files and changes nothing. Throws if a file is not part of what the spool records. Calls `progress`
  /// with the share that has been read, 0...1.
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
        // The recorder was killed before the header was complete, so it had taken nothing from the spool for this
        // file.
        case .emptyFile, .truncated: continue
        case .system: throw error
        default: throw .invalidInput(what: "\(path): \(error)")
        }
      }
      if let obstacle = spool.obstacle(toPart: reader, isSegment: areSegments) {
        throw .invalidInput(what: "\(path) \(obstacle); move it away to recover the spool alone")
      }
      // A dropped segment may still exist because a snapshot was being written from it.
      if areSegments, reader.droppedEvents < spool.droppedEvents { continue }
      let part = try Part(reader) { progress((Double(number) + $0) / Double(files.count)) }
      // A killed recorder leaves its file without an end, which alone is not damage.
      if let problem = reader.problem, damage == nil || reader.damagedBlocks > 0 && !hasDamagedBlocks {
        damage = "\(path): \(problem.reason)"
        hasDamagedBlocks = reader.damagedBlocks > 0
      }
      parts.append(part)
    }
    counted = spool.writtenEvents &- spool.droppedEvents
    underWay = spool.perhapsWrittenEvents
    // The order of removal: once the first file is gone, the trace counts as complete.
    paths = [begun] + segments
  }

  /// The header of the first part, whose time unit and codec all parts share; nil if there are no parts.
  var header: FileHeader? { parts.first?.reader.header }

  var hasEvents: Bool { parts.contains { $0.reader.eventCount > 0 } }

  /// The number of lost events that the files report.
  var lostEvents: UInt64 { parts.reduce(0) { $0.saturated(adding: $1.lostEvents) } }

  /// Returns the last block that was written for a thread, or nil if there is none.
  func lastBlock(of thread: UInt32) throws(TraceFormatError) -> DecodedEvents? {
    for part in parts.reversed() {
      guard let number = part.lastBlocks[thread] else { continue }
      let block = DecodedEvents()
      try part.reader.events(of: number, into: block)
      return block
    }
    return nil
  }

  /// Removes the files once their events are in the trace.
  func remove() { for path in paths { unsafe unlink(path) } }

  /// The facts of the parts, without duplicates. The only fact of a segment is where it begins.
  var facts: [InfoEntry] {
    guard !areSegments else { return [] }
    return parts.flatMap(\.reader.info).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// Renames the file, because the new trace would overwrite it. A missing file is not an error. Throws if the
  /// file cannot be renamed.
  func claim() throws(TraceFormatError) {
    guard found != begun, unsafe rename(found, begun) != 0, errno != ENOENT else { return }
    throw .system(what: "cannot rename \(found) to \(begun)", code: errno)
  }

  /// Restores the original name of the file, which is still needed.
  func giveBack() { if found != begun { unsafe rename(begun, found) } }

  /// Copies the intact blocks. A thread that continues after damage gets an event that reports the loss there.
  /// Returns the end time of each thread. Calls `progress` with the share of files that are done.
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

  /// Counts the damaged places, and remembers how many of them each thread has reported.
  private struct Holes {
    private var count = 0
    private var reported: [UInt32: Int] = [:]

    mutating func pass() { count += 1 }

    mutating func isNew(to thread: UInt32) -> Bool {
      defer { reported[thread] = count }
      return reported[thread, default: 0] < count
    }
  }
}

extension BegunTrace {
  /// One file that was read completely.
  struct Part {
    let reader: TraceReader
    /// The offsets of the unusable places, in file order.
    let damagedOffsets: [UInt64]
    /// The number of events in intact blocks that happened in this trace or segment. Events that a segment restates
    /// are not counted.
    private(set) var writtenEvents: UInt64 = 0
    /// The number of lost events that these events report.
    private(set) var lostEvents: UInt64 = 0
    /// The number of the last block that holds such events, by thread.
    private(set) var lastBlocks: [UInt32: Int] = [:]

    /// Reads the whole file.
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

    /// Returns whether events are missing between the previous segment and this one.
    func beginsBehindHole(after part: Part) -> Bool {
      reader.droppedEvents > part.reader.droppedEvents &+ part.writtenEvents
    }
  }
}
