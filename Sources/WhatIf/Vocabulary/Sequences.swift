extension Array where Element: Hashable {
  /// Returns the elements without repetitions, in order.
  func uniqued() -> [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
