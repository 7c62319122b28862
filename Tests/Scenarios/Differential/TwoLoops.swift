import CVirtualKernel
import Foundation
import RunLoopModel
import Scenario
import ScenarioRunners

/// Plays a scenario on each of the two loops, and returns lines of the form "time event".
///
/// A loop may wait forever, because a nested run used up the wake-up for the end of an outer run. On a real kernel
/// nothing more would happen; here the comparison ends.
enum TwoLoops {
  private static let stepLimit = 3000
  /// Both loops start at the same time: durations are converted to floating-point numbers, and must be rounded in the
  /// same way.
  private static let startNs: UInt64 = 1_000_000_000_000
  private static let wallNs: Int64 = 0
  /// 2001-01-01, the origin of CoreFoundation's absolute time.
  private static let wallOf2001: Int64 = 978_307_200_000_000_000

  static func differ(_ scenario: Scenario, _ rules: RunLoopRules) -> Bool {
    real(scenario) != model(scenario, rules: rules)
  }

  static func model(_ scenario: Scenario, rules: RunLoopRules = .linux) -> [String] {
    let clock = VirtualClock(now: startNs, wallStartNs: wallNs)
    let host = ModelHost(ModelRunLoop(clock: clock, isMain: scenario.isOnMain, rules: rules))
    var log: [String] = []
    let player = ScenarioPlayer(scenario, on: host, stepLimit: stepLimit) {
      if !host.loop.waitedForever { log.append("\(host.nowNs) \($0)") }
    }
    player.prepare()
    player.play()
    return log + (host.loop.waitedForever ? ["waits forever"] : [])
  }

  /// Plays the scenario on a new thread, which has a new loop. Scenarios of the main loop run in a separate process.
  static func real(_ scenario: Scenario) -> [String] {
    guard !scenario.isOnMain else { return inAnotherProcess(scenario) }
    nonisolated(unsafe) var log: [String] = []
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      log = realHere(scenario)
      done.signal()
    }
    done.wait()
    return log
  }

  private static func inAnotherProcess(_ scenario: Scenario) -> [String] {
    do {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/proc/self/exe")
      process.arguments = ["--play"]
      let input = Pipe(), output = Pipe()
      process.standardInput = input
      process.standardOutput = output
      try process.run()
      try input.fileHandleForWriting.write(contentsOf: Data(ScenarioWriter.write(scenario).utf8))
      try input.fileHandleForWriting.close()
      let text = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    } catch {
      return ["cannot run another process: \(error)"]
    }
  }

  /// Plays the scenario on the calling thread. Another thread does the work of other threads.
  static func realHere(_ scenario: Scenario) -> [String] {
    var log: [String] = []
    vk_begin(startNs, wallOf2001 + wallNs)
    let others = OtherThread(world: vk_world())
    let host = RealHost(
      RealHost.Kernel(
        spend: { vk_advance($0) },
        at: { time, body in
          let call = Unmanaged.passRetained(Call { others.run(body) })
          vk_at(time, { Unmanaged<Call>.fromOpaque($0!).takeRetainedValue().body() }, call.toOpaque())
        }))
    let player = ScenarioPlayer(scenario, on: host, stepLimit: stepLimit) {
      if vk_waits_forever() == 0 { log.append("\(host.nowNs) \($0)") }
    }
    player.prepare()
    player.play()
    if vk_waits_forever() != 0 { log.append("waits forever") }
    others.end()
    vk_end()
    return log
  }

  private final class Call {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }
}

/// A thread in the same virtual time that acts while the loop's thread waits for it.
private final class OtherThread: @unchecked Sendable {
  private let wanted = DispatchSemaphore(value: 0)
  private let done = DispatchSemaphore(value: 0)
  private var body: (() -> Void)?

  init(world: UnsafeMutableRawPointer?) {
    nonisolated(unsafe) let world = world
    Thread.detachNewThread { [self] in
      while true {
        wanted.wait()
        guard let body else { return }
        vk_enter(world)
        body()
        vk_enter(nil)
        done.signal()
      }
    }
  }

  func run(_ body: @escaping () -> Void) {
    self.body = body
    wanted.signal()
    done.wait()
  }

  func end() {
    body = nil
    wanted.signal()
  }
}
