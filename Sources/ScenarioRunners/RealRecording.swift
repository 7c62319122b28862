import CRLTraceShims
import Foundation
import RunLoopProbe
import Scenario

/// Plays a scenario on the real CFRunLoop, in real time, recorded by a tracer.
public enum RealRecording {
  /// Returns when the scenario is over. On the main thread only for scenarios of the main loop.
  public static func play(
    _ scenario: Scenario, seed: UInt64 = 0, _ tracer: RunLoopTracer, peerCommand: [String]
  ) {
    guard !scenario.isOnMain else { return playHere(scenario, seed, tracer, peerCommand) }
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      rlt_name_thread("scenario")
      playHere(scenario, seed, tracer, peerCommand)
      done.signal()
    }
    done.wait()
  }

  private static func playHere(
    _ scenario: Scenario, _ seed: UInt64, _ tracer: RunLoopTracer, _ peerCommand: [String]
  ) {
    let work = RealWork(peerCommand: peerCommand)
    let host = RecordedHost(tracer, work: work)
    let player = ScenarioPlayer(scenario, on: host, seed: seed)
    player.prepare()
    player.play()
    host.end()
    player.end()
    work.end()
  }
}
