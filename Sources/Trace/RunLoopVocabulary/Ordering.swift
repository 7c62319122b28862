extension Sequence {
  /// Returns the elements in order, like `sorted(by:)`. The compiler repeats the standard library's sort for each type
  /// of element, and it is larger than most of our functions. This one is compiled once. Hot code uses `sorted(by:)`.
  @inlinable
  package func ordered(by areInOrder: (Element, Element) -> Bool) -> [Element] {
    let elements = Array(self)
    return sortedPlaces(elements.count) { areInOrder(elements[$0], elements[$1]) }.map { elements[$0] }
  }
}

extension Sequence where Element: Comparable {
  /// Returns the elements in order, like `sorted()`.
  @inlinable
  package func ordered() -> [Element] { ordered(by: <) }
}

/// Returns the indices `0..<count`, sorted by the elements at them. Equal elements keep their order.
@usableFromInline
package func sortedPlaces(_ count: Int, by areInOrder: (Int, Int) -> Bool) -> [Int] {
  (0..<count).sorted(by: areInOrder)
}

extension Sequence where Element: Hashable {
  /// Returns the elements without repetitions, each at its first place.
  package func uniqued() -> [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}

extension Array {
  /// Returns the elements within a span; they must be in time order. O(log n).
  package func within(_ span: ClosedRange<UInt64>, _ time: (Element) -> UInt64) -> ArraySlice<Element> {
    let begin = firstPlace { time($0) >= span.lowerBound }
    return self[begin..<Swift.max(begin, firstPlace { time($0) > span.upperBound })]
  }
}

extension RandomAccessCollection where Index == Int {
  /// Returns the index of the first element for which `holds` is true; the end if there is none. If it is true for one
  /// element, it must be true for all later ones. O(log n).
  @inlinable
  package func firstPlace(where holds: (Element) -> Bool) -> Int {
    var low = startIndex, high = endIndex
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
