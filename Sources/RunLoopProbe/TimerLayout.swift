import CRLTraceShims
import CoreFoundation

/// Reads a timer's due point on the monotonic clock.
enum TimerLayout {
  /// Where a CFRunLoopTimer keeps it, -1 when that could not be found out. See rltrace_timer_layout.h.
  static let offset: Int = {
    let interval = 7_654_321.0625
    let seconds = 1000.0
    let earliest = rlt_monotonic_ns()
    guard
      let probe = CFRunLoopTimerCreate(
        nil, CFAbsoluteTimeGetCurrent() + seconds, interval, 0, 0, { _, _ in }, nil)
    else { return -1 }
    let latest = rlt_monotonic_ns()
    let ahead = UInt64(seconds) * 1_000_000_000
    // A millisecond of tolerance: the date is a double of microseconds' precision.
    return rlt_find_fire_time_offset(
      Unmanaged.passUnretained(probe).toOpaque(), interval, earliest + ahead - 1_000_000,
      latest + ahead + 1_000_000)
  }()

  static var isExact: Bool { offset >= 0 }

  /// The due point in force, CLOCK_MONOTONIC nanoseconds. Exact where the layout is known, else derived from
  /// the wall-clock fire date, which is good to about a microsecond and moves when the clock is set.
  static func due(of timer: CFRunLoopTimer) -> UInt64 {
    if offset >= 0 { return rlt_fire_time_at(Unmanaged.passUnretained(timer).toOpaque(), offset) }
    let ahead = CFRunLoopTimerGetNextFireDate(timer) - CFAbsoluteTimeGetCurrent()
    let due = Double(rlt_monotonic_ns()) + ahead * 1e9
    return due < 0 ? 0 : UInt64(due)
  }
}
