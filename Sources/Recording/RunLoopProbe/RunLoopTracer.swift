import CRLTraceLoops
import CRLTraceShims
import CRLTraceStacks
import CoreFoundation
import SystemSupport
import TraceFormat
import TraceRecorder

/// Records the run loops of the program that links it.
///
/// ```swift
/// let tracer = try RunLoopTracer.start(output: "app.rltrace")
/// let timer = tracer.timer(name: "refresh", interval: 0.1) { model.refresh() }
/// timer.add(mode: ModeName.common)
/// …
/// let summary = try tracer.stop()
/// ```
///
/// Public observers record the six activities of every mode. Timers, sources and blocks are recorded if they are made
/// through the tracer (`timer`, `source0`, `source1`, `perform`), because CoreFoundation has no public way to observe
/// them. Thread-safe.
public final class RunLoopTracer: Sendable {
  package let recorder: TraceRecorder
  /// The recorder that was loaded into this process from outside. If there is one, this tracer only passes on the
  /// program's marks.
  let preload: PreloadedRecorder?
  let signposts: SignpostMirror?
  /// Nil = callouts are not repeated as signposts.
  private let calloutSignposts: SignpostMirror?
  private let attachments = Locked<[UInt: LoopAttachment]>([:])

  /// Starts recording this process to the file `output`, and observes the loops of the main and the calling thread.
  ///
  /// In a program that `rltrace record` runs, this makes no file. The program is recorded once, from outside, and
  /// marks, life-cycle phases and background tasks go into that recording.
  ///
  /// An older trace with that name is removed at once, so the file at the end is this recording or does not exist.
  /// Throws if the file cannot be written or is not a trace, if a recording is in progress, and if an earlier
  /// recording with that name was never finished; see `recoverPrevious`.
  public static func start(
    output: String, options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) -> RunLoopTracer {
    if let preload = PreloadedRecorder() {
      return RunLoopTracer(recorder: try TraceRecorder.idle(), preload: preload, options)
    }
    let sink: FileSink
    do throws(TraceFormatError) {
      try PreviousRecording.removeEmpty(of: output, options)
      sink = try FileSink(recording: output, removesOlder: true)
    } catch {
      throw .trace(error)
    }
    return try start(output: output, sink: sink, options: options)
  }

  /// Returns a tracer that passes the program's marks on to the recorder that was loaded from outside; nil if there is
  /// none.
  package static func outside() throws(RecordingError) -> RunLoopTracer? {
    guard let preload = PreloadedRecorder() else { return nil }
    return RunLoopTracer(recorder: try TraceRecorder.idle(), preload: preload, RecordingOptions())
  }

  /// Starts recording to the file `output` that `sink` makes, even if this program is also recorded from outside.
  package static func start(
    output: String, sink: FileSink, options: RecordingOptions
  ) throws(RecordingError) -> RunLoopTracer {
    try start(
      sink: sink, options: options, spoolPath: options.survivesCrashes ? SpoolName.path(trace: output) : nil,
      trace: output)
  }

  /// Finishes the recording to `output` of an earlier run of this program that crashed or was killed, as the trace
  /// `destination`. Call it before `start`. Returns nil if there is nothing to finish.
  ///
  /// The codec of `options` must be that of the earlier recording. Throws if that recording is still in progress or
  /// the trace cannot be written; the files are then left unchanged.
  public static func recoverPrevious(
    output: String, to destination: String, options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) -> SpoolRecovery.Summary? {
    do throws(TraceFormatError) {
      return try PreviousRecording.recover(output, to: destination, options)
    } catch {
      throw .trace(error)
    }
  }

  /// Starts recording into a sink of the caller.
  public static func start(
    sink: any ByteSink & Sendable, options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) -> RunLoopTracer {
    try start(sink: sink, options: options, spoolPath: nil, trace: nil)
  }

  private static func start(
    sink: any ByteSink & Sendable, options: RecordingOptions, spoolPath: String?, trace: String?
  ) throws(RecordingError) -> RunLoopTracer {
    var options = options
    options.info.append(InfoEntry(key: "due_points", value: unsafe String(cString: rlt_due_points())))
    let sampling = options.stalls == nil ? "off" : unsafe String(cString: rlt_stack_sampling())
    options.info.append(InfoEntry(key: InfoEntry.stackSampling, value: sampling))
    // The tool states itself as the recorder of its scenarios.
    if !options.info.contains(where: { $0.key == InfoEntry.recorder }) {
      options.info.append(InfoEntry(key: InfoEntry.library, value: Release.of("RunLoopTrace")))
    }
    let tracer = RunLoopTracer(
      recorder: try TraceRecorder.start(sink: sink, options: options, spoolPath: spoolPath, trace: trace),
      preload: nil, options)
    tracer.observe(CFRunLoopGetMain())
    tracer.observe(CFRunLoopGetCurrent())
    return tracer
  }

