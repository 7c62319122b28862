import Foundation
import Scenario
import ScenarioRunners

/// The model against the real loop on the real kernel. Compares the order of events without their times.
enum RealKernel {
  /// A busy machine may change the order, so the order of the model must occur in one of these runs. Each run scales
  /// its times by this factor.
  private static let scales = [1.0, 1, 1, 2, 2, 4, 4, 8]
  static func differs(_ scenario: Scenario, report: Bool) -> Bool {
    var real: [String] = []
    var model: [String] = []
    for scale in scales {
      let scenario = scenario.scaled(by: scale)
      model = order(TwoLoops.model(scenario))
      real = order(play(scenario, patience: .milliseconds(Int(5000 * scale))))
      if real == model { return false }
    }
    if report {
      print("\(scenario.name) differs:\n  the real loop: \(real)\n  the model:     \(model)")
    }
    return true
  }

  /// Plays a scenario on a new thread. `patience`: the time limit; before scaling, scenarios take less than a second.
  private static func play(_ scenario: Scenario, patience: DispatchTimeInterval) -> [String] {
    nonisolated(unsafe) var log: [String] = []
    let lock = NSLock()
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let others = OtherThreads()
      let host = RealHost(
        RealHost.Kernel(spend: { usleep(UInt32($0 / 1000)) }, at: { time, body in others.at(time, body) }))
      let player = ScenarioPlayer(scenario, on: host) { line in
        lock.withLock { log.append("\(host.nowNs) \(line)") }
      }
      player.prepare()
      player.play()
      others.end()
      done.signal()
    }
    // A run may wait forever. Either a nested run used up its wake-up, as in the model, or a slow machine began the run
    // only after its stop. The thread is then abandoned.
    let hasEnded = done.wait(timeout: .now() + patience) == .success
    if !hasEnded { lock.withLock { log.append("0 forever") } }
    return lock.withLock { log }
  }

  /// Returns the lines without their times, without the work of other threads, and without empty cycles of waiting
  /// and waking: a real kernel sometimes wakes a loop without reason.
  private static func order(_ log: [String]) -> [String] {
    let lines = log.map { String($0.drop { $0 != " " }.dropFirst()) }.filter { $0 != "other thread" }
    let cycle = ["BeforeWaiting", "AfterWaiting", "BeforeTimers", "BeforeSources"].map { "activity " + $0 }
    var kept: [String] = []
    for line in lines {
      kept.append(line)
      if kept.count > 4, line == cycle[0], Array(kept.suffix(5)) == cycle + [cycle[0]] { kept.removeLast(4) }
    }
    return kept
  }
}
