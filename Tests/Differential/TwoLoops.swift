import CVirtualKernel
import Foundation
import RunLoopModel
import Scenario
import ScenarioRunners

/// One scenario on each of the two loops, as lines "time what".
///
/// A loop may come to wait for what never comes: a nested run has used up the wake-up of an outer run's end. What happens
/// in the real world then is nothing; here the comparison ends.
enum TwoLoops {
  private static let stepLimit = 3000
  /// Both begin at the same moment: durations become floating-point numbers on the way, and must round alike.
  private static let startNs: UInt64 = 1_000_000_000_000
  private static let wallNs: Int64 = 0
  /// 2001-01-01, where the absolute time of CoreFoundation begins.
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
    return log + (host.loop.waitedForever ? ["waits for ever"] : [])
  }

  /// On a thread of its own, which has a fresh loop; scenarios of the main loop in a process of their own.
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

  /// On the calling thread. What other threads do, another thread does.
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
    if vk_waits_forever() != 0 { log.append("waits for ever") }
    others.end()
    vk_end()
    return log
  }

  private final class Call {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }
}

/// A thread in the same virtual time, which acts while the loop's thread waits for it.
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
