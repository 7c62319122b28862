/// An item with all modes that contain it.
package struct PlacedItem: Sendable, Equatable {
  package var item: LoopItem
  /// Sorted.
  package var modes: [String]
  /// Whether the item was added to the common modes.
  package var isCommon: Bool
}

extension Topology {
  /// Each item once, in the order of kinds and lists. Items with the same address in several modes are one item.
  package var inventory: [PlacedItem] {
    var places: [UInt64: Int] = [:]
    var inventory: [PlacedItem] = []
    func place(_ item: LoopItem) -> Int {
      if let place = places[item.address] { return place }
      places[item.address] = inventory.count
      inventory.append(PlacedItem(item: item, modes: [], isCommon: false))
      return inventory.count - 1
    }
    for mode in modes {
      for item in mode.items where inventory[place(item)].modes.last != mode.name {
        inventory[place(item)].modes.append(mode.name)
      }
    }
    for item in commonItems { inventory[place(item)].isCommon = true }
    let kinds = Dictionary(uniqueKeysWithValues: LoopItem.Kind.allCases.enumerated().map { ($1, $0) })
    return inventory.ordered {
      let (a, b) = (kinds[$0.item.kind] ?? 0, kinds[$1.item.kind] ?? 0)
      return a == b ? LoopItem.comesBefore($0.item, $1.item) : a < b
    }
  }
}
