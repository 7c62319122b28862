import CRLTraceShims
import SystemSupport
import TraceFormat

/// A recording under way, read by a process that is neither the program nor the recorder.
///
/// It opens the spool and the written part for reading only, keeps its own place in each ring, and changes nothing.
/// Events that the program overwrote before they were read are in the recording but not here: see `unseenSlots`. One
/// thread at a time.
package final class WatchedRecording {
  package enum State: Sendable {
    case underWay
    /// Everything is in the trace.
    case complete
    /// Neither the program nor the recorder is running, and the trace is not complete.
    case abandoned
  }

  private let spool: Spool
  private let reader: SpoolReader
  private let recent: RecentTrace
  private let notes: RecorderNotes
  private let heartbeat: HeartbeatThread
  private var isStopped = false
  private var nextLookNs: UInt64 = 0

  /// Opens the recording of `trace` at its spool. The newest `keptNs` from now on are kept, at most `keptBytes`.
  /// `makeNaming` is called on the thread that names code; nil = code is named by its addresses. `progress` receives
  /// the share of the written part that was read, 0...1.
  package init(
    spool path: String, trace: String, keptNs: UInt64, keptBytes: UInt64, info: [InfoEntry],
    codecs: @escaping CodecProvider, makeNaming: (@Sendable () -> any CodeNaming)?,
    progress: ((Double) -> Void)? = nil
  ) throws(TraceFormatError) {
    let spool = try Spool(watching: path)
    self.spool = spool
    let notes = RecorderNotes()
    self.notes = notes
    let unit = spool.timeUnit ?? .ns10
    let options = RecordingOptions(
      timeUnit: unit,
      info: info + [Heartbeat.fact(intervalNs: HeartbeatThread.intervalNs), TraceEnd.recordingEnded.fact])
    let recent = try RecentTrace(
      KeptPart(bytes: keptBytes, spanNs: keptNs), store: SegmentsInMemory(), sink: MemorySink(),
      header: FileHeader(of: spool, options), options: options)
    self.recent = recent
    reader = SpoolReader(
      spool: spool, unit: unit, namer: makeNaming.map(CodeNamer.init), notes: notes
    ) { recent }
    do throws(RecordingError) {
      heartbeat = try HeartbeatThread(
        Heartbeat(notes: notes, usesCycles: spool.usesCycles) {
          spool.visibleProgramID > 0 ? processCPUNs(spool.visibleProgramID) : nil
        }
      ) { false }
    } catch {
      throw .system(what: "\(error)", code: EAGAIN)
    }
    reader.calibrate(try SpoolRecovery.laterReading(spool))
    let firstInRings = reader.firstUnread()
    let isEarlier = WatchedRecording.isBefore(firstInRings, reader, spool)
    try WrittenPart(trace, of: spool, codecs).forEachBlock(where: isEarlier, progress: progress) {
      recent.remember($0, thread: $1)
    }
    // The live state needs the names of modes.
    reader.writeDefinitions()
    try recent.begin(
      at: firstInRings.values.min() ?? reader.units(.now(usesCycles: spool.usesCycles)))
  }

  /// Returns a test for blocks of the written part whose events are no longer in a ring. `first`: the time of the first
  /// event in each thread's ring. Call it before the written part is opened: later blocks hold events that are still in
  /// the rings now.
  private static func isBefore(
    _ first: [UInt32: UInt64], _ reader: SpoolReader, _ spool: Spool
  ) -> (BlockEntry) -> Bool {
    let now = reader.units(.now(usesCycles: spool.usesCycles))
    return { block in block.type != .events || block.first < first[block.thread] ?? now }
  }

  deinit { heartbeat.stop() }

  /// The process that is recorded; 0 if it is not visible from here.
  package var processID: Int32 { spool.visibleProgramID }
  /// The number of slots, each an event or two arguments, that were overwritten before they were read.
  package var unseenSlots: UInt64 { reader.unseenSlots }
  /// The time since the recording began.
  package var elapsedNs: UInt64 { rlt_monotonic_ns() &- spool.origin.monotonicNs }
  /// When the innermost open callout of each thread began, in time units: it may be earlier than what is kept. As of
  /// the last `window`.
  package var openCallouts: [UInt32: UInt64] { recent.openCallouts }
  package var timeUnit: TimeUnit { spool.timeUnit ?? .ns10 }

  /// Reads what was stored since the last call.
  package func read() -> State {
    guard !isWritten else { return .complete }
    noteStop()
    _ = reader.cycle(.now(usesCycles: spool.usesCycles))
    // A recorder gives the memory of the rings back once it has written everything.
    guard !isWritten else { return .complete }
    let now = rlt_monotonic_ns()
    guard now >= nextLookNs else { return .underWay }
    nextLookNs = now + 500_000_000
    return SpoolRecovery.livingProcess(of: spool) == nil && !isWritten ? .abandoned : .underWay
  }

  private var isWritten: Bool { spool.hasSeen(Int(RLT_SEEN_WRITTEN)) || spool.isTakenAway || spool.isCut }

  /// Notes that the program was stopped by a signal, or continues. Its parent learns of this at once; this process
  /// learns of it only when it checks.
  private func noteStop() {
    guard spool.visibleProgramID > 0 else { return }
    let isStopped = ProcessState.isStopped(spool.visibleProgramID)
    guard isStopped != self.isStopped else { return }
    self.isStopped = isStopped
    notes.add(
      RecorderNote(
        moment: .now(usesCycles: spool.usesCycles),
        event: RecorderNote.Event(
          kind: isStopped ? .processStop : .processContinue,
          arguments: [UInt64(isStopped ? SIGSTOP : SIGCONT)])))
  }

  /// Returns the kept part as a trace that ends at the last `read`.
  ///
  /// Events become blocks here and not in each `read`, because many small blocks take long to analyze.
  package func window() throws(TraceFormatError) -> [UInt8] {
    reader.flushAll()
    reader.writeNow()
    guard var part = reader.recentPart() else { return [] }
    // A later window has the names that are still being made.
    part.furtherNames = nil
    let sink = MemorySink()
    _ = try part.write(to: sink)
    return sink.bytes
  }

  /// Writes everything that was recorded so far to `sink`, as a trace that ends now. Returns false, and writes nothing
  /// usable, if the recording was completed meanwhile.
  package static func copy(
    spool path: String, trace: String, to sink: any ByteSink, info: [InfoEntry],
    codecs: @escaping CodecProvider, makeNaming: (@Sendable () -> any CodeNaming)?
  ) throws(TraceFormatError) -> Bool {
    let spool = try Spool(watching: path)
    var options = RecordingOptions(timeUnit: spool.timeUnit ?? .ns10, info: info)
    let header = try WrittenPart(trace, of: spool, codecs).header
    if let header {
      options.timeUnit = header.timeUnit
      options.makeCodec = { codecs(header.codec) ?? NoCodec() }
    }
    let notes = RecorderNotes()
    let whole = WholeTrace(try TraceWriter(sink: sink, spool: spool, options: options))
    let reader = SpoolReader(
      spool: spool, unit: options.timeUnit, namer: makeNaming.map(CodeNamer.init), notes: notes
    ) { whole }
    reader.calibrate(try SpoolRecovery.laterReading(spool))
    let isEarlier = isBefore(reader.firstUnread(), reader, spool)
    let written = try WrittenPart(trace, of: spool, codecs)
    try whole.writer.write(written.facts.filter { fact in !info.contains { $0.key == fact.key } })
    whole.knownFacts = written.facts + info
    reader.resume(after: try written.copy(to: whole.writer, where: isEarlier), missing: 0)
    let now = ClockReading.now(usesCycles: spool.usesCycles)
    _ = reader.cycle(now)
    notes.add(.end(.recordingEnded, at: now))
    guard !spool.hasSeen(Int(RLT_SEEN_WRITTEN)), !spool.isTakenAway, !spool.isCut else { return false }
    _ = reader.finish()
    reader.output.giveUp()
    if let failure = reader.output.failure { throw failure }
    return true
  }
}
