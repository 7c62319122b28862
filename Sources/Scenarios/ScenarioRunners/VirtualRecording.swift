import RunLoopModel
import Scenario
import TraceFormat

/// Plays a scenario on the model, in virtual time, and writes a trace. Each run gives the same bytes.
package enum VirtualRecording {
  /// The result of a recording.
  package struct Summary: Sendable {
    package var events: UInt64
    package var bytes: UInt64
    /// The duration of the scenario in virtual time.
    package var virtualNs: UInt64
    /// Whether the loop waited for something that would never come. The scenario ended there.
    package var waitedForever: Bool
  }

  /// The time on the model's clock at which a scenario begins. Not 0, because the loop uses a deadline of 0 for "do
  /// not wait".
  private static let startNs: UInt64 = 1_000_000_000_000

  /// Records a scenario. Throws if it exceeds `VirtualLimits`. `stepLimit`: the number of steps per thread after
  /// which the scenario ends early instead. `siteOfTimer`: the creation site that the trace gives for a timer, its
  /// name by default.
  package static func record(
    _ scenario: Scenario, seed: UInt64 = 0, sink: any ByteSink, unit: TimeUnit, codec: any BlockCodec,
    stepLimit: Int? = nil, eventLimit: Int = VirtualLimits.events, workLimit: Int = VirtualLimits.work,
    siteOfTimer: @escaping (Scenario.Timer) -> String = \.name
  ) throws(TraceFormatError) -> Summary {
    // Nothing depends on this machine or moment, so that the same scenario gives the same bytes.
    let info =
      [InfoEntry(key: InfoEntry.recorder, value: "rltrace (virtual time)")] + facts(scenario, seed: seed)
    let trace = try VirtualTrace(
      sink: sink, unit: unit, codec: codec, info: info, eventLimit: eventLimit,
      isOnMain: scenario.isOnMain)
    trace.siteOfTimer = siteOfTimer
    let limits = (steps: stepLimit, work: workLimit)
    let main = try play(scenario, as: .loop, after: nil, trace, seed, limits)
    var hosts = [main]
    // One after another, each on its own clock, because the loops do not interact.
    for (number, worker) in scenario.workers.enumerated() {
      hosts.append(
        try play(
          worker.scenario, as: .worker(number, name: worker.name), after: main, trace, seed, limits))
    }
    let end = hosts.map(\.nowNs).max() ?? 0
    trace.nowNs = { end }
    // Breaks the cycle of references: the clocks' remaining actions hold the trace.
    trace.onExcess = {}
    let written = try trace.close()
    return Summary(
      events: written.events, bytes: written.bytes, virtualNs: end,
      waitedForever: hosts.contains { $0.loop.waitedForever })
  }

  /// `main`: the host whose suspensions also stopped this loop.
  private static func play(
    _ scenario: Scenario, as thread: VirtualTrace.Thread, after main: ModelHost?, _ trace: VirtualTrace,
    _ seed: UInt64, _ limits: (steps: Int?, work: Int)
  ) throws(TraceFormatError) -> ModelHost {
    let clock = VirtualClock(now: startNs, work: limits.work)
    trace.onExcess = clock.stop
    trace.nowNs = { clock.now - startNs }
    trace.thread = thread
    let loop = ModelRunLoop(clock: clock, isMain: scenario.isOnMain)
    let host = ModelHost(loop, trace, name: trace.definition(of: thread).name)
    main.map(host.suspend)
    let player = ScenarioPlayer(
      scenario, on: host, seed: seed, stepLimit: limits.steps ?? VirtualLimits.steps)
    player.prepare()
    player.play()
    player.endRecording()
    for (name, isExceeded) in [
      ("events", trace.hasExcess), ("clock changes", trace.hasExcessOfClockChanges),
      ("work", clock.workLeft < 0),
      ("steps", player.isExhausted.isSet && limits.steps == nil),
    ] where isExceeded {
      throw .invalidInput(
        what: "the scenario exceeds a limit of virtual time (\(name)); limit its runs with 'for:'"
      )
    }
    return host
  }

  /// Returns the facts that a trace states about its scenario.
  package static func facts(_ scenario: Scenario, seed: UInt64) -> [InfoEntry] {
    let isVarying = scenario.allSteps.contains { if case .someWork = $0 { true } else { false } }
    return [InfoEntry(key: InfoEntry.scenario, value: scenario.name)]
      + (isVarying ? [InfoEntry(key: "seed", value: "\(seed)")] : [])
      + (scenario.timers + scenario.workers.flatMap(\.timers)).filter(\.isDeferrable).map {
        InfoEntry(key: InfoEntry.deferrable, value: $0.name)
      }
  }
}
