// The log of a program about itself. tools/executors compares it with the trace.
import Dispatch
import Foundation

@_silgen_name("gettid") private func threadNumber() -> Int32

/// Lines of standard output, printed at the end so that printing takes no time in between:
///
///     step TIME THREAD TASK      a moment in nanoseconds of the monotonic clock; the task has no name: -
///     main TIME FUNCTION         a moment in a function of the main actor
///     tasks COUNT NAME           how many tasks were created with this name
enum Log {
  private static let lock = NSLock()
  nonisolated(unsafe) private static var lines: [String] = []

  /// Notes that the current task is running.
  static func step() {
    add("step \(now()) \(threadNumber()) \(Task.name ?? "-")")
  }

  static func stepOnMain(_ function: String = #function) { add("main \(now()) \(function)") }

  static func tasks(_ count: Int, _ name: String) { add("tasks \(count) \(name)") }

  static func write() { lock.withLock { print(lines.joined(separator: "\n")) } }

  private static func add(_ line: String) { lock.withLock { lines.append(line) } }

  static func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
}

/// Computes for a time.
@inline(never) func spin(milliseconds: UInt64) {
  let end = Log.now() + milliseconds * 1_000_000
  var sum = 0.0
  while Log.now() < end { for number in 1..<100 { sum += 1 / Double(number) } }
  if sum < 0 { print(sum) }
}

func pause(milliseconds: UInt64) async { try? await Task.sleep(nanoseconds: milliseconds * 1_000_000) }

/// Ends with a message if the arguments name no program.
func noProgram(_ names: String) -> Never {
  print("programs: \(names)")
  exit(64)
}
