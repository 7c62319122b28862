import CoreFoundation
import Foundation

/// A thread whose loop has one source0 that does nothing. The source is not traced, so the loops of all measurements
/// have the same items and differ only in their observers.
final class PollLoop: @unchecked Sendable {
  #if os(Linux)
  static var mode: CFRunLoopMode { kCFRunLoopDefaultMode }
  #else
  static var mode: CFRunLoopMode { CFRunLoopMode.defaultMode }
  #endif

  private let source: CFRunLoopSource
  private let isThere = DispatchSemaphore(value: 0)
  private let isDone = DispatchSemaphore(value: 0)
  /// Handed over under the semaphores.
  private var body: () -> Void = {}

  init() {
    var context = CFRunLoopSourceContext()
    context.perform = { _ in }
    source = CFRunLoopSourceCreate(nil, 0, &context)
    Thread.detachNewThread { [self] in
      CFRunLoopAddSource(CFRunLoopGetCurrent(), source, PollLoop.mode)
      while true {
        isThere.wait()
        body()
        isDone.signal()
      }
    }
  }

  /// Runs `work` on the loop's thread and waits for it.
  func perform<Value>(_ work: @escaping () throws -> Value) throws -> Value {
    var result: Result<Value, any Error>?
    body = { result = Result(catching: work) }
    isThere.signal()
    isDone.wait()
    guard let result else { throw failure(70, "the thread of the loop returned no result") }
    return try result.get()
  }

  // MARK: For the loop's thread

  /// Adds observers that do nothing, with the number and orders of the probe's observers.
  static func addEmptyObservers() -> [CFRunLoopObserver?] {
    [CFIndex.min, CFIndex.max].map { order in
      let observer = CFRunLoopObserverCreate(
        nil, CFRunLoopActivity.allActivities.rawValue, true, order, { _, _, _ in }, nil)
      CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, PollLoop.mode)
      return observer
    }
  }

  func run(passes: Int) {
    for _ in 0..<passes {
      CFRunLoopSourceSignal(source)
      CFRunLoopRunInMode(PollLoop.mode, 0, true)
    }
  }

  func nsPerPass(passes: Int) -> Double { Double(threadCPUNs { run(passes: passes) }) / Double(passes) }
}
