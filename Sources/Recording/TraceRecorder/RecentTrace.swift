import RunLoopVocabulary
import TraceFormat

/// The limits of a recording that does not keep everything.
public struct KeptPart: Sendable {
  /// The maximum size of its trace.
  public var bytes: UInt64
  /// The minimum time span that is kept, if `bytes` allows it; nil = as much as `bytes` allows.
  public var spanNs: UInt64?
  /// Gaps of this length or more are reported; nil = none are.
  package var gapNs: UInt64?

  /// Creates limits. Gaps from `gapNs` on are reported; nil = none are.
  public init(bytes: UInt64, spanNs: UInt64? = nil, gapNs: UInt64? = nil) {
    self.bytes = bytes
    self.spanNs = spanNs
    self.gapNs = gapNs
  }

  /// Whether it keeps a time span and writes what it holds on request.
  package var isFlightRecorder: Bool { spanNs != nil }
}

/// The newest part of a recording, kept in segments. The oldest segments are dropped.
///
/// A segment is an eighth of the kept part. Each one begins with the live state of that moment, so that any segment
/// can be the first of the final trace.
final class RecentTrace: SpoolOutput {
  private static let segmentsKept: UInt64 = 8
  /// The number of objects to remember before a cut forgets the dead ones.
  private static let objectsBeforeCut = 1 << 18
  /// The size of the kept part below which no block is flat. A flat block might exceed a segment.
  private static let leastBytesFlat: UInt64 = 1 << 24

  private let kept: KeptPart
  private let store: any SegmentStore
  private let sink: any ByteSink
  private let header: FileHeader
  private let options: RecordingOptions
  private let unitNs: UInt64
  /// Called with the number of events before they are dropped.
  private let onDrop: (UInt64) -> Void

  private var definitions: [SpoolNames.Definitions] = []
  private var definitionBytes: UInt64 = 0
  private var segments: [Segment] = []
  private var live: LiveState
  private var dropped: UInt64 = 0
  /// The number of objects that were live at the last cut.
  private var objectsAtCut = 0

  /// Whether `definitions` includes the recorder's thread.
  private var knowsRecorder = false

  // The current segment.
  private var segmentKnowsRecorder = false
  private var writer: TraceWriter
  private var segmentSink: any ByteSink
  private var number = 1
  /// The previous segment is complete, but this one could not be begun. The next write tries again.
  private var isToBegin = false
  private var beginning: UInt64 = 0
  private var restatedEvents: UInt64 = 0
  private var blocks: UInt64 = 0
  /// The longest gap since the last query, in nanoseconds.
  private var longestGapNs: UInt64 = 0

  init(
    _ kept: KeptPart, store: any SegmentStore, sink: any ByteSink, header: FileHeader,
    options: RecordingOptions,
    onDrop: @escaping (UInt64) -> Void = { _ in }
  ) throws(TraceFormatError) {
    self.kept = kept
    self.onDrop = onDrop
    self.store = store
    self.sink = sink
    self.header = header
    self.options = options
    unitNs = header.timeUnit.nanoseconds
    live = LiveState(unit: header.timeUnit, hasHighStamps: header.hasHighStamps)
    segmentSink = try store.begin(number)
    writer = try TraceWriter(sink: segmentSink, header: header, codec: options.makeCodec())
  }

  // MARK: Writing

  func write(_ found: inout SpoolNames.Definitions) {
    guard !found.isEmpty else { return }
    defer { found = SpoolNames.Definitions() }
    definitions.append(found)
    for mode in found.modes where mode.name == ModeName.common { live.name(commonModes: ModeID(mode.id)) }
    for string in found.strings { definitionBytes += UInt64(string.text.utf8.count) + 8 }
    for thread in found.threads { definitionBytes += UInt64(thread.name.utf8.count) + 16 }
  }

  func write(_ events: EventBuffer, thread: UInt32, isFlat: Bool) throws(TraceFormatError) -> Int {
    try beginSegment()
    let flatBytes = try writer.write(
      events, thread: thread, isFlat: isFlat && kept.bytes >= RecentTrace.leastBytesFlat)
    live.take(events, thread: thread) { [unitNs] gap in longestGapNs = max(longestGapNs, gap &* unitNs) }
    blocks += 1
    return flatBytes
  }

  func write(notes: EventBuffer, thread: ThreadDefinition) throws(TraceFormatError) {
    if !knowsRecorder {
      var recorder = SpoolNames.Definitions(recorderThread: thread)
      write(&recorder)
    }
    knowsRecorder = true
    try beginSegment()
    // If this recorder is killed, the recovery does not find this thread in any log of names.
    if !segmentKnowsRecorder { try writer.write([thread]) }
    segmentKnowsRecorder = true
    blocks += 1
    try writer.write(notes, thread: thread.index)
  }

  func write(_ point: SyncPoint) throws(TraceFormatError) {
    try beginSegment()
    blocks += 1
    try writer.write([point])
  }

  /// Takes events from before the kept part, which set the live state only.
  func remember(_ events: EventBuffer, thread: UInt32) { live.take(events, thread: thread) { _ in } }

  /// Begins the kept part with the live state so far, before anything is written. Every later event of a thread comes
  /// at `time` or later.
  func begin(at time: UInt64) throws(TraceFormatError) {
    beginning = max(time, 1)
    isToBegin = true
    try beginSegment()
  }

  /// When the innermost open callout of each thread began.
  var openCallouts: [UInt32: UInt64] { live.openCallouts }

  func ended(thread: UInt32) { live.end(thread: thread) }

