import SystemSupport
import TraceFormat

/// A section of a recording, stored as a trace of its own: the live state at its beginning, then its events and sync
/// points. It contains no names except that of the recorder's own thread.
struct Segment: Sendable {
  let content: any SegmentContent
  /// Its first moment, in time units. Earlier events in the file restate the live state.
  let beginning: UInt64
  let end: UInt64
  /// The number of events, without restated ones.
  let events: UInt64
  let bytes: UInt64

  func open(_ codecs: @escaping CodecProvider) throws(TraceFormatError) -> TraceReader {
    try TraceReader(source: content.source(), codecs: codecs)
  }
}

/// The bytes of a finished segment.
protocol SegmentContent: AnyObject, Sendable {
  func source() throws(TraceFormatError) -> any ByteSource
  /// Gives the bytes back when their last reader, such as a snapshot, is done.
  func drop()
}

/// Where a recording keeps its segments.
protocol SegmentStore {
  func begin(_ number: Int) throws(TraceFormatError) -> any ByteSink
  /// Returns the content of a segment whose sink was committed.
  func content(_ number: Int, _ sink: any ByteSink) -> any SegmentContent
}

/// Segments in files beside the trace, so that they survive the recorder.
struct SegmentsInFiles: SegmentStore {
  let trace: String

  func begin(_ number: Int) throws(TraceFormatError) -> any ByteSink {
    try FileSink(
      recording: SegmentFiles.path(trace: trace, number: number), isDurable: false, removesOlder: true)
  }

  func content(_ number: Int, _ sink: any ByteSink) -> any SegmentContent {
    SegmentFile(path: SegmentFiles.path(trace: trace, number: number))
  }
}

/// Segments in memory, for a process that only watches a recording.
struct SegmentsInMemory: SegmentStore {
  private final class Content: SegmentContent {
    private let bytes: MemorySource

    init(_ bytes: [UInt8]) { self.bytes = MemorySource(bytes) }

    func source() -> any ByteSource { bytes }
    func drop() {}
  }

  func begin(_ number: Int) -> any ByteSink { MemorySink() }

  func content(_ number: Int, _ sink: any ByteSink) -> any SegmentContent {
    Content((sink as? MemorySink)?.bytes ?? [])
  }
}

/// The file of a segment. A dropped file is removed when its last reader is done.
final class SegmentFile: SegmentContent {
  let path: String
  private let isDropped = Locked(false)

  init(path: String) { self.path = path }

  func source() throws(TraceFormatError) -> any ByteSource { try FileSource(path: path) }

  func drop() { isDropped.withLock { $0 = true } }

  deinit {
    if isDropped.withLock({ $0 }) { unsafe unlink(path) }
  }
}

extension TraceWriter {
  /// Copies a segment. Its restated events are copied only if it is the first one. `knowsRecorder`: the recorder's
  /// own thread is already defined. `isIntact` is called for each block that would be copied.
  @discardableResult
  func write(
    segment: TraceReader, isFirst: Bool, knowsRecorder: Bool,
    isIntact: (BlockEntry) throws(TraceFormatError) -> Bool = { _ in true }
  ) throws(TraceFormatError) -> [UInt32: Int] {
    let beginning = segment.beginning
    if isFirst, beginning > 0 { try write(segment.info) }
    return try write(blocksOf: segment) { block throws(TraceFormatError) in
      let isWanted =
        switch block.type {
        case .events: isFirst || block.last >= beginning
        case .sync: true
        case .threads: !knowsRecorder
        default: false
        }
      return isWanted ? try isIntact(block) : false
    }
  }
}

/// The files that hold the segments of a recording until it ends: NAME.rltrace.segment1, NAME.rltrace.segment2 and so
/// on.
package enum SegmentFiles {
  private static let suffix = ".segment"
  /// More than ever needed: one segment every 12.5 ms for a year gives about 2.5 billion.
  package static let greatest = 9_999_999_999

  package static func path(trace: String, number: Int) -> String { "\(trace)\(suffix)\(number)" }

  /// Returns the trace that a segment file belongs to, or nil if the file does not have a segment's name.
  package static func trace(ofSegment path: String) -> String? {
    guard let end = path.lastIndex(where: { !("0"..."9").contains($0) }) else { return nil }
    let stem = path[...end]
    guard stem.endIndex < path.endIndex, stem.hasSuffix(suffix) else { return nil }
    return String(stem.dropLast(suffix.count))
  }

  /// Returns the segment files that an earlier recorder left, oldest first. The last one may be unfinished.
  package static func left(trace: String) -> [String] {
    let (folder, names) = Files.neighbours(of: trace)
    let start = trace.split(separator: "/").last.map(String.init) ?? trace
    var found: [(number: Int, path: String)] = []
    for file in names where file.hasPrefix(start + suffix) {
      let rest = file.dropFirst((start + suffix).count)
      let digits = rest.hasSuffix(FileSink.partSuffix) ? rest.dropLast(FileSink.partSuffix.count) : rest
      guard let number = Int(digits), number > 0 else { continue }
      found.append((number, folder + file))
    }
    return found.ordered { $0.number < $1.number }.map(\.path)
  }
}
