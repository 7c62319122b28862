/// The values of a list, made one by one when they are written: all at once they would take many times what they are made of.
///
/// SAFETY: what `make` reads never changes, so it may be read on any thread.
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
