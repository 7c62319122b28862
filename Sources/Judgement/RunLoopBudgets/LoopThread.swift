import Dispatch
import SystemSupport

/// A thread that runs the code of one actor, so that a test's body has a thread and a run loop of its own and stays
/// part of its task.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
final class LoopThread: SerialExecutor {
  private let jobs = Locked<[UnownedJob]>([])
  private let isEnding = Locked(false)
  private let wake = DispatchSemaphore(value: 0)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    wake.signal()
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  /// Starts the thread. Throws if the system cannot create it.
  func start() throws(NativeThread.Failure) {
    try NativeThread("rltrace-test") { [self] in
      while !isEnding.withLock({ $0 }) {
        wake.wait()
        let next = jobs.withLock { jobs in
          defer { jobs = [] }
          return jobs
        }
        for job in next { job.runSynchronously(on: asUnownedSerialExecutor()) }
      }
    }.detach()
  }

  /// Ends the thread after its queued jobs.
  func end() {
    isEnding.withLock { $0 = true }
    wake.signal()
  }
}

/// Runs bodies on a thread with a run loop of its own.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
actor LoopActor {
  private let thread: LoopThread
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  init(_ thread: LoopThread) { self.thread = thread }

  func run<Value: Sendable>(_ body: @Sendable () -> Value) -> Value { body() }
}
