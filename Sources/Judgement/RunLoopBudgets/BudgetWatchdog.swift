import Foundation
import SystemSupport
import TraceAnalysis
import TraceFormat
import TraceGate

/// Ends the test run with evidence if a loop is blocked permanently. `RLTRACE_BUDGET_ABORT=1` switches it on.
///
/// A thread of the recorder reads the recording so far from time to time, because a blocked thread cannot report
/// itself.
enum BudgetWatchdog {
  /// A blocked loop is one that is busy for this many times the limit.
  static let factor: UInt64 = 10
  private static let shortestLookNs: UInt64 = 100_000_000

  private struct Watched: Sendable {
    var name: String
    var osThread: UInt64
    var blockedNs: UInt64
    var endsAtNs: UInt64
  }

  private struct State {
    var watched: [UInt64: Watched] = [:]
    var next: UInt64 = 0
    var isRunning = false
  }

  private static let state = Locked(State())

  /// A test that is being watched.
  struct Watch: Sendable {
    fileprivate let id: UInt64
    /// Stops watching. The watchdog does not judge a test that has ended.
    func end() { state.withLock { $0.watched[id] = nil } }
  }

  static func begin(name: String, osThread: UInt64, limitNs: UInt64) -> Watch {
    let mustStart: Bool
    let id: UInt64
    (id, mustStart) = state.withLock { state in
      state.next += 1
      let blockedNs = limitNs.multipliedReportingOverflow(by: factor).partialValue
      state.watched[state.next] = Watched(
        name: name, osThread: osThread, blockedNs: blockedNs, endsAtNs: now() &+ blockedNs)
      defer { state.isRunning = true }
      return (state.next, !state.isRunning)
    }
    if mustStart { start() }
    return Watch(id: id)
  }

  /// Starts the watchdog's thread. If that fails, the next test tries again.
  private static func start() {
    do {
      try NativeThread("rltrace-budget") { watch() }.detach()
    } catch {
      state.withLock { $0.isRunning = false }
      let reason = String(cString: strerror(error.code))
      report("\(BudgetSettings.abortName)=1 has no effect on this test: no thread can be started: \(reason)")
    }
  }

  private static func report(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

  private static func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

  private static func watch() {
    while true {
      usleep(UInt32(shortestLookNs / 1000))
      // A test that began less than this time ago cannot have a blocked loop.
      let old = state.withLock { state in state.watched.filter { $0.value.endsAtNs <= now() } }
      for (id, watched) in old { look(at: watched, id) }
    }
  }

  private static func look(at watched: Watched, _ id: UInt64) {
    guard let recorded = SharedRecording.soFar(),
      let part = try? BudgetVerdict.part(recorded, TestInterval.name(watched.name), watched.osThread),
      let busy = blocked(in: part, watched.blockedNs)
    else { return }
    // The test may have ended meanwhile.
    guard state.withLock({ $0.watched[id] != nil }) else { return }
    let named = (try? BudgetVerdict.named(part)) ?? part
    abort(watched, busy.durationNs, named)
  }

  private static func blocked(in part: [UInt8], _ ns: UInt64) -> BusyInterval? {
    guard let analysis = try? BudgetVerdict.analysis(of: part) else { return nil }
    return analysis.busy.first { $0.isOpen && $0.durationNs >= ns }
  }

  private static func abort(_ watched: Watched, _ busyNs: UInt64, _ trace: [UInt8]) -> Never {
    var lines = [
      "\(watched.name): the run loop has been blocked for \(Units.duration(busyNs)), \(factor) times its limit; "
        + "\(BudgetSettings.abortName)=1 ends the test run"
    ]
    let sampled = (try? BudgetVerdict.analysis(of: trace))?.sampledStacks ?? []
    if let stack = sampled.first(where: { $0.osThread == watched.osThread })?.frames {
      if let kind = StackCallout.kind(of: stack) { lines.append("in a callout of kind \(kind)") }
      lines += stack.prefix(40).map { "  \($0.sourcePlace)" }
    }
    lines.append(TraceFile.write(trace, test: watched.name))
    report(lines.joined(separator: "\n"))
    Foundation.abort()
  }
}
