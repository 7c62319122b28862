import SystemSupport

/// Memory for a fixed number of elements that need no deinitialization; freed with its owner.
///
/// An array's checks would cost more than the work on the elements. So each user states why its accesses are within
/// bounds.
@usableFromInline
struct Storage<Element>: ~Copyable {
  @usableFromInline let start: UnsafeMutablePointer<Element>

  /// Allocates memory without initializing it.
  init(_ count: Int) { start = .allocate(capacity: count) }

  init(repeating value: Element, count: Int) {
    start = .allocate(capacity: count)
    start.initialize(repeating: value, count: count)
  }

  /// Allocates zeros. The system provides them on first access, so an untouched part costs nothing.
  init(zeroed count: Int) where Element: FixedWidthInteger {
    guard let zeros = calloc(count, MemoryLayout<Element>.stride) else { fatalError("out of memory") }
    start = zeros.bindMemory(to: Element.self, capacity: count)
  }

  /// Inlinable, because inlinable setters inline it; the compiler of Swift 6.3 fails otherwise.
  @inlinable deinit { start.deallocate() }

  @inlinable subscript(index: Int) -> Element {
    get { start[index] }
    nonmutating set { start[index] = newValue }
  }
}
