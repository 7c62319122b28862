import CRLTraceShims
import SystemSupport
import TraceFormat
import TraceRecorder

/// The settings for recording a program.
package struct ProgramOptions: Sendable {
  package var recording: RecordingOptions
  package var output: String
  package var library: PreloadLibrary
  package var recordsChildren = true
  package var mainThreadOnly = false
  /// Whether threads that wait for file descriptors again and again are recorded as event loops.
  package var recordsEventLoops = false
  /// Whether all Dispatch queues, tasks and actors are recorded, not the main queue alone.
  package var recordsAllQueues = false
  package var activitiesOnly = false
  /// The time after which the recording ends, in nanoseconds; the program continues.
  package var durationNs: UInt64?
  /// Nil = everything is kept.
  package var kept: KeptPart?
  package var makeNaming: (@Sendable () -> any CodeNaming)?
  /// Codecs for reading what earlier recordings left.
  package var codecs: CodecProvider = { _ in nil }

  package init(
    recording: RecordingOptions, output: String, library: PreloadLibrary,
    makeNaming: (@Sendable () -> any CodeNaming)? = nil
  ) {
    self.recording = recording
    self.output = output
    self.library = library
    self.makeNaming = makeNaming
  }

  var usesCycles: Bool {
    (recording.clock ?? .cycleCounter) == .cycleCounter && rlt_cycles_are_invariant() != 0
  }

  /// The environment of a program whose spool no process drains. Full rings overwrite their oldest events.
  package var environmentWithoutRecorder: ProgramEnvironment {
    ProgramEnvironment(
      library: library.path, spoolPath: SpoolName.path(trace: absolute(output)),
      timeUnit: recording.timeUnit, slotsPerRing: recording.slotsPerRing,
      flags: spoolFlags(overwrites: true), recorder: 0, recording: 0, recordsChildren: recordsChildren,
      stalls: recording.stalls)
  }

  func spoolFlags(overwrites: Bool) -> UInt32 {
    Spool.flags(
      usesCycles: usesCycles, activitiesOnly: activitiesOnly, overwrites: overwrites,
      mainThreadOnly: mainThreadOnly, eventLoops: recordsEventLoops, allQueues: recordsAllQueues)
  }
}

