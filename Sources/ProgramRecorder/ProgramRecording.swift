import CRLTraceShims
import TraceFormat
import TraceRecorder

/// What recording a program is to be like.
public struct ProgramOptions: Sendable {
  public var recording: RecordingOptions
  public var output: String
  public var library: PreloadLibrary
  public var recordsChildren = true
  public var mainThreadOnly = false
  public var activitiesOnly = false
  /// Seconds after which recording ends; the program goes on.
  public var durationNs: UInt64?
  /// Nil = everything is kept.
  public var kept: KeptPart?
  public var makeNaming: @Sendable () -> (any CodeNaming)?

  public init(
    recording: RecordingOptions, output: String, library: PreloadLibrary,
    makeNaming: @escaping @Sendable () -> (any CodeNaming)? = { nil }
  ) {
    self.recording = recording
    self.output = output
    self.library = library
    self.makeNaming = makeNaming
  }

  var usesCycles: Bool {
    (recording.clock ?? .cycleCounter) == .cycleCounter && rlt_cycles_are_invariant() != 0
  }

  /// For a program that nobody drains: full rings overwrite their oldest events, and are larger.
  public var environmentWithoutRecorder: ProgramEnvironment {
    ProgramEnvironment(
      library: library.path, spoolPath: SpoolName.path(trace: absolute(output)),
      timeUnit: recording.timeUnit, slotsPerRing: recording.slotsPerRing * 4,
      flags: spoolFlags(overwrites: true), recorder: 0, recordsChildren: recordsChildren)
  }

  func spoolFlags(overwrites: Bool) -> UInt32 {
    UInt32(
      (usesCycles ? RLT_SPOOL_USES_CYCLES : 0) | (overwrites ? RLT_SPOOL_OVERWRITES : 0)
        | (mainThreadOnly ? RLT_SPOOL_MAIN_THREAD_ONLY : 0) | (activitiesOnly ? RLT_SPOOL_ACTIVITIES_ONLY : 0)
    )
  }
}

/// The traces of one program and of the processes it starts: a spool, a drain and a file for each.
///
/// One thread.
public final class ProgramRecording {
  /// One process's trace.
  public struct Trace {
    public let path: String
    public let outcome: Result<RecordingSummary, RecordingError>
  }

  private struct Process {
    let path: String
    let recording: SpoolRecording
  }

  private let options: ProgramOptions
  private let spool: Spool
  private let root: Process
  private var children: [Process] = []
  private var announced = 0
  private var isOver = false
  public let environment: ProgramEnvironment
  private let link: PreloadLink?
  private let startNs = rlt_monotonic_ns()
  /// What was written, complete after `end`.
  public private(set) var traces: [Trace] = []

  /// Makes the spool and opens the output. Throws when either cannot be created; then the program is not to be started.
  public init(_ options: ProgramOptions) throws(RecordingError) {
    self.options = options
    let output = absolute(options.output)
    do throws(TraceFormatError) {
      let sink = try FileSink(path: output)
      do throws(TraceFormatError) {
        link = try options.library.needsLink ? PreloadLink(to: options.library.path) : nil
        spool = try Spool(
          creating: SpoolName.path(trace: output), slotsPerRing: options.recording.slotsPerRing,
          flags: options.spoolFlags(overwrites: false), timeUnit: options.recording.timeUnit)
      } catch {
        sink.discard()
        throw error
      }
      do throws(RecordingError) {
        root = Process(
          path: output,
          recording: try SpoolRecording(
            spool: spool, sink: sink, path: output, options: options.recording, kept: options.kept,
            makeNaming: options.makeNaming))
      } catch {
        sink.discard()
        unlink(SpoolName.path(trace: output))
        throw TraceFormatError.invalidInput(what: "\(error)")
      }
    } catch {
      throw .trace(error)
    }
    environment = ProgramEnvironment(
      library: link?.path ?? options.library.path, spoolPath: SpoolName.path(trace: output),
      timeUnit: options.recording.timeUnit, slotsPerRing: options.recording.slotsPerRing,
      flags: options.spoolFlags(overwrites: false), recorder: getpid(),
      recordsChildren: options.recordsChildren)
  }

  public var rootSpool: Spool { spool }

  /// Whether any process ran a run loop.
  public private(set) var sawRun = false

  /// To be called now and then: finds new processes, and the end of `durationNs`.
  public func tick() {
    let new = spool.children(from: announced)
    for process in new {
      // Announced, not yet told which: comes with the next tick.
      guard process != 0 else { break }
      announced += 1
      attach(process)
    }
    if !isOver, let duration = options.durationNs, rlt_monotonic_ns() - startNs >= duration { end() }
  }

  private func attach(_ process: Int32) {
    var number = 1
    // An earlier image of the process may have had one, too.
    while true {
      let path = SpoolName.trace(root.path, process: process, number: number)
      guard access(SpoolName.path(trace: path), F_OK) == 0 else { return }
      number += 1
      guard !children.contains(where: { $0.path == path }) else { continue }
      attach(path)
      return
    }
  }

  private func attach(_ path: String) {
    do throws(TraceFormatError) {
      let spool = try Spool(opening: SpoolName.path(trace: path))
      guard !isOver else {
        spool.stopRecording()
        unlink(SpoolName.path(trace: path))
        return
      }
      let sink = try FileSink(path: path)
      let recording: SpoolRecording
      do throws(RecordingError) {
        recording = try SpoolRecording(
          spool: spool, sink: sink, path: path, options: options.recording, kept: options.kept,
          makeNaming: options.makeNaming)
      } catch {
        sink.discard()
        throw .invalidInput(what: "\(error)")
      }
      children.append(Process(path: path, recording: recording))
    } catch {
      traces.append(Trace(path: path, outcome: .failure(.trace(error))))
    }
  }

  /// The first program was stopped.
  public func noteStop(signal: Int32) { if !isOver { root.recording.noteStop(signal: signal) } }

  /// And continues.
  public func noteContinue() { if !isOver { root.recording.noteContinue() } }

  /// Asks each process's flight recorder for a snapshot. False when they are none.
  public func requestSnapshots() -> Bool {
    guard !isOver, options.kept?.isInMemory == true else { return false }
    for process in [root] + children { process.recording.requestSnapshot() }
    return true
  }

  /// Snapshots that were written since the last call.
  public func takeSnapshots() -> [Snapshot] { ([root] + children).flatMap { $0.recording.takeSnapshots() } }

  /// Ends the recording: writes everything that was stored and completes the traces. Processes that go on record no
  /// more. A second call does nothing.
  public func end() {
    guard !isOver else { return }
    isOver = true
    let all = [root] + children
    for process in all { process.recording.spool.stopRecording() }
    for process in all {
      let spool = process.recording.spool
      let ran = spool.hasSeen(Int(RLT_SEEN_RUN))
      sawRun = sawRun || ran
      let outcome = Result { () throws(RecordingError) in
        ran ? try process.recording.finish() : try process.recording.drop()
      }
      if ran { traces.append(Trace(path: process.path, outcome: outcome)) }
      unlink(SpoolName.path(trace: process.path))
    }
    link?.remove()
  }
}
