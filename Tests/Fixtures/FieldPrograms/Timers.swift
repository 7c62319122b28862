import CoreFoundation
import Foundation

/// Timers that starve, leak or stay overdue.
enum Timers {
  /// A status item polls ten times a second. A dialog runs modally for three seconds, and the poller starves.
  static func modalPoller(_ arguments: [String]) {
    nonisolated(unsafe) var updates = 0
    _ = Timer.scheduledTimer(withTimeInterval: 0.1, repeats: true) { _ in
      let text = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? ""
      if !text.isEmpty { updates += 1 }
    }
    DispatchQueue.main.asyncAfter(deadline: .now() + 1) { runModal(for: 3) }
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 6))
    print("updates: \(updates)")
  }

  private static func runModal(for seconds: Double) {
    let mode = RunLoop.Mode("NSModalPanelRunLoopMode")
    nonisolated(unsafe) var isOpen = true
    let blink = Timer(timeInterval: 0.5, repeats: true) { _ in }
    RunLoop.current.add(blink, forMode: mode)
    let close = Timer(fire: Date(timeIntervalSinceNow: seconds), interval: 0, repeats: false) { _ in
      isOpen = false
    }
    RunLoop.current.add(close, forMode: mode)
    while isOpen { _ = RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: 0.25)) }
    blink.invalidate()
  }

  final class Row {
    let created = Date()
    var label = ""
    func appear() {
      _ = Timer.scheduledTimer(withTimeInterval: 0.05, repeats: true) { [unowned(unsafe) self] _ in
        self.label = "\(Int(-self.created.timeIntervalSinceNow)) seconds ago"
      }
      rows.append(self)
    }
  }
  nonisolated(unsafe) static var rows: [Row] = []

  /// Every row that appears starts a timer, and the program never stops one.
  static func leakyRows(_ arguments: [String]) {
    _ = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: true) { _ in Row().appear() }
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 6))
  }

  static func mode(_ name: String) -> CFString {
    name.withCString { CFStringCreateWithCString(nil, $0, 0x0800_0100) }
  }

  /// Removes a timer of the default mode from the common modes. It is not a common item, so the call has no effect.
  static func removeFromCommon(_ arguments: [String]) {
    nonisolated(unsafe) var fires = 0
    func timer(_ interval: Double, _ fire: @escaping () -> Void) -> CFRunLoopTimer {
      CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + 0.01, interval, 0, 0) { _ in fire() }!
    }
    let removed = timer(0.01) { fires += 1 }
    let other = timer(0.05) {}
    CFRunLoopAddTimer(CFRunLoopGetCurrent(), removed, kCFRunLoopDefaultMode)
    CFRunLoopAddTimer(CFRunLoopGetCurrent(), other, mode("tracking"))
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.1, false)
    CFRunLoopRemoveTimer(CFRunLoopGetCurrent(), removed, kCFRunLoopCommonModes)
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.1, false)
    CFRunLoopRunInMode(mode("tracking"), 2, false)
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.1, false)
    print("fires \(fires)")
  }

  /// Ten one-shot timers with the same creation site, each 1.9 s overdue at the end.
  static func overdueOneShots(_ arguments: [String]) {
    func timer(_ delay: Double, every interval: Double, _ mode: CFString) {
      CFRunLoopAddTimer(
        CFRunLoopGetCurrent(),
        CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + delay, interval, 0, 0) { _ in }!,
        mode)
    }
    timer(0.05, every: 0.05, kCFRunLoopDefaultMode)
    for _ in 0..<10 { timer(0.1, every: 0, mode("other")) }
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 2, false)
    print("end")
  }
}
