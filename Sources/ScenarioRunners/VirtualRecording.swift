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

  /// `stepLimit`: steps of the scenario played at most, for scenarios that call for themselves without end.
  public static func record(
    _ scenario: Scenario, seed: UInt64 = 0, sink: any ByteSink, unit: TimeUnit, codec: any BlockCodec,
    stepLimit: Int = 100_000_000
  ) throws(TraceFormatError) -> Summary {
    let clock = VirtualClock(now: startNs)
    let loop = ModelRunLoop(clock: clock, isMain: scenario.isOnMain)
    // Nothing of this machine or moment: the same scenario gives the same bytes.
    let info = [InfoEntry(key: "recorder", value: "rltrace (virtual time)")] + facts(scenario, seed: seed)
    let trace = try VirtualTrace(sink: sink, unit: unit, codec: codec, info: info) { clock.now - startNs }
    let host = ModelHost(loop, trace)
    let player = ScenarioPlayer(scenario, on: host, seed: seed, stepLimit: stepLimit)
    player.prepare()
    player.play()
    player.end()
    let written = try trace.close()
    return Summary(
      events: written.events, bytes: written.bytes, virtualNs: clock.now - startNs,
      waitedForever: loop.waitedForever)
  }

  /// What a trace says about the scenario it is of.
  public static func facts(_ scenario: Scenario, seed: UInt64) -> [InfoEntry] {
    let isVarying = scenario.allSteps.contains { if case .someWork = $0 { true } else { false } }
    return [InfoEntry(key: "scenario", value: scenario.name)]
      + (isVarying ? [InfoEntry(key: "seed", value: "\(seed)")] : [])
      + scenario.timers.filter(\.isDeferrable).map { InfoEntry(key: InfoEntry.deferrable, value: $0.name) }
  }
}
