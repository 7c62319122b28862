import Foundation

/// A lock around recordings: a process can have only one at a time, and tests of all suites share a process.
package enum RecordingTurn {
  private static let lock = NSLock()

  package static func take<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }
}
