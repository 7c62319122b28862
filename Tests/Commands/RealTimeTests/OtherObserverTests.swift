import TestSupport
import Testing
import TraceFormat

/// As long as a program has no observers, the recorder has one for each mode, which emits both stamps of an
/// activity.
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
    // Without another observer, both stamps have one time.
    if place != "before" { #expect(zip(lows, highs).contains { $0.time == $1.time }) }
  }
}
