import CRLTraceShims
import TraceFormat

/// A thread of the recorder's own. Foundation's threads would bring a run loop's machinery into the recorded program.
struct NativeThread {
  private let thread: pthread_t

  private final class Work {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  /// Starts `body` on a thread that is called `name`; it is to be joined or detached.
  init(_ name: String, _ body: @escaping @Sendable () -> Void) throws(RecordingError) {
    let work = Unmanaged.passRetained(
      Work {
        rlt_name_thread(name)
        body()
      })
    #if os(Linux)
    var made = pthread_t()
    #else
    var made: pthread_t?
    #endif
    let code = pthread_create(
      &made, nil,
      { context in
        #if os(Linux)
        let work = Unmanaged<Work>.fromOpaque(context!).takeRetainedValue()
        #else
        let work = Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
        #endif
        work.body()
        return nil
      }, work.toOpaque())
    guard code == 0 else {
      work.release()
      throw .noThread(code: code)
    }
    #if os(Linux)
    thread = made
    #else
    thread = made!
    #endif
  }

  func detach() { pthread_detach(thread) }

  func join() { pthread_join(thread, nil) }
}
