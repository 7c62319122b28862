// A CFRunLoop whose callouts refresh and sync come in turn, 24 times each. tools/functions-check compares builds that
// differ in one of the amounts of `Amount`, which it writes: milliseconds, and 1 or 0 for the callout that calls
// check().
//
// At the end, prints a line for each function in a callout. The times are of all calls together, in nanoseconds of the
// monotonic clock and of the thread's processor clock:
//
//     measured CALLOUT FUNCTION CALLS WALL CPU
import CoreFoundation
import Dispatch
import Foundation

@main private struct RunLoopProgram {
  private static let text = String(repeating: "a run loop, ", count: 50)
  private static let lock = NSLock()
  private static let isWanted = DispatchSemaphore(value: 0)
  private static let isTaken = DispatchSemaphore(value: 0)
  nonisolated(unsafe) private static var roundsLeft = 24
  nonisolated(unsafe) private static var measured: [String: (calls: Int, wallNs: Int, cpuNs: Int)] = [:]

  static func main() {
    Thread.detachNewThread { holdLock() }
    scheduleRefresh()
    CFRunLoopRun()
    for (name, sum) in measured { print("measured", name, sum.calls, sum.wallNs, sum.cpuNs) }
  }

  // MARK: Callouts

  // Pauses vary, so that samples come at different times of the callouts.
  private static var pause: Double { .random(in: 0.01...0.03) }

  private static func scheduleRefresh() {
    _ = Timer.scheduledTimer(withTimeInterval: pause, repeats: false) { _ in refresh() }
  }

  private static func scheduleSync() {
    _ = Timer.scheduledTimer(withTimeInterval: pause, repeats: false) { _ in sync() }
  }

  private static func refresh() {
    measure("refresh parse", parse)
    measure("refresh save", save)
    if Amount.checkInRefresh == 1 { measure("refresh check", check) }
    scheduleSync()
  }

  private static func sync() {
    measure("sync render", render)
    measure("sync rest", rest)
    if Amount.checkInSync == 1 { measure("sync check", check) }
    roundsLeft -= 1
    if roundsLeft == 0 { CFRunLoopStop(CFRunLoopGetMain()) } else { scheduleRefresh() }
  }

  // MARK: Functions

  // They call the library only, so that each of them is the program's innermost function.

  @inline(never) private static func parse() {
    let end = nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) + Amount.parse * 1_000_000
    var now = timespec()
    repeat {
      _ = text.range(of: "SYNC", options: .caseInsensitive)
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
    } while now.tv_sec * 1_000_000_000 + now.tv_nsec < end
  }

  @inline(never) private static func render() {
    let end = nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) + Amount.render * 1_000_000
    var now = timespec()
    repeat {
      _ = NSString(string: text).appending("!")
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
    } while now.tv_sec * 1_000_000_000 + now.tv_nsec < end
  }

  @inline(never) private static func check() {
    let end = nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) + 30_000_000
    var now = timespec()
    repeat {
      _ = text.range(of: "loop$", options: .regularExpression)
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
    } while now.tv_sec * 1_000_000_000 + now.tv_nsec < end
  }

  @inline(never) private static func save() {
    isWanted.signal()
    isTaken.wait()
    lock.lock()
    lock.unlock()
  }

  @inline(never) private static func rest() {
    let end = Date(timeIntervalSinceNow: Double(Amount.rest) / 1000)
    repeat { Thread.sleep(until: end) } while Date() < end
  }

  /// The thread that has the lock when save() needs it.
  private static func holdLock() {
    while true {
      isWanted.wait()
      lock.lock()
      isTaken.signal()
      Thread.sleep(forTimeInterval: Double(Amount.save) / 1000)
      lock.unlock()
    }
  }

  // MARK: Clocks

  @inline(never) private static func measure(_ name: String, _ function: () -> Void) {
    let (wall, cpu) = (nanoseconds(of: CLOCK_MONOTONIC), nanoseconds(of: CLOCK_THREAD_CPUTIME_ID))
    function()
    let sum = measured[name] ?? (0, 0, 0)
    measured[name] = (
      sum.calls + 1, sum.wallNs + nanoseconds(of: CLOCK_MONOTONIC) - wall,
      sum.cpuNs + nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) - cpu
    )
  }

  @inline(never) private static func nanoseconds(of clock: clockid_t) -> Int {
    var now = timespec()
    clock_gettime(clock, &now)
    return now.tv_sec * 1_000_000_000 + now.tv_nsec
  }
}
