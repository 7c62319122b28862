import Foundation

/// A process has one recording at a time, and tests of all suites share a process: they take turns.
public enum RecordingTurn {
  private static let lock = NSLock()

  public static func take<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }
}
