import RunLoopTrace
import TraceFormat

/// The one recording of this process, which all running tests share: a process can have only one.
///
/// The first test starts it and the last one ends it. In between, each test takes what was recorded so far, and judges
/// its own part of that.
enum SharedRecording {
  private struct State {
    var tracer: RunLoopTracer?
    var sink = RecordedBytes()
    var users = 0
  }

  private static let state = Locked(State())

  /// A shorter stall than the usual one, because limits in tests are often shorter than in apps.
  private static let stallNs: UInt64 = 50_000_000

  /// Joins the recording, or starts it. Throws if the program records itself already.
  static func join() throws(RecordingError) -> RunLoopTracer {
    let result: Result<RunLoopTracer, RecordingError> = state.withLock { state in
      if let tracer = state.tracer {
        state.users += 1
        return .success(tracer)
      }
      let sink = RecordedBytes()
      do throws(RecordingError) {
        let options = RecordingOptions(stalls: StallWatch(thresholdNs: stallNs), kept: nil)
        let tracer = try RunLoopTracer.start(sink: sink, options: options)
        (state.tracer, state.sink, state.users) = (tracer, sink, 1)
        return .success(tracer)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Returns the recording so far, without leaving it; nil if there is none.
  static func soFar() -> [UInt8]? {
    state.withLock { state in
      guard let tracer = state.tracer else { return nil }
      tracer.recorder.flush()
      return state.sink.bytes
    }
  }

  /// Leaves the recording and returns its bytes up to now.
  static func leave() throws(RecordingError) -> [UInt8] {
    let result: Result<[UInt8], RecordingError> = state.withLock { state in
      guard let tracer = state.tracer else { return .success([]) }
      let sink = state.sink
      state.users -= 1
      guard state.users == 0 else {
        tracer.recorder.flush()
        return .success(sink.bytes)
      }
      state = State()
      do throws(RecordingError) {
        try tracer.stop()
        return .success(sink.bytes)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

/// The bytes of a recording. The drain appends to them while tests read them.
final class RecordedBytes: ByteSink, Sendable {
  private let content = Locked<[UInt8]>([])

  var bytes: [UInt8] { content.withLock { $0 } }

  func write(_ more: UnsafeRawBufferPointer) { content.withLock { $0.append(contentsOf: more) } }
  func commit() {}
  func discard() { content.withLock { $0 = [] } }
  func leave() {}
}
