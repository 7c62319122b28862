import TraceFormat

/// Rows in one piece of memory, which ends with its owner: the one place of replay that allocates by hand.
///
/// An array's checks cost more than what most rows are touched for, and a class's variable is checked at each access: so
/// rows are reached by address, also through a `let`, and their indexes are compared with the memory's size in debug builds
/// only. Every table keeps its own within a limit.
@safe package struct Rows<Row: ~Copyable>: ~Copyable {
  /// Behind a header; nil while there is no memory.
  private var base: UnsafeMutablePointer<Row>?

  private static var offset: Int { max(MemoryLayout<RowsHeader>.stride, MemoryLayout<Row>.alignment) }

  /// None, and no memory.
  init() { unsafe base = nil }

  /// Room for so many. Those that are not appended are written before they are read, and hold nothing that must be ended.
  init(capacity: Int) {
    var memory: UnsafeMutableRawPointer?
    unsafe posix_memalign(&memory, Self.offset, Self.byteCount(capacity))
    unsafe self.init(memory, capacity)
  }

  /// So many rows whose bits are all zero, which is what a new one of them is. Pages that nobody writes take no memory,
  /// which an allocator would write before.
  init(zeroed count: Int) {
    let memory = unsafe mmap(
      nil, Self.byteCount(count), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    unsafe self.init(memory == MAP_FAILED ? nil : memory, count)
    unsafe header.pointee.isMapped = true
    unsafe header.pointee.count = count
  }

  private static func byteCount(_ capacity: Int) -> Int { offset + capacity * MemoryLayout<Row>.stride }

  /// `memory`: aligned.
  private init(_ memory: UnsafeMutableRawPointer?, _ capacity: Int) {
    guard let memory = unsafe memory else { fatalError("no memory") }
    // SAFETY: header and rows are aligned and apart; `deinit` and `grow` give back what was allocated.
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
    // SAFETY: nobody who has no memory has an index.
    unsafe base.unsafelyUnwrapped
  }

  private var header: UnsafeMutablePointer<RowsHeader> {
    unsafe (UnsafeMutableRawPointer(first) - Self.offset).assumingMemoryBound(to: RowsHeader.self)
  }

  /// There is no memory yet.
  @inline(__always)
  package var isMissing: Bool { unsafe base == nil }

  /// How many were appended.
  package var count: Int { unsafe isMissing ? 0 : header.pointee.count }
  var capacity: Int { unsafe isMissing ? 0 : Int(header.pointee.capacity) }

  package subscript(index: Int) -> Row {
    @inline(__always) unsafeAddress { unsafe UnsafePointer(pointer(index)) }
    @inline(__always) nonmutating unsafeMutableAddress { unsafe pointer(index) }
  }

  @inline(__always)
  func address(_ index: Int) -> RowAddress<Row> { unsafe RowAddress(pointer: pointer(index)) }

  /// For what hands out rows in place.
  @inline(__always)
  func pointer(_ index: Int) -> UnsafeMutablePointer<Row> {
    assert(index >= 0 && index < capacity)
    return unsafe first + index
  }

  /// Makes the row behind those that there are.
  func append(_ row: consuming Row) {
    let index = count
    assert(index < capacity)
    unsafe (first + index).initialize(to: row)
    unsafe header.pointee.count = index + 1
  }

  /// Ends the rows, not the memory.
  func removeAll() {
    guard !isMissing else { return }
    unsafe first.deinitialize(count: count)
    unsafe header.pointee.count = 0
  }

  /// Takes all that there is room for to a larger memory: of rows that are not appended.
  mutating func widen(to capacity: Int) {
    let larger = Rows(capacity: capacity)
    // SAFETY: these rows hold nothing that must be ended, so their bytes are all there is to them.
    unsafe UnsafeMutableRawPointer(larger.first).copyMemory(
      from: first, byteCount: min(self.capacity, capacity) * MemoryLayout<Row>.stride)
    self = larger
  }

  /// Takes the rows to a larger memory.
  mutating func grow(to capacity: Int) {
    let larger = Rows(capacity: capacity)
    unsafe larger.first.moveInitialize(from: first, count: count)
    unsafe larger.header.pointee.count = count
    unsafe header.pointee.count = 0
    self = larger
  }
}

/// Not nested: a type of each kind of rows is made at run time, in a debug build at each access.
private struct RowsHeader {
  /// In four bytes, so that all of it has sixteen: rows behind it are aligned.
  let capacity: UInt32
  var isMapped = false
  /// From the first on, made and to be ended with the memory.
  var count = 0
}

extension Rows {
  init(repeating row: Row, count: Int) {
    self.init(capacity: count)
    fill(with: row, to: count)
  }

  /// Appends copies until there are so many.
  func fill(with row: Row, to count: Int) {
    assert(count <= capacity)
    unsafe (first + self.count).initialize(repeating: row, count: count - self.count)
    unsafe header.pointee.count = count
  }

  /// All that there are become this.
  func reset(to row: Row) {
    if !isMissing { unsafe first.update(repeating: row, count: count) }
  }
}

/// Where a row is, for as long as its table lives and does not grow.
@safe package struct RowAddress<Row: ~Copyable> {
  fileprivate let pointer: UnsafeMutablePointer<Row>

  /// The address of the row so many behind it.
  @inline(__always)
  func advanced(by rows: Int) -> RowAddress { unsafe RowAddress(pointer: pointer + rows) }

  package var pointee: Row {
    @inline(__always) unsafeAddress { unsafe UnsafePointer(pointer) }
    @inline(__always) nonmutating unsafeMutableAddress { unsafe pointer }
  }
}
