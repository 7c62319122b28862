import TraceFormat

/// A trivial row about an object.
protocol RowOfObject {
  /// Creates the row of a slot without an object.
  init()
  var object: ObjectID { get }
}

/// Rows by the slots of their objects' ids. A slot's next object replaces the previous one.
///
/// Rows are allocated in pages, so a single high id in a damaged trace needs little memory, and addresses stay valid.
struct RowsBySlot<Row: RowOfObject>: ~Copyable {
  private var pages = Rows<Rows<Row>>(capacity: 8)
  private static var rowsPerPage: Int { 32 }

  /// Whether no object ever had a row.
  var isEmpty: Bool { pages.count == 0 }

  private func place(_ slot: UInt32) -> RowAddress<Row>? {
    let page = Int(slot) / Self.rowsPerPage
    guard page < pages.count, !pages[page].isMissing else { return nil }
    return pages[page].address(Int(slot) % Self.rowsPerPage)
  }

  /// Returns the object's row, nil if it has none.
  func row(_ object: ObjectID) -> RowAddress<Row>? {
    guard object != .none, let row = place(object.slot), row.pointee.object == object else { return nil }
    return row
  }

  /// Returns the object whose row an object would replace; `none` = none.
  func occupant(of object: ObjectID) -> ObjectID { place(object.slot)?.pointee.object ?? .none }

  /// Adds the row of an object that is not `none`, in place of another object's. Returns its address.
  @discardableResult
  mutating func add(_ row: Row) -> RowAddress<Row> {
    let slot = Int(row.object.slot)
    let page = slot / Self.rowsPerPage
    if page >= pages.capacity { pages.grow(to: max(2 * pages.capacity, page + 1)) }
    while pages.count <= page { pages.append(Rows()) }
    if pages[page].isMissing { pages[page] = Rows(repeating: Row(), count: Self.rowsPerPage) }
    let address = pages[page].address(slot % Self.rowsPerPage)
    address.pointee = row
    return address
  }

  /// Calls `body` with each object's row, in the order of slots.
  func forEach(_ body: (RowAddress<Row>) -> Void) {
    for page in 0..<pages.count where !pages[page].isMissing {
      for place in 0..<Self.rowsPerPage where pages[page][place].object != .none {
        body(pages[page].address(place))
      }
    }
  }
}
