import CRLTraceShims
import Foundation
import RunLoopProbe
import Scenario

/// Plays scenarios on the real CFRunLoop, in real time, recorded by a tracer.
package enum RealRecording {
  /// Plays a scenario and returns when it is over. A scenario of the main loop must be played on the main thread.
  package static func play(
    _ scenario: Scenario, seed: UInt64 = 0, _ tracer: RunLoopTracer, peerCommand: [String]
  ) {
    var played = scenario.workers.map {
      playElsewhere($0.scenario, named: $0.name, seed, tracer, peerCommand)
    }
    if scenario.isOnMain {
      playHere(scenario, seed, tracer, peerCommand)
    } else {
      played.append(playElsewhere(scenario, named: "scenario", seed, tracer, peerCommand))
    }
    for done in played { done.wait() }
  }

  /// Plays a scenario on a thread of its own. The semaphore is signalled when the scenario is over.
  private static func playElsewhere(
    _ scenario: Scenario, named name: String, _ seed: UInt64, _ tracer: RunLoopTracer, _ peerCommand: [String]
  ) -> DispatchSemaphore {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      rlt_name_thread(name)
      playHere(scenario, seed, tracer, peerCommand)
      done.signal()
    }
    return done
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
    player.endRecording()
    work.end()
  }
}
