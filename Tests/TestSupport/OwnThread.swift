import Foundation
import Testing

extension Trait where Self == OwnThread {
  /// Runs each test of a suite on a thread of its own. Swift has one thread for each processor, and a test that waits
  /// for a program keeps its thread. With this trait, `tools/test` decides how many tests run at once. A plain
  /// `swift test` has no limit.
  package static var ownThread: Self { OwnThread() }
}

package struct OwnThread: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(NewThreads()) { try await function() }
  }
}

/// Runs each part of a task on a new thread.
private final class NewThreads: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    Thread.detachNewThread { job.runSynchronously(on: executor) }
  }
}
