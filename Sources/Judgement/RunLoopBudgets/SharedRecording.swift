import Foundation
import RunLoopTrace
import SystemSupport
import TraceFormat
import TraceGate
import TraceRecorder

/// The one recording of this process, which all tests share: a process can have only one.
///
/// Starting and ending a recording takes longer than a short test. So the first test starts it, and it ends some time
/// after the last one. Each test takes what was recorded so far, and judges its own part of that.
enum SharedRecording {
  private struct State {
    var tracer: RunLoopTracer?
    var sink = RecordedBytes()
    var users = 0
    /// The number of pauses so far. A pause begins when the last running test leaves the recording.
    var pauses = 0
    var isWatchingPauses = false
  }

  private static let state = Locked(State())

  /// A shorter stall threshold than usual, because limits in tests are often shorter than in apps.
  private static let stallNs: UInt64 = 50_000_000
  /// The recording continues without tests for at least this time, and at most twice as long.
  private static let longestPauseUs: UInt32 = 1_000_000
  /// A recording longer than this is replaced between two tests, because each test reads all of it.
  private static let longestBytes = 32 << 10

  /// Joins the recording, or starts it. Throws if the program is already recording itself.
  static func join() throws(RecordingError) -> RunLoopTracer {
    let result: Result<RunLoopTracer, RecordingError> = state.withLock { state in
      do throws(RecordingError) {
        TraceRecorder.setOnTakeover(nil)
        if state.users == 0, state.sink.count > longestBytes { try end(&state) }
        let tracer: RunLoopTracer
        if let known = state.tracer { tracer = known } else { tracer = try start(&state) }
        state.users += 1
        return .success(tracer)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private static func start(_ state: inout State) throws(RecordingError) -> RunLoopTracer {
    let sink = RecordedBytes()
    let options = RecordingOptions(stalls: StallWatch(thresholdNs: stallNs), kept: nil)
    let tracer = try RunLoopTracer.start(sink: sink, options: options)
    (state.tracer, state.sink) = (tracer, sink)
    return tracer
  }

  private static func end(_ state: inout State) throws(RecordingError) {
    let tracer = state.tracer
    (state.tracer, state.sink) = (nil, RecordedBytes())
    try tracer?.stop()
  }

  /// Returns the recording so far, without leaving it; nil if there is none.
  static func soFar() -> RecordingSoFar? {
    let current = state.withLock { $0.users > 0 ? ($0.tracer, $0.sink) : (nil, $0.sink) }
    guard let tracer = current.0 else { return nil }
    tracer.recorder.flush()
    return current.1.soFar()
  }

  /// Leaves the recording, and returns what has been recorded so far.
  static func leave() -> RecordingSoFar {
    let recorded = soFar() ?? RecordedBytes().soFar()
    state.withLock { state in
      state.users -= 1
      guard state.users == 0 else { return }
      state.pauses += 1
      // A test may want to record itself.
      TraceRecorder.setOnTakeover { endPause() }
      guard !state.isWatchingPauses else { return }
      // Without a thread, the recording continues until the process ends or records itself.
      state.isWatchingPauses = (try? NativeThread("rltrace-pause") { watchPauses() }.detach()) != nil
    }
    return recorded
  }

  /// Ends the recording if no test uses it.
  private static func endPause() {
    state.withLock { state in
      guard state.users == 0 else { return }
      TraceRecorder.setOnTakeover(nil)
      // All tests were judged, so its trace is not needed.
      try? end(&state)
    }
  }

  /// Waits for a pause that lasts too long, and ends the recording.
  private static func watchPauses() {
    var last = 0
    var isOver = false
    while !isOver {
      usleep(longestPauseUs)
      (last, isOver) = state.withLock { state in
        let isTooLong = state.users == 0 && state.pauses == last
        if isTooLong { state.isWatchingPauses = false }
        return (state.pauses, isTooLong)
      }
    }
    endPause()
  }
}

/// The bytes of a recording. The drain appends to them while tests read them.
final class RecordedBytes: ByteSink, Sendable {
  private let content = Locked<[UInt8]>([])
  private let index = Locked(ExcerptIndex())

  func soFar() -> RecordingSoFar { RecordingSoFar(bytes: content.withLock { $0 }, index: index) }
  var count: Int { content.withLock { $0.count } }

  func write(_ more: UnsafeRawBufferPointer) { content.withLock { $0.append(contentsOf: more) } }
  func commit() {}
  func discard() { content.withLock { $0 = [] } }
  func leave() {}
}

/// The bytes recorded so far: the beginning of a trace, without its end.
struct RecordingSoFar: Sendable {
  let bytes: [UInt8]
  fileprivate let index: Locked<ExcerptIndex>

  /// Returns the index of the recording. Each block is read for the first test that needs it.
  func index(_ reader: TraceReader) throws(TraceFormatError) -> ExcerptIndex {
    let result: Result<ExcerptIndex, TraceFormatError> = index.withLock { index in
      do throws(TraceFormatError) {
        try index.add(reader)
        return .success(index)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
