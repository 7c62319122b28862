/// Distinct values, numbered from 0 in the order of appearance.
@usableFromInline package struct Numbered<Element: Hashable> {
  @usableFromInline package var elements: [Element] = []
  @usableFromInline package var places: [Element: Int] = [:]

  @inlinable
  package init() {}

  /// Returns the number of a value, which is added if it is new.
  @inlinable
  package mutating func place(of element: Element) -> Int {
    if let place = places[element] { return place }
    places[element] = elements.count
    elements.append(element)
    return elements.count - 1
  }
}
