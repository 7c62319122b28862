/// The difference between two descriptions of a run loop, or of two run loops.
package struct TopologyDifference: Sendable, Equatable {
  package struct Pair: Sendable, Equatable {
    package var base: PlacedItem
    package var other: PlacedItem
    /// The fields that differ.
    package var fields: [ItemField]
  }

  /// Whether both describe one process, in which an address identifies an item.
  package let isSameProcess: Bool
  package let baseCurrentMode: String?
  package let otherCurrentMode: String?
  package let addedModes: [String]
  package let removedModes: [String]
  package let addedCommonModes: [String]
  package let removedCommonModes: [String]
  /// The items that only the other description has.
  package private(set) var added: [PlacedItem] = []
  package private(set) var removed: [PlacedItem] = []
  /// The items that are in other modes, unless that follows from a change of the common modes.
  package private(set) var moved: [Pair] = []
  /// The items with different fields. An item may be in `moved` and `changed`.
  package private(set) var changed: [Pair] = []
  /// The number of items that are the same in both.
  package private(set) var alike = 0

  package init(base: Topology, other: Topology) {
    func modes(_ topology: Topology) -> Set<String> { Set(topology.modes.map(\.name)) }
    let common = (base: Set(base.commonModes), other: Set(other.commonModes))
    baseCurrentMode = base.currentMode
    otherCurrentMode = other.currentMode
    addedModes = modes(other).subtracting(modes(base)).ordered()
    removedModes = modes(base).subtracting(modes(other)).ordered()
    addedCommonModes = common.other.subtracting(common.base).ordered()
    removedCommonModes = common.base.subtracting(common.other).ordered()
    var matcher = ItemMatcher(base, other)
    isSameProcess = matcher.isSameProcess
    matcher.match()
    removed = matcher.base
    added = matcher.other
    for (one, two) in matcher.pairs {
      let fields = ItemField.allCases.filter { $0.value(of: one.item) != $0.value(of: two.item) }
      let pair = Pair(base: one, other: two, fields: fields)
      var expected = Set(one.modes)
      if one.isCommon, two.isCommon {
        expected = expected.subtracting(removedCommonModes).union(addedCommonModes)
      }
      let hasMoved = expected != Set(two.modes) || one.isCommon != two.isCommon
      if hasMoved { moved.append(pair) }
      if !fields.isEmpty { changed.append(pair) }
      if !hasMoved, fields.isEmpty { alike += 1 }
    }
  }

  /// Whether nothing differs, not even the current mode.
  package var isEmpty: Bool {
    added.isEmpty && removed.isEmpty && moved.isEmpty && changed.isEmpty && addedModes.isEmpty
      && removedModes.isEmpty && addedCommonModes.isEmpty && removedCommonModes.isEmpty
      && baseCurrentMode == otherCurrentMode
  }
}
