import TestSupport
import Testing
import TraceFormat

/// As long as a program has no observers, the recorder has one for each mode. It emits both stamps of an activity, and
/// those of BeforeSources with BeforeTimers.
@Suite(.ownThread) struct OtherObserverTests {
  @Test(arguments: ["before", "in-a-callout", "elsewhere", "lowest", "highest"])
  func timeIsKnownFromTheFirstCall(_ place: String) throws {
    let run = try RecordedProgram(
      Program.loopPrograms, ["observed", place], options: ["--time-unit", "1ns"])
    let calls = try #require(Int(run.recorded.output.split(separator: " ").last?.dropLast() ?? ""))
    #expect(calls > 5)
    let events = try run.events()
    let lows = events.filter { $0.kind == .beforeWaitingLow }
    let highs = events.filter { $0.kind == .beforeWaitingHigh }
    #expect(lows.count == highs.count)
    let measured = zip(lows, highs).count { $1.time - $0.time >= 5_000_000 }
    #expect(measured == calls, "\(measured) \(calls)")
    // Each pass begins once, whenever the recorder's other observers are added.
    let order: [EventKind] = [.beforeTimersLow, .beforeTimersHigh, .beforeSourcesLow, .beforeSourcesHigh]
    let begins = events.map(\.kind).filter(order.contains)
    #expect(begins == begins.indices.map { order[$0 % order.count] } && begins.count % order.count == 0)
    // Without another observer, both stamps have one time.
    if place != "before" { #expect(zip(lows, highs).contains { $0.time == $1.time }) }
  }
}