/// The traces of one program and of the processes it starts, with a spool, a drain and a file for each.
///
/// Use it on one thread only.
package final class ProgramRecording {
  /// The trace of one process.
  package struct Trace {
    package let path: String
    package let outcome: Result<RecordingSummary, RecordingError>
  }

  private final class Process {
    private(set) var path: String
    /// Nil when the process ended and its trace is written: a recording holds more memory than an outcome.
    private(set) var recording: SpoolRecording?
    private var snapshots: [Snapshot] = []
    /// Whether the process ran a run loop, and so gets a trace. Nil until the end is being written.
    var ran: Bool?
    /// Whether a run loop ran, rather than only work of the main queue.
    private(set) var ranLoop = false
    var outcome: Result<RecordingSummary, RecordingError>?

    init(_ path: String, _ recording: SpoolRecording) {
      self.path = path
      self.recording = recording
    }

    /// When the process was found to have ended, in monotonic nanoseconds.
    private var foundEndedNs: UInt64?
    /// How long after that its parent may still note how the process ended.
    private static let timeLimitNs: UInt64 = 1_000_000_000

    /// Returns whether the process has ended, and the way it ended is known or will remain unknown.
    func isOver(_ first: Spool) -> Bool {
      guard let recording, recording.hasEnded else { return false }
      guard recording.knownEnd(first) == nil else { return true }
      let now = rlt_monotonic_ns()
      let found = foundEndedNs ?? now
      foundEndedNs = found
      return now - found >= Process.timeLimitNs
    }

    /// Asks the drain to finish, and does not wait for it. `reported`: how the process ended, as reported by the
    /// process that waited for it. `sharedSignals`: those that this process got as well.
    func beginToEnd(_ reported: ProgramEnd?, sharedSignals: Set<Int32>, first: Spool) {
      guard ran == nil, let recording else { return }
      recording.spool.stopRecording()
      let ran = recording.spool.hasRun
      self.ran = ran
      ranLoop = recording.spool.hasSeen(Int(RLT_SEEN_RUN))
      if ran { recording.noteHowItEnds(reported, sharedSignals: sharedSignals, first: first) }
      recording.beginToEnd(keeping: ran)
    }

    func beginIfOver(sharedSignals: Set<Int32>, first: Spool) {
      if ran == nil, isOver(first) { beginToEnd(nil, sharedSignals: sharedSignals, first: first) }
    }

    func waitForEnd() {
      guard outcome == nil, let ran, let recording else { return }
      do throws(RecordingError) {
        outcome = .success(ran ? try recording.finish() : try recording.drop())
        recording.spool.removeFile()
      } catch {
        // The contents of the spool can still become a trace.
        outcome = .failure(error)
      }
      guard recording.hasEnded else { return }
      snapshots += recording.takeSnapshots()
      self.recording = nil
    }

    /// Renames the written trace. Returns false, and keeps its name, if that fails.
    @discardableResult
    func move(to name: String) -> Bool {
      guard unsafe rename(path, name) == 0 else { return false }
      path = name
      return true
    }

    func takeSnapshots() -> [Snapshot] {
      defer { snapshots = [] }
      return snapshots + (recording?.takeSnapshots() ?? [])
    }
  }

  private let options: ProgramOptions
  /// The path of the trace; valid in every folder.
  package let output: String
  private let spool: Spool
  private let root: Process
  /// The child processes, in the order in which they were found.
  private var children: [Process] = []
  /// Processes whose traces are not written yet.
  private var unwritten: [Process] = []
  /// Processes that announced themselves, but whose spools are not opened yet.
  private var announced: [Int32] = []
  /// The number of ended processes whose traces are written at a time. Others wait in their spools, which costs no
  /// memory.
  private static let writtenAtOnce = 16
  private var attached: Set<String> = []
  private let number: UInt64
  package private(set) var isOver = false
  package let environment: ProgramEnvironment
  private let link: PreloadLink?
  /// How the first program ended; nil while it runs.
  private var programEnd: (process: Int32, end: ProgramEnd?)?
  /// The signals that this process passed on to the first program, or got as well, as by Ctrl-C. An end by one of them
  /// is not a fault. Set it before `tick` and `noteEnd`.
  package var sharedSignals: Set<Int32> = []
  /// The number of processes with a CFRunLoop that the program had started and that were still running when it ended,
  /// and the recording with it.
  package private(set) var stillRunning = 0
  /// The path of the first spool, if it was moved or removed during the recording: processes that began later are not
  /// recorded. Nil if it stayed until the end.
  package private(set) var spoolTakenFrom: String?
  private let startNs = rlt_monotonic_ns()
  /// The traces that were written. Complete after `end`.
  package private(set) var traces: [Trace] = []
  /// The complete traces of earlier recordings with the same name.
  package let earlier: EarlierTraces

  /// Creates the spool and opens the output. Throws if either cannot be created, or if another recording of that name
  /// is running or was never finished. Then do not start the program.
  ///
  /// Traces of earlier recordings with the same name stay until a trace of this recording is complete. Then they are
  /// kept under other names.
  package init(_ options: ProgramOptions) throws(RecordingError) {
    self.options = options
    rlt_spare_address_space()
    number = .random(in: 1 ... .max)
    let output = absolute(options.output)
    let slots = DiskRoom.slotsPerRing(options.recording.slotsPerRing, in: Files.folder(of: output))
    self.output = output
    let sink: FileSink
    do throws(TraceFormatError) {
      (sink, earlier) = try EarlierRecording.takeName(output, codecs: options.codecs)
      if options.kept != nil {
        try EarlierRecording.checkSegments(of: output, recordsChildren: options.recordsChildren)
      }
      link = try options.library.needsLink ? PreloadLink(to: options.library.path) : nil
    } catch {
      throw .trace(error)
    }
    do throws(RecordingError) {
      (spool, root) = try ProgramRecording.begin(options, output, number, slotsPerRing: slots, sink, earlier)
    } catch {
      link?.remove()
      throw error
    }
    environment = ProgramEnvironment(
      library: link?.path ?? options.library.path, spoolPath: SpoolName.path(trace: output),
      timeUnit: options.recording.timeUnit, slotsPerRing: slots,
      flags: options.spoolFlags(overwrites: false), recorder: getpid(), recording: number,
      recordsChildren: options.recordsChildren, stalls: options.recording.stalls)
  }

  /// Creates the spool, removes what earlier recordings never finished, and starts draining. If it throws, it leaves
  /// no spool.
  private static func begin(
    _ options: ProgramOptions, _ output: String, _ number: UInt64, slotsPerRing: Int, _ sink: FileSink,
    _ earlier: EarlierTraces
  ) throws(RecordingError) -> (Spool, Process) {
    let spool: Spool
    do throws(TraceFormatError) {
      spool = try Spool(
        creating: SpoolName.path(trace: output), slotsPerRing: slotsPerRing,
        flags: options.spoolFlags(overwrites: false), timeUnit: options.recording.timeUnit, recording: number)
    } catch {
      throw .trace(error)
    }
    do throws(RecordingError) {
      do throws(TraceFormatError) {
        try EarlierRecording.removeUnfinished(of: output)
        if options.kept != nil { try EarlierRecording.removeEmptySegments(of: output) }
      } catch {
        throw RecordingError.trace(error)
      }
      return (spool, Process(output, try recording(spool, output, options, sink, earlier)))
    } catch {
      spool.removeFile()
      throw error
    }
  }

  private static func recording(
    _ spool: Spool, _ path: String, _ options: ProgramOptions, _ sink: FileSink, _ earlier: EarlierTraces
  ) throws(RecordingError) -> SpoolRecording {
    try SpoolRecording(
      spool: spool, sink: sink, path: path, options: options.recording, kept: options.kept,
      makeRoom: earlier.makeRoom, makeNaming: options.makeNaming)
  }

  package var rootSpool: Spool { spool }

  /// Whether a process executed a program that could not open the first spool.
  package var executedLockedOut: Bool { spool.hasSeen(Int(RLT_SEEN_LOCKED_OUT)) }

  /// Whether any process ran a run loop, or work of its main queue without one, so far.
  package var sawRun: Bool {
    ([root] + children).contains { $0.ran ?? $0.recording?.spool.hasRun ?? false }
  }

  /// The recordings of the processes that ran a loop, until their traces are written, with the paths of these traces.
  package var underWay: [(trace: String, recording: SpoolRecording)] {
    ([root] + children).compactMap { process -> (trace: String, recording: SpoolRecording)? in
      guard process.ran == nil, let recording = process.recording, recording.spool.hasRun else { return nil }
      return (process.path, recording)
    }
  }

  /// The time since the recording began.
  package var elapsedNs: UInt64 { rlt_monotonic_ns() - startNs }

  /// The processes that were found and still run, without the first program.
  package var livingChildren: [Int32] {
    children.compactMap(\.recording).filter { !$0.hasEnded }.map(\.spool.visibleProgramID).filter { $0 > 0 }
  }

  /// Finds new processes, ended processes, and the end of `durationNs`. Call it repeatedly.
  package func tick() {
    writeEnded()
    guard !isOver else { return }
    takeAnnouncements()
    while !announced.isEmpty, unwritten.count(where: { $0.ran != nil }) < ProgramRecording.writtenAtOnce {
      attach(announced.removeFirst())
      unwritten.last?.beginIfOver(sharedSignals: sharedRequests, first: spool)
    }
    if let duration = options.durationNs, elapsedNs >= duration { end() }
  }

  /// Whether a `tick` soon would have something to do.
  package var isBusy: Bool { !isOver && (!announced.isEmpty || unwritten.contains { $0.ran != nil }) }

  private func takeAnnouncements() {
    while let process = spool.takeChild() { announced.append(process) }
  }

  /// Begins to write the traces of processes that have ended, and releases those that are written.
  private func writeEnded() {
    for child in unwritten {
      child.beginIfOver(sharedSignals: sharedRequests, first: spool)
      if child.ran != nil, child.recording?.isWritten == true { child.waitForEnd() }
    }
    unwritten.removeAll { $0.outcome != nil }
  }

  /// Marks the recording's end. A process that makes a spool from now on removes it again.
  private func endAnnouncements() {
    if spool.isTakenAway { spoolTakenFrom = spool.path }
    spool.stopRecording()
    takeAnnouncements()
  }

  /// Writes the traces of all processes, ended or not, some at a time. The remaining spools belong to processes that
  /// were killed before they could announce themselves.
  private func writeAll() {
    writeUnwritten()
    while !announced.isEmpty {
      attach(announced.removeFirst())
      if announced.isEmpty || unwritten.count >= ProgramRecording.writtenAtOnce { writeUnwritten() }
    }
    for path in EarlierRecording.childSpools(of: root.path) {
      if let trace = SpoolName.trace(spool: path), !attached.contains(trace) { attach(trace) }
      if unwritten.count >= ProgramRecording.writtenAtOnce { writeUnwritten() }
    }
    writeUnwritten()
  }

  private func beginToEnd(_ process: Process) {
    // The process that was waited for is the first one, even if it has executed another program since.
    let isFirst = process === root || process.recording?.spool.visibleProgramID == programEnd?.process
    process.beginToEnd(
      isFirst ? programEnd?.end : nil, sharedSignals: isFirst ? sharedSignals : sharedRequests, first: spool)
  }

  /// The shared signals that also explain the ends of child processes: a terminal sends them to all, and a wrapper
  /// passes them on.
  private var sharedRequests: Set<Int32> {
    sharedSignals.filter { SignalName.ofRequests.contains(UInt64(clamping: $0)) }
  }

  private func writeUnwritten() {
    for process in unwritten { beginToEnd(process) }
    for process in unwritten { process.waitForEnd() }
    unwritten = []
  }

  private func attach(_ process: Int32) {
    var number = 1
    // An earlier image of the process may have had a spool, and so may a process of that number in an earlier
    // recording.
    while true {
      let path = SpoolName.trace(root.path, process: process, number: number)
      number += 1
      guard unsafe access(SpoolName.path(trace: path), F_OK) == 0 || attached.contains(path) else { return }
      if !attached.contains(path), attach(path) { return }
    }
  }

  /// Attaches the spool of a trace. Returns false if the spool does not belong to this recording.
  @discardableResult
  private func attach(_ path: String) -> Bool {
    let spool: Spool
    let sink: FileSink
    do throws(TraceFormatError) {
      spool = try Spool(opening: SpoolName.path(trace: path))
      guard spool.recording == number else { return false }
      attached.insert(path)
      sink = try FileSink(recording: path, makeRoom: earlier.makeRoom)
    } catch {
      attached.insert(path)
      traces.append(Trace(path: path, outcome: .failure(.trace(error))))
      return true
    }
    do throws(RecordingError) {
      let child = Process(path, try ProgramRecording.recording(spool, path, options, sink, earlier))
      children.append(child)
      unwritten.append(child)
    } catch {
      traces.append(Trace(path: path, outcome: .failure(error)))
    }
    return true
  }

  /// Notes that the first program was stopped.
  package func noteStop(signal: Int32) { if !isOver { root.recording?.noteStop(signal: signal) } }

  /// Notes that the first program continues.
  package func noteContinue() { if !isOver { root.recording?.noteContinue() } }

  /// Notes that the first program has ended, as this process learned by waiting for `process`. `end` nil = how it
  /// ended is not known.
  package func noteEnd(of process: Int32, _ end: ProgramEnd?) {
    root.recording?.noteEnd()
    programEnd = (process, end)
  }

  /// Asks each process for the contents of its run loops, and each flight recorder for a snapshot. Returns false if
  /// no process would answer.
  package func requestSnapshots() -> Bool {
    let isFlightRecorder = options.kept?.isFlightRecorder == true
    guard !isOver, isFlightRecorder || answersRequests else { return false }
    for recording in ([root] + children).compactMap(\.recording) {
      recording.spool.requestTopology()
      if isFlightRecorder { recording.requestSnapshot() }
    }
    return true
  }

  /// Whether processes answer requests. The thread that watches for stalls stores the contents of loops, which are
  /// unknown if only activities are recorded. A signal that the first program expects is left to the program.
  private var answersRequests: Bool {
    options.recording.stalls != nil && !options.activitiesOnly
      && ExpectedSignals(of: spool.visibleProgramID)?.contains(SIGUSR2) == false
  }

  /// Returns the snapshots that were written since the last call.
  package func takeSnapshots() -> [Snapshot] { ([root] + children).flatMap { $0.takeSnapshots() } }

  /// Ends the recording: writes everything that was stored and completes the traces. Processes that continue stop
  /// recording. A second call does nothing.
  package func end() {
    guard !isOver else { return }
    endAnnouncements()
    isOver = true
    if programEnd != nil { stillRunning = RecordedProcesses.running(spoolPath: environment.spoolPath).count }
    beginToEnd(root)
    writeAll()
    root.waitForEnd()
    let recorded = ([root] + children).filter { $0.ran == true }
    nameWrappedProgram(recorded)
    for process in recorded {
      guard let outcome = process.outcome else { continue }
      traces.append(Trace(path: process.path, outcome: outcome))
    }
    link?.remove()
  }

  /// Gives the name of the recording to the trace of a wrapper's only program. A wrapper with an async main may have a
  /// trace as well, because it ran work of its main queue. That trace then gets a name with its process number.
  private func nameWrappedProgram(_ recorded: [Process]) {
    let loops = recorded.filter(\.ranLoop)
    let wrapped = loops.isEmpty ? recorded : loops
    guard wrapped.count == 1, wrapped[0] !== root, traces.isEmpty, case .success = wrapped[0].outcome else {
      return
    }
    if root.ran == true {
      guard case .success = root.outcome, root.move(to: numberedName(programEnd?.process ?? spool.programID))
      else {
        return
      }
    }
    wrapped[0].move(to: output)
  }

  /// The first name with a process's number that no file has.
  private func numberedName(_ process: Int32) -> String {
    var number = 1
    while unsafe access(SpoolName.trace(output, process: process, number: number), F_OK) == 0 { number += 1 }
    return SpoolName.trace(output, process: process, number: number)
  }
}
