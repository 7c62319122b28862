import CRLTraceShims

/// A thread of this library. Foundation's threads would bring a run loop's machinery into a recorded program.
package struct NativeThread {
  /// The system could not create a thread. `code` is errno.
  package struct Failure: Error {
    package let code: Int32
  }

  private let thread: pthread_t

  private final class Work {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  /// Starts `body` on a thread called `name`. The caller must join or detach it.
  package init(_ name: String, _ body: @escaping @Sendable () -> Void) throws(Failure) {
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
      throw Failure(code: code)
    }
    #if os(Linux)
    thread = made
    #else
    thread = made!
    #endif
  }

  package func detach() { pthread_detach(thread) }

  package func join() { pthread_join(thread, nil) }
}