  private init(recorder: TraceRecorder, preload: PreloadedRecorder?, _ options: RecordingOptions) {
    self.recorder = recorder
    self.preload = preload
    signposts = options.signpostSubsystem.map(SignpostMirror.init)
    calloutSignposts = options.signpostsCallouts ? signposts : nil
  }

  /// Returns the callout of an item with signposts around it, or the callout itself if callouts get no signposts.
  func mirrored(_ name: String, _ callout: @escaping () -> Void) -> () -> Void {
    calloutSignposts?.around(callout, named: name) ?? callout
  }

  /// Observes a run loop, from any thread. Does nothing for a loop that is already observed.
  public func observe(_ loop: CFRunLoop) { _ = attachment(loop) }

  /// Observes a run loop as `observe` does. If it is already observed, also observes the modes that were created
  /// since.
  package func observeModes(of loop: CFRunLoop) {
    if let known = attachments.withLock({ $0[RunLoopTracer.key(loop)] }) {
      known.rescan()
    } else {
      observe(loop)
    }
  }

  /// Stops observing a run loop and releases it.
  package func forget(_ loop: CFRunLoop) {
    attachments.withLock { $0.removeValue(forKey: RunLoopTracer.key(loop)) }?.detach()
  }

  private static func key(_ loop: CFRunLoop) -> UInt {
    unsafe UInt(bitPattern: Unmanaged.passUnretained(loop).toOpaque())
  }

  /// Ends the recording and completes the file. Throws if the file could not be written; `recoverPrevious` can then
  /// finish it when there is space again.
  @discardableResult
  public func stop() throws(RecordingError) -> RecordingSummary {
    try recorder.stop {
      let all = attachments.withLock { attachments in
        defer { attachments = [:] }
        return Array(attachments.values)
      }
      for attachment in all { attachment.detach() }
    }
  }

  func attachment(_ loop: CFRunLoop) -> LoopAttachment {
    let key = RunLoopTracer.key(loop)
    if let known = attachments.withLock({ $0[key] }) { return known }
    let name = loop === CFRunLoopGetMain() ? "main" : "loop-\(String(key, radix: 16))"
    let made = LoopAttachment(loop: loop, name: name, recorder: recorder)
    let kept: LoopAttachment? = attachments.withLock { attachments in
      // No new observers after the end, because they would never be removed.
      guard recorder.isRecording else { return nil }
      if let other = attachments[key] { return other }
      attachments[key] = made
      return made
    }
    if kept !== made { made.detach() }
    return kept ?? made
  }

  // MARK: Runs and calls on the loop

  /// Runs the calling thread's loop once in `mode`, as CFRunLoopRunInMode does, and records the call and its result.
  @discardableResult
  public func run(
    mode: String = ModeName.default, seconds: CFTimeInterval, returnAfterSourceHandled: Bool = false
  ) -> CFRunLoopRunResult {
    let attachment = attachment(CFRunLoopGetCurrent())
    let id = recorder.mode(mode)
    recorder.emit(
      .runBegin, mode: id, object: attachment.object, rlt_timeout_ns(seconds),
      returnAfterSourceHandled ? 1 : 0)
    let result = CFRunLoopRunInMode(CF.mode(mode), seconds, returnAfterSourceHandled)
    recorder.emit(.runEnd, mode: id, object: attachment.object, UInt64(bitPattern: Int64(result.rawValue)))
    return result
  }

  /// Makes a mode common, as CFRunLoopAddCommonMode does.
  public func addCommonMode(_ mode: String, loop: CFRunLoop = CFRunLoopGetCurrent()) {
    CFRunLoopAddCommonMode(loop, CF.mode(mode))
    attachment(loop).noteCommon(mode: mode)
    attachment(loop).rescan()
  }

  /// Wakes a loop, as CFRunLoopWakeUp does.
  public func wakeUp(_ loop: CFRunLoop) {
    recorder.emit(.loopWakeUp, object: attachment(loop).object)
    CFRunLoopWakeUp(loop)
  }

  /// Stops the innermost run of a loop, as CFRunLoopStop does.
  public func stop(loop: CFRunLoop) {
    recorder.emit(.loopStop, object: attachment(loop).object)
    CFRunLoopStop(loop)
  }
}
