import SystemSupport
import TraceFormat

/// The files that the recorder of a recording under way has written so far: one file, or segments.
struct WrittenPart {
  private let files: [TraceReader]
  private let areSegments: Bool

  /// Opens the files. A file that the recorder is about to begin or to drop is left out. Throws if a file belongs to
  /// another recording.
  init(_ trace: String, of spool: Spool, _ codecs: @escaping CodecProvider) throws(TraceFormatError) {
    let segments = SegmentFiles.left(trace: trace)
    areSegments = !segments.isEmpty
    var files: [TraceReader] = []
    for path in areSegments ? segments : [trace + FileSink.partSuffix] {
      let reader: TraceReader
      do throws(TraceFormatError) {
        reader = try TraceReader(source: FileSource(path: path), codecs: codecs)
      } catch {
        switch error {
        case .emptyFile, .truncated, .system(_, ENOENT): continue
        default: throw error
        }
      }
      guard !spool.isOther(than: reader) || reader.syncPoints.isEmpty else {
        throw .invalidInput(what: "\(path) is from a different recording than the spool")
      }
      files.append(reader)
    }
    self.files = files
  }

  /// The header that the files share; nil if there are none.
  var header: FileHeader? { files.first?.header }

  /// The facts of the recorder, without duplicates.
  var facts: [InfoEntry] {
    areSegments ? [] : files.flatMap(\.info).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// Copies the blocks for which `isWanted` returns true. Returns the end time of each thread.
  func copy(
    to writer: TraceWriter, where isWanted: (BlockEntry) -> Bool
  ) throws(TraceFormatError) -> [UInt32: UInt64] {
    var ends: [UInt32: UInt64] = [:]
    for (number, file) in files.enumerated() {
      let last =
        areSegments
        ? try writer.write(segment: file, isFirst: number == 0, knowsRecorder: false, isIntact: isWanted)
        : try writer.write(blocksOf: file) { $0.type != .info && isWanted($0) }
      for (thread, block) in last { ends[thread] = file.blocks[block].last }
    }
    return ends
  }

  /// Calls `body` with the events of the blocks for which `isWanted` returns true. Calls `progress` with the share of
  /// blocks that are done, 0...1.
  func forEachBlock(
    where isWanted: (BlockEntry) -> Bool, progress: ((Double) -> Void)?, _ body: (EventBuffer, UInt32) -> Void
  ) throws(TraceFormatError) {
    let decoded = DecodedEvents()
    let events = EventBuffer()
    let total = Double(max(1, files.reduce(0) { $0 + $1.blocks.count }))
    var done = 0
    for (number, file) in files.enumerated() {
      let beginning = file.beginning
      for (at, block) in file.blocks.enumerated() where block.type == .events {
        done += 1
        if let progress { progress(Double(done) / total) }
        // Restated events repeat the state at the end of the segment before.
        guard isWanted(block), number == 0 || block.last >= beginning else { continue }
        do throws(TraceFormatError) { try file.events(of: at, into: decoded) } catch {
          if case .system = error { throw error }
          continue
        }
        decoded.forEach { time, kind, mode, object, arguments in
          if events.isFull {
            body(events, block.thread)
            events.removeAll()
          }
          events.append(time: time, kind: kind, mode: mode, object: object, arguments: arguments)
        }
        body(events, block.thread)
        events.removeAll()
      }
    }
  }
}