  /// Returns the longest gap since the last call, if it is long enough to be reported.
  func takeGap() -> UInt64? {
    defer { longestGapNs = 0 }
    return kept.gapNs.flatMap { longestGapNs >= $0 ? longestGapNs : nil }
  }

  // MARK: Segments

  private static let blockOverhead: UInt64 = 80

  func wantsCut(at now: UInt64) -> Bool {
    if isToBegin { return false }
    if let span = kept.spanNs, (now &- beginning) &* unitNs >= span / RecentTrace.segmentsKept { return true }
    return writer.byteCount >= kept.bytes / RecentTrace.segmentsKept
      || live.objectCount >= max(RecentTrace.objectsBeforeCut, 2 * objectsAtCut)
  }

  func cut(at now: UInt64) throws(TraceFormatError) {
    if !isToBegin {
      segments.append(try finishSegment(end: now))
      dropOld(now, coming: kept.bytes / RecentTrace.segmentsKept)
      number += 1
      // The next time unit is the first one of the new segment.
      beginning = now + 1
      isToBegin = true
    }
    // If the segment cannot be begun, nothing is lost: events wait in their rings.
    try? beginSegment()
  }

  /// Begins the segment that a cut could not begin.
  private func beginSegment() throws(TraceFormatError) {
    guard isToBegin else { return }
    // Discards what an earlier attempt left behind.
    segmentSink.discard()
    segmentSink = try store.begin(number)
    writer = try TraceWriter(sink: segmentSink, header: header, codec: options.makeCodec())
    let taken = segments.reduce(dropped) { $0 + $1.events }
    try writer.write([
      InfoEntry(key: InfoEntry.beginsAt, value: "\(beginning)"),
      InfoEntry(key: InfoEntry.droppedEvents, value: "\(taken)"),
    ])
    for (thread, events) in live.restated() { try restate(events, thread, beginning - 1) }
    blocks = 0
    segmentKnowsRecorder = false
    restatedEvents = writer.eventCount
    objectsAtCut = live.objectCount
    isToBegin = false
  }

  private func restate(
    _ events: [RestatedEvent], _ thread: UInt32, _ now: UInt64
  ) throws(TraceFormatError) {
    let buffer = EventBuffer()
    for event in events {
      if buffer.isFull {
        try writer.write(buffer, thread: thread)
        buffer.removeAll()
      }
      buffer.append(
        time: now, kind: event.kind, mode: event.mode, object: event.object, arguments: event.arguments)
    }
    try writer.write(buffer, thread: thread)
  }

  private func finishSegment(end: UInt64) throws(TraceFormatError) -> Segment {
    try writer.close()
    return Segment(
      content: store.content(number, segmentSink), beginning: beginning, end: end,
      events: writer.eventCount - restatedEvents,
      bytes: writer.byteCount + blocks * RecentTrace.blockOverhead)
  }

  /// Drops the oldest segments while the remaining ones and the `coming` bytes exceed what is to be kept.
  private func dropOld(_ now: UInt64, coming: UInt64) {
    var bytes = segments.reduce(definitionBytes + coming) { $0 + $1.bytes }
    while segments.count > 1 {
      let isOld = kept.spanNs.map { (now &- segments[0].end) &* unitNs >= $0 } ?? false
      guard isOld || bytes > kept.bytes else { return }
      bytes -= segments[0].bytes
      dropped += segments[0].events
      onDrop(segments[0].events)
      segments.removeFirst().content.drop()
    }
  }

  // MARK: The end

  /// Returns what is kept now. Everything before `now` must have been written.
  func part(at now: UInt64) throws(TraceFormatError) -> RecentPart {
    try cut(at: now)
    return recentPart()
  }

  private func recentPart() -> RecentPart {
    RecentPart(header: header, options: options, definitions: definitions, segments: segments)
  }

  private(set) var summary = RecordingSummary()

  private var closeFailure: TraceFormatError?

  func close() throws(TraceFormatError) {
    // A join that failed halfway cannot be continued. The segments stay.
    if let closeFailure { throw closeFailure }
    do throws(TraceFormatError) { try join() } catch {
      closeFailure = error
      throw error
    }
  }

  private func join() throws(TraceFormatError) {
    if !isToBegin { segments.append(try finishSegment(end: beginning)) }
    dropOld(beginning, coming: 0)
    summary = try recentPart().write(to: sink)
    summary.droppedEvents = dropped
    dropAll()
  }

  private func dropAll() {
    for segment in segments { segment.content.drop() }
    segments = []
  }

  func discard() {
    segmentSink.discard()
    dropAll()
  }
}

/// A part of a recording that any thread can write as a trace at any time.
struct RecentPart: Sendable {
  let header: FileHeader
  let options: RecordingOptions
  let definitions: [SpoolNames.Definitions]
  let segments: [Segment]
  /// Waits for names that are still being made.
  var furtherNames: (@Sendable () -> [NamedCode])?

  func write(to sink: any ByteSink, info: [InfoEntry] = []) throws(TraceFormatError) -> RecordingSummary {
    let codec = options.makeCodec()
    let writer = try TraceWriter(sink: sink, header: header, codec: codec)
    try writer.write(options.info + info)
    for var found in definitions { try writer.write(&found) }
    if let furtherNames { try writer.write(furtherNames().map(\.definition)) }
    for (number, segment) in segments.enumerated() {
      let reader = try segment.open { [id = codec.id, options] in $0 == id ? options.makeCodec() : nil }
      try writer.write(segment: reader, isFirst: number == 0, knowsRecorder: true)
    }
    try writer.close()
    return RecordingSummary(events: segments.reduce(0) { $0 + $1.events }, bytes: writer.byteCount)
  }
}
