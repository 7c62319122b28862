import Foundation
import Scenario
import ScenarioRunners

/// The model against the real loop on the real kernel: the order of what happens, without times.
enum RealKernel {
  /// A busy machine may upset an order: the model's must come out in one of these runs, each with its times that much
  /// longer.
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

  /// `patience`: the scenarios take less than a second, without their scale.
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
    // A run may wait for ever: because a nested one used up its wake-up, which the model says, too, or because on a late
    // machine a stop came before its run. The thread is left to itself.
    let hasEnded = done.wait(timeout: .now() + patience) == .success
    if !hasEnded { lock.withLock { log.append("0 for ever") } }
    return lock.withLock { log }
  }

  /// Lines without their times, without what other threads do, and without cycles of waiting and waking in which
  /// nothing happens: a real kernel wakes a loop now and then for nothing.
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
