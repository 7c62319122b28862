import Testing

@testable import WhatIf

@Suite struct ChangeParserTests {
  @Test func eachForm() throws {
    func effect(_ text: String, of name: String, _ kind: Change.Target.Kind) throws -> Change.Effect {
      let change = try ChangeParser.read(text)
      #expect(change.target == Change.Target(kind: kind, name: name), "\(text)")
      return change.effect
    }
    #expect(try ChangeParser.read("nothing") == Change(text: "nothing", target: nil, effect: .nothing))
    #expect(try effect("timer refresh in common", of: "refresh", .timer) == .mode("kCFRunLoopCommonModes"))
    #expect(try effect("timer a in b in my mode", of: "a in b", .timer) == .mode("my mode"))
    #expect(try effect("timer refresh in default", of: "refresh", .timer) == .mode("kCFRunLoopDefaultMode"))
    #expect(try effect("block decode in default", of: "decode", .block) == .mode("kCFRunLoopDefaultMode"))
    #expect(try effect("timer refresh also in x", of: "refresh", .timer) == .anotherMode("x"))
    #expect(try effect("timer refresh every 50ms", of: "refresh", .timer) == .interval(ns: 50_000_000))
    #expect(try effect("tolerance refresh 10ms", of: "refresh", .timer) == .tolerance(ns: 10_000_000))
    #expect(try effect("callout x takes 2ms", of: "x", .callout) == .length(.exactly(ns: 2_000_000)))
    #expect(try effect("source x takes at most 8ms", of: "x", .source) == .length(.atMost(ns: 8_000_000)))
    for sign in ["×", "x", "*"] {
      #expect(try effect("block x takes \(sign) 0.5", of: "x", .block) == .length(.times(0.5)))
    }
    #expect(
      try effect("callout x off the loop", of: "x", .callout) == .offTheLoop(hopNs: Change.standardHopNs))
    #expect(try effect("callout x off the loop hop 20us", of: "x", .callout) == .offTheLoop(hopNs: 20_000))
    #expect(try effect("split x at 8ms", of: "x", .callout) == .split(ns: 8_000_000))
    #expect(try effect("remove the timer", of: "the timer", .callout) == .removed)
    #expect(try effect("remove timer x", of: "x", .timer) == .removed)
    #expect(
      try effect("source x at most 50 per second", of: "x", .source) == .coalesced(periodNs: 20_000_000))
    #expect(
      try effect("callout \"a takes 2ms\" takes 3ms", of: "a takes 2ms", .callout)
        == .length(.exactly(ns: 3_000_000)))
  }

  @Test(arguments: [
    "", "timer", "timer refresh", "timer in common", "refresh in common", "callout x takes",
    "callout x takes soon",
    "callout x takes x -1", "callout x takes x 2000", "split x", "split x at 0s",
    "source x at most 0 per second",
    "source x at most 60", "callout x in common", "source x in common", "block x in",
    "remove", "tolerance 10ms",
    "callout x off the loop quickly",
  ])
  func mistakes(text: String) {
    #expect(throws: WhatIfError.self) { try ChangeParser.read(text) }
  }
}
