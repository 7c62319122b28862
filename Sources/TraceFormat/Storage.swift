/// Memory for a fixed number of elements that need no end of their own, given back with its owner.
///
/// An array's checks would cost more than what is done with the elements: whoever uses it says why each access is within
/// bounds.
@usableFromInline
struct Storage<Element>: ~Copyable {
  @usableFromInline let start: UnsafeMutablePointer<Element>

  /// Not initialized.
  init(_ count: Int) { start = .allocate(capacity: count) }

  init(repeating value: Element, count: Int) {
    start = .allocate(capacity: count)
    start.initialize(repeating: value, count: count)
  }

  /// Zeros, as the system gives them: of a large one only what is touched costs something.
  init(zeroed count: Int) where Element: FixedWidthInteger {
    guard let zeros = calloc(count, MemoryLayout<Element>.stride) else { fatalError("out of memory") }
    start = zeros.bindMemory(to: Element.self, capacity: count)
  }

  /// Inlinable, because setters that are get it inlined: the compiler of Swift 6.3 fails otherwise.
  @inlinable deinit { start.deallocate() }

  @inlinable subscript(index: Int) -> Element {
    get { start[index] }
    nonmutating set { start[index] = newValue }
  }
}
