import SystemSupport

/// Rows in one allocation that is freed with its owner. No other code of the replay allocates by hand.
///
/// An array's checks cost more than most accesses to a row, and every access to a class's variable is checked. Rows
/// are therefore accessed by address, even through a `let`, and indexes are checked against the capacity in debug
/// builds only. Every table keeps its indexes within a limit.
@safe package struct Rows<Row: ~Copyable>: ~Copyable {
  /// The rows, after a header; nil while nothing is allocated.
  private var base: UnsafeMutablePointer<Row>?

  private static var offset: Int { max(MemoryLayout<RowsHeader>.stride, MemoryLayout<Row>.alignment) }

  /// Creates an empty table without memory.
  init() { unsafe base = nil }

  /// Allocates room for rows. A row that is not appended must be written before it is read and must be trivial.
  init(capacity: Int) {
    var memory: UnsafeMutableRawPointer?
    unsafe posix_memalign(&memory, Self.offset, Self.byteCount(capacity))
    unsafe self.init(memory, capacity)
  }

  /// Creates `count` rows whose bits are all zero; zero bits must be a valid row. Pages that are never written take
  /// no memory. An allocator would write them first.
  init(zeroed count: Int) {
    let memory = unsafe mmap(
      nil, Self.byteCount(count), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    unsafe self.init(memory == MAP_FAILED ? nil : memory, count)
    unsafe header.pointee.isMapped = true
    unsafe header.pointee.count = count
  }

  private static func byteCount(_ capacity: Int) -> Int { offset + capacity * MemoryLayout<Row>.stride }

  /// `memory` must be aligned for the header and the rows.
  private init(_ memory: UnsafeMutableRawPointer?, _ capacity: Int) {
    guard let memory = unsafe memory else { fatalError("no memory") }
    // SAFETY: header and rows are aligned and disjoint; `deinit` and `grow` free what was allocated.
    unsafe memory.initializeMemory(as: RowsHeader.self, to: RowsHeader(capacity: UInt32(capacity)))
    unsafe base = (memory + Self.offset).bindMemory(to: Row.self, capacity: capacity)
  }

  deinit {
    guard !isMissing else { return }
    removeAll()
    let memory = unsafe UnsafeMutableRawPointer(first) - Self.offset
    if unsafe header.pointee.isMapped {
      unsafe munmap(memory, Self.byteCount(capacity))
    } else {
      unsafe free(memory)
    }
  }

  @inline(__always)
  private var first: UnsafeMutablePointer<Row> {
    // SAFETY: there is memory, because without it no index is valid.
    unsafe base.unsafelyUnwrapped
  }

  private var header: UnsafeMutablePointer<RowsHeader> {
    unsafe (UnsafeMutableRawPointer(first) - Self.offset).assumingMemoryBound(to: RowsHeader.self)
  }

  /// Whether there is no memory yet.
  @inline(__always)
  package var isMissing: Bool { unsafe base == nil }

  /// The number of appended rows.
  package var count: Int { unsafe isMissing ? 0 : header.pointee.count }
  var capacity: Int { unsafe isMissing ? 0 : Int(header.pointee.capacity) }

  package subscript(index: Int) -> Row {
    @inline(__always) unsafeAddress { unsafe UnsafePointer(pointer(index)) }
    @inline(__always) nonmutating unsafeMutableAddress { unsafe pointer(index) }
  }

  @inline(__always)
  func address(_ index: Int) -> RowAddress<Row> { unsafe RowAddress(pointer: pointer(index)) }

  /// Returns a pointer, for code that returns rows in place.
  @inline(__always)
  func pointer(_ index: Int) -> UnsafeMutablePointer<Row> {
    assert(index >= 0 && index < capacity)
    return unsafe first + index
  }

  /// Appends a row.
  func append(_ row: consuming Row) {
    let index = count
    assert(index < capacity)
    unsafe (first + index).initialize(to: row)
    unsafe header.pointee.count = index + 1
  }

  /// Deinitializes the rows and keeps the memory.
  func removeAll() {
    guard !isMissing else { return }
    unsafe first.deinitialize(count: count)
    unsafe header.pointee.count = 0
  }

  /// Moves the whole capacity to a larger allocation. Use it for trivial rows that are not appended.
  mutating func widen(to capacity: Int) {
    let larger = Rows(capacity: capacity)
    // SAFETY: these rows are trivial, so copying their bytes is enough.
    unsafe UnsafeMutableRawPointer(larger.first).copyMemory(
      from: first, byteCount: min(self.capacity, capacity) * MemoryLayout<Row>.stride)
    self = larger
  }

  /// Moves the appended rows to a larger allocation.
  mutating func grow(to capacity: Int) {
    let larger = Rows(capacity: capacity)
    unsafe larger.first.moveInitialize(from: first, count: count)
    unsafe larger.header.pointee.count = count
    unsafe header.pointee.count = 0
    self = larger
  }
}

/// Not nested in `Rows`: a nested type would be instantiated at run time for each row type. A debug build would even
/// do so at each access.
private struct RowsHeader {
  /// Four bytes, so that the header has sixteen and the rows after it are aligned.
  let capacity: UInt32
  var isMapped = false
  /// The number of initialized rows, counted from the first.
  var count = 0
}

extension Rows {
  init(repeating row: Row, count: Int) {
    self.init(capacity: count)
    fill(with: row, to: count)
  }

  /// Appends copies until there are `count` rows.
  func fill(with row: Row, to count: Int) {
    assert(count <= capacity)
    unsafe (first + self.count).initialize(repeating: row, count: count - self.count)
    unsafe header.pointee.count = count
  }

  /// Overwrites all rows.
  func reset(to row: Row) {
    if !isMissing { unsafe first.update(repeating: row, count: count) }
  }
}

/// The address of a row, valid as long as its table lives and does not grow.
@safe package struct RowAddress<Row: ~Copyable> {
  fileprivate let pointer: UnsafeMutablePointer<Row>

  /// Returns the address of a later row.
  @inline(__always)
  func advanced(by rows: Int) -> RowAddress { unsafe RowAddress(pointer: pointer + rows) }

  package var pointee: Row {
    @inline(__always) unsafeAddress { unsafe UnsafePointer(pointer) }
    @inline(__always) nonmutating unsafeMutableAddress { unsafe pointer }
  }
}
