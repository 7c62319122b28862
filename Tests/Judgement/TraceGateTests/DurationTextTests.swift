import RunLoopVocabulary
import Testing
import TraceGate

/// The common text form of durations.
@Suite struct DurationTextTests {
  @Test(
    arguments: [
      ("250ms", 250_000_000), ("2s", 2_000_000_000), ("1.5", 1_500_000_000), ("0", 0), ("30", 30_000_000_000),
      ("2min", 120_000_000_000), ("1h", 3_600_000_000_000), ("90ns", 90), ("10us", 10_000), ("10µs", 10_000),
      ("10μs", 10_000), ("2.00 ms", 2_000_000), (".5s", 500_000_000), ("0.25", 250_000_000),
    ] as [(String, UInt64)])
  func times(text: String, ns: UInt64) throws {
    #expect(try DurationText.nanoseconds(text) == ns)
  }

  @Test(arguments: [
    "", "s", "ms", "fast", "5parsecs", "-5ms", "-1", "+1s", "1e3", "0x10", "nan", "inf", "1..5ms", "5m",
    "1 s s",
    "1,5s", "250ms ",
  ])
  func mistakes(text: String) {
    let error = #expect(throws: DurationError.self) { try DurationText.nanoseconds(text) }
    #expect(error?.what.contains("units: ns, us, ms, s, min, h") == true, "\(text)")
  }

  @Test func longest() throws {
    #expect(try DurationText.nanoseconds("1000000000s") == DurationText.longestNs)
    let error = #expect(throws: DurationError.self) { try DurationText.nanoseconds("99999999999999999999s") }
    #expect(error?.what.contains("at most") == true)
  }

  @Test(arguments: [0, 1, 999, 1000, 1_500_000, 250_000_000, 86_400_000_000_000] as [UInt64])
  func wordsAreRead(ns: UInt64) throws {
    #expect(try DurationText.nanoseconds(DurationText.word(ns)) == ns)
  }
}
