/// The values of a list, created one by one when they are written. Created all at once, they would take many times the
/// memory of their source.
///
/// SAFETY: the data that `make` reads never changes, so any thread may read it.
package struct LazyValues: RandomAccessCollection, Equatable, @unchecked Sendable {
  package let endIndex: Int
  private let make: (Int) -> Value

  package init(_ count: Int, _ make: @escaping (Int) -> Value) {
    endIndex = count
    self.make = make
  }

  package var startIndex: Int { 0 }
  package subscript(index: Int) -> Value { make(index) }
  package static func == (a: LazyValues, b: LazyValues) -> Bool { a.elementsEqual(b) }
}
