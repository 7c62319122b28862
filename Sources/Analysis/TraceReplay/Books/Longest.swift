/// An element of a `Longest` list.
package protocol HasExtent {
  /// The length, the start and the lane. All elements of a list use the same time unit.
  var extent: (length: UInt64, start: UInt64, lane: Int) { get }
}

/// Keeps the longest elements, and of equally long ones the first. All elements are counted.
package struct Longest<Element: HasExtent> {
  package internal(set) var elements: [Element] = []
  private var count = 0
  private let limit: Int

  init(limit: Int = AnalysisLimits.listed) { self.limit = limit }

  package var omitted: Int { count - elements.count }

  /// Adds an element. Calls `onDrop` with each element that is not among the longest, now or in a later call.
  mutating func add(_ element: Element, onDrop: (Element) -> Void = { _ in }) {
    count += 1
    elements.append(element)
    if elements.count >= 2 * limit { cut(onDrop) }
  }

  private mutating func cut(_ onDrop: (Element) -> Void) {
    elements.sort {
      let (a, b) = ($0.extent, $1.extent)
      return (b.length, a.start, a.lane) < (a.length, b.start, b.lane)
    }
    for element in elements.dropFirst(limit) { onDrop(element) }
    elements.removeLast(max(0, elements.count - limit))
  }

  /// Cuts the list to its limit and sorts it by time.
  mutating func finish(onDrop: (Element) -> Void = { _ in }) {
    cut(onDrop)
    elements.sort {
      let (a, b) = ($0.extent, $1.extent)
      return (a.start, a.lane, b.length) < (b.start, b.lane, a.length)
    }
  }
}
