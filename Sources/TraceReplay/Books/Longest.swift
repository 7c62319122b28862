/// What a list has room for when it is long.
package protocol Lasting {
  /// How long it was and when it began, in one unit of time for all of a list, and on which lane.
  var extent: (length: UInt64, start: UInt64, lane: Int) { get }
}

/// The longest of what was found; of equally long ones, the first. All are counted.
package struct Longest<Element: Lasting> {
  package internal(set) var elements: [Element] = []
  private var count = 0
  private let limit: Int

  init(limit: Int = AnalysisLimits.listed) { self.limit = limit }

  package var omitted: Int { count - elements.count }

  mutating func add(_ element: Element) {
    count += 1
    elements.append(element)
    if elements.count >= 2 * limit { cut() }
  }

  private mutating func cut() {
    elements.sort {
      let (a, b) = ($0.extent, $1.extent)
      return (b.length, a.start, a.lane) < (a.length, b.start, b.lane)
    }
    elements.removeLast(max(0, elements.count - limit))
  }

  /// Cuts the list to its limit, and puts it in order of time.
  mutating func finish() {
    cut()
    elements.sort {
      let (a, b) = ($0.extent, $1.extent)
      return (a.start, a.lane, b.length) < (b.start, b.lane, a.length)
    }
  }
}
