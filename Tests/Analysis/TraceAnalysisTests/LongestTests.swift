import TestSupport
import Testing

@testable import TraceReplay

/// Each element is either kept or handed over, once.
@Suite struct LongestTests {
  private struct Element: HasExtent, Hashable {
    var number: Int
    var length: UInt64
    var extent: (length: UInt64, start: UInt64, lane: Int) { (length, UInt64(number), 0) }
  }

  @Test func elementsThatAreNotKeptAreHandedOver() {
    var random = SeededGenerator(named: "longest")
    for count in [0, 1, 5, 9, 10, 11, 57] {
      let all = (0..<count).map { Element(number: $0, length: random.next() % 8) }
      var longest = Longest<Element>(limit: 5)
      var dropped: [Element] = []
      for element in all { longest.add(element) { dropped.append($0) } }
      longest.finish { dropped.append($0) }
      #expect(longest.omitted == dropped.count && longest.elements.count == min(count, 5), "\(TestSeed.note)")
      #expect(Set(longest.elements + dropped) == Set(all) && dropped.count + longest.elements.count == count)
      let shortest = longest.elements.map(\.length).min() ?? 0
      #expect(dropped.allSatisfy { $0.length <= shortest })
    }
  }
}
