import TestSupport
import Testing
import TraceFormat

@Suite struct ImageRangesTests {
  /// The result must equal that of a search through the list from its end.
  @Test func likeASearch() {
    var random = SeededGenerator(named: "image ranges")
    for _ in 0..<TestRounds.value(200) {
      let ranges = (0..<Int(random.next() % 12)).map { _ -> Range<UInt64> in
        let start = random.next() % 40
        return start..<start + random.next() % 20
      }
      let found = ImageRanges(ranges)
      for address in 0..<64 as Range<UInt64> {
        #expect(
          found.image(at: address) == ranges.lastIndex { $0.contains(address) },
          "\(address) in \(ranges), \(TestSeed.note)")
      }
    }
  }

  @Test func atTheEnds() {
    let found = ImageRanges([0..<1, UInt64.max - 1..<UInt64.max])
    #expect(found.image(at: 0) == 0 && found.image(at: 1) == nil)
    #expect(found.image(at: .max - 1) == 1 && found.image(at: .max) == nil)
    #expect(ImageRanges([]).image(at: 5) == nil)
  }
}
