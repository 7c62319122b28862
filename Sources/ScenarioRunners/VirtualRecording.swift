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

  public static func record(
    _ scenario: Scenario, sink: any ByteSink, unit: TimeUnit, codec: any BlockCodec
  ) throws(TraceFormatError) -> Summary {
    let clock = VirtualClock()
    let loop = ModelRunLoop(clock: clock, isMain: scenario.isOnMain)
    // Nothing of this machine or moment: the same scenario gives the same bytes.
    let info = [
      InfoEntry(key: "recorder", value: "rltrace (virtual time)"),
      InfoEntry(key: "scenario", value: scenario.name),
    ]
    let trace = try VirtualTrace(sink: sink, unit: unit, codec: codec, info: info) { clock.now }
    let host = VirtualHost(ModelHost(loop), trace)
    let player = ScenarioPlayer(scenario, on: host)
    player.prepare()
    player.play()
    player.end()
    let written = try trace.close()
    return Summary(
      events: written.events, bytes: written.bytes, virtualNs: clock.now, waitedForever: loop.waitedForever)
  }
}
