import CRLTraceShims
import SystemSupport
import TraceFormat

/// Finishes the trace of a spool whose recorder and program are gone.
public enum SpoolRecovery {
  package enum Outcome: Sendable {
    case written(Summary)
    /// The trace was complete: its recorder was killed between naming it and removing the spool.
    case complete
    /// Nothing was ever stored.
    case nothing
  }

  /// The contents of a recovered trace.
  public struct Summary: Sendable {
    /// The number of events in the trace.
    public var events: UInt64
    /// The size of the trace.
    public var bytes: UInt64
    /// The number of events that found no room, or that cannot be read.
    public var lostEvents: UInt64
    /// The number of events that an earlier recorder had already written.
    package var begunEvents: UInt64
    /// The number of those events that can no longer be read. They are counted in `lostEvents`.
    package var damagedEvents: UInt64
    /// The problem of the first file that held them; nil if that file is missing.
    package var damage: String?
  }

  /// The fact for a process that recorded no end of its own.
  static let endUnknown = InfoEntry(
    key: InfoEntry.endUnknown,
    value:
      "the end of the process was not recorded; callouts that are open at the end of the trace may have continued"
  )

  /// Returns a process that still records into the spool or drains it, or nil if there is none.
  package static func livingProcess(of spool: Spool) -> Int32? {
    guard spool.isOfThisBoot else { return nil }
    // A recorder in another namespace is found by its lock.
    if !spool.hasSeen(Int(RLT_SEEN_END)), !spool.programIsElsewhere,
      uses(spool, spool.programID, began: spool.programStart)
    {
      return spool.programID
    }
    guard !spool.recorderIsElsewhere, uses(spool, spool.recorderID, began: spool.recorderStart) else {
      return nil
    }
    return spool.recorderID
  }

  /// Returns whether the process still uses the spool. If its start is not known, its id may belong to another
  /// process by now, so the lock on the trace decides.
  private static func uses(_ spool: Spool, _ process: Int32, began: UInt64) -> Bool {
    if process > 0, began == 0, let trace = spool.path.flatMap(SpoolName.trace(spool:)) {
      return FileSink.isBeingWritten(recording: trace)
    }
    return isAlive(process, began: began)
  }

  /// Returns whether a process is running. `began`: when it began, in the system's count; 0 = not known. The id may
  /// belong to another process by now.
  static func isAlive(_ process: Int32, began: UInt64) -> Bool {
    guard process > 0, began == 0 || began == rlt_process_start(UInt32(process)) else { return false }
    guard kill(process, 0) == 0 || errno == EPERM else { return false }
    // A process that has ended keeps its id until its parent waits for it.
    return ProcessState.letter(process) != UInt8(ascii: "Z")
  }

  /// Returns whether the trace of the spool is complete: only segments and the spool itself are left of its parts.
  package static func isComplete(_ spool: Spool, trace: String) -> Bool {
    let part = trace + FileSink.partSuffix
    guard spool.hasSeen(Int(RLT_SEEN_WRITTEN)), unsafe access(BegunTrace.path(trace), F_OK) != 0 else {
      return false
    }
    // An empty part beside a trace belongs to a later recording that was killed just after it had taken the name.
    return unsafe access(part, F_OK) != 0 || (Files.isEmpty(part) && TraceFile.isTrace(trace))
  }

