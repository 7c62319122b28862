import RunLoopModel
import Scenario
import TraceFormat

/// Plays a scenario on the model, in virtual time, into a trace: the same bytes each time.
public enum VirtualRecording {
  /// What was written.
  public struct Summary: Sendable {
    public var events: UInt64
    public var bytes: UInt64
    /// How long the scenario took in its own time.
    public var virtualNs: UInt64
    /// The loop waited for something that would never come; the scenario was ended there.
    public var waitedForever: Bool
  }

  /// What the model's clock reads when a scenario begins. Not 0: that is when the loop takes a deadline for none.
  private static let startNs: UInt64 = 1_000_000_000_000

  /// Throws for a scenario that goes on beyond `VirtualLimits`. `stepLimit`: it is cut there instead, after so many
  /// steps on each thread. `siteOfTimer`: the creation site that the trace gives for a timer, its name by default.
  public static func record(
    _ scenario: Scenario, seed: UInt64 = 0, sink: any ByteSink, unit: TimeUnit, codec: any BlockCodec,
    stepLimit: Int? = nil, eventLimit: Int = VirtualLimits.events, workLimit: Int = VirtualLimits.work,
    siteOfTimer: @escaping (Scenario.Timer) -> String = \.name
  ) throws(TraceFormatError) -> Summary {
    // Nothing of this machine or moment: the same scenario gives the same bytes.
    let info =
      [InfoEntry(key: InfoEntry.recorder, value: "rltrace (virtual time)")] + facts(scenario, seed: seed)
    let trace = try VirtualTrace(sink: sink, unit: unit, codec: codec, info: info, eventLimit: eventLimit)
    trace.siteOfTimer = siteOfTimer
    let limits = (steps: stepLimit, work: workLimit)
    let main = try play(scenario, as: .loop, after: nil, trace, seed, limits)
    var hosts = [main]
    // One after another, each in a time of its own: loops do not know of each other.
    for (number, worker) in scenario.workers.enumerated() {
      hosts.append(
        try play(
          worker.scenario, as: .worker(number, name: worker.name), after: main, trace, seed, limits))
    }
    let end = hosts.map(\.nowNs).max() ?? 0
    trace.nowNs = { end }
    // The clocks' remaining actions hold the trace.
    trace.onExcess = {}
    let written = try trace.close()
    return Summary(
      events: written.events, bytes: written.bytes, virtualNs: end,
      waitedForever: hosts.contains { $0.loop.waitedForever })
  }

  /// `main`: the host whose suspensions stopped this loop as well.
  private static func play(
    _ scenario: Scenario, as thread: VirtualTrace.Thread, after main: ModelHost?, _ trace: VirtualTrace,
    _ seed: UInt64, _ limits: (steps: Int?, work: Int)
  ) throws(TraceFormatError) -> ModelHost {
    let clock = VirtualClock(now: startNs, work: limits.work)
    trace.onExcess = clock.stop
    trace.nowNs = { clock.now - startNs }
    trace.thread = thread
    let loop = ModelRunLoop(clock: clock, isMain: scenario.isOnMain)
    let host = ModelHost(loop, trace, name: thread.definition.name)
    main.map(host.suspend)
    let player = ScenarioPlayer(
      scenario, on: host, seed: seed, stepLimit: limits.steps ?? VirtualLimits.steps)
    player.prepare()
    player.play()
    player.end()
    for (name, isExceeded) in [
      ("events", trace.hasExcess), ("work", clock.workLeft < 0),
      ("steps", player.isExhausted.isSet && limits.steps == nil),
    ] where isExceeded {
      throw .invalidInput(
        what: "the scenario goes on beyond the limit of virtual time (\(name)); give its runs a time ('for:')"
      )
    }
    return host
  }

  /// What a trace says about the scenario it is of.
  public static func facts(_ scenario: Scenario, seed: UInt64) -> [InfoEntry] {
    let isVarying = scenario.allSteps.contains { if case .someWork = $0 { true } else { false } }
    return [InfoEntry(key: "scenario", value: scenario.name)]
      + (isVarying ? [InfoEntry(key: "seed", value: "\(seed)")] : [])
      + (scenario.timers + scenario.workers.flatMap(\.timers)).filter(\.isDeferrable).map {
        InfoEntry(key: InfoEntry.deferrable, value: $0.name)
      }
  }
}
