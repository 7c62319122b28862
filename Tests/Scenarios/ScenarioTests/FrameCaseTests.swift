import Scenario
import ScenarioRunners
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// Frames in virtual time, computed by hand. Times are milliseconds. `display` has due points every 15.625, from 15.625
/// on: 109.375, 125, 140.625, 156.25, 171.875, 187.5 are some of them. A run ends 0.001 after its limit.
@Suite struct FrameCaseTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    /// The scenario without its name.
    var scenario: String
    /// The numbers of frames, of late frames, of missing ones, and of hitches.
    var counts: [UInt64]
    /// In microseconds.
    var hitch: UInt64 = 0
    var active: UInt64
    /// The words of the costliest culprit.
    var blame: String?

    var testDescription: String { name }
  }

  private static func display(_ work: String = "cpu: 1ms", modes: String = "default") -> String {
    "timers: [{name: display, every: 15625us, frames: true, modes: [\(modes)], do: [\(work)]}]\n"
  }

  private static func source(_ name: String, _ steps: String, at: String) -> String {
    "sources: [{name: \(name), do: [\(steps)]}]\n"
      + "others: [{at: \(at), do: [signal: \(name), wake up]}]\n"
  }

  private static let touch = "sources: [{name: touch, modes: [tracking]}]\n"
  private static let run = "thread: [run: {for: 300ms}]"
  private static let runTracking =
    "thread: [run: {for: 120ms}, run: {mode: tracking, for: 60ms}, run: {for: 120ms}]"

  /// Active from 15.625 to 300.001: 284.376, with 19 points.
  static let busy: [Case] = [
    Case(name: "all on time", scenario: display() + run, counts: [19, 0, 0, 0], active: 284_376),
    // The frame of 109.375 runs from 150 to 151, and is presented at 156.25 instead of 125.
    Case(
      name: "a source of 50 ms", scenario: display() + source("decode", "cpu: 50ms", at: "100ms") + run,
      counts: [17, 1, 2, 1], hitch: 31_250, active: 284_376, blame: "source0 decode"),
    // 109.375 runs from 115 to 116.
    Case(
      name: "a block of 14 ms",
      scenario: display() + "others: [{at: 101ms, do: [perform: [cpu: 14ms], wake up]}]\n" + run,
      counts: [19, 0, 0, 0], active: 284_376),
    // 109.375 runs from 124.5 to 125.5, and is presented at 140.625 instead of 125.
    Case(
      name: "a block that is just too long",
      scenario: display() + "others: [{at: 109ms, do: [perform: [cpu: 15500us], wake up]}]\n" + run,
      counts: [18, 1, 1, 1], hitch: 15_625, active: 284_376, blame: "block block"),
    // 93.75 waits for layout until 105.7 and for parse until 114.7. Presented at 125 instead of 109.375.
    Case(
      name: "the longer of two callouts",
      scenario: display()
        + "sources: [{name: layout, order: 1, do: [cpu: 12ms]}, {name: parse, order: 2, do: [cpu: 9ms]}]\n"
        + "others: [{at: 93700us, do: [signal: parse, signal: layout, wake up]}]\n" + run,
      counts: [18, 1, 1, 1], hitch: 15_625, active: 284_376, blame: "source0 layout"),
    // 109.375 is ready at 121, before 125. 125 waits from 125 to 142, and is presented at 156.25 instead of 140.625.
    Case(
      name: "the second of two callouts",
      scenario: display() + "sources: [{name: sync, do: [cpu: 20ms]}]\n"
        + "others: [{at: 100ms, do: [signal: sync, wake up]}, {at: 122ms, do: [signal: sync, wake up]}]\n"
        + run,
      counts: [18, 1, 1, 1], hitch: 15_625, active: 284_376, blame: "source0 sync"),
    // 5015.625 runs from 5210 to 5211, and is presented at 5218.75 instead of 5031.25: 187.5 in 9979.376.
    Case(
      name: "one stop in ten seconds",
      scenario: display() + source("decode", "cpu: 200ms", at: "5010ms") + "thread: [run: {for: 9995ms}]",
      counts: [627, 1, 12, 1], hitch: 187_500, active: 9_979_376, blame: "source0 decode"),
    // At 16.666667 ms, the point of 100 runs from 140 to 141, and is presented at 150 instead of 116.667.
    Case(
      name: "at 60 Hz",
      scenario: "timers: [{name: display, every: 16.666667ms, frames: true, do: [cpu: 1ms]}]\n"
        + source("decode", "cpu: 50ms", at: "90ms") + "thread: [run: {for: 290ms}]",
      counts: [15, 1, 2, 1], hitch: 33_333, active: 273_334, blame: "source0 decode"),
  ]

  static let own: [Case] = [
    // 15.625 is ready at 31.625, and presented at 46.875; so are those after it, each 31.25 later. The last one is
    // ready at 312.875, where the trace ends: 0.375 of its hitch.
    Case(
      name: "half the rate", scenario: display("cpu: 16ms") + run, counts: [10, 10, 10, 9],
      hitch: 8 * 15_625 + 375, active: 297_250, blame: "timer display"),
    // Each frame is ready at the next point, which the loop skips. The last point is that of 296.875, to 312.5.
    Case(
      name: "exactly one interval", scenario: display("cpu: 15625us") + run, counts: [10, 0, 10, 9],
      hitch: 9 * 15_625, active: 296_875, blame: "timer display"),
    // 109.375 runs from 110 to 125: on time. The point of 125 is skipped. The last frame, of 296.875, ends at 311.875.
    Case(
      name: "ready at the very point",
      scenario: display("cpu: 15ms") + source("tick", "cpu: 1ms", at: "109ms") + run,
      counts: [18, 0, 1, 1], hitch: 15_625, active: 296_250, blame: "timer display"),
    // 109.375 runs from 110.1 to 125.1, and is presented at 140.625.
    Case(
      name: "its own work after a late begin",
      scenario: display("cpu: 15ms") + source("tick", "cpu: 1ms", at: "109100us") + run,
      counts: [18, 1, 1, 1], hitch: 15_625, active: 296_250, blame: "timer display"),
    // 40 ms a frame, 30 of them work: 24 points to 960, all on time.
    Case(
      name: "a film",
      scenario: "timers: [{name: display, every: 40ms, frames: true, do: [cpu: 30ms]}]\n"
        + "thread: [run: {for: 995ms}]",
      counts: [24, 0, 0, 0], active: 955_001),
  ]

  static let modes: [Case] = [
    // 125 waits until 180.002, and is presented at 187.5 instead of 140.625. Three runs: to 300.003.
    Case(
      name: "another mode", scenario: display() + touch + runTracking, counts: [16, 1, 3, 1], hitch: 46_875,
      active: 284_378, blame: "UITrackingRunLoopMode"),
    Case(
      name: "in the common modes",
      scenario: "common modes: [tracking]\n" + display(modes: "common") + touch + runTracking,
      counts: [19, 0, 0, 0], active: 284_378),
    // 109.375 waits until 170.001, and is presented at 171.875 instead of 125.
    Case(
      name: "a modal run in a callout",
      scenario: display()
        + "sources: [{name: alert, do: [run: {mode: modal, for: 70ms}]}, {name: button, modes: [modal]}]\n"
        + "others: [{at: 100ms, do: [signal: alert, wake up]}]\n" + run,
      counts: [16, 1, 3, 1], hitch: 46_875, active: 284_376, blame: "modal"),
    // The nested run draws.
    Case(
      name: "a run of its mode in a callout",
      scenario: display() + source("alert", "run: {for: 70ms}", at: "100ms") + run, counts: [19, 0, 0, 0],
      active: 284_376),
    // 125 waits until 160.001, and is presented at 171.875 instead of 140.625. Two runs: to 300.002.
    Case(
      name: "a loop that does not run",
      scenario: display() + "thread: [run: {for: 120ms}, sleep: 40ms, run: {for: 140ms}]",
      counts: [17, 1, 2, 1], hitch: 31_250, active: 284_377, blame: "not_running"),
    // 125 never runs. Overdue from 140.625 to 180.002.
    Case(
      name: "never again",
      scenario: display() + touch + "thread: [run: {for: 120ms}, run: {mode: tracking, for: 60ms}]",
      counts: [7, 0, 3, 1], hitch: 39_377, active: 164_377, blame: "UITrackingRunLoopMode"),
  ]

  private static let other = "sources: [{name: other}]\n"

  static let lives: [Case] = [
    // The callout that made it late removes the source at 160. A frame was expected at 125.
    Case(
      name: "removed while late",
      scenario: display()
        + "sources: [{name: decode, do: [cpu: 60ms, remove: {item: display, modes: [default]}]}, {name: other}]\n"
        + "others: [{at: 100ms, do: [signal: decode, wake up]}]\n" + run,
      counts: [6, 0, 3, 1], hitch: 35_000, active: 144_375, blame: "busy"),
    Case(
      name: "invalidated in time",
      scenario: display() + other + "others: [{at: 100ms, do: [invalidate: display]}]\n" + run,
      counts: [6, 0, 0, 0], active: 84_375),
    // Added at 100.001, where the point of 15.625 is overdue: presented at 109.375. Then 13 points.
    Case(
      name: "added later",
      scenario: display(modes: "") + other
        + "thread: [run: {for: 100ms}, add: {item: display, modes: [default]}, run: {for: 200ms}]",
      counts: [14, 0, 0, 0], active: 200_001),
    // From 15.625 to 100.001 and from 200.002 to 300.003. The first frame after it has no frame before it.
    Case(
      name: "removed and added",
      scenario: display() + other
        + "thread: [run: {for: 100ms}, remove: {item: display, modes: [default]}, run: {for: 100ms}, "
        + "add: {item: display, modes: [default]}, run: {for: 100ms}]",
      counts: [14, 0, 0, 0], active: 184_377),
    // Six points to 93.75; then ten from 150 to 290.625. The time in between is intended.
    Case(
      name: "put off",
      scenario: display() + "others: [{at: 100ms, do: [reschedule: {timer: display, in: 50ms}]}]\n" + run,
      counts: [16, 0, 0, 0], active: 284_376),
    // Six points; that of 109.375 at 1100.001, neither on time nor late; 13 to 1296.875. 1000 of the time is suspended.
    Case(
      name: "suspended",
      scenario: display() + "thread: [run: {for: 100ms}, suspend: 1s, run: {for: 200ms}]",
      counts: [20, 0, 0, 0], active: 284_377),
  ]

  static let several: [Case] = [
    // `film` runs for 20 of each 31.25, from 10 on. Each second frame of `display` is ready 0.25 before its point.
    Case(
      name: "two sources in time",
      scenario:
        "timers: [{name: display, every: 15625us, frames: true, do: [cpu: 1ms]}, "
        + "{name: film, first: 10ms, every: 31250us, frames: true, do: [cpu: 20ms]}]\n" + run,
      counts: [18, 0, 0, 0], active: 295_625),
    // With 25, the frames of 15.625, 46.875, … run one after `film`, and are presented after two intervals. The points
    // of 31.25, 62.5, … are skipped. The last `film` runs from 291.25 to 316.25, where the trace ends. The frame of
    // 265.625 was presented at 296.875, so one is overdue from 312.5 on.
    Case(
      name: "two sources that disturb each other",
      scenario:
        "timers: [{name: display, every: 15625us, frames: true, do: [cpu: 1ms]}, "
        + "{name: film, first: 10ms, every: 31250us, frames: true, do: [cpu: 25ms]}]\n" + run,
      counts: [9, 9, 10, 9], hitch: 8 * 15_625 + 3750, active: 300_625, blame: "timer film"),
  ]

  static let all: [Case] = [busy, own, modes, lives, several].flatMap { $0 }

  @Test(arguments: all)
  func exactly(_ expected: Case) throws {
    let sink = MemorySink()
    let scenario = try ScenarioReader.read("scenario: case\n\(expected.scenario)\n")
    _ = try VirtualRecording.record(scenario, sink: sink, unit: .ns1, codec: NoCodec())
    let analysis = try TraceAnalyzer(openTrace(sink.bytes)).analyze()
    #expect(findingFaults(analysis) == [])
    let source = try #require(analysis.frames.sources.first { $0.name == "display" })
    #expect(source.choice == .program && source.isJudged)
    let counts = [source.frames, source.late, source.missing ?? .max, source.hitches]
    #expect(counts == expected.counts)
    // The model computes due points from wall-clock times.
    func microseconds(_ ns: UInt64) -> UInt64 { (ns + 500) / 1000 }
    #expect(microseconds(source.hitchNs) == expected.hitch)
    #expect(microseconds(source.activeNs) == expected.active)
    #expect(source.costs.first?.blame.words == expected.blame)
    #expect(source.costs.map(\.hitchNs).reduce(0, +) == source.hitchNs)
  }
}