  /// Writes the trace of `spool`, which must be opened privately, to a sink: first the intact blocks that a killed
  /// recorder wrote of `trace`, then everything that the spool holds. Then removes the killed recorder's files but
  /// not the spool, unless `keepsParts`.
  ///
  /// Throws, and changes nothing, if the trace cannot be written, has fewer events than `leastEvents`, or another
  /// process writes it.
  package static func recover(
    _ spool: Spool, trace: String, options: RecordingOptions, codecs: @escaping CodecProvider,
    makeNaming: (@Sendable () -> any CodeNaming)?, keepsParts: Bool, leastEvents: () -> UInt64 = { 0 },
    progress: ((Double) -> Void)? = nil, makeSink: () throws(TraceFormatError) -> any ByteSink
  ) throws(TraceFormatError) -> Outcome {
    let lock = try RecoveryLock(spool, trace: trace)
    defer { lock.end() }
    guard !isComplete(spool, trace: trace) else {
      if !keepsParts { for path in SegmentFiles.left(trace: trace) { unsafe unlink(path) } }
      return .complete
    }
    let leastEvents = leastEvents()
    var begun = try BegunTrace(trace, of: spool, codecs) { progress?($0 * 0.3) }
    try begun.claim()
    var isOver = false
    defer { if !isOver { begun.giveBack() } }
    guard !spool.isUnused || begun.hasEvents || begun.missing > 0 else {
      if !keepsParts {
        begun.remove()
        isOver = true
      }
      return .nothing
    }
    var options = options
    options.timeUnit = begun.header?.timeUnit ?? spool.timeUnit ?? options.timeUnit
    if let codec = begun.header?.codec { options.makeCodec = { codecs(codec) ?? NoCodec() } }
    if spool.overwrites {
      options.info.append(
        InfoEntry(
          key: "kept", value: "each thread's newest events: no recorder drained the spool"))
    }

    // The part holds the recorder's own facts: the machine it ran on, its version.
    options.info = begun.facts + options.info.filter { own in !begun.facts.contains { $0.key == own.key } }
    let notes = RecorderNotes()
    if let end = spool.notedEnd {
      // This is the process's own note. It does not know of a later signal.
      notes.add(
        spool.hasExecuted
          ? .end(.executed, at: end)
          : .end(spool.exitStatus.map { .exited($0) }, byRecorder: false, at: end))
    } else {
      options.info.append(SpoolRecovery.endUnknown)
    }

    let sink = try makeSink()
    do throws(TraceFormatError) {
      let whole = WholeTrace(try TraceWriter(sink: sink, spool: spool, options: options))
      // The log of names is read from its beginning again.
      whole.knownFacts = options.info
      whole.leastEvents = leastEvents
      let reader = SpoolReader(
        spool: spool, unit: options.timeUnit, namer: makeNaming.map(CodeNamer.init), notes: notes
      ) { whole }
      let later = try laterReading(spool)
      reader.calibrate(later)
      // The recorder may have been killed between writing a block and giving its slots back.
      let last = lastReading(spool) ?? later
      begun.uncounted = try reader.skipWritten(last, begun.lastBlock)
      reader.resume(
        after: try begun.copy(to: whole.writer) { progress?(0.3 + $0 * 0.3) }, missing: begun.missing)
      let begunEvents = whole.writer.eventCount
      progress?(0.6)
      _ = reader.cycle(last)
      progress?(0.9)
      _ = reader.finish()
      reader.output.giveUp()
      if let failure = reader.output.failure { throw failure }
      if !keepsParts {
        spool.noteWrittenInFile()
        begun.remove()
        isOver = true
      }
      return .written(
        Summary(
          events: reader.summary.events, bytes: reader.summary.bytes,
          lostEvents: reader.summary.lostEvents.saturated(adding: begun.lostEvents),
          begunEvents: begunEvents, damagedEvents: begun.missing, damage: begun.damage))
    } catch {
      sink.discard()
      throw error
    }
  }

  /// Returns when the process ended or, if that is not known, the last known moment at which it ran. The recovery
  /// itself may run days later.
  private static func lastReading(_ spool: Spool) -> ClockReading? {
    if let end = spool.notedEnd ?? spool.lastSeenAlive { return end }
    return spool.overwrites ? spool.latest : nil
  }

  /// Returns the second reading of the clock line: the recorder's own, so that its blocks fit; otherwise any later
  /// one.
  static func laterReading(_ spool: Spool) throws(TraceFormatError) -> ClockReading {
    if let later = spool.later { return later }
    if spool.isOfThisBoot { return .now(usesCycles: spool.usesCycles) }
    if let latest = spool.latest { return latest }
    guard !spool.usesCycles else {
      throw .invalidInput(
        what:
          "the system has been restarted since, and the spool has no second clock reading: its times are not known"
      )
    }
    return spool.origin
  }
}
