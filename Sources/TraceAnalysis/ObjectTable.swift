import TraceFormat

/// Names of the objects that live, by slot. A slot's next generation replaces the one before.
final class ObjectTable {
  private struct Row {
    var object: UInt32 = 0
    var name: UInt32 = 0
  }

  private var rows: [Row] = []

  func define(_ object: UInt32, name: UInt32) {
    let slot = Int(ObjectID.slot(object))
    guard object != 0 else { return }
    if slot >= rows.count { rows += Array(repeating: Row(), count: slot + 1 - rows.count) }
    rows[slot] = Row(object: object, name: name)
  }

  /// The string id of an object's name, 0 when it has none.
  func name(of object: UInt32) -> UInt32 {
    let slot = Int(ObjectID.slot(object))
    guard slot < rows.count, rows[slot].object == object else { return 0 }
    return rows[slot].name
  }
}
